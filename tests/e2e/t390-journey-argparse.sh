#!/bin/bash
# a person with a script that uses argparse comes to its best configuration, with early stopping
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/journeys/lib.sh"
needs python3
journey argparse_net.py

claim "init reads the script" person gannet init --from argparse_net.py
is "it says what it searches" "lr momentum hidden activation" \
    "$(sed -n '/It searches/,/^Not/s/^  \([a-z]*\) .*/\1/p' "$lib_output" | xargs)"
matches "and found the metric" "metric: val_loss, to minimize \(line [0-9]+ seems to print it\)" "$(cat "$lib_output")"
switch_on argparse_net.yaml
claim "check has no objection" person gannet check argparse_net.yaml
first=$(sed -n 's/^# *cd \(.*\)$/cd \1/p' "$lib_output" | head -1)
matches "the first trial is what the script does today" "lr=0.01 --momentum=0.5 --hidden=8 --activation=relu" "$first"
is "its command may be pasted into a shell" 12 "$(shell "$first" | grep -c '^Epoch')"

interrupted argparse_net argparse_net.yaml 24
below "the best is near what the noise allows, 0.0025; the defaults come to 0.123" "$(best_value argparse_net)" 0.09
is "its arguments train the script by hand to the same value" "$(best_value argparse_net)" \
    "$(shell 'python3 argparse_net.py $(gannet best argparse_net --as args)' | value_at "$(step_of_best argparse_net)")"
arrived argparse_net
finish
