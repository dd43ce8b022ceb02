#!/bin/bash
# where only the coordinator can have the store open, as on a network filesystem, everything can be looked at all the same
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
export GANNET_STORE_LOCKING=exclusive
synth synth.yaml 2600 0.005

gannet run synth.yaml --dir r --quiet &
run=$!
claim "a search runs" until_true grep -q '"exclusive": true' r/coordinator.json
claim "its trials can be read, those of several pages too" until_true has_ended r 1200
matches "its best trial too" '"state": *"completed"' "$(gannet best r --json)"
matches "one trial in full" '"runs"' "$(gannet show r 1 --json)"
matches "how it stands" '"lives": *true' "$(gannet status r --json)"
refuse "a trial that is not there is refused as always" 5 'trial 99999' gannet show r 99999
kill -9 "$(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' r/coordinator.json)"
claim "it survives its coordinator" wait "$run"
is "all trials have ended" 2600 "$(ended_count r)"
claim "every proposal can be made anew" gannet replay r
finish
