#!/bin/bash
# twelve programs that are broken in the ways that programs are: each trial ends in the right state, with a sentence that says what to mend
. "$(dirname "$0")/lib.sh"
scratch
experiment() { # experiment NAME COMMAND [KEYS [LIMITS]]: one trial
    cat >"$1.yaml" <<YAML
version: 1
trial: {command: $2, env: {P: "\${params.x}"}, grace: 1s$3}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
limits: {max_trials: 1$4}
YAML
}
ends() { # ends WORDS NAME REASON PATTERN: its trial has ended so, and gannet explain says why
    gannet run "$2.yaml" --dir "$2" --quiet >"$2.out" 2>&1
    is "$1: $3" "$3" "$(gannet trials "$2" --csv --columns reason | sed -n 2p | tr -d '\r')"
    matches "$1: with the sentence" "$4" "$(gannet explain "$2" 1)"
}
python() { # python NAME: standard input is a program of the module; skips where there is no Python
    cat >"$1.py"
    experiment "$1" "[python3, $1.py]"
}

experiment silent '[sh, -c, "true"]'
ends "exits with 0 and says nothing" silent no_value "it printed no value of 'loss'; write it as loss=0.5 on a line"

experiment nan '[sh, -c, "echo loss=0.5; echo loss=nan"]'
ends "reports NaN" nan diverged "its metric became NaN or infinite"

experiment other '[sh, -c, "echo val_loss=0.3 step=1"]'
ends "has another name for the metric" other no_value "printed no value of 'loss'.* it printed val_loss"

experiment leaves '[sh, -c, "(sleep 1; echo loss=0.1; sleep 1000) & exit 0"]'
ends "forks and leaves" leaves no_value "left processes in the background, which end with it: let the program wait for them"

experiment stubborn "[sh, -c, \"trap '' TERM; echo loss=1; while :; do sleep 0.1; done\"]" '' ', trial_time: 1s'
ends "ignores SIGTERM" stubborn timed_out "it ran longer than 1.0s, its limits.trial_time"

experiment dies '[sh, -c, "echo loss=1; kill -SEGV $$"]'
ends "dies of a signal" dies crashed "killed by SIGSEGV"

experiment half '[sh, -c, "printf \"loss=0.2 step=1\\nlo\"; exit 3"]'
ends "ends within a line and fails" half exited "exit status 3"

experiment words '[sh, -c, "echo loss=1; echo starts >&2; echo \"no module named torch\" >&2; exit 1"]'
ends "fails with words" words exited "(exited|exit status 1); its last words: no module named torch"
experiment thousands '[echo, "loss: 1.234,56"]'
ends "prints a comma for the point, and points between thousands" thousands no_value "printed 'loss: 1.234,56', and a decimal comma is not read"
experiment none '[echo, "loss=None"]'
ends "prints what is no number" none no_value "printed 'loss=None', which is not read as a number"

experiment vandal '[sh, -c, "rm -rf \"$(dirname \"$(dirname \"$0\")\")\"", "${trial.dir}"]'
refuse "removes all of the run directory" 1 'gannet.db was removed while the search ran, by a trial.s program' gannet run vandal.yaml --dir vandal --quiet

printf '#!/usr/bin/no-such-python\nprint("loss=1")\n' >wrong.py && chmod +x wrong.py
experiment wrong '[./wrong.py]'
refuse "a wrong interpreter is found before the start" 2 "names '/usr/bin/no-such-python' in its first line, and there is no such program" \
    gannet run wrong.yaml --dir wrong
printf '#!/usr/bin/env no-such-python\nprint("loss=1")\n' >wrong.py
refuse "one that env is to find, too" 2 "names 'no-such-python' in its first line" gannet check wrong.yaml
printf '#!/bin/sh\r\necho loss=1\r\n' >wrong.py
refuse "and so are Windows' ends of lines" 2 "end as on Windows: dos2unix" gannet check wrong.yaml

if ! command -v python3 >/dev/null; then
    skip "programs on the stream" "there is no python3 here"
    finish
fi
python closes <<'PY'
import os, socket
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["GANNET_SOCKET"]); s.close()
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["GANNET_SOCKET"])
s.sendall(b'{"gannet": 1, "token": "' + os.environ["GANNET_TOKEN"].encode() + b'"}\n{"metric": {"lo'); s.close()
print("loss=0.5")
PY
ends "closes the stream within a line, and prints" closes completed "ran to its end"

python floods <<'PY'
import os, socket, time
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["GANNET_SOCKET"])
s.sendall(b'{"gannet": 1, "token": "' + os.environ["GANNET_TOKEN"].encode() + b'"}\n')
s.setblocking(False)
sent, until, line = 0, time.time() + 3, b'{"metric": {"loss": 0.5}}\n' * 4000
while time.time() < until:
    try:
        sent += s.send(line)
    except BlockingIOError:
        time.sleep(0.01)
    except OSError:
        break
print("loss=0.25 step=99999999", "sent", sent)
PY
ends "floods the stream for three seconds" floods completed "ran to its end"
claim "of the flood little is kept" test "$(stat -c %s floods/gannet.db)" -lt 8000000

python late <<'PY'
import os, subprocess, sys
print("loss=0.5", flush=True)
subprocess.Popen([sys.executable, "-c", "import time, gannet; time.sleep(1); gannet.trial().metric(loss=0.0, step=9)"],
                 start_new_session=True)
PY
ends "reports after its end" late completed "ran to its end"
is "which counts for nothing" 0.5 "$(gannet trials late --csv --columns value | sed -n 2p | tr -d '\r')"

python ranks <<'PY'
import os, sys
children = []
for rank in range(4):
    pid = os.fork()
    if pid == 0:
        os.environ["RANK"] = str(rank)
        import gannet
        gannet.trial().metric(loss=float(rank), step=1)
        os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
PY
ends "reports from every rank" ranks completed "ran to its end"
is "of which the first counts" 0.0 "$(gannet trials ranks --csv --columns value | sed -n 2p | tr -d '\r')"
finish
