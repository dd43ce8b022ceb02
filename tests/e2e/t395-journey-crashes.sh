#!/bin/bash
# a person whose program crashes at some configurations comes to the best one, with early stopping, and learns why
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/journeys/lib.sh"
needs python3
journey crashes.py

claim "init reads the script" person gannet init --from crashes.py --param layers=1..9 --param dropout=0..0.6
switch_on crashes.yaml
claim "check has no objection" person gannet check crashes.yaml
interrupted crashes crashes.yaml 40
below "the best is near 0; the defaults come to 0.09" "$(best_value crashes)" 0.08
above "some trials failed" "$(ended crashes failed)" 1
person gannet run crashes --resume --max-trials 1 >../last.log 2>&1
matches "the summary says how many, and why" "[0-9]+ (exited|crashed|diverged|out_of_memory)" "$(cat ../last.log)"
matches "in the program's own words" "MemoryError: CUDA out of memory: [789] layers|loss is nan, giving up|signal 11" "$(cat ../last.log)"
crashed=$(person gannet trials crashes --state failed --json | sed -n 's/.*"trial": \([0-9]*\),.*/\1/p' | head -1)
matches "explain has a sentence of one" "." "$(person gannet explain crashes "$crashed")"
matches "its end, too, can be had again" "python3 crashes.py" "$(person gannet show crashes "$crashed" | sed -n '/^Train it again/{n;p}')"
arrived crashes
finish
