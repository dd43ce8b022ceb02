"""scikit-optimize with its default, a GP whose acquisition is chosen by hedging. Running trials are told with the best value
so far in a copy of the optimiser: the constant liar of its own batches."""

import warnings

import skopt

import bench

warnings.filterwarnings("ignore")


def dimension(parameter):
    name = parameter["name"]
    if bench.is_nominal(parameter):
        return skopt.space.Categorical(list(range(len(parameter["values"]))), name=name)
    (low, high, log, whole), _ = bench.as_range(parameter)
    kind = skopt.space.Integer if whole else skopt.space.Real
    return kind(low, high, prior="log-uniform" if log else "uniform", name=name)


class Skopt:
    def __init__(self, task, seed, workers, trials):
        self.task = task
        self.names = [p["name"] for p in task.parameters]
        self.optimizer = skopt.Optimizer([dimension(p) for p in task.parameters], "GP", n_initial_points=10,
                                         random_state=seed)
        self.running = []
        self.penalty = bench.Penalty(lambda point, loss, failed: self.optimizer.tell(point, loss))

    def ask(self):
        asked = self.optimizer
        if self.running:
            asked = asked.copy(random_state=self.optimizer.rng.randint(2**31))
            lie = min(asked.yi) if asked.yi else 0.0
            asked.tell(list(self.running), [lie] * len(self.running))
        point = asked.ask()
        self.running.append(point)
        at = dict(zip(self.names, point))
        return point, bench.settle(self.task, lambda parameter: at[parameter["name"]])

    def tell(self, point, value):
        self.running.remove(point)
        self.penalty.tell(point, self.task.loss(value))


STRATEGIES = {"skopt-gp": Skopt}

if __name__ == "__main__":
    bench.main("skopt", skopt.__version__, STRATEGIES)
