# The same as suggest.c with a sampler of Optuna: suggest.py tpe|gp|cmaes N [ASKS]; writes "p50 p99 mean" in milliseconds.
import math, random, sys, time, warnings

import optuna

warnings.filterwarnings("ignore")
optuna.logging.set_verbosity(optuna.logging.ERROR)
kind, n, asks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 50
D = 10
samplers = {"tpe": optuna.samplers.TPESampler, "gp": optuna.samplers.GPSampler, "cmaes": optuna.samplers.CmaEsSampler}
space = {f"x{i + 1}": optuna.distributions.FloatDistribution(-5.0, 5.0) for i in range(D)}
rng = random.Random(1)


def loss(params):
    x = [2 * params[f"x{i + 1}"] / 5 for i in range(D)]
    total = sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in range(D - 1))
    return math.log1p(total) + 0.05 * rng.gauss(0, 1)


study = optuna.create_study(sampler=samplers[kind](seed=1))
for _ in range(n):
    params = {name: rng.uniform(-5, 5) for name in space}
    study.add_trial(optuna.trial.create_trial(params=params, distributions=space, value=loss(params)))
times, last = [], None
for i in range(asks + 1):
    then = time.perf_counter()
    if last is not None:
        study.tell(last, loss(last.params))
    last = study.ask(space)
    if i:
        times.append((time.perf_counter() - then) * 1e3)
times.sort()
print(f"{times[math.ceil(0.5 * asks) - 1]:.3g} {times[math.ceil(0.99 * asks) - 1]:.3g} {sum(times) / asks:.3g}")
