#!/bin/bash
# a program that has taken its last step evaluates, prints, saves and exits by itself; one that goes on for ever is stopped
. "$(dirname "$0")/lib.sh"
scratch

# experiment FILE COMMAND GRACE: two trials with early stopping of six steps.
experiment() {
    cat >"$1" <<END
version: 1
name: last
trial: {command: $2, env: {P: "\${params.lr}"}, grace: $3, retries: 0}
metric: {name: loss, goal: minimize}
parameters:
  lr: {min: 0.1, max: 0.9}
strategy: random
early_stop: {name: median, max_steps: 6}
limits: {max_trials: 2}
END
}

# of DIR MEMBER: a member of the first trial, as JSON has it.
of() { gannet trials "$1" --json | tr -d '\n ' | grep -o "\"$2\":[^,}]*" | head -1 | cut -d: -f2; }

# What comes behind its last step is awaited with the steps alone: the coordinator has asked for its end meanwhile.
cat >train.sh <<'END'
#!/bin/sh
for step in 1 2 3 4 5 6; do
    echo "step=$step loss=0.$step"
done
until "$GANNET" explain r "$GANNET_TRIAL" 2>/dev/null | grep -q 'all of early_stop.max_steps'; do sleep 0.1; done
sleep 0.5
echo "test_loss=0.9 step=6"
echo model >"$GANNET_TRIAL_DIR/model"
exit ${STATUS:-0}
END
chmod +x train.sh
experiment good.yaml '[./train.sh]' 60s
claim "a search of programs that evaluate after their last step" gannet run good.yaml --dir r --quiet
is "they complete" '"completed"' "$(of r state)"
is "with what they saved" model "$(cat r/trials/000001/model)"
matches "and what they printed last" '"metric": "test_loss"' "$(gannet show r 1 --json)"
refuse "no ending speaks of a kill" 1 '' eval 'gannet explain r 1 | grep -i killed'
mv r good

if command -v python3 >/dev/null; then
    cat >train.py <<'END'
import os, subprocess, time
for step in range(1, 7):
    print(f"step {step}: loss {1 / step:.3f}")
while b"all of early_stop.max_steps" not in subprocess.run(
        [os.environ["GANNET"], "explain", "r", os.environ["GANNET_TRIAL"]], stdout=subprocess.PIPE).stdout:
    time.sleep(0.1)
time.sleep(0.5)
open(os.environ["GANNET_TRIAL_DIR"] + "/model", "w").write("model")
END
    experiment python.yaml '[python3, train.py]' 60s
    claim "so does a Python script" gannet run python.yaml --dir r --quiet
    is "it completes" '"completed"' "$(of r state)"
    is "with its model" model "$(cat r/trials/000001/model)"
    mv r python
else
    skip "a Python script" "there is no python3 here"
fi

experiment bad.yaml '[./train.sh]' 60s
gannet run bad.yaml --dir r --quiet --set 'trial.env={STATUS: "3", P: "${params.lr}"}' >bad.log 2>&1
is "one that fails after its last step has failed" '"exited"' "$(of r reason)"
mv r bad

cat >endless.sh <<'END'
#!/bin/sh
step=0
while :; do
    step=$((step + 1))
    echo "step=$step loss=0.5"
    sleep 0.05
done
END
chmod +x endless.sh
experiment endless.yaml '[./endless.sh]' 1h
claim "programs that go on for ever are stopped" gannet run endless.yaml --dir endless --quiet
is "they are stopped, not completed" '"stopped"' "$(of endless state)"
matches "it is said why" 'all 6 steps of early_stop.max_steps and went on' "$(gannet explain endless 1)"
is "their value counts" 0.5 "$(of endless value)"

# Without early stopping nobody asks for their end.
experiment off.yaml '["sh", "-c", "for step in 1 2 3 4 5 6 7; do echo step=$step loss=0.5; done; echo done=1 step=7"]' 1s
sed -i '/^early_stop/d' off.yaml
claim "without early stopping a program runs to its end" gannet run off.yaml --dir off --quiet
is "and completes" '"completed"' "$(of off state)"
claim "nothing is left running" none_left
finish
