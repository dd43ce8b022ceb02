#!/bin/bash
# over TCP, from another host, who has a viewer's key sees a search, and changes nothing of it
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
synth slow.yaml 1000 0.5
claim "an experiment is prepared" prepared r slow.yaml 1000
is "its viewer's key is closed to others" 600 "$(stat -c %a r/keys/viewer.key)"
coordinator r --listen 'tcp://127.0.0.1:*'
coordinator=$!
claim "the coordinator listens" until_true test -e r/coordinator.json

# What another host sees of the run directory, of somebody who was given the viewer's key in place of every other.
cp -r r viewer
seen_from_afar viewer
rm viewer/keys/worker.key viewer/keys/coordinator.key
cp viewer/keys/viewer.key viewer/keys/operator.key
claim "who has it sees how the search stands" gannet status viewer --json
for command in "stop viewer" "stop viewer --now" "pause viewer" "cancel viewer/1" "ignore viewer 1" "retry viewer 1"; do
    # shellcheck disable=SC2086
    gannet $command >said 2>&1
    status=$?
    claim "gannet $command is refused" [ "$status" -ne 0 ]
    matches "gannet $command: in a sentence" "a viewer's key is not enough" "$(cat said)"
done
is "nothing has happened" running "$(gannet status r --json | grep -o '"state": "[a-z]*"' | head -n 1 | cut -d'"' -f4)"
claim "its owner stops it" gannet stop r --now
wait "$coordinator"
is "and it has ended" 0 $?

# A coordinator of an earlier version made no viewer's key: the next one does.
rm r/keys/viewer.key
claim "the search goes on" gannet run r --resume --quiet --set limits.max_trials=1
claim "and has a viewer's key again" test -s r/keys/viewer.key
finish
