#!/bin/bash
# a search as a loop in a Python program: asked, reported, pruned, told, in threads, killed and taken up again
. "$(dirname "$0")/lib.sh"
needs python3
scratch
PYTHONPATH=$(realpath "$(dirname "$(command -v gannet)")/../share/gannet/clients/python")
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1
cat >own.yaml <<'END'
version: 1
seed: 3
trial: {command: "true"}
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
  kind: {values: [a, b]}
strategy: tpe
early_stop: {name: median, min_steps: 1}
limits: {max_trials: 30}
END
cat >objective.py <<'END'
import gannet
def objective(trial):
    x = trial.suggest_float("x", 0.0, 1.0)
    assert trial.params.kind in ("a", "b")
    for step in (1, 2, 3):
        if trial.report((x - 0.3) ** 2 + 1 / step, step) and trial.should_prune():
            assert trial.why
            raise gannet.Pruned()
    return (x - 0.3) ** 2
END

# python WORDS PROGRAM: a claim that it ends with status 0.
python() { claim "$1" python3 -c "$2"; }

python "a loop runs to the end of the experiment" '
import gannet
from objective import objective
with gannet.search("own.yaml", dir="own") as search:
    assert search.best is None
    search.optimize(objective, n_trials=5)
    search.optimize(objective)
    best = search.best
    assert best["value"] < 0.1 and best["params"]["x"], best
    assert search.ask() is None'
grep -v '^trial' own.yaml >bare.yaml
python "a file without a command says what a loop writes there" '
import gannet
try:
    gannet.search("bare.yaml").ask()
    raise SystemExit("it was taken")
except gannet.GannetError as error:
    assert "trial: {command: \"true\"}" in str(error) and "your own loop" in str(error), error'
python "a second search of the same takes over from the first, which says so; one that is closed says that" '
import gannet
first = gannet.search("own.yaml", dir="twice")
assert first.ask().number == 1
second = gannet.search("own.yaml", dir="twice")
assert second.ask().number == 1
def refuse(search, words):
    try:
        search.ask()
        raise SystemExit("it was asked")
    except gannet.GannetError as error:
        assert words in str(error), error
refuse(first, "has taken over")
second.close()
refuse(second, "is closed; gannet.open reads")'
python "one that nobody has any more is ended" '
import gannet
def once(found):
    search = gannet.search("own.yaml", dir="dropped")
    assert search.ask().number == 1
    found.append(search._process.pid)
found = []
once(found)
import os, time
for _ in range(6000):
    try:
        if os.waitpid(found[0], os.WNOHANG)[0]:
            break
    except ChildProcessError: # gannet.py was quicker
        break
    time.sleep(0.01)
else:
    raise SystemExit("it runs")'
python "a search that another process has is refused, with that process" '
import gannet, os, subprocess, sys
first = gannet.search("own.yaml", dir="twice")
assert first.ask()
other = "import gannet; gannet.search(\"own.yaml\", dir=\"twice\", wait=1).ask()"
said = subprocess.run([sys.executable, "-c", other], stderr=subprocess.PIPE).stderr.decode()
assert "process %d on" % first._process.pid in said and "has the search until it ends" in said, said'
is "every trial has ended" 30 "$(gannet trials own --csv --columns state | grep -Ec 'completed|stopped')"
matches "some were pruned" '[1-9]' "$(gannet trials own --csv --columns state | grep -c stopped)"
claim "every proposal can be made anew" gannet replay own

python "an objective of Optuna stays as it is: steps from 0, a time, and what it suggests" '
import gannet
def objective(trial):
    x = trial.suggest_uniform("x", 0.0, 1.0) + (trial.suggest_categorical("kind", ["a", "b"]) == "b")
    for epoch in range(3):
        trial.report(x + 1 / (epoch + 1), epoch)
        if trial.should_prune():
            raise gannet.Pruned()
    return x
with gannet.search("own.yaml", dir="optuna") as search:
    search.optimize(objective, n_trials=3, timeout=600)
    search.optimize(objective, timeout=0)
    assert len(gannet.open("optuna").trials()) == 3
    try:
        search.optimize(lambda trial: trial.suggest_int("depth", 1, 3), n_trials=1)
        assert False
    except gannet.GannetError as error:
        assert "no parameter" in str(error) and "depth" in str(error), error'
is "its steps are counted from 1" "1 2 3" "$(python3 -c 'import gannet; print(*(row["step"] for row in gannet.open("optuna").metrics(1)))')"

python "trials run in threads" '
import gannet, threading
from objective import objective
both = threading.Barrier(2, timeout=300)
def meets(trial):
    if trial.number <= 2:
        both.wait()
    return objective(trial)
