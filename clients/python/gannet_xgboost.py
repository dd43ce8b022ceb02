# SPDX-License-Identifier: 0BSD
"""XGBoost: every round is a step of the trial.

    xgboost.train(params, data, num_boost_round=200, evals=[(valid, "valid")], callbacks=[gannet_xgboost.Callback()])

The metrics are called as XGBoost calls them: valid-logloss. With trial.checkpoint: true the model is saved every
`save_every` rounds, and when the trial is to stop; gannet_xgboost.restored(trial) is the model to go on from.
"""

import gannet
import xgboost


class Callback(xgboost.callback.TrainingCallback):
    def __init__(self, trial=None, save_every=10):
        super().__init__()
        self.trial, self.save_every = trial or gannet.trial(), save_every

    def after_iteration(self, model, epoch, evals_log):
        """XGBoost stops where this is true."""
        step = model.num_boosted_rounds()  # those of the model that it went on from included
        last = {
            "%s-%s" % (data, name): values[-1][0] if isinstance(values[-1], tuple) else values[-1]
            for data, metrics in evals_log.items()
            for name, values in metrics.items()
        }
        stop = self.trial.metric(last, step=step)
        if self.trial.checkpoint_path and (stop or step % self.save_every == 0):
            with self.trial.saving(step) as path:
                if path:
                    with open(path, "wb") as file:
                        file.write(model.save_raw("json"))
        return stop


def restored(trial=None):
    """The model of the checkpoint, for xgboost.train(xgb_model=...), or None."""
    trial = trial or gannet.trial()
    if not trial.restore_path:
        return None
    with open(trial.restore_path, "rb") as file:
        return xgboost.Booster(model_file=bytearray(file.read()))
