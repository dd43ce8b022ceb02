# Makes the studies beside it with the Optuna that runs it (made with 3.6.2, 4.5.0 and 5.0.0): python make.py optuna-5
import sys, optuna
optuna.logging.set_verbosity(optuna.logging.ERROR)
name = sys.argv[1]
def objective(trial):
    lr = trial.suggest_float("lr", 1e-5, 1e-1, log=True)
    dropout = trial.suggest_float("dropout", 0.0, 0.5, step=0.1)
    width = trial.suggest_int("width", 16, 256, step=16)
    layers = trial.suggest_int("layers", 1, 64, log=True)
    opt = trial.suggest_categorical("optimizer", ["sgd", "adam", None, True])
    if opt == "sgd":
        trial.suggest_float("momentum", 0.5, 0.99)
    for step in range(3):
        trial.report(abs(lr - 0.01) + dropout + 3 - step, step)
    if trial.number % 5 == 4:
        raise optuna.TrialPruned()
    if trial.number == 7:
        raise ValueError("the robot fell over")
    return abs(lr - 0.01) + dropout + width / 1000 + layers / 100
s = optuna.create_study(study_name="digits", storage=f"sqlite:///{name}.db", direction="minimize", sampler=optuna.samplers.RandomSampler(seed=1))
s.optimize(objective, n_trials=12, catch=(ValueError,))
s.ask()
try: s.set_metric_names(["val_loss"])
except Exception as e: print(e)
m = optuna.create_study(study_name="two", storage=f"sqlite:///{name}.db", directions=["minimize", "maximize"], sampler=optuna.samplers.RandomSampler(seed=1))
m.optimize(lambda t: (t.suggest_float("x", 0, 1), t.suggest_int("n", 1, 5)), n_trials=4)
try:
    from optuna.storages import JournalStorage
    try:
        from optuna.storages.journal import JournalFileBackend as B
    except ImportError:
        from optuna.storages import JournalFileStorage as B
    j = optuna.create_study(study_name="journal", storage=JournalStorage(B(f"{name}.log")), direction="maximize", sampler=optuna.samplers.RandomSampler(seed=1))
    j.optimize(objective, n_trials=8, catch=(ValueError,))
except Exception as e: print("journal", e)
# sqlite3 optuna-5.db .dump >optuna-5.sql
