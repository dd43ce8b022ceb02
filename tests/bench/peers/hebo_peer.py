"""HEBO with its defaults. It knows no conditions (inactive parameters are ignored) and no running trials; failed trials are
told as infinite, which it leaves out."""

import contextlib
import importlib.metadata
import io
import random
import warnings

import numpy
import torch
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO

import bench

warnings.filterwarnings("ignore")


def dimension(parameter):
    name = parameter["name"]
    if bench.is_nominal(parameter):
        return {"name": name, "type": "cat", "categories": list(range(len(parameter["values"])))}
    (low, high, log, whole), _ = bench.as_range(parameter)
    kind = {(False, False): "num", (True, False): "pow", (False, True): "int", (True, True): "pow_int"}[log, whole]
    return {"name": name, "type": kind, "lb": low, "ub": high}


class Hebo:
    def __init__(self, task, seed, workers, trials):
        random.seed(seed)
        numpy.random.seed(seed)
        torch.manual_seed(seed)
        self.task = task
        self.optimizer = HEBO(DesignSpace().parse([dimension(p) for p in task.parameters]), scramble_seed=seed)

    def ask(self):
        with contextlib.redirect_stdout(io.StringIO()):  # it reports each jitter
            point = self.optimizer.suggest(n_suggestions=1)
        return point, bench.settle(self.task, lambda parameter: point.iloc[0][parameter["name"]])

    def tell(self, point, value):
        loss = numpy.inf if value is None else self.task.loss(value)
        self.optimizer.observe(point, numpy.array([[loss]]))


STRATEGIES = {"hebo": Hebo}

if __name__ == "__main__":
    bench.main("hebo", importlib.metadata.version("HEBO"), STRATEGIES)
