"""A program as there are many: some configurations end it, each in another way."""
import argparse
import os
import signal
import time

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.05)
parser.add_argument("--layers", type=int, default=4)
parser.add_argument("--dropout", type=float, default=0.2)
parser.add_argument("--epochs", type=int, default=9)
args = parser.parse_args()

if args.layers > 6:
    raise MemoryError(f"CUDA out of memory: {args.layers} layers")
loss = 4.0
for epoch in range(1, args.epochs + 1):
    # What a step of gradient descent does to a loss whose curvature grows with the layers.
    loss *= (1 - args.lr * args.layers) ** 2
    time.sleep(0.04)  # the GPU works
    if args.dropout > 0.45 and epoch == 2:
        os.kill(os.getpid(), signal.SIGSEGV)
    if loss > 1e6:
        print(f"epoch {epoch} loss nan")
        raise SystemExit("loss is nan, giving up")
    print(f"epoch {epoch} loss {loss + 0.1 * abs(args.dropout - 0.1) + 0.01 * (args.layers - 3) ** 2:.6f}")
