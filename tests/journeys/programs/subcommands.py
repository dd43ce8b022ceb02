#!/usr/bin/env python3
"""Fits a polynomial by gradient descent: `subcommands.py train`, then `subcommands.py eval`."""
import argparse
import json
import math
import random
import time


def load(seed, count):
    rng = random.Random(seed)
    return [(x, math.cos(2 * x) + rng.gauss(0, 0.1)) for x in (rng.uniform(-1, 1) for _ in range(count))]


def features(x, degree):
    """Chebyshev polynomials: well conditioned, unlike powers."""
    out = [1.0, x]
    while len(out) <= degree:
        out.append(2 * x * out[-1] - out[-2])
    return out[: degree + 1]


def predict(weights, x):
    return sum(w * f for w, f in zip(weights, features(x, len(weights) - 1)))


def error(weights, points):
    return sum((predict(weights, x) - y) ** 2 for x, y in points) / len(points)


def train(args):
    points, valid = load(1, 150), load(2, 150)
    weights = [0.0] * (args.degree + 1)
    rng = random.Random(args.seed)
    for step in range(args.steps):
        time.sleep(0.04)  # reading the data, which larger ones take their time for
        for x, y in rng.sample(points, len(points)):
            off = predict(weights, x) - y
            weights = [w - args.lr * off * f for w, f in zip(weights, features(x, args.degree))]
        print(f"step {step + 1:3d}  loss {error(weights, valid):.6f}")
    with open(args.out, "w") as file:
        json.dump(weights, file)


def evaluate(args):
    with open(args.model) as file:
        weights = json.load(file)
    print(f"test loss: {error(weights, load(3, 150)):.6f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("train", help="fit it and save the model")
    one.add_argument("--lr", type=float, default=0.001, help="learning rate")
    one.add_argument("--degree", type=int, default=1, help="of the polynomial")
    one.add_argument("--steps", type=int, default=9, help="passes over the data")
    one.add_argument("--seed", type=int, default=0)
    one.add_argument("--out", default="model.json", help="where the model goes")
    one.set_defaults(run=train)
    two = commands.add_parser("eval", help="test a model")
    two.add_argument("--model", default="model.json")
    two.set_defaults(run=evaluate)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
