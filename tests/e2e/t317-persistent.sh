#!/bin/bash
# a persistent program runs trial after trial in one process: the same results, and whatever goes wrong costs one trial
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
needs python3
scratch
unset PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1

# experiment NAME TRIAL MORE: x is a parameter; NAME.py is the program, TRIAL what else stands under `trial:`.
experiment() {
    cat >"$1.yaml" <<EOF
version: 1
name: $1
seed: 3
trial: {command: [python3, $PWD/$1.py]$2}
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
strategy: random
$3
EOF
}
persistent=", persistent: true"

# search FILE DIR: on one core, and so with one slot.
core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
search() { taskset -c "$core" gannet run "$1" --dir "$2" --quiet --workers 1 --share; }

# column DIR NAME: a column of all trials, in their order.
column() { gannet trials "$1" --csv --columns "trial,$2" | tr -d '\r' | tail -n +2 | sort -n | cut -d, -f2-; }
pids() { cat "$1"/trials/*/stdout* | sed -n 's/^pid //p' | sort -u | wc -l; }
detail() { gannet show "$1" "$2" --json | sed -n 's/^ *"detail": "\(.*\)",*$/\1/p' | tail -n 1; }

# --- one process, the same results -------------------------------------------------------------------------------------
cat >same.py <<'END_PY'
import os, random, gannet
open("starts", "a").write("start\n")
print("imported")
def train(trial):
    assert gannet.trial() is trial and trial.number and os.environ["GANNET_TRIAL"] == str(trial.number)
    assert os.environ["LABEL"] == "trial %d" % trial.number and os.path.samefile(os.getcwd(), os.environ["HERE"])
    print("pid", os.getpid())
    os.chdir(trial.dir)
    random.seed(trial.seed)
    for step in range(1, 4):
        with trial.phase("data"):
            loss = trial.params.x + random.random() / step
        trial.metric(loss=loss, step=step)
    return {"loss": loss, "acc": 1 - loss}
gannet.serve(train, x=0.5)
open(os.environ["HERE"] + "/ends", "a").write("end\n")
END_PY
env=", env: {LABEL: \"trial \${trial.id}\", HERE: $PWD}"
experiment same "$persistent$env" "limits: {max_trials: 6}"
claim "a search of a persistent program runs" search same.yaml same
is "all trials complete" "6 completed" "$(column same reason | sort | uniq -c | sed 's/^ *//')"
is "in one process" 1 "$(pids same)"
is "whose interpreter was started once" 1 "$(wc -l <starts)"
is "it runs to the end of the script" 1 "$(wc -l <ends)"
is "each trial's output is its own" "pid" "$(sed 's/ .*//' same/trials/000004/stdout)"
is "what came before the first is the first's" "imported pid" "$(sed 's/ .*//' same/trials/000001/stdout | tr '\n' ' ' | sed 's/ $//')"
is "no log is left where nothing was printed between" "" "$(ls same/logs | grep program)"
matches "phases are told" '"data"' "$(gannet show same 5 --json)"
experiment same "$env" "limits: {max_trials: 6}"
claim "the same script runs one trial a process" search same.yaml single
is "with the same results" "$(column single value,metric.acc)" "$(column same value,metric.acc)"
is "from as many processes" 6 "$(pids single)"
line=$(gannet show same best | sed -n '/^Train it again/{n;p}')
best=$(gannet best same --json | sed -n 's/^ *"value": \([^,]*\),*$/\1/p')
mkdir -p again
matches "the line that trains it again repeats it" "loss=$best" "$(env -i PATH="$PATH" sh -c "$line" 2>&1)"
claim "every proposal can be made anew" gannet replay same
is "by hand it takes its parameters from the command line" "0.25" \
    "$(printf 'import gannet\ngannet.serve(lambda t: print(t.params.x), x=1.0)\n' >hand.py; PYTHONPATH=$SOURCE/clients/python python3 hand.py --x=0.25)"

# --- what a trial does to its process ----------------------------------------------------------------------------------
cat >odd.py <<'END_PY'
import ctypes, os, signal, subprocess, sys, threading, time, gannet
def train(trial):
    print("pid", os.getpid())
    n = trial.number
    if n == 1:
        print("loss=0.5 step=1")
        print("loss=0.125 step=2")
        return None
    if n == 2:
        print("to standard error", file=sys.stderr)
        raise ValueError("bad luck with %d" % n)
    if n == 3:
        sys.exit("no more")
    if n == 4:
        os._exit(0)
    if n == 5:
        ctypes.string_at(0)
    if n == 6:
        os._exit(3)
    if n == 7:
        if os.fork() == 0:
            return 9.0               # comes back into gannet.serve, which is not its
        os.wait()
        return 0.75
    if n == 8:
        def late():
            while not os.path.exists("late"):
                time.sleep(0.02)
            trial.metric(loss=99.0)
        threading.Thread(target=late, daemon=True).start()
        return 0.25
    if n == 9:
        open("late", "w").close()
        time.sleep(0.2)
        subprocess.run([os.environ["GANNET"], "metric", "loss=0.0625"], check=True)
        return None
    if n == 10:
        os.closerange(3, 100)        # its connection, too
        time.sleep(1000)
    if n == 11:
        raise gannet.Pruned()
    if n == 13:
        assert "started by one that serves" in subprocess.run([sys.executable] + sys.argv, stderr=subprocess.PIPE).stderr.decode()
    if n == 14:
        return "low"
    if n == 15:
        raise ValueError("no \udcff\0")
    if n == 12:
        sys.exit(0)
    return trial.params.x
gannet.serve(train)
END_PY
experiment odd "$persistent" "limits: {max_trials: 16, same_failures: 0, trial_time: 60s}"
claim "a search whose trials do odd things runs" search odd.yaml odd
is "each costs itself alone" "completed exited exited exited crashed exited completed completed completed crashed no_value no_value completed exited exited completed" "$(column odd reason | tr '\n' ' ' | sed 's/ $//')"
is "what it prints is read" 0.125 "$(column odd value | sed -n 1p)"
matches "without a value it is told how to give one" 'the function that gannet.serve calls may return it' "$(detail odd 12)"
is "an exception is the detail" "ValueError: bad luck with 2" "$(detail odd 2)"
is "the summary says it once" 1 "$(gannet run odd --resume 2>&1 | grep -c 'the first: ValueError: bad luck with [0-9]*$')"
is "its traceback in the error output" "to standard error|Traceback (most recent call last):|ValueError: bad luck with 2" "$(grep -v '^ ' odd/trials/000002/stderr | tr '\n' '|' | sed 's/|$//')"
is "so are the words of sys.exit" "no more" "$(detail odd 3)"
matches "an exit in the middle is said" 'exited with status 0 in the middle' "$(detail odd 4)"
matches "a crash, too" SIGSEGV "$(detail odd 5)"
is "a fork that returns does not speak for the trial" 0.75 "$(column odd value | sed -n 7p)"
is "nor what a thread says later for the next" "0.25 0.0625" "$(column odd value | sed -n 8,9p | tr '\n' ' ' | sed 's/ $//')"
matches "a connection that was closed is said" 'closed its connection' "$(detail odd 10)"
matches "what it returns is said when it is no number" "^TypeError: the function returned 'low'" "$(detail odd 14)"
is "what no text can hold is said as well as it can be" "ValueError: no ??" "$(detail odd 15)"
is "five processes ran them" 5 "$(pids odd)"

# --- a program that does not serve --------------------------------------------------------------------------------------
cat >unserved.py <<'END_PY'
print("loss=1")
END_PY
experiment unserved "$persistent" "limits: {max_trials: 1}"
gannet run unserved.yaml --dir unserved --quiet >/dev/null 2>&1
matches "a program that never serves is told how" 'ended without gannet.serve' "$(detail unserved 1)"
cat >outside.py <<'END_PY'
import gannet
gannet.trial()
END_PY
experiment outside "$persistent" "limits: {max_trials: 1}"
gannet run outside.yaml --dir outside --quiet >/dev/null 2>&1
matches "so is one that asks for the trial outside" 'within the function' "$(cat outside/trials/000001/stderr)"
matches "and that it was before it served" 'exit status 1 before it called gannet.serve' "$(detail outside 1)"
experiment same ", persistent: true, args_style: space" "limits: {max_trials: 6}"
sed -i 's/\.py\]/.py, "${args}"]/' same.yaml
refuse "a parameter in the command is an error, with its place" 2 'same.yaml:4:[0-9]+: error: .*started once for many trials' gannet check same.yaml

# --- renewal ------------------------------------------------------------------------------------------------------------
cat >renew.py <<'END_PY'
import glob, os, subprocess, time, gannet
kept = []
subprocess.Popen(["sleep", "1002"], start_new_session=True)
def helpers():
    count = 0
    for path in glob.glob("/proc/[0-9]*"):
        try:
            mine = ("GANNET_OWNER=" + os.environ["GANNET_OWNER"]).encode() in open(path + "/environ", "rb").read().split(b"\0")
            count += mine and b"1002" in open(path + "/cmdline", "rb").read().split(b"\0")
        except OSError:
            pass
    return count
def train(trial):
    print("pid", os.getpid())
    print("helpers", helpers())
    kept.append(b"x" * (40 << 20))
    return trial.params.x
while not helpers():  # what was started has no arguments yet
    time.sleep(0.01)
gannet.serve(train)
END_PY
experiment renew ", persistent: {trials: 3}" "limits: {max_trials: 7}"
claim "a search with a new process after three trials runs" search renew.yaml trials
is "three processes run seven trials" 3 "$(pids trials)"
is "what each had started beside itself ends with it" "helpers 1" "$(cat trials/trials/*/stdout | grep helpers | sort -u)"
experiment renew ", persistent: {growth: 100M}" "limits: {max_trials: 8}"
claim "a search with a new process when it has grown runs" search renew.yaml growth
is "two processes, each grown to 160M, run eight trials" 2 "$(pids growth)"
is "all of them complete" 8 "$(column growth reason | grep -c completed)"

# --- leaving between trials ---------------------------------------------------------------------------------------------
cat >leaves.py <<'END_PY'
import json, os, socket, sys, time
worker = socket.socket(socket.AF_UNIX)
worker.connect(os.environ["GANNET_SOCKET"])
lines = worker.makefile("rw")
def say(**line):
    lines.write(json.dumps(line) + "\n")
    lines.flush()
say(gannet=1, token=os.environ["GANNET_TOKEN"], serve=1)
lines.readline()
one = json.loads(lines.readline())
if len(sys.argv) == 1:
    with open(one["stdout"], "a") as out:
        out.write("pid %d\nloss=%r\n" % (os.getpid(), one["params"]["x"]))
    say(ended=one["trial"], attempt=one["attempt"], status=0)
    time.sleep(0.3)   # the next trial has come, and is not read
END_PY
experiment leaves "$persistent, retries: 0" "limits: {max_trials: 4}"
claim "a search of a program that leaves after each trial runs" search leaves.yaml leaves
is "no trial pays for it" "4 completed 1" "$(column leaves reason,attempts | sort | uniq -c | sed 's/^ *//; s/,/ /')"
is "each has a process" 4 "$(pids leaves)"
experiment leaves "$persistent, retries: 0" "limits: {max_trials: 2, same_failures: 0}"
sed -i 's/leaves.py\]/leaves.py, never]/' leaves.yaml
gannet run leaves.yaml --dir never --quiet --workers 1 --share >/dev/null 2>&1
is "one that leaves without having ended any loses its trial" "2 exited 1" "$(column never reason,attempts | sort | uniq -c | sed 's/^ *//; s/,/ /')"

# --- stopping -----------------------------------------------------------------------------------------------------------
cat >stops.py <<'END_PY'
import os, gannet
def train(trial):
    print("pid", os.getpid())
    start = int(open(trial.restore_path).read()) if trial.restore_path else 0
    for step in range(start + 1, 10):
        stop = trial.metric(loss=trial.params.x + 1 / step, step=step)
        with trial.saving(step) as path:
            with open(path, "w") as file:
                file.write(str(step))
        if stop:
            break
gannet.serve(train)
END_PY
experiment stops "$persistent, checkpoint: true" "early_stop: {name: asha, min_steps: 1, max_steps: 9, eta: 3}
limits: {max_trials: 9}"
claim "a search with early stopping runs" search stops.yaml stops
is "all trials have ended" 9 "$(ended_count stops)"
is "none has failed" 0 "$(column stops state | grep -c failed)"
is "in one process, whose trials pause and go on" 1 "$(cat stops/trials/*/stdout* | sort -u | grep -c pid)"
is "with nothing to complain of" "" "$(cat stops/trials/*/stderr*)"

cat >endless.py <<'END_PY'
import os, time, gannet
def train(trial):
    print("pid", os.getpid())
    if trial.number == 2:
        while not trial.should_stop():
            time.sleep(0.02)
        return 0.5
    if trial.number == 3:
        while True:
            time.sleep(1)
    return trial.params.x
gannet.serve(train)
END_PY
experiment endless "$persistent, grace: 20s" "limits: {max_trials: 5, trial_time: 15s}"
claim "a search with a time limit runs" search endless.yaml endless
is "those that take longer have run out of time" "completed timed_out timed_out completed completed" "$(column endless reason | tr '\n' ' ' | sed 's/ $//')"
is "who asks and returns keeps the process, who ignores it does not" "1 2" "$(cat endless/trials/00000[123]/stdout | sort -u | wc -l) $(pids endless)"

# --- killed -------------------------------------------------------------------------------------------------------------
cat >killed.py <<'END_PY'
import os, subprocess, time, gannet
subprocess.Popen(["sleep", "1000"], start_new_session=True)
def train(trial):
    if trial.number > 2:
        subprocess.Popen(["sleep", "1001"], start_new_session=True)
        open("here", "w").close()
        while not os.path.exists("go"):
            time.sleep(0.05)
    return trial.params.x
gannet.serve(train)
END_PY
experiment killed "$persistent" "limits: {max_trials: 4}"
search killed.yaml killed >killed.log 2>&1 &
claim "its third trial runs" until_true test -e here
worker=$(left | awk '/gannet-worker/ {print $1; exit}')
touch go
kill -KILL "$worker"
wait $!
is "after its worker was killed the search goes on" 4 "$(column killed reason | grep -c completed)"
claim "nothing is left running" none_left
finish
