#!/bin/bash
# a person with a program in C, which flushes nothing, comes to its best configuration, with early stopping
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/journeys/lib.sh"
needs cc gcc
journey train.c
values() { sed -n 's/^.*mse //p'; }
cc -O2 -o train train.c -lm || exit 1

claim "init reads the program's help" person gannet init --from ./train --metric mse --param lr=1e-3..2:log --param start=0.5..6
is "it says what it searches" "lr start" "$(sed -n '/It searches/,/^Not/s/^  \([a-z]*\) .*/\1/p' "$lib_output" | xargs)"
switch_on train.yaml
claim "check has no objection" person gannet check train.yaml
interrupted train train.yaml 24
below "the best is near 0; the defaults come to 0.9" "$(best_value train)" 0.1
arrived train
finish
