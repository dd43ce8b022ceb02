#!/bin/bash
# over TCP a worker with the experiment's key takes part, and one without it does not
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
synth synth.yaml 20
synth other.yaml 1
claim "an experiment is prepared" prepared r synth.yaml 20
claim "and another one, for a key that is a good one elsewhere" gannet run other.yaml --dir other --quiet

coordinator r --listen 'tcp://127.0.0.1:*'
coordinator=$!
claim "the coordinator listens" until_true test -e r/coordinator.json
matches "at a TCP address" '"workers": "tcp://127.0.0.1:[0-9]+"' "$(cat r/coordinator.json)"

# What somebody has who only knows the address and a key of his own.
mkdir -m 700 stranger stranger/keys stranger/logs
cp r/coordinator.json r/coordinator.lock stranger/
seen_from_afar stranger
cp other/keys/worker.key stranger/keys/
gannet-worker --rundir stranger >stranger/log 2>&1 &
claim "a stranger is refused" until_true grep -q 'refused' r/logs/coordinator.log
claim "which it is told at once, with the file" until_true grep -q 'refused the key in .*stranger/keys/worker.key' stranger/log
is "and does no trial" 1 "$(ended_count r)"

# What a worker on another node sees of the run directory.
mkdir -m 700 elsewhere elsewhere/keys elsewhere/logs
cp r/coordinator.json r/coordinator.lock elsewhere/
seen_from_afar elsewhere
cp r/keys/worker.key elsewhere/keys/
claim "a worker with the key works" gannet-worker --rundir elsewhere
wait "$coordinator"
is "and the search comes to its end" 21 "$(ended_count r)"
finish
