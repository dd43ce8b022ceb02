#!/bin/bash
# a person whose program ignores SIGTERM comes to the best configuration, with early stopping
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/journeys/lib.sh"
needs python3
journey ignores_term.py

claim "init reads the script" person gannet init --from ignores_term.py
switch_on ignores_term.yaml
claim "check has no objection" person gannet check ignores_term.yaml
# Nobody waits a minute for it: what a program has to end may be less.
sed -i 's/^trial:/trial:\n  grace: 50ms/' ignores_term.yaml
interrupted ignores_term ignores_term.yaml 24
below "the best is near 0.018; the defaults come to 0.83" "$(best_value ignores_term)" 0.4
arrived ignores_term
stopped=$(person gannet trials ignores_term --state stopped --json | sed -n 's/.*"trial": \([0-9]*\),.*/\1/p' | head -1)
matches "a trial that did not listen says so itself" "SIGTERM. Not now" "$(cat "$(printf 'runs/ignores_term/trials/%06d/stdout' "$stopped")")"

# A search that is to end at once ends, whatever the program does: Ctrl-C twice.
"${person_env[@]}" gannet run ignores_term --resume --max-trials 200 >../second.log 2>&1 &
search=$!
until_true eval "person gannet status ignores_term --json 2>/dev/null | grep -q '\"running\": [12]' || process_dead $search"
kill -INT $search
until_true eval "grep -q 'Ctrl-C again to stop' ../second.log || process_dead $search"
kill -INT $search
wait $search
is "Ctrl-C twice ends it" 130 $?
claim "nothing is left running" none_left
finish
