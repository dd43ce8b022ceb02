#!/bin/bash
# on a disk that takes its time for every sync a search ends well, and says so
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
case $GANNET_BUILD in */address* | */thread* | */undefined*) skip_all "a sanitized program can't be given a slow disk" ;; esac
synth synth.yaml 3

# slowly SECONDS COMMAND...: every sync of it and of its children takes so long.
slowly() {
    slow_seconds=$1
    shift
    env GANNET_TEST_SYNC="$slow_seconds" LD_PRELOAD="$GANNET_BUILD/tests/slow_disk.so" "$@"
}

for seconds in 0.1 0.4 1; do
    claim "a sync takes $seconds s: the search ends with status 0" slowly $seconds gannet run synth.yaml --dir "r$seconds"
    is "$seconds s: with every trial" 3 "$(ended_count "r$seconds")"
    matches "$seconds s: and the right reason" '"reason": *"max_trials"' "$(gannet status "r$seconds" --json)"
done

# Workers that die before the end, each at its first message, are another matter.
synth long.yaml 3
mkdir points
for number in {1..50}; do
    echo "before send 1" >points/gannet-worker.$number
done
slowly 0.1 env GANNET_TEST_POINTS="$PWD/points" LD_PRELOAD="$GANNET_BUILD/tests/slow_disk.so $GANNET_BUILD/tests/failpoints.so" \
    gannet run long.yaml --dir long >long.log 2>&1
is "a search whose workers die over and over fails" 1 $?
claim "they were killed" grep -q gannet-worker points/fired
matches "and says so" 'without a trial having ended' "$(cat long.log)"
matches "for later, too" '"reason": *"no_workers"' "$(gannet status long --json)"
claim "no process is left" none_left
finish
