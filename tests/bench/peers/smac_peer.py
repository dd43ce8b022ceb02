"""SMAC3 through ask and tell, with its facade for hyperparameters (random forest) and the one for black boxes (GP)."""

import importlib.metadata
import tempfile
import warnings

import ConfigSpace
import smac
from smac.runhistory.dataclasses import TrialValue
from smac.runhistory.enumerations import StatusType

import bench

warnings.filterwarnings("ignore")


def hyperparameter(parameter):
    name = parameter["name"]
    if bench.is_nominal(parameter):
        return ConfigSpace.CategoricalHyperparameter(name, list(range(len(parameter["values"]))))
    (low, high, log, whole), _ = bench.as_range(parameter)
    kind = ConfigSpace.UniformIntegerHyperparameter if whole else ConfigSpace.UniformFloatHyperparameter
    return kind(name, low, high, log=log)


def condition(space, parameter, when):
    """`parameter` is active when its parent has one of the values; parents are lists of choices."""
    parent = next(p for p in space.task.parameters if p["name"] == when["parent"])
    places = [parent["values"].index(value) for value in when["values"]]
    return ConfigSpace.InCondition(space.made[parameter["name"]], space.made[parent["name"]], places)


class Space:
    def __init__(self, task, seed):
        self.task = task
        self.made = {p["name"]: hyperparameter(p) for p in task.parameters}
        self.all = ConfigSpace.ConfigurationSpace(seed=seed)
        self.all.add(*self.made.values())
        for parameter in task.parameters:
            conditions = [condition(self, parameter, when) for when in parameter["when"]]
            if conditions:
                self.all.add(conditions[0] if len(conditions) == 1 else ConfigSpace.AndConjunction(*conditions))


class Smac:
    def __init__(self, facade, task, seed, workers, trials):
        self.task = task
        self.folder = tempfile.TemporaryDirectory(prefix="gannet-smac-")  # removed with the object
        scenario = smac.Scenario(Space(task, seed).all, n_trials=trials, seed=seed, deterministic=True,
                                 output_directory=self.folder.name)
        self.penalty = bench.Penalty(self.tell_facade)
        self.facade = facade(scenario, lambda config, seed=0: 0.0, overwrite=True, logging_level=40)

    def ask(self):
        info = self.facade.ask()
        return info, bench.settle(self.task, lambda parameter: info.config[parameter["name"]])

    def tell(self, info, value):
        self.penalty.tell(info, self.task.loss(value))

    def tell_facade(self, info, cost, failed):
        status = StatusType.CRASHED if failed else StatusType.SUCCESS
        self.facade.tell(info, TrialValue(cost=cost, time=1.0, status=status), save=False)


def with_facade(facade):
    return lambda *about: Smac(facade, *about)


STRATEGIES = {
    "smac-hpo": with_facade(smac.HyperparameterOptimizationFacade),
    "smac-blackbox": with_facade(smac.BlackBoxFacade),
}

if __name__ == "__main__":
    bench.main("smac", importlib.metadata.version("smac"), STRATEGIES)
