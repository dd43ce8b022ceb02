#!/bin/bash
# a run directory has one coordinator at a time
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
synth synth.yaml 100000 0.05

gannet run synth.yaml --dir r --quiet &
run=$!
claim "a search runs" until_true has_ended r 3
refuse "a second coordinator is refused and told who has the place" 1 "already runs in .*: process [0-9]+ on node $(hostname)" \
    gannet coordinator --rundir r
refuse "so is a second run" 2 'already runs' gannet run synth.yaml --dir r --resume --quiet
claim "the first one goes on" until_true has_ended r "$(($(ended_count r) + 3))"
kill -TERM "$run"
wait "$run"
claim "it ended" test ! -e r/coordinator.json
claim "then the place is free again" gannet run r --resume --quiet --set limits.max_trials=1
claim "no process is left" none_left
finish
