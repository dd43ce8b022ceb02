# SPDX-License-Identifier: 0BSD
"""PyTorch: a loop over epochs that goes on from the trial's checkpoint, saves one after each epoch, and ends when the trial
is to stop.

    trial = gannet.trial(lr=0.1)
    for epoch in gannet_torch.epochs(trial, 30, model=model, optimizer=optimizer, schedule=schedule):
        for x, y in gannet_torch.batches(trial, loader):     # their time is shown as "data"
            ...
        trial.metric(val_loss=loss, step=epoch)              # from 1 on; the loop ends by itself

A part is anything with state_dict and load_state_dict, or a torch.Generator. The states of the random number generators of
PyTorch, NumPy and Python are saved too, so on a CPU a loop that went on measures what one in a single piece measures.
"""

import copy
import inspect
import io
import random
import sys

import gannet
import torch


def epochs(trial, n, save_every=1, **parts):
    """The epochs that are left of 1 to n. A checkpoint is saved every `save_every` epochs, at the end, and when the trial
    is to stop; also when the loop is left by break behind trial.metric(..., step=epoch)."""
    built = {name: _options(part) for name, part in parts.items()}
    for epoch in range(_restore(trial, parts, built) + 1, n + 1):
        try:
            yield epoch
        except GeneratorExit:
            if trial.stop_reason and trial.step == epoch:
                _save(trial, epoch, parts, built)
            raise
        stop = agree(trial.should_stop(epoch))
        if stop or epoch == n or epoch % save_every == 0:
            _save(trial, epoch, parts, built)
        if stop:
            return


def batches(trial, loader):
    """The batches of a loader; the time until each is there is the trial's phase "data"."""
    iterator, end = iter(loader), object()
    while True:
        with trial.phase("data"):
            batch = next(iterator, end)
        if batch is end:
            return
        yield batch


def save(trial, epoch, **parts):
    """For loops of another shape: saves the trial's checkpoint behind this epoch. A training goes on without it: what
    went wrong is printed."""
    _save(trial, epoch, parts, {})


def restore(trial, **parts):
    """Puts the parts into the state of the checkpoint; its epoch, or 0 without one. One that does not fit costs its
    epochs: the parts stay as they are, and what was wrong is printed."""
    return _restore(trial, parts, {})


def has_others():
    """Whether this is one of several processes that train together."""
    return torch.distributed.is_available() and torch.distributed.is_initialized()


def agree(said):
    """What the first of several processes was told holds for all, or they would wait for each other for ever."""
    if not has_others():
        return said
    box = [said]
    torch.distributed.broadcast_object_list(box, 0)
    return box[0]


# --- checkpoints ---


def _save(trial, epoch, parts, built):
    if not trial.checkpoint_path or trial.rank:
        return
    try:
        with trial.phase("checkpoint"), trial.saving(epoch) as path:
            torch.save(_states(epoch, parts, built), path)
    except Exception as error:
        gannet._warn("the checkpoint could not be saved: %s" % error)


def _restore(trial, parts, built):
    if not trial.restore_path:
        return 0
    before = io.BytesIO()
    torch.save(_states(0, parts, built), before)
    try:
        states = _load(trial.restore_path)
        _put(states, parts)
        _retune(states["built"], built, parts)
        if not trial.rank:  # others would all have the random numbers of the first
            put_random(states["random"])
        return states["epoch"]
    except Exception as error:
        why = " ".join(str(error).split())[:300] or type(error).__name__
        gannet._warn("the checkpoint can't be gone on from (%s); the trial begins at its beginning" % why)
        before.seek(0)
        states = _load(before)
        _put(states, parts)
        put_random(states["random"])
        return 0


def _states(epoch, parts, built):
    states = {name: part.state_dict() if _is_module(part) else part.get_state() for name, part in parts.items()}
    return {"epoch": epoch, "parts": states, "built": built, "random": random_state()}


def _is_module(part):
    """Or a generator, which calls its state otherwise."""
    return hasattr(part, "load_state_dict")


def _load(file):
    """Later versions refuse what is no tensor, unless they are told that it comes from a friend."""
    named = {"weights_only": False} if "weights_only" in inspect.signature(torch.load).parameters else {}
    return torch.load(file, map_location="cpu", **named)


def _put(states, parts):
    if not isinstance(states, dict) or "parts" not in states:
        raise ValueError("gannet_torch did not save it")
    if set(states["parts"]) != set(parts):
        raise ValueError("it has %s" % ", ".join(sorted(states["parts"])))
    for name, part in parts.items():
        (part.load_state_dict if _is_module(part) else part.set_state)(states["parts"][name])


# --- a checkpoint of a trial with other parameters, as population-based training has them ---


def _options(part):
    """What an optimizer or a schedule was built with, before it learned anything."""
    if hasattr(part, "param_groups"):
        return [{key: copy.copy(group[key]) for key in group if key != "params"} for group in part.param_groups]
    return list(getattr(part, "base_lrs", ()))


def _retune(then, now, parts):
    """What this trial builds otherwise than the one that saved keeps this trial's value, in the proportion to which it has
    come by then: a learning rate that a schedule has halved stays halved."""
    for name, part in parts.items():
        old, new = then.get(name), now.get(name)
        if not old or not new or old == new:
            continue
        if hasattr(part, "param_groups"):
            for group, was, wanted in zip(part.param_groups, old, new):
                for key in wanted:
                    if key in was and was[key] != wanted[key]:
                        group[key] = _in_proportion(group[key], was[key], wanted[key])
        else:
            part.base_lrs = [_in_proportion(rate, *pair) for rate, pair in zip(part.base_lrs, zip(old, new))]


def _in_proportion(value, was, wanted):
    numbers = all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in (value, was, wanted))
    return wanted * (value / was) if numbers and was else wanted


# --- random numbers ---


def _devices(is_there):
    """The modules of the accelerators that are there (is_available), or in use (is_initialized)."""
    modules = (getattr(torch, name, None) for name in ("cuda", "xpu"))
    return [one for one in modules if hasattr(one, "get_rng_state_all") and getattr(one, is_there, bool)()]


def random_state():
    """The states of all generators of random numbers."""
    state = {"torch": torch.get_rng_state(), "python": random.getstate()}
    state["devices"] = {one.__name__: one.get_rng_state_all() for one in _devices("is_initialized")}
    if "numpy" in sys.modules:
        name, keys, *rest = sys.modules["numpy"].random.get_state()
        state["numpy"] = [name, keys.tolist()] + rest
    return state


def put_random(state):
    """Puts them back."""
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
    for one in _devices("is_available"):
        if len(state["devices"].get(one.__name__, ())) == one.device_count():
            one.set_rng_state_all(state["devices"][one.__name__])
    if "numpy" in state and "numpy" in sys.modules:
        sys.modules["numpy"].random.set_state(tuple(state["numpy"]))
