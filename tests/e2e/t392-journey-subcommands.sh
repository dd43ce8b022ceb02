#!/bin/bash
# a person whose program has subcommands searches one of them, and uses the best model with another
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/journeys/lib.sh"
needs python3
journey subcommands.py

refuse "the program alone has nothing to search, which is said with what to do" 2 "subcommand|command" \
    person gannet init --from subcommands.py
claim "init reads a subcommand" person gannet init -- python3 subcommands.py train
matches "the metric is seen, though a function of it stands beside" "metric: loss, to minimize \(line [0-9]+ seems to print it\)" \
    "$(cat "$lib_output")"
switch_on subcommands.yaml
matches "where a trial's model goes is said to be a place" "^#   --out \(model.json\): a place" "$(cat subcommands.yaml)"
# As the comment above the command says.
sed -i 's|"${args}"\]|"--out=${trial.dir}/model.json", "${args}"]|' subcommands.yaml
claim "check has no objection" person gannet check subcommands.yaml
interrupted subcommands subcommands.yaml 20
below "the best is near the noise, 0.01; the defaults come to 0.25" "$(best_value subcommands)" 0.12
arrived subcommands
# A trial that was stopped early saved no model; the command to train it again has written one, beside the trial's own files.
model=$(printf 'runs/subcommands/trials/%06d/again/model.json' "$(best_trial subcommands)")
below "the best one's model is there for eval" \
    "$(shell "python3 subcommands.py eval --model $model" | sed -n 's/^test loss: //p')" 0.15
is "and leaves nothing where the program stands" "runs subcommands.py subcommands.yaml" "$(ls | xargs)"
finish
