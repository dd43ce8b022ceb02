# SPDX-License-Identifier: 0BSD
"""Lightning (lightning 2, pytorch_lightning 1.9 and 2): every epoch is a step of the trial.

    trainer = Trainer(max_epochs=30, callbacks=[gannet_lightning.Callback()])
    trainer.fit(module, data, ckpt_path=gannet_lightning.restored())

The metrics are called as they were logged: self.log("val_loss", loss). They are told at the end of an epoch, those of a
validation in epochs that have one. With trial.checkpoint: true Lightning's own checkpoint is saved every `save_every`
epochs, and when the trial is to stop, with the states of the random number generators.
"""

import os
import sys
import zipfile

import gannet
import gannet_torch

try:  # the one that the program uses, where both are installed
    if "pytorch_lightning" in sys.modules and "lightning.pytorch" not in sys.modules:
        raise ImportError
    from lightning.pytorch import Callback as _Callback
except ImportError:
    from pytorch_lightning import Callback as _Callback


class Callback(_Callback):
    def __init__(self, trial=None, save_every=1):
        super().__init__()
        self.trial, self.save_every = trial or gannet.trial(), save_every
        self._before, self._of_validation, self._is_validated, self._random = set(), set(), False, None

    # --- metrics ---

    def on_validation_start(self, trainer, module):
        self._before = set(trainer.callback_metrics)

    def on_validation_end(self, trainer, module):
        self._of_validation |= set(trainer.callback_metrics) - self._before
        self._is_validated = not trainer.sanity_checking

    def on_train_epoch_end(self, trainer, module):
        """Lightning ends the training where should_stop is true."""
        step, stale = trainer.current_epoch + 1, set() if self._is_validated else self._of_validation
        metrics = {name: value for name, value in trainer.callback_metrics.items() if name not in stale}
        self._is_validated = False
        stop = trainer.strategy.reduce_boolean_decision(self.trial.metric(metrics, step=step), all=False)
        if stop or step % self.save_every == 0 or step == trainer.max_epochs:
            self._save(trainer, step)
        trainer.should_stop = trainer.should_stop or stop

    # --- checkpoints ---

    def _save(self, trainer, step):
        """All processes take part; the file is put in its place by the first."""
        if not self.trial.checkpoint_path:
            return
        try:
            with self.trial.phase("checkpoint"), self.trial.saving(step) as path:
                trainer.save_checkpoint(path or self.trial.checkpoint_path + ".new")
        except Exception as error:
            gannet._warn("the checkpoint could not be saved: %s" % error)

    def state_dict(self):
        return {"random": gannet_torch.random_state()}

    def load_state_dict(self, state_dict):
        self._random = state_dict.get("random")
        self.on_fit_start(None, None)

    def on_fit_start(self, trainer, module):
        """Behind what draws random numbers to build the model, before the order of the batches is drawn."""
        if self._random and not self.trial.rank:
            gannet_torch.put_random(self._random)


def restored(trial=None):
    """For Trainer.fit(ckpt_path=...): the checkpoint to go on from, or None."""
    path = (trial or gannet.trial()).restore_path
    if not path or os.path.isdir(path) or zipfile.is_zipfile(path):
        return path
    gannet._warn("the checkpoint %s can't be read; the trial begins at its beginning" % path)
    return None
