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
        if self.optimum is None:
            return math.nan
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


def search(peer, task, seed, workers, trials):
    """One whole search; yields (trials told, best, p50 and p99 of the milliseconds per ask since the last row)."""
    incumbent, running, asked, told, now = Incumbent(task), [], 0, 0, 0.0
    thought, times = 0.0, []  # thinking in tells is paid for by the next ask
    while told < trials:
        while asked < trials and len(running) < workers:
            start = time.perf_counter()
            token, params = peer.ask()
            times.append((thought + time.perf_counter() - start) * 1e3)
            thought = 0.0
            asked += 1
            answer = task.evaluate(seed, asked, params)
            heapq.heappush(running, (now + answer["seconds"], asked, token, answer))
        now, _, token, answer = heapq.heappop(running)
        start = time.perf_counter()
        peer.tell(token, answer.get("value"))
        thought += time.perf_counter() - start
        incumbent.tell(answer)
        told += 1
        if told in COUNTS or told == trials:
            yield told, incumbent.best, quantile(times, 0.5), quantile(times, 0.99)
            times = times[-1:] if asked == trials else []


class Results:
    """A CSV file of rows; what is in it is not computed again."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.known = set()
        if self.path.exists():
            with self.path.open() as file:
                self.known = {self.key(row) for row in csv.DictReader(file)}
        else:
            self.path.write_text(",".join(COLUMNS) + "\n")

    @staticmethod
    def key(row):
        return row["table"], row["strategy"], int(row["seed"]), int(row["workers"]), int(row["trials"])

    def add(self, rows):
        rows = [row for row in rows if self.key(row) not in self.known]
        with self.path.open("a", newline="") as file:
            csv.DictWriter(file, COLUMNS, lineterminator="\n").writerows(rows)
        self.known.update(self.key(row) for row in rows)


def run_search(make, task, strategy, options, seed):
    peer = make(task, seed, options.workers, options.trials)
    rows = []
    for told, best, p50, p99 in search(peer, task, seed, options.workers, options.trials):
        rows.append(dict(zip(COLUMNS, [task.name, strategy, seed, options.workers, told, f"{best:.12g}",
                                       f"{task.regret(best):.9g}", f"{p50:.3f}", f"{p99:.3f}"])))
    return rows


def give_up(signum, frame):
    raise TimeoutError("the search took longer than --limit")


def run_all(strategies, options, results):
    """All searches that are missing, one seed on every task before the next."""
    first, last = (int(s) for s in (options.seeds.split("-") * 2)[:2])
    signal.signal(signal.SIGALRM, give_up)
    for seed in range(first, last + 1):
        for file in options.files:
            name = pathlib.Path(file).stem
            if (name, options.strategy, seed, options.workers, options.trials) in results.known:
                continue
            start, task = time.time(), Task(file)
            signal.alarm(options.limit)
            try:
                results.add(run_search(strategies[options.strategy], task, options.strategy, options, seed))
                word = "done"
            except Exception as error:  # one search that fails leaves the others alone
                traceback.print_exc()
                word = f"failed: {error}"
            signal.alarm(0)
            task.close()
            print(f"{options.strategy} {name} seed {seed} workers {options.workers} trials {options.trials}: {word}, "
                  f"{time.time() - start:.1f} s", flush=True)


def main(peer, version, strategies):
    """The command line of a runner; rows go to DIR/PEER-VERSION.csv."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--strategy", required=True, choices=sorted(strategies))
    parser.add_argument("--seeds", default="1-1", help="FIRST-LAST")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--limit", type=int, default=7200, help="seconds that one search may take")
    parser.add_argument("--results", required=True, metavar="DIR")
    parser.add_argument("files", nargs="+", help="experiment files")
    options = parser.parse_args()
    run_all(strategies, options, Results(pathlib.Path(options.results) / f"{peer}-{version}.csv"))
    sys.exit(0)
