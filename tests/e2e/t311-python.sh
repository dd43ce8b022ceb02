#!/bin/bash
# a Python script with `import gannet` runs by hand, as a trial, pauses and goes on, and never fails because the worker is gone
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
needs python3
scratch
unset PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1

# experiment NAME MORE TRIAL: x is a parameter; NAME.py is the program.
experiment() {
    cat >"$1.yaml" <<END
version: 1
name: $1
seed: 3
trial: {command: [python3, $PWD/$1.py]$3}
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
  top-k: {values: [1, 2]}
strategy: random
$2
END
}

# --- by hand -----------------------------------------------------------------------------------------------------------
cat >hand.py <<'END'
import gannet
trial = gannet.trial({"top-k": 1}, x=0.5, name="a", deep=True)
assert gannet.trial() is trial and trial.is_alone and trial.number is None and trial.restore_path is None
with trial.phase("data"):
    print(trial.params.x, trial.params["top-k"], trial.params.name, trial.params.deep, trial.seed)
assert not trial.metric(loss=trial.params.x, step=1) and not trial.metric({"val/acc": float("inf")}) and not trial.should_stop()
assert not trial.metric(loss="low", other=None)
with trial.saving() as path:
    assert path is None
assert trial.checkpoint("a.bin")
END
by_hand() { PYTHONPATH=$SOURCE/clients/python python3 hand.py "$@"; }
is "by hand it takes its parameters from the command line" "0.25 2 b False 0" \
    "$(by_hand --x=0.25 --top-k 2 name=b --deep=false 2>/dev/null | head -n 1)"
is "what it measures is printed" "loss=0.5 step=1|val/acc=inf|checkpoint a.bin|" "$(by_hand 2>/dev/null | tail -n +2 | tr '\n' '|')"
matches "what is no number is said" "the value of 'loss' is no number" "$(by_hand 2>&1)"


# --- by hand, with words that it does not have --------------------------------------------------------------------------
# refuses WHAT WORDS ARGUMENT...: the program ends with argparse's status, and says this.
refuses() {
    local what=$1 words=$2 said status
    shift 2
    said=$(by_hand "$@" 2>&1) && status=0 || status=$?
    is "$what ends the program" 2 "$status"
    matches "$what is said" "$words" "$said"
}
refuses "a mistyped option" "hand.py: error: unrecognized arguments: --nmae=3 [(]--name is meant[?][)]" --nmae=3
refuses "a mistyped parameter" "unrecognized arguments: top_q=3 [(]--top-k is meant[?][)]" top_q=3
refuses "a word that is no option" "unrecognized arguments: much" much
refuses "an option without its value" "argument --x: expected one argument" --x
refuses "a text for a number" "argument --x: a number is meant, not 'low'" --x=low
matches "its options are shown, and that is all" '--deep.*--name NAME' "$(by_hand --help | tr '\n' ' ')"
is "switches need no value" "-0.001 1 a False 0" "$(by_hand --no-deep --x -1e-3 --local_rank=1 2>/dev/null | head -n 1)"
mkdir beside
cat >beside/settings.py <<'END'
import argparse
END
cat >beside/hand.py <<'END'
import gannet
def later():
    from settings import (
        anything)
print(gannet.trial(x=1).params)
END
is "a program whose own files read its command line keeps its options" "{'x': 3}" "$(PYTHONPATH=$SOURCE/clients/python python3 beside/hand.py --device cpu --x=3 2>&1)"
cat >beside/settings.py <<'END'
anything = 1
END
claim "without such a file they are refused" sh -c "! PYTHONPATH=$SOURCE/clients/python python3 beside/hand.py --device cpu --x=3"
cat >beside/hand.py <<'END'
import gannet
print(gannet.trial(x=1, argv=[]).params)
END
is "who gives the words reads them" "{'x': 1}" "$(PYTHONPATH=$SOURCE/clients/python python3 beside/hand.py --device cpu --x=3 2>&1)"
cp hand.py asked.py
claim "its parameters become an experiment" env PYTHONPATH="$SOURCE/clients/python" gannet init --from asked.py
matches "with their ranges" "x: {min: " "$(cat asked.yaml)"

# --- as trials ---------------------------------------------------------------------------------------------------------
cat >rungs.py <<'END'
import os, gannet
trial = gannet.trial()
assert trial.params.x is not None and trial.params["top-k"] in (1, 2) and os.path.isdir(trial.dir) and trial.seed
start = int(open(trial.restore_path).read()) if trial.restore_path else 0
for step in range(start + 1, 10):
    with trial.phase("data"), trial.phase("augment twice"):
        sum(range(10000))
    stop = trial.metric(loss=trial.params.x + 1 / step, step=step)
    with trial.saving(step) as path:
        with open(path, "w") as file:
            file.write(str(step))
    if stop:
        print(trial.stop_reason)
        break
