"""The peers of tests/bench/boosted_trees: makes the data, trains scikit-learn's and LightGBM's trees, compares."""

import csv
import json
import math
import statistics
import sys
import time

# Data sets for times: so many rows and inputs; and small ones for how well is learned, which are drawn anew for each seed.
ROWS, INPUTS = 100000, 28
NUMBERS = ("numbers", "friedman")


def draw(name, random):
    """Inputs and labels."""
    import numpy

    if name == "digits":
        data = numpy.loadtxt("examples/data/digits.csv", delimiter=",", skiprows=1, dtype="f4")
        return data[:, :-1], data[:, -1].astype(int)
    if name == "friedman":  # Friedman 1991, problem 1
        x = random.uniform(size=(800, 10))
        y = 10 * numpy.sin(math.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
        return x, y + random.normal(size=len(x))
    if name == "four-classes":  # two clouds a class in 6 of 12 dimensions, one label in twenty is wrong, one cell in ten missing
        y = random.integers(4, size=1200)
        centres = numpy.concatenate([random.normal(scale=1.2, size=(8, 6)), numpy.zeros((8, 6))], 1)
        x = centres[2 * y + random.integers(2, size=len(y))] + random.normal(size=(len(y), 12))
        y = numpy.where(random.uniform(size=len(y)) < 0.05, random.integers(4, size=len(y)), y)
        x[random.uniform(size=x.shape) < 0.1] = numpy.nan
        return x, y
    x = random.normal(size=(ROWS, INPUTS))
    z = x[:, 0] * x[:, 1] + numpy.sin(3 * x[:, 2]) + 0.5 * x[:, 3] ** 2 - 0.5 + 0.3 * x[:, 4:8].sum(1)
    z += 0.5 * random.normal(size=ROWS)
    return x, z if name == "numbers" else (z > 0).astype(int)


def make(name, path, seed):
    """Writes PATH-train.csv and PATH-test.csv, a fifth of the rows, so that all see the same."""
    import numpy
    from sklearn.model_selection import train_test_split

    x, y = draw(name, numpy.random.default_rng(seed))
    parts = train_test_split(x, y, test_size=0.2, random_state=seed, stratify=None if name in NUMBERS else y)
    for part, xs, ys in (("train", parts[0], parts[2]), ("test", parts[1], parts[3])):
        with open("%s-%s.csv" % (path, part), "w") as out:
            writer = csv.writer(out)
            writer.writerow(["x%d" % i for i in range(x.shape[1])] + ["y"])
            writer.writerows([["%.6g" % v for v in row] + ["%.6g" % t] for row, t in zip(xs, ys)])


def load(path, part):
    import numpy

    data = numpy.loadtxt("%s-%s.csv" % (path, part), delimiter=",", skiprows=1, dtype="f4")
    return data[:, :-1], data[:, -1]


def train(name, path, threads):
    import lightgbm
    import numpy
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    (a, c), (b, d) = load(path, "train"), load(path, "test")
    numbers = name in NUMBERS
    peers = {
        "scikit-learn": (HistGradientBoostingRegressor if numbers else HistGradientBoostingClassifier)(
            max_iter=100, early_stopping=False
        ),
        "LightGBM": (lightgbm.LGBMRegressor if numbers else lightgbm.LGBMClassifier)(
            n_estimators=100, n_jobs=threads, verbose=-1
        ),
    }
    for peer, model in peers.items():
        begun = time.perf_counter()
        model.fit(a, c)
        seconds = time.perf_counter() - begun
        predicted = model.predict(b)
        value = numpy.sqrt(((predicted - d) ** 2).mean()) if numbers else (predicted == d).mean()
        loss = value**2 if numbers else -numpy.log(model.predict_proba(b)[range(len(d)), d.astype(int)]).mean()
        print(peer, seconds, value, loss)


def read(metric):
    """What gannet-trainer --run --json says, as the line of a peer."""
    lines = [json.loads(line) for line in sys.stdin]
    phases, metrics = lines[-1]["phases"], lines[-2]["metrics"]
    print("gannet", phases["update"]["seconds"] + phases["evaluation"]["seconds"], metrics[metric], metrics["val_loss"])


def read_rows(path):
    """{who: [[seconds, value, loss], ...]}"""
    of = {}
    for line in open(path):
        who, *numbers = line.split()
        of.setdefault(who, []).append([float(n) for n in numbers])
    return of


def report(name, path, metric):
    of = read_rows(path)
    seconds = {who: statistics.median(r[0] for r in rows) for who, rows in of.items()}
    print("  %s: gannet %.3f s, %s %.4g" % (name, seconds["gannet"], metric, of["gannet"][-1][1]))
    for who in of:
        if who != "gannet":
            share = seconds["gannet"] / seconds[who]
            print("    %-13s %.3f s, %.4g; gannet takes %.2f of it" % (who, seconds[who], of[who][-1][1], share))


def report_quality(name, path, metric):
    """Means over the seeds, and gannet's less a peer's within a seed with the 95 % interval of its mean (Student's t)."""
    from scipy.stats import t

    of = read_rows(path)
    for at, what in ((1, metric), (2, "val_loss")):
        ours = [row[at] for row in of["gannet"]]
        line = "| %s | %s | %.4f |" % (name, what, statistics.mean(ours))
        for who in ("scikit-learn", "LightGBM"):
            theirs = [row[at] for row in of[who]]
            less = [a - b for a, b in zip(ours, theirs)]
            half = t.ppf(0.975, len(less) - 1) * statistics.stdev(less) / math.sqrt(len(less))
            line += " %.4f | %+.4f (%+.4f .. %+.4f) |" % (
                statistics.mean(theirs), statistics.mean(less), statistics.mean(less) - half, statistics.mean(less) + half)
        print(line, flush=True)


verb, arguments = sys.argv[1], sys.argv[2:]
if verb == "make":
    make(arguments[0], arguments[1], int(arguments[2]))
elif verb == "train":
    train(arguments[0], arguments[1], int(arguments[2]))
elif verb == "read":
    read(arguments[0])
else:
    (report_quality if verb == "quality" else report)(*arguments)
