"""Optuna through ask and tell; conditional spaces are defined by run."""

import warnings

import optuna

import bench

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore")


def suggest(trial, parameter):
    name = parameter["name"]
    if bench.is_nominal(parameter):
        return trial.suggest_categorical(name, list(range(len(parameter["values"]))))
    (low, high, log, whole), _ = bench.as_range(parameter)
    if whole:
        return trial.suggest_int(name, low, high, log=log)
    return trial.suggest_float(name, low, high, log=log)


class Optuna:
    def __init__(self, sampler, task):
        self.task = task
        self.study = optuna.create_study(sampler=sampler, direction=task.goal)

    def ask(self):
        trial = self.study.ask()
        return trial, bench.settle(self.task, lambda parameter: suggest(trial, parameter))

    def tell(self, trial, value):
        if value is None:
            self.study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            self.study.tell(trial, value)


def with_sampler(make):
    return lambda task, seed, workers, trials: Optuna(make(seed), task)


def auto_sampler(seed):
    import optunahub

    return optunahub.load_module("samplers/auto_sampler").AutoSampler(seed=seed)


STRATEGIES = {
    "optuna-tpe": with_sampler(lambda seed: optuna.samplers.TPESampler(seed=seed)),
    "optuna-random": with_sampler(lambda seed: optuna.samplers.RandomSampler(seed=seed)),
    "optuna-gp": with_sampler(lambda seed: optuna.samplers.GPSampler(seed=seed)),
    "optuna-cmaes": with_sampler(lambda seed: optuna.samplers.CmaEsSampler(seed=seed)),
    "optuna-auto": with_sampler(auto_sampler),
}

if __name__ == "__main__":
    bench.main("optuna", optuna.__version__, STRATEGIES)
