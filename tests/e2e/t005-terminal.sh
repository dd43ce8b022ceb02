#!/bin/bash
# on a terminal one line is redrawn, it fits the width, and every new best stays above it
. "$(dirname "$0")/lib.sh"
command -v script >/dev/null || skip_all "script(1) is not there (Debian: bsdutils)"
scratch

cat >bowl.yaml <<'YAML'
version: 1
seed: 3
trial: {kernel: synth, options: {function: sphere, seconds: 0.1}}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -1.0, max: 1.0}
strategy: random
limits: {max_trials: 20}
YAML
# on_terminal COLUMNS COMMAND: what the command writes to a terminal of so many columns.
on_terminal() {
    TERM=xterm LC_ALL=C.UTF-8 script -qec "stty cols $1 rows 24; $2" /dev/null </dev/null
}

esc=$(printf '\033') cr=$(printf '\r')
# Every frame stands between a carriage return and the clearing of the line's rest.
longest_frame() { grep -o "$cr[^$cr]*$esc\[K" out | sed "s/$esc\[[0-9;]*[mK]//g; s/$cr//g" | LC_ALL=C.UTF-8 wc -L; }

on_terminal 80 "gannet run bowl.yaml" >out
claim "the line is redrawn" grep -q "$cr.*$esc\[K" out
claim "it shows how many are done" grep -q '/20 done' out
claim "a new best stays" grep -Eq "$cr$esc\[Ktrial [0-9]+  value [0-9.e-]+  x1=[0-9.e-]+$cr\$" out
claim "the result follows" grep -q 'Best.*value' out
claim "no frame is as wide as the terminal" test "$(longest_frame)" -lt 80
claim "there were frames" test "$(longest_frame)" -gt 10

rm -rf runs
on_terminal 30 "gannet run bowl.yaml" >out
claim "a narrow terminal gets a narrow line" test "$(longest_frame)" -lt 30

rm -rf runs
on_terminal 80 "gannet run bowl.yaml --plain" >out
claim "--plain redraws nothing" sh -c "! grep -q '$esc' out"
claim "and writes lines instead" grep -q 'done=20/20' out

rm -rf runs
on_terminal 80 "NO_COLOR=1 gannet run bowl.yaml" >out
claim "NO_COLOR keeps the line and drops the colours" sh -c "grep -q '$esc\[K' out && ! grep -q '$esc\[[0-9;]*m' out"
rm -rf runs
on_terminal 80 "TERM=dumb gannet run bowl.yaml" >out
claim "a dumb terminal gets lines" sh -c "! grep -q '$esc' out && grep -q 'done=20/20' out"
on_terminal 80 "gannet trials" >out
claim "tables have colours there" grep -q "$esc\[32mcompleted" out

# The search ends when it has been seen to be drawn anew.
cat >waits.yaml <<YAML
version: 1
trial: {command: [sh, -c, "until [ -e $SCRATCH/drawn ]; do sleep 0.1; done; echo value=\${params.x1}"]}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -1.0, max: 1.0}
strategy: random
limits: {max_trials: 4}
YAML
rm -rf runs
gannet run waits.yaml --quiet &
claim "it lives" until_true sh -c 'gannet status | grep -q "^state: running"'
on_terminal 60 "gannet status --watch" >out &
claim "status --watch redraws the picture until it ends" until_true grep -q "$esc\[[0-9]*A$esc\[J" out
touch drawn
wait
claim "and shows the end at last" grep -q 'State.*ended: all trials' out
claim "no line of it is wider than the terminal" \
    test "$(sed "s/$esc\[[0-9;]*[AJmK]//g; s/$cr//g" out | LC_ALL=C.UTF-8 wc -L)" -le 60
claim "nothing is left running" none_left
finish
