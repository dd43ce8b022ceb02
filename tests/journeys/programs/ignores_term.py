"""A handler that somebody wrote once keeps SIGTERM from ending the training."""
import argparse
import signal
import time

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--epochs", type=int, default=9)
args = parser.parse_args()


def on_term(signum, frame):
    print("SIGTERM? Not now, I am training")


signal.signal(signal.SIGTERM, on_term)
loss = 1.0
for epoch in range(1, args.epochs + 1):
    time.sleep(0.05)
    loss *= (1 - args.lr) ** 2
    print(f"epoch={epoch} loss={loss + 0.5 * args.lr ** 2:.6f}")
