# SPDX-License-Identifier: 0BSD
"""gannet for Python programs: a trial and its worker, a search as a loop of one's own, and what came of experiments.

    import gannet

    trial = gannet.trial(lr=0.1, epochs=10)          # the parameters; what is given here is for runs by hand
    for epoch in range(1, trial.params.epochs + 1):
        with trial.phase("data"):
            ...
        if trial.metric(loss=loss, step=epoch):      # true: stop here
            break

The same script runs without gannet: it takes its parameters from the command line (--lr=0.01), prints what it
measures and goes on. No function of a trial raises because the worker is gone. One file without dependencies, for
Python 3.6 and later; docs/trial.md has the protocol.
"""

import atexit
import contextlib
import json
import math
import os
import re
import shutil
import socket
import sys
import threading
import time

__version__ = "0.1.0"
__all__ = ["trial", "Trial", "Params"]

_VERSION = 1  # of the protocol
_PATIENCE = 10.0  # seconds for an answer; a worker takes milliseconds
_RETRY = 5.0  # seconds after a failure until the worker is tried again
_ASK_SECONDS = 0.05  # metric() asks whether to stop so often at most
_FLUSH_SECONDS = 1.0  # phases are told so often
_BATCH_PHASES = 64  # phases that are summed up before they are told


def _warn(sentence):
    """Says a sentence where people look for it; a training goes on."""
    try:
        sys.stderr.write("gannet: %s\n" % sentence)
    except Exception:
        pass


def _plain(value):
    """A number as JSON has it; not finite ones are texts."""
    number = float(value)
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return number


def _real(value):
    """The way back."""
    return float(value) if value in ("nan", "inf", "-inf") else value


class Params(dict):
    """Parameters by name: params["lr"] and params.lr."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError("there is no parameter '%s'" % name) from None


class _Stream:
    """The connection to the worker. Every function returns None when the worker can't be reached."""

    def __init__(self, path, token, rank):
        self.path, self.token, self.rank = path, token, rank
        self.socket, self.unread, self.pid, self.retry_at = None, b"", None, 0.0

    def _connect(self):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(_PATIENCE)
        self.socket.connect(self.path)
        self.pid, self.unread = os.getpid(), b""
        hello = {"gannet": _VERSION, "token": self.token}
        if self.rank:
            hello["rank"] = self.rank
        self._send(hello)
        answer = self._answer()
        if "error" in answer:
            raise OSError(answer["error"])

    def _send(self, line):
        self.socket.sendall(json.dumps(line, separators=(",", ":")).encode() + b"\n")

    def _answer(self):
        while b"\n" not in self.unread:
            part = self.socket.recv(65536)
            if not part:
                raise OSError("the worker has ended the connection")
            self.unread += part
        line, self.unread = self.unread.split(b"\n", 1)
        return json.loads(line.decode())

    def say(self, line, asks=False):
        """Says a line; the answer if it asks, else {}."""
        if not self.path or (self.socket is None and time.monotonic() < self.retry_at):
            return None
        try:
            if self.socket is None or self.pid != os.getpid():  # a fork has a connection of its own
                self._connect()
            self._send(line)
            while asks:
                answer = self._answer()
                if "stop" in answer:
                    return answer
                _warn("the worker says: %s" % answer.get("error"))
                if "error" in answer:
                    return {}
            return {}
        except (OSError, ValueError) as error:
            if self.retry_at == 0:
                _warn("the trial's worker can't be reached (%s); what is measured is printed" % error)
            self.close()
            self.retry_at = time.monotonic() + _RETRY
            return None

    def close(self):
        if self.socket is not None:
            try:
                self.socket.close()
            except OSError:
                pass
        self.socket = None


def _number(name):
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() else None


def _rank():
    """Which process of several this is; those that launchers of such processes name so."""
    for name in ("RANK", "OMPI_COMM_WORLD_RANK"):
        if _number(name) is not None:
            return _number(name)
    return 0


