"""Gradient descent in the valley of Rosenbrock's function: its step and momentum are searched, bad starts are pruned."""
import optuna


def rosenbrock(x, y):
    return (1 - x) ** 2 + 5 * (y - x * x) ** 2


def gradient(x, y):
    return -2 * (1 - x) - 20 * x * (y - x * x), 10 * (y - x * x)


def objective(trial):
    lr = trial.suggest_float("lr", 1e-3, 1.0, log=True)
    momentum = trial.suggest_float("momentum", 0.0, 0.95)
    method = trial.suggest_categorical("method", ["heavy", "nesterov"])
    x, y, vx, vy = -1.0, 1.0, 0.0, 0.0
    for epoch in range(1, 13):
        for _ in range(20):
            ahead = momentum if method == "nesterov" else 0.0
            gx, gy = gradient(x + ahead * vx, y + ahead * vy)
            vx, vy = momentum * vx - lr * gx, momentum * vy - lr * gy
            x, y = max(-9.0, min(9.0, x + vx)), max(-9.0, min(9.0, y + vy))
        loss = rosenbrock(x, y)
        trial.report(loss, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned()
    return loss


study = optuna.create_study(direction="minimize", pruner=optuna.pruners.SuccessiveHalvingPruner())
study.optimize(objective, n_trials=20)
print("best", study.best_value, study.best_params["lr"])
