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
measures and goes on. No function of a trial raises because the worker is gone.

    gannet.serve(train)                              # train(trial) for each trial; with trial.persistent one after
                                                     # the other in this process

    with gannet.search("my.yaml") as search:         # a loop of one's own, in this process
        search.optimize(objective, n_trials=100)     # objective(t) has t.params, t.report(), t.should_prune()
        print(search.best)

    gannet.open("my").trials()                       # what came of an experiment

One file without dependencies, for Python 3.6 and later. docs/python.md says it all, docs/trial.md and docs/ask-tell.md
have the protocols.
"""

import atexit
import contextlib
import json
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import weakref

__version__ = "0.1.0"
__all__ = ["trial", "serve", "Trial", "Params", "search", "Search", "Pruned", "GannetError", "open"]

_open_file = open  # open() of this module opens an experiment

_VERSION = 1  # of the protocol
_NOT_FOUND = 5  # an exit status: there is no such experiment or trial
_SERVE_VERSION = 1  # of what persistent programs say
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
            raise AttributeError("there is no parameter '%s'; there are: %s" % (name, ", ".join(self))) from None


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
            while asks:  # mistakes in what was said before are answered first
                answer = self._answer()
                if "error" in answer:
                    _warn("the worker says: %s" % answer["error"])
                if "stop" in answer:
                    return answer
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


def _said_of(text):
    """What there is to say of a failure, as UTF-8 and C can hold it."""
    return text[:1000].encode("utf-8", "replace").decode().replace("\0", "?")


def _number(name):
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() else None


def _rank():
    """Which process of several this is, as gannet or another launcher of such processes says."""
    names = ["RANK", "OMPI_COMM_WORLD_RANK"]
    if os.environ.get("GANNET_LAUNCH") == "first":  # else they may be the worker's own among workers
        names += ["PMIX_RANK", "PMI_RANK", "SLURM_PROCID"]
    return next((_number(name) for name in names if _number(name) is not None), 0)


def _ranks():
    """How many there are."""
    names = ("GANNET_RANKS", "WORLD_SIZE", "OMPI_COMM_WORLD_SIZE")
    return max([1] + [_number(name) or 1 for name in names])


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
    """The parameters of --name=value, --name value, name=value and, for true and false, --name and --no-name; and the
    words that are no such. With defaults only those that they name."""
    params, left, at = Params(defaults), [], 0
    while at < len(argv):
        word, more = argv[at], argv[at + 1] if at + 1 < len(argv) else "--"
        at += 1
        match = re.match(r"(?:--)?([A-Za-z_][\w.-]*)=(.*)$", word, re.S)
        name = match.group(1) if match else word[2:] if word.startswith("--") else ""
        key = name if name in defaults or not name else name.replace("-", "_")
        denied = key[3:] if key.startswith("no_") and isinstance(defaults.get(key[3:]), bool) else None
        if name and not match and denied and key not in defaults:
            params[denied] = False
        elif not name or (defaults and key not in defaults):
            left.append(word)
        elif match:
            params[key] = _value(match.group(2))
        elif isinstance(defaults.get(key), bool) and _value(more) not in (True, False):
            params[key] = True
        elif more.startswith("--"):
            left.append(word)
        else:
            params[key], at = _value(more), at + 1
    return params, left


_READERS = re.compile(  # what a program names that reads its command line in a way of its own
    r"\b(argv|arg_?parse\w*|Arg\w*Parser|parse_args\w*|optparse|getopt|click|typer|fire|docopt\w*|absl|hydra|tyro|"
    r"cyclopts|plac|defopt|clize|sacred|guild|gin|tap|omegaconf|OmegaConf|simple_parsing|jsonargparse|datargs|pyrallis|draccus|"
    r"LightningCLI|runpy|ipykernel\w*)\b"
)
_IMPORTS = re.compile(r"\b(?:from|import)[ \t]+([^\n(]*(?:\([^)]*\))?)")


def _texts_of(file):
    """The texts of a program and of the files beside it that it imports, directly or through others."""
    here, found = os.path.dirname(os.path.abspath(file)), [os.path.abspath(file)]
    for path in found:  # it grows meanwhile
        with _open_file(path, encoding="utf-8") as source:
            text = source.read()
        yield text
        for line in _IMPORTS.findall(text):
            places = [here, os.path.dirname(path)]
            for name in re.findall(r"\w+", line):
                inside = [os.path.join(place, name) for place in places]
                places += [one for one in inside if os.path.isdir(one) and one not in places]
                files = [one + ".py" for one in inside] + [os.path.join(one, "__init__.py") for one in inside]
                found += [one for one in files if os.path.isfile(one) and one not in found and one != __file__]


def _is_only_reader():
    """Whether nothing else in the program reads its command line, as far as its own files show."""
    main = sys.modules.get("__main__")
    file = getattr(main, "__file__", None)
    if not file or getattr(main, "__spec__", None) is not None:  # -c, a notebook, or python -m
        return False
    try:
        return not any(_READERS.search(text) for text in _texts_of(file))
    except (OSError, ValueError):
        return False


def _check_argv(defaults, params, left):
    """Ends a program that was given what it does not have, or was asked for its options, as argparse does."""
    import argparse
    import difflib

    def words(name):
        forms = [name] + ([name.replace("_", "-")] if "_" in name else [])
        no = ["no-" + form for form in forms[-1:] if isinstance(defaults[name], bool)]
        return ["--" + form for form in forms + no]

    parser = argparse.ArgumentParser(allow_abbrev=False)
    boolean = getattr(argparse, "BooleanOptionalAction", "store_true")  # Python 3.9
    for name, default in sorted(defaults.items()):
        kind = type(default) if isinstance(default, (int, float, str)) else None
        more = {"action": boolean} if kind is bool else {"type": kind, "metavar": name.upper().replace("-", "_")}
        forms = [one for one in words(name) if not (kind is bool and one.startswith("--no-"))]
        parser.add_argument(*forms, default=default, help="(default: %(default)s)", **more)
    if "-h" in left or "--help" in left:
        parser.print_help()
        parser.exit()
    for name, value in params.items():
        default = defaults.get(name)
        if isinstance(default, (int, float)) and isinstance(value, str):
            kind = "true or false" if isinstance(default, bool) else "a number"
            parser.error("argument --%s: %s is meant, not %r" % (name, kind, value))
    left = [word for word in left if not re.match(r"--local[-_]rank\b", word)]  # launchers of several processes add it
    if not left:
        return
    known = [one for name in defaults for one in words(name)]
    if left[0] in known:
        parser.error("argument %s: expected one argument" % left[0])
    near = difflib.get_close_matches("--" + left[0].lstrip("-").split("=")[0], known, 1)
    parser.error(
        "unrecognized arguments: %s%s\n(where the program itself reads its command line: gannet.trial(..., argv=[]))"
        % (" ".join(left), " (%s is meant?)" % near[0] if near else "")
    )


def _from_environment(defaults):
    """The parameters of GANNET_PARAM_NAME: a command that gannet prints has them when a person runs it again."""
    prefix, names = "GANNET_PARAM_", {re.sub(r"[^A-Za-z0-9_]", "_", name): name for name in defaults}
    told = {key[len(prefix) :]: _value(text) for key, text in os.environ.items() if key.startswith(prefix)}
    return {names.get(name, name): value for name, value in told.items()}


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
    step           the last step that metric() was told, or None
    rank, ranks    which of how many processes this is; only what the first one (0) says counts
    is_main        whether it is that one
    stop_reason    why it is to stop, once that is known: "stopped_early", "walltime", "paused", ...; else None
    stop_detail    the same in a sentence
    """

    def __init__(self, defaults, argv=None, seed=0, params=None):
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
        self.rank, self.ranks = _rank(), _ranks()
        self.is_main = self.rank == 0
        self.step = self.stop_reason = self.stop_detail = None
        if params is None:
            self.params = self._read_params(defaults, argv)
        else:
            self.params = Params(dict(defaults, **params))
        self._objective = env.get("GANNET_METRIC") or "objective"
        self._told, self._is_over = {}, False
        self._stream = _Stream(env.get("GANNET_SOCKET"), env.get("GANNET_TOKEN", ""), self.rank)
        self._lock, self._pid = threading.RLock(), os.getpid()
        self._asked_at, self._told_at = 0.0, time.monotonic()
        self._phases, self._inner = {}, threading.local()
        atexit.register(self._flush)

    def _read_params(self, defaults, argv):
        path, params = os.environ.get("GANNET_PARAMS_FILE"), Params(defaults)
        told = _from_environment(defaults) if self.is_alone else {}
        try:
            if path:
                with _open_file(path, encoding="utf-8") as file:
                    told = json.load(file)
        except (OSError, ValueError) as error:
            if not told:
                _warn("the parameters can't be read: %s" % error)
        params.update(told)
        if not self.is_alone:
            return params
        known = params
        params, left = _from_argv(sys.argv[1:] if argv is None else argv, known)
        if argv is None and known and _is_only_reader():
            _check_argv(known, params, left)
        return params

    @contextlib.contextmanager
    def _locked(self):
        if self._pid != os.getpid():  # another thread may have had the lock when this process was forked
            self._lock, self._pid = threading.RLock(), os.getpid()
            self._phases = {}  # which that process tells
        with self._lock:
            yield

    # --- metrics ---

    def metric(self, values=None, step=None, **named):
        """Tells values of metrics: metric(loss=0.3, step=4), or metric({"val/loss": 0.3}, step=4). True: stop now."""
        numbers = {}
        for name, value in dict(values or {}, **named).items():
            try:
                numbers[_said_of(str(name))] = _plain(value)
            except Exception as error:
                _warn("the value of '%s' is no number: %s" % (name, error))
        self.step = self.step if step is None else int(step)
        if self.rank == 0 and numbers and not self._is_over:
            self._told.update(numbers)
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
        if self._is_over:
            return True
        if self.stop_reason or self.is_alone:
            return self.stop_reason is not None
        with self._locked():
            if self.until is not None and step is not None and step >= self.until:
                self.stop_reason, self.stop_detail = "paused", "it has come to the step after which it is to pause"
            elif now or (self.ranks > 1 and step is not None) or time.monotonic() - self._asked_at >= _ASK_SECONDS:
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
        if self.is_alone or self.rank or self._is_over:
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
        if self._is_over:
            return False
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
        if self.checkpoint_path is None or self.rank or self._is_over:
            yield None
            return
        beside = self._beside()
        yield beside
        try:
            self._put(beside)
        except OSError as error:
            _warn("the checkpoint could not be saved: %s" % error)
            return
        self._tell_saved(step)

    def _beside(self):
        """Where the next one is written: what a process left there that was killed while it saved is taken away."""
        beside = self.checkpoint_path + ".new"
        shutil.rmtree(beside, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.remove(beside)
        return beside

    def _copy(self, path):
        beside = self._beside()
        (shutil.copytree if os.path.isdir(path) else shutil.copyfile)(path, beside)
        self._put(beside)

    def _put(self, beside):
        if not os.path.exists(beside):  # the last one stays
            raise OSError("nothing was saved to %s" % beside)
        if os.path.isdir(self.checkpoint_path):  # which can't be replaced in one
            old = self.checkpoint_path + ".old"
            shutil.rmtree(old, ignore_errors=True)
            os.rename(self.checkpoint_path, old)
            os.rename(beside, self.checkpoint_path)
            shutil.rmtree(old, ignore_errors=True)
            return
        if os.path.isfile(beside):
            with _open_file(beside, "rb") as file:
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


    # --- its end, where the process goes on ---

    def _take_result(self, result):
        """What a function returned that trains one trial: {metric: number}, or the objective's number."""
        if result is None:
            return
        values = result if isinstance(result, dict) else {self._objective: result}
        try:
            numbers = {str(name): _plain(value) for name, value in values.items()}
        except (TypeError, ValueError):
            words = "the function returned %.100r: a number, {metric: number} or None is meant" % (result,)
            raise TypeError(words) from None
        news = {name: number for name, number in numbers.items() if self._told.get(name) != number}
        if news:
            self.metric(news)

    def _end(self):
        """Nothing that is said of it counts from now on, by a thread that it has left behind, say."""
        self._flush()
        with self._locked():
            self._is_over = True
            self._stream.close()
            self._stream.path = None
        atexit.unregister(self._flush)


_the_trial = None
_trial_lock = threading.Lock()


def trial(defaults=None, argv=None, seed=0, **named):
    """The trial of this process, always the same one. Defaults are for parameters that the experiment does not have,
    and for runs by hand: trial({"lr": 0.1}), trial(lr=0.1). `argv`: the command line (default: sys.argv)."""
    global _the_trial
    with _trial_lock:
        if _the_trial is None and os.environ.get("GANNET_SERVE") and not os.environ.get("GANNET_TRIAL"):
            raise GannetError(
                "this program is persistent (trial.persistent): it has a trial within the function that it gives "
                "to gannet.serve"
            )
        if _the_trial is None:
            _the_trial = Trial(dict(defaults or {}, **named), argv, seed)
        return _the_trial


# --- one trial after the other ---


class _Output:
    """Descriptors 1 and 2, which are the trial's files while it runs, and the process's log before and after."""

    def __init__(self, log):
        self.log = log

    def put(self, out, err):
        """Whatever Python still holds goes where it belongs. C's own buffers are made to hold no whole line."""
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        for path, number in ((out, 1), (err, 2)):
            file = self.open(path)
            os.dup2(file, number)
            os.set_inheritable(number, True)  # also where 1 or 2 was closed, and is that file at once
            if file != number:
                os.close(file)

    @staticmethod
    def open(path):
        try:
            return os.open(path or os.devnull, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError:
            return os.open(os.devnull, os.O_WRONLY)

    def rest(self):
        self.put(self.log, self.log)


class _Served:
    """A persistent program's side: waits for a trial, runs it, says how it ended, waits for the next."""

    def __init__(self, function, defaults):
        self.function, self.defaults = function, defaults
        self.pid, self.directory = os.getpid(), os.getcwd()
        self.unread, self.variables = b"", {}
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(_PATIENCE)
        try:
            self.socket.connect(os.environ.get("GANNET_SOCKET", ""))
            self.say({"gannet": _VERSION, "token": os.environ.get("GANNET_TOKEN", ""), "serve": _SERVE_VERSION})
            answer = self.hear()
        except OSError as error:
            raise GannetError("the worker can't be reached: %s" % error) from None
        if answer is None or "error" in answer:
            raise GannetError((answer or {}).get("error", "the worker has ended the connection"))
        self.socket.settimeout(None)
        self.output = _Output(answer.get("log"))
        os.environ["GANNET_TOKEN"] = ""  # what is started from here on speaks for a trial or for none
        os.environ["GANNET_SERVE"] = "0"

    def say(self, line):
        self.socket.sendall(json.dumps(line, separators=(",", ":")).encode() + b"\n")

    def hear(self):
        """The next line; None: there is no other."""
        while b"\n" not in self.unread:
            part = self.socket.recv(65536)
            if not part:
                return None
            self.unread += part
        line, self.unread = self.unread.split(b"\n", 1)
        return json.loads(line.decode())

    def next(self):
        """A line; None: there is no other, or the worker is gone. What it does not understand it would wait for."""
        try:
            line = self.hear()
        except OSError:
            return None
        if line and "error" in line:
            raise GannetError(line["error"])
        return line

    def run(self):
        try:
            line = self.next()
            while line is not None:
                if "trial" in line:
                    self.run_trial(line)
                line = self.next()
        finally:
            self.socket.close()

    def run_trial(self, line):
        self.output.put(line.get("stdout"), line.get("stderr"))
        self.set_variables(line.get("env", {}))
        status, detail = self.call(line.get("params", {}))
        if os.getpid() != self.pid:  # a fork that came back from the function
            _exit_fork(status)
        self.set_variables({})
        self.output.rest()
        try:
            self.say({"ended": line["trial"], "attempt": line["attempt"], "status": status, "detail": _said_of(detail)})
        except OSError:
            pass  # the worker is gone, as the next line says

    def set_variables(self, variables):
        """Those of a trial, in the place of the last one's."""
        for name, before in self.variables.items():
            if before is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = before
        self.variables = {name: os.environ.get(name) for name in variables}
        os.environ.update(variables)

    def call(self, params):
        """Runs the function: a status as of a process, and what there is to say of it."""
        global _the_trial
        one = _the_trial = Trial(self.defaults, [], params=params)
        try:
            os.chdir(self.directory)
            one._take_result(self.function(one))
            return 0, ""
        except Pruned:
            return 0, ""
        except SystemExit as error:
            return _status_of(error)
        except BaseException as error:
            traceback.print_exception(type(error), error, error.__traceback__.tb_next)
            return 1, traceback.format_exception_only(type(error), error)[-1].strip()
        finally:
            if os.getpid() == self.pid:
                one._end()
            _the_trial = None


def _status_of(error):
    """What sys.exit(error.code) means."""
    if error.code is None or isinstance(error.code, int):
        return (error.code or 0) & 255, ""
    sys.stderr.write("%s\n" % (error.code,))
    return 1, str(error.code)


def _exit_fork(status):
    """Ends a process that is none of ours, without what the program does at its exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    os._exit(status)


def serve(function, defaults=None, argv=None, seed=0, **named):
    """Calls function(trial) for each trial that this program is to run: with trial.persistent one after the other, else
    for the one that it was started for, or one by hand as trial() has it. What it returns are values of metrics:
    {metric: number}, or the objective's number. What it raises fails that trial alone."""
    defaults = dict(defaults or {}, **named)
    if os.environ.get("GANNET_SERVE") == "0":  # as multiprocessing does that imports the script anew
        raise GannetError(
            "this process was started by one that serves already: call gannet.serve below `if __name__ == '__main__':`"
        )
    if os.environ.get("GANNET_SERVE"):
        _Served(function, defaults).run()
        return
    one = trial(defaults, argv, seed)
    try:
        one._take_result(function(one))
    except Pruned:
        pass


# --- searches ---


class GannetError(Exception):
    """What gannet refuses, in its own sentence."""

    status = None  # the exit status of the command that said so


class Pruned(Exception):
    """An objective raises it when its trial is not worth its other steps; the trial counts with what it reported."""


def _program():
    """The gannet to run: that of the trial around us, of PATH, or the one that this file was installed with."""
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(here, *[".."] * up, "bin", "gannet") for up in (4, 3)]
    places.append(os.path.join(here, "..", "..", "build", "bin", "gannet"))
    for place in [os.environ.get("GANNET"), shutil.which("gannet")] + places:
        if place and os.access(place, os.X_OK) and not os.path.isdir(place):
            return place
    raise GannetError("gannet is not in PATH, nor beside this module; the variable GANNET may name it")


def _known(value):
    """What JSON has no form for, such as numbers and arrays of NumPy, as what it has one for."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, range):
        return list(value)
    raise GannetError("%r can't stand in an experiment: it is no number, text, list or dict" % (value,))


def _values_of(result):
    """What is told of {"loss": 0.3, ...} or of one number."""
    try:
        if isinstance(result, dict):
            return {"values": {str(name): _plain(value) for name, value in result.items()}}
        return {"value": _plain(result)}
    except (TypeError, ValueError):
        raise GannetError(
            "%r is no value of a trial: an objective returns a number, or a dict with a number for each metric" % (result,)
        ) from None


def _remove_own(directory, pid):
    """A fork that ends leaves it to the process that made it."""
    if os.getpid() == pid:
        shutil.rmtree(directory, ignore_errors=True)


def _hang_up(pipe, pid):
    """Ends the `gannet ask` of a search that nobody has any more: a Popen object of a running process is never freed."""
    if os.getpid() == pid:
        try:
            pipe.close()
        except OSError:
            pass


class SearchTrial:
    """A trial of a search in this process: its number and its params."""

    def __init__(self, search, number, params):
        self._search, self.number, self.params = search, number, Params(params)
        self._prune, self.why, self._first = False, "", 1
        self._loop = None  # the one that runs it

    def report(self, value, step):
        """A value on the way, or several by name, at a step from 1 on; a loop that begins at 0 is counted from 1, too.
        Whether the trial is to be pruned."""
        if self._loop is not None:
            self._loop.check_wanted()
        self._first = min(self._first, 0 if int(step) == 0 else 1)
        said = dict(_values_of(value), trial=self.number, step=int(step) + 1 - self._first)
        answer = self._search._request({"report": said})
        self._prune, self.why = bool(answer.get("prune")), answer.get("why", "")
        return self._prune

    def should_prune(self):
        """What the last report was answered: the trial is not worth its other steps, `why` says why."""
        return self._prune

    def suggest(self, name, *_, **__):
        """A parameter of the experiment, for objectives that were written to define theirs on the way."""
        if name not in self.params:
            raise GannetError(
                "trial %d has no parameter '%s': the experiment says under 'parameters' what there is, and with 'when' "
                "in which trials" % (self.number, name)
            )
        return self.params[name]

    suggest_float = suggest_int = suggest_categorical = suggest
    suggest_uniform = suggest_loguniform = suggest_discrete_uniform = suggest


_searches = weakref.WeakSet()  # those of this process


class Search:
    """A search that this process runs the trials of: ask for one, run it, tell what came of it.

    It is recorded in a run directory like any other, taken up again where it was, and the same whatever happened
    between: docs/ask-tell.md. All functions may be called from any thread."""

    def __init__(self, experiment, dir=None, set=None, wait=None, program=None):
        self._remove, self._over = None, ""
        self._place = self._place_of(experiment, dir)
        for earlier in [one for one in _searches if one._place == self._place]:
            earlier._give_way()
        if isinstance(experiment, dict):
            experiment = self._write(experiment)
        command = [program or _program(), "ask", os.fspath(experiment), "--serve"]
        for option, value in (("--dir", dir), ("--wait", wait)):
            command += [option, str(value)] if value is not None else []
        for key, value in (set or {}).items():
            command += ["--set", "%s=%s" % (key, value if isinstance(value, str) else json.dumps(value, default=_known))]
        self._said = tempfile.TemporaryFile()
        self._process = subprocess.Popen(  # a session of its own: ctrl-C ends the trials, which is still to be told
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, bufsize=0, start_new_session=True
        )
        self._answers, self._unread = {}, b""
        self._write_lock, self._read_lock = threading.Lock(), threading.Lock()
        self._sent = self._read = 0
        weakref.finalize(self, _hang_up, self._process.stdin, os.getpid())
        _searches.add(self)

    @staticmethod
    def _place_of(experiment, dir):
        """What is equal for two searches that would be the same; a fork's are its own."""
        what = experiment.get("name", "search") if isinstance(experiment, dict) else os.path.abspath(os.fspath(experiment))
        return (os.getpid(), os.path.abspath(os.fspath(dir))) if dir else (os.getpid(), os.getcwd(), what)

    def _give_way(self):
        """One process at a time has a search: a later one of this program, as from a notebook's cell that is run again,
        takes it over."""
        with self._write_lock, self._read_lock:
            self.close()
            self._over = "a later gannet.search of this program has taken over this experiment"

    def _write(self, experiment):
        """JSON is YAML. What an experiment needs and a loop does not use is filled in."""
        whole = dict({"version": 1, "name": "search", "trial": {"command": ["true"]}}, **experiment)
        directory = tempfile.mkdtemp(prefix="gannet-search-")
        self._remove = weakref.finalize(self, _remove_own, directory, os.getpid())  # at the latest when Python ends
        path = os.path.join(directory, "search.yaml")  # a name that is none is refused by gannet, in a sentence
        with _open_file(path, "w", encoding="utf-8") as file:
            json.dump(whole, file, default=_known)
        return path

    # --- the conversation ---

    def _request(self, line):
        """Says a line; its answer, which is no error."""
        answer = self._exchange(line)
        if "error" in answer:
            raise GannetError(answer["error"])
        return answer

    def _exchange(self, line):
        """Says a line; its answer. Lines of several threads that come together share a commit: answers come in the
        order of the lines, so whoever reads keeps those of others for them."""
        text = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        with self._write_lock:
            self._sent += 1
            ticket = self._sent
            try:
                while text:
                    text = text[self._process.stdin.write(text) :]
            except (OSError, ValueError):
                pass  # why it has ended is told by whoever reads
        with self._read_lock:
            while self._read < ticket:
                self._answers[self._read + 1] = self._read_answer()
                self._read += 1
            return self._answers.pop(ticket)

    def _read_answer(self):
        while b"\n" not in self._unread:
            part = os.read(self._process.stdout.fileno(), 1 << 16) if not self._process.stdout.closed else b""
            if not part:
                raise GannetError(self._last_words())
            self._unread += part
        line, self._unread = self._unread.split(b"\n", 1)
        return json.loads(line.decode())

    def _last_words(self):
        if self._over:
            return self._over
        self._process.wait()
        self._said.seek(0)
        said = self._said.read().decode("utf-8", "replace").strip()
        return re.sub(r"^gannet: ", "", said) or "gannet ask has ended with status %s" % self._process.returncode

    # --- asking and telling ---

    def ask(self):
        """The next trial; None: there is nothing more to try. Raises when the strategy waits for others to be told."""
        for one in self._request({"ask": True}).get("trials", ()):
            return SearchTrial(self, one["trial"], one["params"])
        return None

    def tell(self, trial, value=None, failed=None, pruned=False):
        """What came of a trial: a number or several by name; or why it failed; or that it was pruned."""
        self._request({"tell": self._result(trial, value, failed, pruned)})

    @staticmethod
    def _result(trial, value=None, failed=None, pruned=False):
        result = {"trial": trial.number if isinstance(trial, SearchTrial) else int(trial)}
        if failed is not None:
            result["failed"] = _said_of(str(failed))
        elif pruned:
            result["pruned"] = True
        else:
            result.update(_values_of(value))
        return result

    @property
    def best(self):
        """The best trial so far, as docs/json.md has it, or None."""
        return _with_reals(self._request({"best": True})["best"])

    # --- a loop ---

    def optimize(self, objective, n_trials=None, n_jobs=1, catch=(), timeout=None):
        """Runs objective(trial) for up to n_trials trials (default: until the experiment ends), n_jobs at a time in
        threads; after `timeout` seconds none is begun. The objective returns a number or {metric: number}, or raises
        Pruned; exceptions of the classes in `catch` are failures of the trial, others end the loop after the trial was
        told as failed."""
        loop = _Loop(self, objective, n_trials, tuple(catch) if isinstance(catch, (list, tuple)) else (catch,), timeout)
        if n_jobs == 1:
            loop.run()
        else:
            loop.run_in_threads(n_jobs)
        if loop.error is not None:
            raise loop.error

    def close(self):
        """Ends it; trials that were asked for and not told stay open, and the next search of this experiment is asked
        for them first."""
        if self._process.poll() is None:
            self._process.stdin.close()
            self._process.wait()
        self._process.stdout.close()
        if not self._process.stdin.closed:
            self._process.stdin.close()
        self._said.close()
        self._over = self._over or "this search is closed; gannet.open reads what came of it, gannet.search goes on with it"
        if self._remove:
            self._remove()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class _Unwanted(BaseException):
    """The loop was interrupted: what its other threads still run was told as cancelled."""


class _Loop:
    """Trials one after the other, in one thread or several."""

    def __init__(self, search, objective, n_trials, catch, timeout):
        self.search, self.objective, self.left, self.catch = search, objective, n_trials, catch
        self.until = math.inf if timeout is None else time.monotonic() + timeout
        self.changed, self.running, self.error, self.over = threading.Condition(), 0, None, False
        self.open, self.asking = set(), 0  # numbers of the trials that run; threads that ask for another
        self.unwanted = False  # the loop was interrupted

    def run_in_threads(self, count):
        """Threads can't be interrupted: at ctrl-C their trials are told as cancelled, and they end at the next report, or
        with Python."""
        threads = [threading.Thread(target=self.run_quietly, daemon=True) for _ in range(count)]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        except BaseException:
            self.cancel()
            raise

    def cancel(self):
        with self.changed:
            self.over = self.unwanted = True
            self.changed.notify_all()
            self.changed.wait_for(lambda: not self.asking, _PATIENCE)
            numbers = sorted(self.open)
        for number in numbers:
            try:
                self.search._request({"tell": Search._result(number, failed="cancelled")})
            except GannetError:
                pass  # its own thread was faster

    def check_wanted(self):
        if self.unwanted:
            raise _Unwanted()

    def run_quietly(self):
        try:
            self.run()
        except BaseException as error:  # is raised by who waits for the threads
            with self.changed:
                self.error = self.error or error
                self.over = True
                self.changed.notify_all()

    def run(self):
        told = None
        while True:
            trial = self.next_trial(told)
            if trial is None:
                return
            told = self.result_of(trial)

    def next_trial(self, told):
        """Tells and asks in one request. A strategy that waits for others is asked again when one of these is told."""
        while True:
            with self.changed:
                may_ask = not self.over and (self.left is None or self.left > 0) and time.monotonic() < self.until
                if may_ask and self.left is not None:
                    self.left -= 1
                self.asking += may_ask
            if not may_ask:
                self.finish(told)
                return None
            answer = self.ask(told)
            if told and "told" not in answer:
                raise GannetError(answer.get("error", "the result was not taken"))
            with self.changed:
                self.running -= bool(told)
                trials = answer.get("trials")
                self.running += bool(trials)
                self.over |= bool(answer.get("no_more"))
                if not trials and self.left is not None:
                    self.left += 1
                self.changed.notify_all()
                if "error" in answer and not self.running:
                    raise GannetError(answer["error"])
                if "error" in answer:
                    self.changed.wait(1.0)
            if trials and not self.unwanted:
                trial = SearchTrial(self.search, trials[0]["trial"], trials[0]["params"])
                trial._loop = self
                return trial
            told = None

    def ask(self, told):
        """Tells and asks; knows which trials run."""
        answer = {}
        try:
            answer = self.search._exchange(dict({"ask": True}, **({"tell": told} if told else {})))
        finally:
            with self.changed:
                self.asking -= 1
                self.open.discard(told and told["trial"])
                self.open.update(one["trial"] for one in answer.get("trials") or ())
                self.changed.notify_all()
        return answer

    def finish(self, told):
        if told:
            self.search._request({"tell": told})
            with self.changed:
                self.running -= 1
                self.open.discard(told["trial"])
                self.changed.notify_all()

    def result_of(self, trial):
        """What is to be told of it."""
        try:
            return Search._result(trial, self.objective(trial))
        except Pruned:
            return Search._result(trial, pruned=True)
        except _Unwanted:
            raise
        except self.catch as error:
            return Search._result(trial, failed="%s: %s" % (type(error).__name__, error))
        except BaseException as error:
            why = "cancelled" if isinstance(error, KeyboardInterrupt) else "%s: %s" % (type(error).__name__, error)
            self.finish(Search._result(trial, failed=why))
            raise


def search(experiment, dir=None, set=None, wait=None, program=None):
    """A search as a loop of one's own: of an experiment file, or of a dict with what would stand in one. `dir`: the run
    directory (default: runs/NAME), `set`: keys of the file to change, {"limits.max_trials": 10}, when it is made."""
    return Search(experiment, dir, set, wait, program)


# --- what came of experiments ---


def _with_reals(json_value):
    """The texts of not finite numbers as numbers, wherever metrics and values are."""
    if not isinstance(json_value, dict):
        return json_value
    for name in ("value", "values", "metrics"):
        inner = json_value.get(name)
        if isinstance(inner, dict):
            json_value[name] = {key: _real(value) for key, value in inner.items()}
        elif isinstance(inner, str):
            json_value[name] = _real(inner)
    return json_value


class Rows(list):
    """A list of dicts; to_pandas() makes a DataFrame of it, where pandas is there."""

    def to_pandas(self):
        import pandas

        return pandas.DataFrame([_flat(row) for row in self])


def _flat(row):
    """Columns as `gannet trials --csv` names them where names could meet: param.lr, metric.loss, time.data."""
    columns = {}
    for name, value in row.items():
        if name == "profile":
            columns.update(("time.%s" % phase, times["seconds"]) for phase, times in value.items())
        elif isinstance(value, dict):
            columns.update(("%s.%s" % (name.rstrip("s"), key), inner) for key, inner in value.items())
        else:
            columns[name] = value
    return columns


class Experiment:
    """An experiment, while it runs or afterwards."""

    def __init__(self, experiment, program=None):
        self._experiment, self._command = os.fspath(experiment), program or _program()
        self._ask("status")

    def _ask(self, *words):
        command = [self._command, words[0], self._experiment] + list(words[1:]) + ["--json"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            error = GannetError(re.sub(r"^gannet: ", "", done.stderr.decode("utf-8", "replace").strip()))
            error.status = done.returncode
            raise error
        return json.loads(done.stdout.decode())

    def status(self):
        """How it stands: docs/json.md."""
        return self._ask("status")

    def trials(self, state=None):
        """All trials: number, state, params, metrics, value, seconds, ... (docs/json.md)."""
        return Rows(_with_reals(one) for one in self._ask("trials", *(["--state", state] if state else [])))

    def best(self):
        """The best trial, or None."""
        try:
            return _with_reals(self._ask("best"))
        except GannetError as error:
            if error.status != _NOT_FOUND:
                raise
            self.status()  # which raises when there is no such experiment
            return None

    def metrics(self, trial=None):
        """Every value of every metric, or those of one trial: trial, metric, step, value. Of all trials it takes a
        process each."""
        numbers = [trial] if trial is not None else [one["trial"] for one in self._ask("trials")]
        rows = Rows()
        for number in numbers:
            for point in self._ask("show", str(number)).get("curve", ()):
                rows.append(dict({"trial": number}, **_with_reals(point)))
        return rows

    def profiles(self):
        """Where the time of trials went: trial, phase, seconds, count, min, max."""
        return Rows(
            dict({"trial": one["trial"], "phase": phase}, **times)
            for one in self._ask("trials")
            for phase, times in (one.get("profile") or {}).items()
        )


def open(experiment, program=None):
    """An experiment by its name below runs/, its run directory or its file."""
    return Experiment(experiment, program)