END
experiment rungs "early_stop: {name: asha, min_steps: 1, max_steps: 9, eta: 3}
limits: {max_trials: 12}" ", checkpoint: true"
claim "a search of a script runs, with early stopping" gannet run rungs.yaml --dir rungs --quiet --workers 2
is "all trials have ended" 12 "$(ended_count rungs)"
is "none has failed" 0 "$(gannet trials rungs --csv --columns state | grep -c failed)"
matches "they ended by themselves where they were to pause" '^paused' "$(cat rungs/trials/*/stdout*)"
is "with nothing to complain of" "" "$(cat rungs/trials/*/stderr*)"
matches "its phases have the names that it told" '"data"' "$(gannet show rungs 1 --json)"
matches "and made up" '"augment_twice"' "$(gannet show rungs 1 --json)"
matches "show draws them" '^  augment_twice' "$(gannet show rungs 1)"
matches "a list sorts by them" '^[0-9]' "$(gannet trials rungs --sort time.augment_twice --csv --columns trial,time.augment_twice | tail -n +2)"
if command -v sqlite3 >/dev/null; then
    is "so does the view" augment_twice "$(sqlite3 rungs/gannet.db "SELECT DISTINCT phase FROM v_profiles WHERE phase LIKE 'aug%'")"
else
    skip "so does the view" "sqlite3 is not here"
fi
claim "every proposal can be made anew" gannet replay rungs

# --- checkpoints that are directories ------------------------------------------------------------------------------------
cat >folders.py <<'END'
import os, signal, gannet
trial = gannet.trial()
start = int(open(os.path.join(trial.restore_path, "step")).read()) if trial.restore_path else 0
print("from", start)
for step in range(start + 1, 7):
    trial.metric(loss=1 / step, step=step)
    with trial.saving(step) as path:
        if step != 3:                                # at which it saves nothing
            os.mkdir(path)
            with open(os.path.join(path, "step"), "w") as file:
                file.write(str(step))
        if step == trial.attempt + 3 and trial.attempt < 3:
            os.kill(os.getpid(), signal.SIGKILL)
    if step == 3 and trial.attempt == 1:
        assert os.path.isdir(trial.checkpoint_path)
END
experiment folders "limits: {max_trials: 1}" ", checkpoint: true, retries: 2"
claim "a search of a script runs that is killed while it saves a directory" gannet run folders.yaml --dir folders --quiet --workers 1
is "it goes on from the last one that was whole" "from 0|from 2|from 4|" "$(cat folders/trials/*/stdout* | sort | tr '\n' '|')"
matches "that nothing was saved is said, and costs no checkpoint" "could not be saved: nothing was saved to " "$(cat folders/trials/*/stderr*)"

# --- a process that a program forks --------------------------------------------------------------------------------------
cat >forked.py <<'END'
import os, gannet
trial = gannet.trial()
with trial.phase("data"):
    pass
child = os.fork()
if child == 0:
    trial.metric({"odd\ud800": 1}, step=1)             # no Unicode
    os._exit(0)
os.waitpid(child, 0)
trial.metric(loss=1, step=1)
END
experiment forked "limits: {max_trials: 1}"
claim "a search of a program runs that forks a process, which reports a metric whose name is not Unicode" \
    gannet run forked.yaml --dir forked --quiet
