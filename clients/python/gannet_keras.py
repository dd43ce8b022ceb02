# SPDX-License-Identifier: 0BSD
"""Keras 3: every epoch is a step of the trial.

    model = gannet_keras.restored() or build()
    model.fit(x, y, validation_data=..., initial_epoch=gannet_keras.first_epoch(), epochs=30,
              callbacks=[gannet_keras.Callback()])

The metrics are called as Keras calls them: loss, val_loss, ... With trial.checkpoint: true the model is saved after every
epoch, with its optimizer.
"""

import os
import shutil

import gannet
import keras


class Callback(keras.callbacks.Callback):
    def __init__(self, trial=None):
        super().__init__()
        self.trial = trial or gannet.trial()

    def on_epoch_end(self, epoch, logs=None):
        step = epoch + 1
        stop = self.trial.metric(logs or {}, step=step)
        with self.trial.saving(step) as path:
            if path:
                _save(self.model, step, path)
        if stop:
            self.model.stop_training = True


def _save(model, step, path):
    """Keras knows what a file is by its name, so the checkpoint is a directory with such a name in it."""
    if os.path.isdir(path):
        shutil.rmtree(path)
    os.mkdir(path)
    model.save(os.path.join(path, "model.keras"))
    with open(os.path.join(path, "epoch"), "w") as file:
        file.write(str(step))


def restored(trial=None):
    """The model of the checkpoint, or None."""
    trial = trial or gannet.trial()
    path = trial.restore_path and os.path.join(trial.restore_path, "model.keras")
    return keras.models.load_model(path) if path and os.path.exists(path) else None


def first_epoch(trial=None):
    """For initial_epoch: how many epochs the checkpoint has behind it."""
    trial = trial or gannet.trial()
    path = trial.restore_path and os.path.join(trial.restore_path, "epoch")
    if not path or not os.path.exists(path):
        return 0
    with open(path) as file:
        return int(file.read())
