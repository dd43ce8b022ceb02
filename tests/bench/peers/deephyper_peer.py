"""DeepHyper's CBO with its defaults: extremely randomised trees, and an upper bound whose weight decays."""

import importlib.metadata
import logging
import tempfile
import warnings

from deephyper.hpo import CBO, HpProblem

import bench
import conditions

logging.disable(logging.WARNING)
warnings.filterwarnings("ignore")


class DeepHyper:
    def __init__(self, task, seed, workers, trials):
        self.task = task
        self.folder = tempfile.TemporaryDirectory(prefix="gannet-deephyper-")  # removed with the object
        self.search = CBO(HpProblem(conditions.config_space(task, seed)), random_state=seed, log_dir=self.folder.name)

    def ask(self):
        point = self.search.ask(1)[0]
        return point, bench.settle(self.task, lambda parameter: point[parameter["name"]])

    def tell(self, point, value):
        self.search.tell([(point, "F" if value is None else -self.task.loss(value))])


STRATEGIES = {"deephyper": DeepHyper}

if __name__ == "__main__":
    bench.main("deephyper", importlib.metadata.version("deephyper"), STRATEGIES)
