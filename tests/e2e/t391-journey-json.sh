#!/bin/bash
# a person whose script prints its metrics as JSON, a line an epoch, comes to the best configuration, with early stopping
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/journeys/lib.sh"
needs python3
journey json_lines.py
values() { sed -n 's/^.*"val_accuracy": \([0-9.]*\),.*$/\1/p'; }

claim "init reads the script" person gannet init --from json_lines.py --param learning-rate=1e-2..10:log --param weight-decay=1e-4..0.1:log
matches "the metric is seen in the record that becomes JSON" "metric: val_accuracy, to maximize \(line [0-9]+ seems to print it\)" \
    "$(cat "$lib_output")"
switch_on json_lines.yaml
claim "check has no objection" person gannet check json_lines.yaml
interrupted json_lines json_lines.yaml 20
above "the best is near what can be told apart, 0.977; the defaults come to 0.82" "$(best_value json_lines)" 0.85
matches "other values of a line are recorded, too" '"train_loss"' "$(person gannet show json_lines best --json)"
matches "the steps are the program's epochs" "^([1-9]|10)$" "$(step_of_best json_lines)"
arrived json_lines
finish
