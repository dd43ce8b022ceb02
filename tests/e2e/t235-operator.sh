#!/bin/bash
# over TCP, from another host, the command line sees and stops a search with the operator's key, and with no other
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
synth other.yaml 1
synth slow.yaml 1000 0.5
claim "an experiment is prepared" prepared r slow.yaml 1000
claim "and another one, for a key that is a good one elsewhere" gannet run other.yaml --dir other --quiet
coordinator r --listen 'tcp://127.0.0.1:*'
coordinator=$!
claim "the coordinator listens" until_true test -e r/coordinator.json
matches "for commands too, at a TCP address" '"control": "tcp://127.0.0.1:[0-9]+"' "$(cat r/coordinator.json)"

# What another host sees of the run directory: the same files, and a coordinator that is not here.
far() {
    cp -r r "$1"
    seen_from_afar "$1"
}
far operator
far worker
far stranger
cp r/keys/worker.key worker/keys/operator.key
cp other/keys/operator.key stranger/keys/operator.key
claim "who has the operator's key sees it" gannet status operator --json
refuse "a worker's key is none to command with" 69 'refused the key in .*worker/keys/operator.key' gannet stop worker
refuse "nor is another experiment's" 69 'refused the key in .*stranger/keys/operator.key' gannet stop stranger
claim "which the coordinator writes down" grep -q refused r/logs/coordinator.log

# A worker with the key of another experiment.
far bad
cp other/keys/worker.key bad/keys/worker.key
is "before it comes nobody was turned away" 1 "$(gannet status operator --json | grep -c '"strangers": null')"
gannet-worker --rundir bad --shared >/dev/null 2>bad.log &
bad=$!
turned_away() { gannet status operator | grep -q "a worker from 127.0.0.1 was turned away .* its key is not this experiment's"; }
claim "a worker with another experiment's key is said with the state" until_true turned_away
matches "and by explain" "turned away .* keys/worker.key" "$(gannet explain operator)"
claim "it says so itself" until_true grep -q "refused the key in .*bad/keys/worker.key" bad.log
kill "$bad"
wait "$bad" 2>/dev/null
claim "it lives all the same" gannet status operator --json
claim "who has the operator's key stops it" gannet stop operator --now
wait "$coordinator"
is "and it has ended" 0 $?

# A coordinator that went down with its node leaves its address behind.
claim "how it ended can be seen, though nobody answers there" gannet status operator
finish
