# SPDX-License-Identifier: 0BSD
"""The Trainer of Hugging Face transformers: every evaluation is a step of the trial, counted in updates (global_step).

    trainer = Trainer(model, arguments, ..., callbacks=[gannet_transformers.Callback()])
    trainer.train(resume_from_checkpoint=gannet_transformers.restored())

The metrics are called as the Trainer calls them: eval_loss, eval_accuracy, loss, ... Callback(by="epoch") counts epochs. With
trial.checkpoint: true the Trainer's own checkpoints become the trial's when they are saved, and one is saved when the trial is
to stop.
"""

import os

import gannet
import gannet_torch
from transformers import TrainerCallback


class Callback(TrainerCallback):
    def __init__(self, trial=None, by="step"):
        self.trial, self.by = trial or gannet.trial(), by
        self._is_evaluating, self._logged, self._told = False, {}, set()

    def _step(self, state):
        """What is done: updates, or whole epochs."""
        return int(state.epoch + 0.001) if self.by == "epoch" else state.global_step

    def on_train_begin(self, args, state, control, **_):
        strategy = getattr(args, "eval_strategy", None) or getattr(args, "evaluation_strategy", "no")
        self._is_evaluating = getattr(strategy, "value", strategy) != "no"

    # --- metrics ---

    def on_log(self, args, state, control, logs=None, **_):
        """What was evaluated is told before the Trainer prints it, or it could be read from there, too. In one epoch may be
        many other logs: the last counts."""
        numbers = _measured(logs)
        evaluated = {name: value for name, value in numbers.items() if name.startswith("eval_")}
        if evaluated:
            self.trial.metric(evaluated, step=self._step(state))
            self._told = set(evaluated)
        self._logged.update((name, numbers[name]) for name in numbers if name not in evaluated and name != "train_loss")
        if self.by == "step":
            self._tell(state, control, {})

    def on_evaluate(self, args, state, control, metrics=None, **_):
        if control is not None:
            others = {name: value for name, value in _measured(metrics).items() if name not in self._told}
            self._tell(state, control, others, is_evaluated=True)

    def on_epoch_end(self, args, state, control, **_):
        if not self._is_evaluating:
            self._tell(state, control, {})

    def _tell(self, state, control, metrics, is_evaluated=False):
        numbers, self._logged = dict(self._logged, **metrics), {}
        if numbers:
            self.trial.metric(numbers, step=self._step(state))
        if numbers or is_evaluated:
            self._end(control, is_evaluated)

    # --- stopping ---

    def on_step_end(self, args, state, control, **_):
        """The time of a job may be up long before the next evaluation. Of several processes each would be told otherwise."""
        if not gannet_torch.has_others():
            self.trial.metric()
            self._end(control, False)

    def _end(self, control, is_evaluated):
        """A trial pauses behind what early stopping compares, which comes with an evaluation."""
        reason = gannet_torch.agree(self.trial.stop_reason)
        if reason and (reason != "paused" or is_evaluated or not self._is_evaluating):
            control.should_save = control.should_save or self.trial.checkpoint_path is not None
            control.should_training_stop = True

    # --- checkpoints ---

    def on_save(self, args, state, control, **_):
        path = os.path.join(args.output_dir, "checkpoint-%d" % state.global_step)
        if self.trial.checkpoint_path and os.path.isdir(path):
            with self.trial.phase("checkpoint"):
                self.trial.checkpoint(path, self._step(state))


def _measured(logs):
    """Without what says how fast it was."""
    odd = ("epoch", "total_flos", "step")
    ends = ("_runtime", "_per_second", "_preparation_time")
    return {
        name: value
        for name, value in (logs or {}).items()
        if isinstance(value, (int, float)) and name not in odd and not name.endswith(ends)
    }


def restored(trial=None):
    """For Trainer.train(resume_from_checkpoint=...): the checkpoint to go on from, or None."""
    path = (trial or gannet.trial()).restore_path
    if not path or os.path.exists(os.path.join(path, "trainer_state.json")):
        return path
    gannet._warn("the checkpoint %s can't be read; the trial begins at its beginning" % path)
    return None
