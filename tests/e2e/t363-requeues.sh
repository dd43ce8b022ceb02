#!/bin/bash
# a program that saves and asks to go on later without coming further does so a few times; one that comes further, for ever
. "$(dirname "$0")/lib.sh"
scratch

experiment() { # experiment NAME REQUEUES COMMAND
    cat >"$1.yaml" <<YAML
version: 1
seed: 1
trial:
  command: |
    : \${args}
    $3
  checkpoint: true
  requeues: $2
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
strategy: random
limits: {max_trials: 1}
YAML
}
attempts() { gannet show "$1/1" --json | tr -d ' \n' | grep -o '"attempts":[0-9]*' | head -n 1 | grep -o '[0-9]*$'; }

experiment stands 2 'echo "loss=1 step=3"; echo $GANNET_ATTEMPT >$GANNET_CHECKPOINT_OUT; exit 75'
gannet run stands.yaml >out 2>err
is "one that stands still: the run ends, and no trial completed" 1 $?
matches "one that stands still: it fails with the reason" 'no_progress.*3 times in a row without having come further' \
    "$(gannet show stands/1 --json | tr -d '\n')"
is "one that stands still: after one with a step, one from a checkpoint, and three others" 5 "$(attempts stands)"

# The coordinator is killed in the middle: it is counted on.
experiment killed 3 'touch began$GANNET_ATTEMPT; echo "loss=1 step=3"; echo $GANNET_ATTEMPT >$GANNET_CHECKPOINT_OUT; exit 75'
gannet run killed.yaml >out 2>err &
run=$!
claim "killed: a third attempt begins" until_true test -e began3
kill -KILL $(left | sed -n 's/^\([0-9]*\) [^ ]*gannet coordinator .*/\1/p')
wait $run
matches "killed: attempts of before count" '"reason": "no_progress"' "$(gannet show killed/1 --json)"
claim "killed: there were few" test "$(attempts killed)" -le 6

experiment goes 1 'n=$(cat $GANNET_CHECKPOINT 2>/dev/null || echo 0); n=$((n + 1)); echo "loss=$n step=$n"; echo $n >$GANNET_CHECKPOINT_OUT; [ $n -ge 30 ] || exit 75'
gannet run goes.yaml >out 2>err
is "one that comes further: the run ends well" 0 $?
is "one that comes further: after thirty attempts" 30 "$(attempts goes)"
is "one that comes further: it has as many files as attempts that printed something, and no others" \
    "params.json stderr stdout $(seq -f stdout.%g 2 30 | sort | xargs)" "$(cd runs/goes/trials/000001 && ls -d params* std* | sort | xargs)"
claim "nothing is left running" none_left
finish