def _value(text):
    """A parameter's value as it stands on a command line."""
    words = {"true": True, "True": True, "false": False, "False": False}
    if text in words:
        return words[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _from_argv(argv, defaults):
    """The parameters of --name=value, --name value and name=value; with defaults only those that they name."""
    params = Params(defaults)
    for i, word in enumerate(argv):
        match = re.match(r"(?:--)?([A-Za-z_][\w.-]*)=(.*)$", word, re.S)
        name = match.group(1) if match else word[2:] if word.startswith("--") else None
        key = name if name in defaults or not name else name.replace("-", "_")
        if not name or (defaults and key not in defaults):
            continue
        if match:
            params[key] = _value(match.group(2))
        elif i + 1 < len(argv) and not argv[i + 1].startswith("--"):
            params[key] = _value(argv[i + 1])
    return params


class Trial:
    """The trial that this program was started for, or one by hand.

    params         the parameters
    number         the trial's number, and `attempt`; None without gannet
    experiment     the experiment's name, or None
    dir            a directory for its files
    seed           for its random numbers, the same for every attempt
    deadline       when the time of the job is up, seconds since 1970, or None
    restore_path   a checkpoint to go on from, or None
    checkpoint_path   where to save checkpoints, or None
    max_steps      the step at which it is complete, or None
    until          the step after which it is to save a checkpoint and end, or None
    rank           of several processes; only what the first one (0) says counts
    stop_reason    why it is to stop, once that is known: "stopped_early", "walltime", "paused", ...; else None
    stop_detail    the same in a sentence
    """

    def __init__(self, defaults, argv=None, seed=0):
        env = os.environ
        self.number, self.attempt = _number("GANNET_TRIAL"), _number("GANNET_ATTEMPT")
        self.experiment = env.get("GANNET_EXPERIMENT")
        self.is_alone = self.number is None
        self.dir = env.get("GANNET_TRIAL_DIR") or os.getcwd()
        self.seed = seed if _number("GANNET_SEED") is None else _number("GANNET_SEED")
        self.deadline = _number("GANNET_DEADLINE")
        self.restore_path = env.get("GANNET_CHECKPOINT") or None
        self.checkpoint_path = env.get("GANNET_CHECKPOINT_OUT") or None
        self.max_steps, self.until = _number("GANNET_MAX_STEPS"), _number("GANNET_UNTIL")
        self.rank = _rank()
        self.stop_reason = self.stop_detail = None
        self.params = self._read_params(defaults, sys.argv[1:] if argv is None else argv)
        self._stream = _Stream(env.get("GANNET_SOCKET"), env.get("GANNET_TOKEN", ""), self.rank)
        self._lock, self._pid = threading.RLock(), os.getpid()
        self._asked_at, self._told_at = 0.0, time.monotonic()
        self._phases, self._inner = {}, threading.local()
        atexit.register(self._flush)

    def _read_params(self, defaults, argv):
        path = os.environ.get("GANNET_PARAMS_FILE")
        if self.is_alone or not path:
            return _from_argv(argv, defaults)
        params = Params(defaults)
        try:
            with open(path, encoding="utf-8") as file:
                params.update(json.load(file))
        except (OSError, ValueError) as error:
            _warn("the parameters can't be read: %s" % error)
        return params

    @contextlib.contextmanager
    def _locked(self):
        if self._pid != os.getpid():  # another thread may have had the lock when this process was forked
            self._lock, self._pid = threading.RLock(), os.getpid()
        with self._lock:
            yield

    # --- metrics ---

    def metric(self, values=None, step=None, **named):
        """Tells values of metrics: metric(loss=0.3, step=4), or metric({"val/loss": 0.3}, step=4). True: stop now."""
        numbers = {}
        for name, value in dict(values or {}, **named).items():
            try:
                numbers[str(name)] = _plain(value)
            except Exception as error:
                _warn("the value of '%s' is no number: %s" % (name, error))
        if self.rank == 0 and numbers:
            self._tell_metrics(numbers, step)
        return self._is_to_stop(step, False)

    def _tell_metrics(self, numbers, step):
        line = {"metric": numbers}
        if step is not None:
            line["step"] = int(step)
        with self._locked():
            if self.is_alone or self._stream.say(line) is None:
                words = ["%s=%s" % pair for pair in numbers.items()] + (["step=%d" % step] if step is not None else [])
                try:
                    sys.stdout.write(" ".join(words) + "\n")
                    sys.stdout.flush()
                except Exception:
                    pass

    # --- stopping ---

    def should_stop(self, step=None):
        """Whether to stop: `stop_reason` and `stop_detail` say why. With `step`: which one is done."""
        return self._is_to_stop(step, True)

    def _is_to_stop(self, step, now):
        if self.stop_reason or self.is_alone:
            return self.stop_reason is not None
        with self._locked():
            if self.until is not None and step is not None and step >= self.until:
                self.stop_reason, self.stop_detail = "paused", "it has come to the step after which it is to pause"
            elif now or time.monotonic() - self._asked_at >= _ASK_SECONDS:
                self._ask(step)
        return self.stop_reason is not None

    def _ask(self, step):
        self._flush()
        line = {"should_stop": True}
        if step is not None:
            line["step"] = int(step)
        answer = self._stream.say(line, asks=True) or {}
        self._asked_at = time.monotonic()
        if answer.get("stop"):
            self.stop_reason, self.stop_detail = answer.get("reason", "stopped_early"), answer.get("detail", "")

    # --- phases ---

    @contextlib.contextmanager
    def phase(self, name):
        """with trial.phase("data"): the time spent in there; what an inner phase takes is that one's alone."""
        begun, outer = time.monotonic(), getattr(self._inner, "seconds", 0.0)
        self._inner.seconds = 0.0
        try:
            yield
        finally:
            whole = time.monotonic() - begun
            self._add_phase(name, max(0.0, whole - self._inner.seconds))
            self._inner.seconds = outer + whole

    def _add_phase(self, name, seconds):
        if self.is_alone or self.rank:
            return
        with self._locked():
            name = re.sub(r"[^A-Za-z0-9_./-]", "_", str(name))[:40] or "_"
            times = self._phases.setdefault(name, [0.0, 0])
            times[0] += seconds
            times[1] += 1
            if len(self._phases) > _BATCH_PHASES or time.monotonic() - self._told_at >= _FLUSH_SECONDS:
                self._flush()

    def _flush(self):
        """Tells what the phases came to."""
        with self._locked():
            phases, self._phases, self._told_at = self._phases, {}, time.monotonic()
            for name, (seconds, count) in phases.items():
                self._stream.say({"phase": name, "seconds": seconds, "count": count})

    # --- checkpoints ---

    def checkpoint(self, path, step=None):
        """Makes a copy of a file or directory the trial's checkpoint, at once. False: it could not be saved."""
        if self.rank:
            return True
        if self.checkpoint_path is None:
            if self.is_alone:
                print("checkpoint %s" % path, flush=True)
            return self.is_alone
        try:
            if os.path.abspath(path) != os.path.abspath(self.checkpoint_path):
                self._copy(path)
        except OSError as error:
            _warn("the checkpoint could not be saved: %s" % error)
            return False
        return self._tell_saved(step)

    @contextlib.contextmanager
    def saving(self, step=None):
        """with trial.saving() as path: save a checkpoint there; it takes its place at the end. None: there is none."""
        if self.checkpoint_path is None or self.rank:
            yield None
            return
        beside = self.checkpoint_path + ".new"
        yield beside
        try:
            self._put(beside)
        except OSError as error:
            _warn("the checkpoint could not be saved: %s" % error)
            return
        self._tell_saved(step)

    def _copy(self, path):
        beside = self.checkpoint_path + ".new"
        if os.path.isdir(beside):
            shutil.rmtree(beside)
        (shutil.copytree if os.path.isdir(path) else shutil.copyfile)(path, beside)
        self._put(beside)

    def _put(self, beside):
        if os.path.isdir(self.checkpoint_path):  # which can't be replaced in one
            old = self.checkpoint_path + ".old"
            shutil.rmtree(old, ignore_errors=True)
            os.rename(self.checkpoint_path, old)
            os.rename(beside, self.checkpoint_path)
            shutil.rmtree(old, ignore_errors=True)
            return
        if os.path.isfile(beside):
            with open(beside, "rb") as file:
                os.fsync(file.fileno())
        os.replace(beside, self.checkpoint_path)

    def _tell_saved(self, step):
        line = {"checkpoint": True}
        if step is not None:
            line["step"] = int(step)
        with self._locked():
            self._flush()
            self._stream.say(line)
        return True


_the_trial = None
_trial_lock = threading.Lock()


def trial(defaults=None, argv=None, seed=0, **named):
    """The trial of this process, always the same one. Defaults are for parameters that the experiment does not have,
    and for runs by hand: trial({"lr": 0.1}), trial(lr=0.1). `argv`: the command line (default: sys.argv)."""
    global _the_trial
    with _trial_lock:
        if _the_trial is None:
            _the_trial = Trial(dict(defaults or {}, **named), argv, seed)
        return _the_trial
