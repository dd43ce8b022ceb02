#!/bin/bash
# a shell script tells its metrics and checkpoints and asks whether to stop; the worker gone, it goes on
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch

# experiment NAME MORE: x is a parameter; script.sh is the program.
experiment() {
    cat >"$1.yaml" <<END
version: 1
name: $1
seed: 3
trial: {command: [/bin/sh, $PWD/$1.sh]$3}
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
strategy: random
$2
END
}

# --- by hand -----------------------------------------------------------------------------------------------------------
is "without a trial metrics are printed" "loss=0.3 acc=nan step=4" "$(gannet metric loss=0.3 acc=nan --step 4)"
refuse "what is no number is refused" 2 "'loss=low' is no NAME=NUMBER" gannet metric loss=low
refuse "and so is no step" 2 "no.*'-1'|'-1'" gannet metric loss=1 --step=-1
refuse "without a trial nothing is to stop" 1 "" gannet should-stop
is "and a checkpoint is named" "checkpoint a.bin" "$(gannet checkpoint a.bin)"

# --- metrics -----------------------------------------------------------------------------------------------------------
cat >told.sh <<'END'
for step in 1 2 3; do
    "$GANNET" metric loss=$GANNET_PARAM_x acc=0.$step other=inf --step $step
    echo "loss=$GANNET_PARAM_x step=$step" # and printed, too
done
"$GANNET" should-stop --step 3 && exit 9
exit 0
END
experiment told "limits: {max_trials: 2}"
claim "a search of a script that tells its metrics runs" gannet run told.yaml --dir told --quiet
is "all trials complete" 2 "$(gannet trials told --csv --columns state | grep -c completed)"
steps=$(gannet show told 1 --json | tr -d '\n ' | grep -o '{[^{}]*"metric":"loss"[^{}]*}' | grep -o '"step":[0-9]*' | paste -sd' ')
is "a value that is printed as well counts once" '"step":1 "step":2 "step":3' "$steps"
matches "metrics that nobody asked for are kept, too" '"other": *"inf"' "$(gannet show told 1 --json)"
is "it printed only what it printed itself" 3 "$(cat told/trials/000001/stdout | wc -l)"

# --- pauses ------------------------------------------------------------------------------------------------------------
cat >paused.sh <<'END'
step=0
[ -z "$GANNET_CHECKPOINT" ] || step=$(cat "$GANNET_CHECKPOINT")
while [ "$step" -lt 9 ]; do
    step=$((step + 1))
    "$GANNET" metric loss=$GANNET_PARAM_x --step $step
    if "$GANNET" should-stop --step $step; then
        echo $step >model && "$GANNET" checkpoint model --step $step
        exit 0
    fi
done
END
sed -i "1i cd \"\$GANNET_TRIAL_DIR\" || exit 1" paused.sh
experiment paused "early_stop: {name: asha, min_steps: 1, max_steps: 9, eta: 3}
limits: {max_trials: 12}" ", checkpoint: true"
claim "a search with early stopping of a script that asks runs" gannet run paused.yaml --dir paused --quiet --workers 2
is "all trials have ended" 12 "$(ended_count paused)"
is "none has failed" 0 "$(gannet trials paused --csv --columns state | grep -c failed)"
matches "some were paused and went on" '[1-9]' "$(gannet trials paused --csv --columns attempts | grep -c '[2-9]')"
matches "the reason was told" 'paused: it has come to the step after which it is to pause' "$(cat paused/trials/*/stderr*)"

# --- told to end -------------------------------------------------------------------------------------------------------
# Nothing but the answer ends it: its shell passes over SIGTERM, and SIGKILL would come after an hour.
cat >asked.sh <<'END'
trap '' TERM
"$GANNET" metric loss=$GANNET_PARAM_x
until "$GANNET" should-stop 2>why; do sleep 0.05; done
cat why
exit 0
END
experiment asked "limits: {max_trials: 1, trial_time: 1s}" ", grace: 1h"
sed -i "1i cd \"\$GANNET_TRIAL_DIR\" || exit 1" asked.sh
gannet run asked.yaml --dir asked --quiet >/dev/null 2>&1
is "a program that asks ends by itself" timed_out "$(gannet trials asked --csv --columns reason | tail -n 1 | tr -d '\r')"
matches "and was told why" 'timed_out: it ran longer than' "$(cat asked/trials/000001/stdout)"

# --- the worker gone ---------------------------------------------------------------------------------------------------
cat >alone.sh <<'END'
GANNET_SOCKET=/nowhere "$GANNET" metric loss=$GANNET_PARAM_x --step 2
GANNET_TOKEN=00 "$GANNET" metric acc=1
GANNET_SOCKET= "$GANNET" should-stop && exit 9
exit 0
END
experiment alone "limits: {max_trials: 1}"
claim "what can't be told is printed, and read from there" gannet run alone.yaml --dir alone --quiet
matches "with its step" '"step": *2' "$(gannet show alone 1 --json)"
matches "and said why" "can't reach the trial's worker at '/nowhere'" "$(cat alone/trials/000001/stderr)"
matches "a wrong token is told" "no trial that runs here has this token" "$(cat alone/trials/000001/stderr)"
claim "no socket is left" sh -c "[ -z \"\$(ls '$TMPDIR' | grep gannet-)\" ]"
claim "nothing is left running" none_left
finish