with gannet.search("own.yaml", dir="threads") as search:
    search.optimize(meets, n_jobs=4)'
is "all of them" 30 "$(gannet trials threads --csv --columns state | grep -Ec 'completed|stopped')"
claim "every proposal of these can be made anew" gannet replay threads

python "an experiment may be a dict, and a strategy that waits is waited for" '
import gannet
with gannet.search({"name": "d", "metric": [{"name": "loss", "goal": "minimize"}, {"name": "size", "max": 3}],
                    "parameters": {"x": {"min": 0.0, "max": 1.0}}, "strategy": {"name": "cmaes", "options": {"population": 4}}},
                   dir="dict", set={"limits.max_trials": 12}) as search:
    search.optimize(lambda trial: {"loss": trial.params.x, "size": 2}, n_jobs=3)
    assert search.ask() is None'
python "a dict may have numbers and lists that are not of Python itself, and what JSON has no form for is told" '
import gannet
class Number:                                        # as those of NumPy, and its arrays
    def __init__(self, what):
        self.what = what
    def tolist(self):
        return self.what
def of(**range):
    return {"name": "foreign", "metric": {"name": "loss", "goal": "minimize"}, "parameters": {"x": range}}
with gannet.search(of(min=Number(3), max=Number(3.5)), dir="foreign", set={"limits.max_trials": Number(1)}) as search:
    assert 3 <= search.ask().params.x <= 3.5 and search.ask() is None
with gannet.search(of(values=range(4, 6)), dir="foreign-list") as search:
    assert search.ask().params.x in (4, 5)
with gannet.search(of(values=Number([6])), dir="foreign-array") as search:
    assert search.ask().params.x == 6
try:
    gannet.search(of(min=0, max=object()), dir="foreign-none")
    raise SystemExit("it was taken")
except gannet.GannetError as error:
    assert "no number, text, list or dict" in str(error), error'
python "exceptions of an objective are failures of its trial" '
import gannet
def fails(trial):
    if trial.number == 2:
        raise ValueError("the robot fell over")
    if trial.number == 4:
        raise KeyError("x")
    return float("nan") if trial.number == 3 else 1
with gannet.search("own.yaml", dir="fails") as search:
    try:
        search.optimize(fails, catch=ValueError)
        assert False
    except KeyError:
        pass
    trial = search.ask()
    search.tell(trial, failed="diverged")
    trial = search.ask()
    search.tell(trial, {"loss": 0.5})
    trial = search.ask()
    search.tell(trial, failed=b"no file a\xff.png".decode("utf-8", "surrogateescape") + "\0" + "x" * 3000000)'
states=$(gannet trials fails --csv --columns trial,reason | tail -n +2 | tr -d '\r' | paste -sd' ')
is "each with its reason" "1,completed 2,reported 3,diverged 4,reported 5,diverged 6,completed 7,reported" "$states"
matches "in words that no text spoils" "no file a.*png" "$(gannet explain fails 7)"
matches "which explain repeats" "ValueError: the robot fell over" "$(gannet explain fails 2)"

# Killed in the middle, its trial is left open, and the next loop goes on.
python3 -c '
import gannet, os, signal
from objective import objective
def dies(trial):
    if trial.number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return objective(trial)
gannet.search("own.yaml", dir="killed").optimize(dies)' >/dev/null 2>&1
python "a loop that was killed is taken up again" '
import gannet
from objective import objective
with gannet.search("own.yaml", dir="killed") as search:
    search.tell(7, failed="cancelled")
    search.optimize(objective, n_trials=5)'
is "and counts on" 12 "$(gannet trials killed --csv --columns trial | tail -n 1 | tr -d '\r')"
claim "and can be made anew" gannet replay killed

# What nobody told is what the next loop is given first.
python3 -c '
import gannet, os, signal
from objective import objective
def dies(trial):
    if trial.number == 7:
        trial.report(0.7, 1)
        os.kill(os.getpid(), signal.SIGKILL)
    return objective(trial)
gannet.search("own.yaml", dir="left").optimize(dies)' >/dev/null 2>&1
python "the trial of a loop that was killed is handed to the next one at once" '
import gannet
from objective import objective
params = gannet.open("left").trials()[6]["params"]
with gannet.search("own.yaml", dir="left") as search:
    trial = search.ask()
    assert trial.number == 7 and trial.params == params, (trial.number, trial.params)
    assert search.ask().number == 8
with gannet.search("own.yaml", dir="left") as search:
    search.tell(8, 0.5)
    search.optimize(objective)'
