"""Early stopping by other tools on tables of learning curves, step by step on the virtual clock.

The rule is that of `gannet bench --early-stop` (docs/bench.md): a search of N trials may run as many steps as N whole trials
have, and only a trial that came to its last step counts. All configurations are drawn at random, so that nothing but early
stopping differs. Rows are those of bench.py; `trials` are the steps so far in whole trials, and a last column has the steps.

    curves.py --tool optuna|syne --results DIR [--seeds 1-20] [--workers 8] [--trials 100] FILE...
"""

import argparse
import heapq
import importlib.metadata
import logging
import math
import pathlib
import time
import types

import bench


class Trial(types.SimpleNamespace):
    """number, token; samples: what it reports, step by step; value: at the end, None when it fails there."""

    def steps(self):
        return len(self.samples) + (self.value is None)


def begin(peer, task, seed, number):
    token, params = peer.ask()
    answer = task.evaluate(seed, number, params)
    return Trial(number=number, token=token, samples=[value for _, value in answer["curve"]], reached=0,
                 value=answer.get("value"))


def advance(peer, task, trial, incumbent):
    """One more step; whether the trial goes on."""
    trial.reached += 1
    if trial.reached > len(trial.samples):
        peer.failed(trial.token)
        return False
    loss = task.loss(trial.samples[trial.reached - 1])
    whole = trial.reached == trial.steps()
    if whole:
        incumbent.tell({"value": trial.value, "true": trial.value})
    return peer.goes_on(trial.token, trial.reached, loss, whole) and not whole


def play(peer, task, seed, workers, trials):
    """One search; yields (steps, best) whenever a number of whole trials' steps has run that is wanted."""
    incumbent, running, asked, steps, now = bench.Incumbent(task), [], 0, 0, 0
    while steps < trials * task.steps:
        while len(running) < workers:
            asked += 1
            heapq.heappush(running, (now + 1, asked, begin(peer, task, seed, asked)))
        now, number, trial = heapq.heappop(running)
        steps += 1
        if advance(peer, task, trial, incumbent):
            heapq.heappush(running, (now + 1, number, trial))
        if steps % task.steps == 0 and (steps // task.steps in bench.COUNTS or steps == trials * task.steps):
            yield steps, incumbent.best


class OptunaPruning:
    """Random search and a pruner."""

    def __init__(self, make_pruner, task, seed):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.task, self.state = task, optuna.trial.TrialState
        self.study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed),
                                         pruner=make_pruner(optuna.pruners))

    def ask(self):
        from optuna_peer import suggest

        trial = self.study.ask()
        return trial, bench.settle(self.task, lambda parameter: suggest(trial, parameter))

    def goes_on(self, trial, step, loss, whole):
        trial.report(loss, step)
        if whole:
            self.study.tell(trial, loss)
        elif trial.should_prune():
            self.study.tell(trial, state=self.state.PRUNED)
            return False
        return True

    def failed(self, trial):
        self.study.tell(trial, state=self.state.FAIL)


class SyneAsha:
    """Asynchronous successive halving, of the kind that stops trials."""

    def __init__(self, options, task, seed):
        from syne_tune.optimizer.baselines import ASHA

        logging.disable(logging.WARNING)
        numpy_random(seed)
        self.task, self.count = task, 0
        self.scheduler = ASHA(self.space(), metric="loss", do_minimize=True, time_attr="step", max_t=task.steps,
                              random_seed=seed, **options)

    def space(self):
        from syne_tune import config_space

        made = {}
        for parameter in self.task.parameters:
            if bench.is_nominal(parameter):
                made[parameter["name"]] = config_space.choice(list(range(len(parameter["values"]))))
                continue
            (low, high, log, whole), _ = bench.as_range(parameter)
            kind = {(False, False): config_space.uniform, (True, False): config_space.loguniform,
                    (False, True): config_space.randint, (True, True): config_space.lograndint}[log, whole]
            made[parameter["name"]] = kind(low, high)
        return made

    def ask(self):
        from syne_tune.backend.trial_status import Trial as SyneTrial

        config = self.scheduler.suggest().config
        trial = SyneTrial(self.count, config, None)
        self.count += 1
        self.scheduler.on_trial_add(trial)
        return trial, bench.settle(self.task, lambda parameter: config[parameter["name"]])

    def goes_on(self, trial, step, loss, whole):
        result = {"loss": loss, "step": step}
        if whole:
            self.scheduler.on_trial_complete(trial, result)
            return False
        if self.scheduler.on_trial_result(trial, result) == "CONTINUE":
            return True
        self.scheduler.on_trial_remove(trial)
        return False

    def failed(self, trial):
        self.scheduler.on_trial_error(trial)


def numpy_random(seed):
    """Syne Tune draws the bracket of a trial from numpy's own generator."""
    import numpy

    numpy.random.seed(seed)


def pruning(make_pruner):
    return lambda task, seed: OptunaPruning(make_pruner, task, seed)


def asha(**options):
    return lambda task, seed: SyneAsha(options, task, seed)


# Every tool with its defaults, and with the reduction factor 3 and a first rung at one step.
STRATEGIES = {
    "optuna": {
        "optuna-random+none": pruning(lambda pruners: pruners.NopPruner()),
        "optuna-random+sha": pruning(lambda pruners: pruners.SuccessiveHalvingPruner()),
        "optuna-random+sha:eta=3": pruning(
            lambda pruners: pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=3)),
        "optuna-random+hyperband": pruning(lambda pruners: pruners.HyperbandPruner()),
        "optuna-random+median": pruning(lambda pruners: pruners.MedianPruner()),
    },
    "syne": {
        "syne-asha": asha(),
        "syne-asha:brackets=3": asha(brackets=3),
    },
}
PACKAGES = {"optuna": "optuna", "syne": "syne-tune"}


def run_search(make, strategy, file, seed, options):
    start, task = time.process_time(), bench.Task(file)
    rows = []
    for steps, best in play(make(task, seed), task, seed, options.workers, options.trials):
        rows.append(dict(zip(bench.COLUMNS + ["steps"], [
            task.name, strategy, seed, options.workers, steps // task.steps, f"{best:.12g}",
            f"{task.regret(best):.9g}", math.nan, math.nan, steps])))
    task.close()
    print(task.name, strategy, seed, f"{time.process_time() - start:.1f} s", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True, choices=sorted(STRATEGIES))
    parser.add_argument("--seeds", default="1-20", help="FIRST-LAST")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--trials", type=int, default=100, help="the budget in whole trials")
    parser.add_argument("--results", required=True, metavar="DIR")
    parser.add_argument("files", nargs="+", help="experiment files")
    options = parser.parse_args()
    tool = f"{options.tool}-{importlib.metadata.version(PACKAGES[options.tool])}"
    results = bench.Results(pathlib.Path(options.results) / "curves", tool, bench.COLUMNS + ["steps"])
    first, last = (int(seed) for seed in (options.seeds.split("-") * 2)[:2])
    for seed in range(first, last + 1):
        for strategy, make in STRATEGIES[options.tool].items():
            for file in options.files:
                name = pathlib.Path(file).stem
                if (name, strategy, seed, options.workers, options.trials) not in results.known:
                    results.add(run_search(make, strategy, file, seed, options))


if __name__ == "__main__":
    main()
