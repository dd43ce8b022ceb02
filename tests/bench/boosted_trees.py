"""The peers of tests/bench/boosted_trees: makes the data, trains scikit-learn's and LightGBM's trees, compares."""

import csv
import json
import statistics
import sys
import time

ROWS, INPUTS = 100000, 28


def make(name, path):
    import numpy

    if name == "digits":
        with open("examples/data/digits.csv") as source, open(path, "w") as copy:
            copy.write(source.read())
        return
    random = numpy.random.default_rng(1)
    x = random.normal(size=(ROWS, INPUTS))
    z = x[:, 0] * x[:, 1] + numpy.sin(3 * x[:, 2]) + 0.5 * x[:, 3] ** 2 - 0.5 + 0.3 * x[:, 4:8].sum(1)
    z += 0.5 * random.normal(size=ROWS)
    y = z if name == "numbers" else (z > 0).astype(int)
    with open(path, "w") as out:
        writer = csv.writer(out)
        writer.writerow(["x%d" % i for i in range(INPUTS)] + ["y"])
        writer.writerows([["%.6g" % v for v in row] + ["%.6g" % t] for row, t in zip(x, y)])


def train(name, path, threads):
    import lightgbm
    import numpy
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.model_selection import train_test_split

    data = numpy.loadtxt(path, delimiter=",", skiprows=1, dtype="f4")
    x, y = data[:, :-1], data[:, -1]
    numbers = name == "numbers"
    a, b, c, d = train_test_split(x, y, test_size=0.2, random_state=0, stratify=None if numbers else y)
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
        print(peer, seconds, value)


def read(metric):
    """What gannet-trainer --run --json says, as the line of a peer."""
    lines = [json.loads(line) for line in sys.stdin]
    phases = lines[-1]["phases"]
    print("gannet", phases["update"]["seconds"] + phases["evaluation"]["seconds"], lines[-2]["metrics"][metric])


def report(name, path, metric):
    rows = [line.split() for line in open(path)]
    of = {who: [float(r[1]) for r in rows if r[0] == who] for who in dict.fromkeys(r[0] for r in rows)}
    value = {r[0]: float(r[2]) for r in rows}
    ours = statistics.median(of["gannet"])
    print("  %s: gannet %.3f s, %s %.4g" % (name, ours, metric, value["gannet"]))
    for who in of:
        if who != "gannet":
            theirs = statistics.median(of[who])
            print("    %-13s %.3f s, %.4g; gannet takes %.2f of it" % (who, theirs, value[who], ours / theirs))


if sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "train":
    train(sys.argv[2], sys.argv[3], int(sys.argv[4]))
elif sys.argv[1] == "read":
    read(sys.argv[2])
else:
    report(sys.argv[2], sys.argv[3], sys.argv[4])
