"""Trains a small autoregression as a configuration file says: config_file.py config.json (or .yaml)."""
import json
import math
import random
import sys
import time


def read_config(path):
    with open(path) as file:
        if path.endswith((".yaml", ".yml")):
            import yaml

            return yaml.safe_load(file)
        return json.load(file)


config = read_config(sys.argv[1])
rng = random.Random(config["seed"])
series = [math.sin(0.3 * t) + rng.gauss(0, config["data"]["noise"]) for t in range(400)]
order, optim = config["model"]["order"], config["optim"]
split = 300
weights = [0.0] * order
for epoch in range(1, config["epochs"] + 1):
    time.sleep(0.04)  # reading the data, which larger ones take their time for
    for t in range(order, split):
        window = series[t - order : t]
        error = sum(w * x for w, x in zip(weights, window)) - series[t]
        norm = sum(x * x for x in window) + 1e-9 if optim["normalize"] else 1.0
        weights = [w - optim["lr"] * error * x / norm for w, x in zip(weights, window)]
    errors = [(sum(w * x for w, x in zip(weights, series[t - order : t])) - series[t]) ** 2 for t in range(split, 400)]
    print(f"epoch {epoch}: val_mse = {sum(errors) / len(errors):.6f}")
