"""Logistic regression on two clouds of points; prints a JSON object an epoch, for whatever reads the log later."""
import argparse
import json
import math
import random
import time

parser = argparse.ArgumentParser()
parser.add_argument("--learning-rate", type=float, default=0.001)
parser.add_argument("--weight-decay", type=float, default=0.1)
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--num-epochs", type=int, default=10)
args = parser.parse_args()

rng = random.Random(7)


def sample(count):
    points = []
    for _ in range(count):
        label = rng.randrange(2)
        x = [rng.gauss(1 if label else -1, 1.0) * (0.2 if i else 1) + 0.5 for i in range(4)]
        points.append((x, label))
    return points


def sigmoid(z):
    return 1 / (1 + math.exp(-z)) if z > -30 else 0.0


train, valid = sample(400), sample(400)
weights, bias = [0.0] * 4, 0.0
began = time.time()
for epoch in range(1, args.num_epochs + 1):
    time.sleep(0.04)  # reading the data, which larger ones take their time for
    rng.shuffle(train)
    loss = 0.0
    for i in range(0, len(train), args.batch_size):
        batch = train[i : i + args.batch_size]
        gradient, slope = [0.0] * 4, 0.0
        for x, label in batch:
            p = sigmoid(sum(w * v for w, v in zip(weights, x)) + bias)
            loss -= math.log(max(p if label else 1 - p, 1e-12))
            gradient = [g + (p - label) * v for g, v in zip(gradient, x)]
            slope += p - label
        for k in range(4):
            weights[k] -= args.learning_rate * (gradient[k] / len(batch) + args.weight_decay * weights[k])
        bias -= args.learning_rate * slope / len(batch)
    right = sum((sum(w * v for w, v in zip(weights, x)) + bias > 0) == (label == 1) for x, label in valid)
    record = {"epoch": epoch, "train_loss": loss / len(train), "val_accuracy": right / len(valid)}
    print(json.dumps({**record, "seconds": round(time.time() - began, 3)}))
