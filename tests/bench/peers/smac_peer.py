"""SMAC3 through ask and tell, with its facade for hyperparameters (random forest) and the one for black boxes (GP)."""

import importlib.metadata
import tempfile
import warnings

import smac
from smac.runhistory.dataclasses import TrialValue
from smac.runhistory.enumerations import StatusType

import bench
import conditions

warnings.filterwarnings("ignore")


class Smac:
    def __init__(self, facade, task, seed, workers, trials):
        self.task = task
        self.folder = tempfile.TemporaryDirectory(prefix="gannet-smac-")  # removed with the object
        scenario = smac.Scenario(conditions.config_space(task, seed), n_trials=trials, seed=seed, deterministic=True,
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
