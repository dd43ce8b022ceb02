#!/bin/bash
# where only the coordinator can have the store open, as on a network filesystem, everything can be looked at all the same
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
export GANNET_STORE_LOCKING=exclusive
synth synth.yaml 1000000 0.002

gannet run synth.yaml --dir r --quiet &
run=$!
claim "a search runs" until_true grep -q '"exclusive": true' r/coordinator.json
claim "its trials can be read, those of several pages too" until_true has_ended r 1200
gannet trials r --state completed --sort x1 --columns x1 --csv -n 1100 | tr -d '\r' | sed 1d >sorted.txt
claim "in the order of a column as well" sh -c '[ "$(wc -l <sorted.txt)" -eq 1100 ] && sort -gc sorted.txt'
matches "its best trial too" '"state": *"completed"' "$(gannet best r --json)"
matches "one trial in full" '"runs"' "$(gannet show r 1 --json)"
lives() { gannet status r --json | grep -q '"lives": *true'; }
claim "how it stands" lives
refuse "a trial that is not there is refused as always" 5 'trial 99999' gannet show r 99999
kill -9 "$(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' r/coordinator.json)"
claim "it survives its coordinator" until_true lives
claim "and goes on" until_true has_ended r 2400
claim "it can be stopped" gannet stop r --now
wait "$run"
claim "what ended is read from the file then" has_ended r 2400
claim "every proposal can be made anew" gannet replay r
finish
