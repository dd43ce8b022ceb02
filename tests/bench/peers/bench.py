"""What every peer's runner shares: the task as gannet's own kernels compute it, the virtual clock, and the rows.

A runner gives `main` its strategies: functions that make, for a Task, a seed and numbers of workers and trials, an object
with

    ask() -> (token, params)     a configuration to try: the active parameters by name
    tell(token, value)           what came of it; None: it failed

The rule of the clock and the meaning of each column are in docs/bench.md.
"""

import argparse
import csv
import heapq
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import time
import traceback

COLUMNS = ["table", "strategy", "seed", "workers", "trials", "best", "regret", "ask_ms_p50", "ask_ms_p99"]
COUNTS = [10, 25, 50, 100, 200, 500, 1000, 2000, 5000, 10000]
ROOT = pathlib.Path(__file__).resolve().parents[3]
EVALUATE = str(pathlib.Path(os.environ.get("GANNET_BUILD", ROOT / "build")) / "bench" / "evaluate")


class Task:
    """An experiment file, evaluated by tests/bench/evaluate.c."""

    def __init__(self, file):
        described = subprocess.run([EVALUATE, "--task", file], check=True, capture_output=True, text=True).stdout
        self.__dict__.update(json.loads(described))
        self.maximize = self.goal == "maximize"
        self.process = subprocess.Popen([EVALUATE, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def evaluate(self, seed, trial, params):
        self.process.stdin.write(json.dumps({"seed": seed, "trial": trial, "params": params}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def loss(self, value):
        """Lower is better; None for None: a failed trial."""
        return -value if self.maximize and value is not None else value

    def regret(self, best):
        return (best - self.optimum) / (self.median - self.optimum) + 0.0  # no negative zero

    def ordered(self):
        """The parameters, parents before those that depend on them."""
        placed, waiting = [], list(self.parameters)
        while waiting:
            names = {p["name"] for p in placed}
            ready = next(p for p in waiting if all(c["parent"] in names for c in p["when"]))
            placed.append(ready)
            waiting.remove(ready)
        return placed


def is_active(parameter, params):
    """Whether a parameter takes part, given the values of those before it."""
    return all(params.get(c["parent"]) in c["values"] for c in parameter["when"])


def is_nominal(parameter):
    return parameter["kind"] == "choice" and not parameter["ordered"]


def as_range(parameter):
    """A numeric parameter as (low, high, log, is_integer), and the function from a number in it to the value.

    A list of values that have an order is the range of their places, the form that suits every peer best."""
    if parameter["kind"] == "choice":
        values = parameter["values"]
        return (0, len(values) - 1, False, True), lambda at: values[int(at)]
    low, high, step = parameter["min"], parameter["max"], parameter["step"]
    whole = parameter["kind"] == "int"
    if step and not (whole and step == 1):
        count = int(math.floor((high - low) / step + 1e-9))
        return (0, count, False, True), lambda at: (int if whole else float)(low + step * int(at))
    if whole:
        return (int(low), int(high), parameter["log"], True), int
    return (low, high, parameter["log"], False), lambda at: min(max(float(at), low), high)


def settle(task, read):
    """The active parameters of a configuration: `read(parameter)` is a number in its range, or the place of a choice."""
    params = {}
    for parameter in task.ordered():
        if is_active(parameter, params):
            params[parameter["name"]] = value_at(parameter, read(parameter))
    return params


def value_at(parameter, at):
    if parameter["kind"] == "constant" or is_nominal(parameter):
        return parameter["values"][int(at)]
    return as_range(parameter)[1](at)


class Penalty:
    """The loss of failed trials for a tool that wants a number: the worst so far. Failures before the first success wait
    for it."""

    def __init__(self, tell):
        self.tell_tool, self.worst, self.waiting = tell, None, []

    def tell(self, token, loss):
        if loss is not None:
            self.worst = loss if self.worst is None else max(self.worst, loss)
        self.waiting.append((token, loss))
        while self.worst is not None and self.waiting:
            token, loss = self.waiting.pop()
            self.tell_tool(token, self.worst if loss is None else loss, loss is None)


class Incumbent:
    """The trial with the best value as it was seen; its true value counts."""

    def __init__(self, task):
        self.task, self.loss, self.best = task, math.inf, math.nan

    def tell(self, answer):
        if "value" in answer and self.task.loss(answer["value"]) < self.loss:
            self.loss, self.best = self.task.loss(answer["value"]), answer["true"]


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, math.ceil(share * len(values)) - 1)] if values else math.nan


def play(peer, task, seed, workers, trials):
    """One whole search; yields (trials told, best, p50 and p99 of the milliseconds per ask since the last row).

    The milliseconds are processor time: a comparison of hours shares its machine with others."""
    incumbent, running, asked, told, now = Incumbent(task), [], 0, 0, 0.0
    thought, times = 0.0, []  # thinking in tells is paid for by the next ask
    while told < trials:
        while asked < trials and len(running) < workers:
            start = time.process_time()
            token, params = peer.ask()
            times.append((thought + time.process_time() - start) * 1e3)
            thought = 0.0
            asked += 1
            answer = task.evaluate(seed, asked, params)
            heapq.heappush(running, (now + answer["seconds"], asked, token, answer))
        now, _, token, answer = heapq.heappop(running)
        start = time.process_time()
        peer.tell(token, answer.get("value"))
        thought += time.process_time() - start
        incumbent.tell(answer)
        told += 1
        if told in COUNTS or told == trials:
            yield told, incumbent.best, quantile(times, 0.5), quantile(times, 0.99)
            times = []


class Results:
    """TOOL.csv, and TOOL.failed with the searches that ended in an error; what is in either is not computed again."""

    def __init__(self, directory, tool, columns=COLUMNS):
        self.columns = columns
        self.rows = pathlib.Path(directory) / f"{tool}.csv"
        self.failures = pathlib.Path(directory) / f"{tool}.failed"
        self.rows.parent.mkdir(parents=True, exist_ok=True)
        self.known = set()
        for path in self.rows, self.failures:
            if path.exists():
                with path.open() as file:
                    self.known.update(key(row) for row in csv.DictReader(file))

    def add(self, rows):
        self.append(self.rows, self.columns, [row for row in rows if key(row) not in self.known])

    def add_failure(self, search, why):
        self.append(self.failures, COLUMNS[:5] + ["why"], [search | {"why": " ".join(str(why).split())[:200]}])

    def append(self, path, columns, rows):
        new = not path.exists()
        with path.open("a", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerows(rows)
        self.known.update(key(row) for row in rows)


def key(row):
    return row["table"], row["strategy"], int(row["seed"]), int(row["workers"]), int(row["trials"])


def run_search(make, task, search):
    """The rows of one search, which is a row without its results."""
    about = search["seed"], search["workers"], search["trials"]
    rows = []
    for told, best, p50, p99 in play(make(task, *about), task, *about):
        rows.append(search | {"trials": told, "best": f"{best:.12g}", "regret": f"{task.regret(best):.9g}",
                              "ask_ms_p50": f"{p50:.4g}", "ask_ms_p99": f"{p99:.4g}"})
    return rows


def give_up(signum, frame):
    raise TimeoutError("the search took longer than --limit")


def try_search(make, file, search, results, limit):
    """Runs it and keeps its rows, or why there are none: one search that fails leaves the others alone."""
    start, task = time.time(), Task(file)
    signal.alarm(limit)
    try:
        results.add(run_search(make, task, search))
        word = "done"
    except Exception as error:
        traceback.print_exc()
        results.add_failure(search, error)
        word = f"failed: {error}"
    signal.alarm(0)
    task.close()
    print(*search.values(), word, f"{time.time() - start:.1f} s", flush=True)


def try_all(strategies, options, results):
    """All searches that are missing, one seed on every task before the next. False when time ran out."""
    first, last = (int(seed) for seed in (options.seeds.split("-") * 2)[:2])
    end = time.time() + options.minutes * 60
    signal.signal(signal.SIGALRM, give_up)
    for seed in range(first, last + 1):
        for file in options.files:
            values = pathlib.Path(file).stem, options.strategy, seed, options.workers, options.trials
            if values in results.known:
                continue
            if time.time() > end:
                return False
            try_search(strategies[options.strategy], file, dict(zip(COLUMNS, values)), results, options.limit)
    return True


def main(tool, version, strategies):
    """The command line of a runner; rows go to DIR/TOOL-VERSION.csv. The status is 75 when --minutes were over first."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--strategy", required=True, choices=sorted(strategies))
    parser.add_argument("--seeds", default="1-1", help="FIRST-LAST")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no search after so many")
    parser.add_argument("--limit", type=int, default=7200, help="seconds that one search may take")
    parser.add_argument("--results", required=True, metavar="DIR")
    parser.add_argument("files", nargs="+", help="experiment files")
    options = parser.parse_args()
    sys.exit(0 if try_all(strategies, options, Results(options.results, f"{tool}-{version}")) else 75)