is "the phases of before are counted once" 1 "$(gannet profile forked 1 --json | tr -d ' \n' | sed -n 's/.*{"phase":"data",[^}]*"count":\([0-9]*\).*/\1/p')"
is "the name's rest is there" '"odd?"' "$(gannet show forked 1 --json | grep -o '"odd[^"]*"' | head -n 1)"

# --- trained again -----------------------------------------------------------------------------------------------------
cat >again.py <<'END'
import gannet
trial = gannet.trial({"top-k": 7}, x=0.125)
trial.metric(loss=trial.params.x + trial.params["top-k"])
END
experiment again "limits: {max_trials: 2}"
claim "a search to repeat runs" gannet run again.yaml --dir again --quiet
best=$(gannet best again --json | sed -n 's/^ *"value": \([^,]*\),*$/\1/p')
line=$(gannet show again best | sed -n '/^Train it again/{n;p}')
is "the line that trains it again finds the module and the parameters" "loss=$best" "$(env -i PATH="$PATH" sh -c "$line" 2>&1)"
line=$(gannet check again.yaml | sed -n '/^#   1 /{n;s/^#//p}')
x=$(expr "$line" : '.*GANNET_PARAM_x=\([^ ]*\)') k=$(expr "$line" : '.*GANNET_PARAM_top_k=\([^ ]*\)')
is "so does that of an example, whose file of parameters is not there" "loss=$(python3 -c "print($x + $k)")" "$(env -i PATH="$PATH" sh -c "$line" 2>&1)"

# --- ranks and forks ---------------------------------------------------------------------------------------------------
cat >ranks.py <<'END'
import os, sys, gannet
trial = gannet.trial()
trial.metric(loss=1, step=1)
if os.fork() == 0:  # a process of its own speaks for the same trial
    trial.metric(loss=2, step=2)
    sys.exit(0)
os.wait()
if os.environ.get("RANK") is None:
    os.environ["RANK"] = "1"
    os.execv(sys.executable, [sys.executable] + sys.argv)
trial.metric(loss=9, step=9)
END
experiment ranks "limits: {max_trials: 1}"
claim "processes of one trial may all speak" gannet run ranks.yaml --dir ranks --quiet
is "only the first rank counts" 2.0 "$(gannet trials ranks --csv --columns value | tail -n 1 | tr -d '\r')"

# --- the worker gone ---------------------------------------------------------------------------------------------------
cat >gone.py <<'END'
import gannet
trial = gannet.trial()
with trial.phase("data"):
    pass
for step in (1, 2, 3):
    assert not trial.metric(loss=step, step=step)
assert not trial.should_stop()
END
experiment gone "limits: {max_trials: 1}" ", env: {GANNET_SOCKET: /nowhere}"
claim "it goes on without a worker" gannet run gone.yaml --dir gone --quiet
is "what it measured is printed and read from there" 3.0 "$(gannet trials gone --csv --columns value | tail -n 1 | tr -d '\r')"
is "it says so once" 1 "$(grep -c "can't be reached" gone/trials/000001/stderr)"

# --- a mistake before a question ---------------------------------------------------------------------------------------
cat >mistaken.py <<'END'
import json, os, socket, threading
listener = socket.socket(socket.AF_UNIX)
listener.bind("answers")
listener.listen(1)
def answer():
    connection = listener.accept()[0]
    for line in connection.makefile("r"):
        said = json.loads(line)
        if "should_stop" in said:
            say = {"stop": said.get("step") == 2, "reason": "stopped_early"}
        else:
            say = {"gannet": 1} if "gannet" in said else {"error": "too long a name"}
        connection.sendall(json.dumps(say).encode() + b"\n")
threading.Thread(target=answer, daemon=True).start()
os.environ.update(GANNET_SOCKET="answers", GANNET_TOKEN="x", GANNET_TRIAL="1", GANNET_ATTEMPT="1")
import gannet
trial = gannet.trial()
for step in (1, 2):
    trial.metric({"y" * 300: 1}, step=step)
    print(trial.should_stop(step))
END
is "the answer to a question is not taken for that to another" "False True" \
    "$(PYTHONPATH=$SOURCE/clients/python python3 mistaken.py 2>/dev/null | xargs)"

# --- where the module is -----------------------------------------------------------------------------------------------
cat >path.py <<'END'
import os, sys # its parameters are GANNET_PARAM_x and so on
print("loss=1", os.environ["PYTHONPATH"])
END
experiment path "limits: {max_trials: 1}"
export PYTHONPATH=/mine
claim "a search with a PYTHONPATH runs" gannet run path.yaml --dir path --quiet
is "the module's directory stands behind the person's own" "loss=1 /mine:$(realpath "$(dirname "$(command -v gannet)")/../share/gannet/clients/python")" "$(cat path/trials/000001/stdout)"
unset PYTHONPATH
experiment path "limits: {max_trials: 1}" ", env: {PYTHONPATH: /other}"
claim "a search whose trials set it runs" gannet run path.yaml --dir other --quiet
is "what trial.env sets wins" "loss=1 /other" "$(cat other/trials/000001/stdout)"
printf 'import gannet\ngannet.trial().metric(loss=1)\n' >calls.py
experiment calls "limits: {max_trials: 1}" ", env: {PYTHONPATH: $SOURCE/clients/python}"
claim "so does one of a program that calls the module" gannet run calls.yaml --dir calls --quiet
is "the command that trains it again sets it once" 1 "$(gannet show calls/1 | grep -o ' PYTHONPATH=' | wc -l)"
claim "nothing is left running" none_left
finish
