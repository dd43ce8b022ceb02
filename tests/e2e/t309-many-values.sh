#!/bin/bash
# a program that prints very many values takes the room of some thousand, and its value is that of all of them
. "$(dirname "$0")/lib.sh"
scratch

# The best value is in the middle, where it is not one of those that are recorded as they come.
cat >flood.sh <<'END'
awk 'BEGIN { for (i = 1; i <= 400000; i++) print "loss=" (i == 333333 ? 0.25 : 1) " acc=" i }'
END
cat >flood.yaml <<END
version: 1
name: flood
seed: 1
trial: {command: [sh, $PWD/flood.sh, "\${params.x}"]}
metric:
  - {name: loss, goal: minimize, use: best}
  - {name: acc, max: 1000000}
parameters:
  x: {min: 0.0, max: 1.0}
limits: {max_trials: 1}
END
claim "a trial that prints 800,000 values ends well" gannet run flood.yaml --dir r
gannet show r 1 --json >trial.json
count() { grep -o "\"metric\": *\"$1\"" trial.json | wc -l; }
for metric in loss acc; do
    [ "$(count $metric)" -gt 10000 ] && [ "$(count $metric)" -lt 15000 ]
    tap_line $? "some thousand of $metric are recorded" || diag "$(count $metric) are"
done
matches "its value is the best of all" '"value": *0\.25,' "$(cat trial.json)"
is "the last of all is there" '"metric": "acc", "step": 400000' "$(grep -o '"metric": "acc", "step": [0-9]*' trial.json | tail -n 1)"
gannet show r 1 >trial.txt
matches "the trial says so" "of 400000 values of 'loss' [0-9]+ are recorded" "$(cat trial.txt)"
claim "so does the log" grep -q "trial 1 attempt 1 has reported 10000 values of 'loss'" r/logs/*
claim "nothing is left running" none_left
finish
