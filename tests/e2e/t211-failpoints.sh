#!/bin/bash
# a coordinator killed right before or after any commit, from the store's making to its last close, leaves one that is read and resumed
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
. "$(dirname "$0")/record.sh"
scratch
case $GANNET_BUILD in */address* | */thread* | */undefined*) skip_all "a sanitizer wants to be preloaded first" ;; esac
synth synth.yaml 2

# searched POINT: a search whose first coordinator is killed there, if it comes that far; resumed when need be.
searched() {
    rm -rf r points && mkdir points && echo "$1" >points/gannet-coordinator.1
    GANNET_TEST_POINTS=$PWD/points LD_PRELOAD=$GANNET_BUILD/tests/failpoints.so gannet run synth.yaml --dir r --quiet ||
        { gannet status r && gannet run r --resume --quiet; } || return 1
    is_whole r 2
}

# Its syncs are as many as it takes until one is not reached: those of the start, a few commits, those of the last close. After one
# and before the next is often the same.
for when in before after; do
    [ $when = before ] && step=1 || step=3
    for number in $(seq 1 $step 100); do
        claim "it is killed $when sync $number" searched "$when sync $number"
        [ -s points/fired ] || break
    done
    claim "$when: it was killed at each of them" test "$number" -gt 8 -a "$number" -lt 100
done
claim "nothing is left running" none_left
finish
