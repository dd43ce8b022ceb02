#!/usr/bin/env python3
"""Fits a noisy sine with a small neural network of one hidden layer."""
import argparse
import math
import random
import time


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lr", type=float, default=0.01, help="learning rate")
    parser.add_argument("--momentum", type=float, default=0.5)
    parser.add_argument("--hidden", type=int, default=8, help="units of the hidden layer")
    parser.add_argument("--activation", choices=["tanh", "relu"], default="relu")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


class Network:
    def __init__(self, hidden, activation, rng):
        self.activation = activation
        self.w1 = [rng.gauss(0, 1) for _ in range(hidden)]
        self.b1 = [rng.gauss(0, 1) for _ in range(hidden)]
        self.w2 = [rng.gauss(0, 1 / math.sqrt(hidden)) for _ in range(hidden)]
        self.b2 = 0.0
        self.velocity = [0.0] * (3 * hidden + 1)

    def forward(self, x):
        sums = [w * x + b for w, b in zip(self.w1, self.b1)]
        if self.activation == "tanh":
            out = [math.tanh(s) for s in sums]
            slopes = [1 - o * o for o in out]
        else:
            out = [max(s, 0.0) for s in sums]
            slopes = [1.0 if s > 0 else 0.0 for s in sums]
        return out, slopes, sum(w * o for w, o in zip(self.w2, out)) + self.b2

    def train(self, x, y, lr, momentum):
        out, slopes, predicted = self.forward(x)
        error = predicted - y
        gradients = [error * w * s * x for w, s in zip(self.w2, slopes)]
        gradients += [error * w * s for w, s in zip(self.w2, slopes)]
        gradients += [error * o for o in out] + [error]
        self.velocity = [momentum * v - lr * g for v, g in zip(self.velocity, gradients)]
        n = len(self.w1)
        for i in range(n):
            self.w1[i] += self.velocity[i]
            self.b1[i] += self.velocity[n + i]
            self.w2[i] += self.velocity[2 * n + i]
        self.b2 += self.velocity[-1]


def main():
    args = parse_args()
    rng = random.Random(args.seed)
    points = [(x, math.sin(3 * x) + rng.gauss(0, 0.05)) for x in (rng.uniform(-1, 1) for _ in range(240))]
    train, valid = points[:160], points[160:]
    network = Network(args.hidden, args.activation, rng)
    print(f"training on {len(train)} points, validating on {len(valid)}")
    for epoch in range(1, args.epochs + 1):
        time.sleep(0.04)  # reading the data, which larger ones take their time for
        rng.shuffle(train)
        for x, y in train:
            network.train(x, y, args.lr, args.momentum)
        val_loss = sum((network.forward(x)[2] - y) ** 2 for x, y in valid) / len(valid)
        print(f"Epoch {epoch}/{args.epochs}: val_loss={val_loss:.5f}")


if __name__ == "__main__":
    main()