is "which comes to the end of the experiment" "ended 30" \
    "$(python3 -c 'import gannet; it = gannet.open("left"); print(it.status()["state"], sum(one["state"] != "running" for one in it.trials()))')"
matches "the attempts that were lost are kept" '^7,3$' "$(gannet trials left --csv --columns trial,attempts | tr -d '\r')"
matches "and say why" 'the program that had asked for it ended before it told' "$(gannet explain left 7)"
claim "every proposal of that can be made anew" gannet replay left

# Trials of commands that take turns belong to nobody's process; when a coordinator goes on, nobody can tell them any more.
gannet ask own.yaml --dir turns >/dev/null
echo '{"ask": true}' | gannet ask own.yaml --dir turns --serve >answer
matches "what a command asked for stays with whoever asked" '"trial": *2,' "$(cat answer)"
gannet run "$PWD/turns" --resume --quiet --set 'trial.command=["sh", "-c", "echo loss=1"]' --set limits.max_trials=3 >/dev/null 2>&1
for trial in 1 2; do
    matches "a coordinator tries trial $trial again, and knows why" 'asked for by a loop' "$(gannet explain turns $trial)"
done

# Ctrl-C, which the whole group of processes hears.
for jobs in 1 2; do
    setsid --wait python3 -c '
import gannet, os, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
jobs = int(sys.argv[1])
both, never = threading.Barrier(jobs, timeout=300), threading.Event()
def waits(trial):
    if both.wait() == 0:
        os.killpg(0, signal.SIGINT)
    never.wait(600)
try:
    with gannet.search("own.yaml", dir="interrupted-%d" % jobs) as search:
        search.optimize(waits, n_jobs=jobs)
except KeyboardInterrupt:
    sys.exit(7)' $jobs
    is "$jobs at a time: ctrl-C ends the program" 7 $?
    is "$jobs at a time: and cancels what it ran" "$jobs cancelled" "$(gannet trials interrupted-$jobs --csv --columns state | tr -d '\r' | tail -n +2 | uniq -c | xargs)"
done

python "what gannet refuses is an exception with its sentence" '
import gannet
def refused(part, call, *words, **named):
    try:
        call(*words, **named)
    except gannet.GannetError as error:
        assert part in str(error), error
        return
    assert False, part
refused("no.yaml", lambda: gannet.search("no.yaml").ask())
refused("there is no", gannet.open, "nothing")
with gannet.search("own.yaml", dir="own") as search:
    refused("has ended already", search.tell, 1, 0.5)
    refused("is no number", search._request, {"tell": {"trial": 1, "value": "low"}})'
mkdir -p temporary
export TMPDIR=$PWD/temporary
python "what is no value, and what is no name, is told in a sentence" '
import gannet
def refused(part, call):
    try:
        call()
    except gannet.GannetError as error:
        assert part in str(error), error
        return
    assert False, part
space = {"metric": {"name": "loss", "goal": "minimize"}, "parameters": {"x": {"min": 0, "max": 1.0}}}
search = gannet.search(dict(space, name="unsaid"))
refused("None is no value of a trial: an objective returns a number", lambda: search.optimize(lambda trial: None, 1))
refused("(1, 2) is no value of a trial", lambda: search.optimize(lambda trial: (1, 2), 1))
refused("error", lambda: gannet.search(dict(space, name="a/b")).ask())'
is "a search that nobody closed leaves no file behind" "" "$(ls temporary)"
unset TMPDIR
python "a damaged experiment has no best trial, and that is an error" '
import gannet, shutil, sqlite3
shutil.copytree("own", "torn")
with sqlite3.connect("torn/gannet.db") as store:
    store.execute("DROP TABLE trials")
try:
    gannet.open("torn").best()
    assert False
except gannet.GannetError as error:
    assert "trials" in str(error) or "tables" in str(error), error'
python "an experiment is opened and read" '
import gannet
experiment = gannet.open("own")
trials = experiment.trials()
assert len(trials) == 30 and trials[0]["params"]["x"] and experiment.status()["state"] == "ended"
assert len(experiment.trials(state="stopped")) < 30
assert experiment.best()["value"] == min(one["value"] for one in experiment.trials(state="completed"))
assert [row["step"] for row in experiment.metrics(1)] == [1, 2, 3] and len(experiment.metrics()) > 30
failed = gannet.open("fails").trials()
assert failed[0]["value"] == 1 and failed[2]["metrics"] == {} or failed[2]["metrics"]["loss"] != failed[2]["metrics"]["loss"]
profiles = experiment.profiles()
assert isinstance(profiles, list)
try:
    import pandas
    assert len(trials.to_pandas()) == 30
except ImportError:
    pass' 
claim "nothing is left running" none_left
finish
