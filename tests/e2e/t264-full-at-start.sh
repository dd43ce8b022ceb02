#!/bin/bash
# a coordinator that is started on a full disk waits for room, says so, and can be ended meanwhile
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
case $GANNET_BUILD in */address* | */thread* | */undefined*) skip_all "a sanitized program can't be given a full disk" ;; esac
synth synth.yaml 100000 0.02
export GANNET_TEST_FULL=$SCRATCH/r

on_full_disk() { LD_PRELOAD="$GANNET_BUILD/tests/slow_disk.so" exec "$@"; }
# resumed WORDS: goes on in the background, until the disk is full and the coordinator is killed: the next one finds it full.
resumed() {
    rm -f r.full
    (on_full_disk gannet run r --resume) >run.log 2>&1 &
    run=$!
    resumed_from=$(ended_count r)
    claim "$1: trials end" until_true has_ended r $((resumed_from + 3))
    touch r.full
    claim "$1: the coordinator is killed" kill -KILL "$(pid_of coordinator)"
}
waits() { gannet status r | grep -q 'its coordinator is started, but can.t write yet'; }

claim "an experiment is prepared" prepared r synth.yaml 100000

for signal in TERM INT; do
    resumed $signal
    claim "$signal: the status says what it waits for" until_true waits
    matches "$signal: and that it is starting" 'state: starting' "$(gannet status r)"
    matches "$signal: to programs, too" '"note": *"its coordinator is started' "$(gannet status r --json)"
    matches "$signal: gannet explain says it of a trial that waits" 'its coordinator is started' "$(gannet explain r)"
    refuse "$signal: gannet stop says who can end it" 69 'end its gannet run' gannet stop r
    claim "$signal: the run says it" until_true grep -q 'its coordinator is started' run.log
    kill -$signal $run
    wait $run
    is "$signal: the run ends with status 1" 1 $?
    matches "$signal: and says what to do" 'Make room .* gannet run .*/r --resume' "$(tr '\n' ' ' <run.log)"
    claim "$signal: no process is left" none_left
done

(on_full_disk gannet coordinator --rundir "$SCRATCH/r") >run.log 2>&1 &
run=$!
claim "a coordinator of its own: the status says what it waits for" until_true waits
kill -TERM $run
wait $run
is "a coordinator of its own ends with status 74" 74 $?
matches "and says why" 'told to end before there was room' "$(cat run.log)"

# The experiment is written down only when it was changed.
full_resume() { env LD_PRELOAD="$GANNET_BUILD/tests/slow_disk.so" gannet run r --resume "$@"; }
refuse "changed: a resume on a full disk says what to do" 2 'no room to write the changed experiment down; make room' \
    full_resume --set limits.max_trials=200000
full_resume >run.log 2>&1 &
run=$!
claim "unchanged: it waits" until_true waits
rm r.full
before=$(ended_count r)
claim "unchanged: it goes on by itself" until_true has_ended r $((before + 3))
claim "unchanged: it is found" gannet stop r --now
wait $run
is "unchanged: and ends when it is told to" 4 $?

# Whose lock it is could not be written; without that nobody would find the coordinator when there is room.
resumed room
claim "room: it waits" until_true waits
rm r.full
before=$(ended_count r)
claim "room: it goes on by itself" until_true has_ended r $((before + 3))
claim "room: it is found" gannet stop r --now
wait $run
is "room: and ends when it is told to" 4 $?
claim "nothing is left running" none_left
finish
