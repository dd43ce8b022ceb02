#!/bin/bash
# a run whose disk stays full ends at the first signal, says what is not recorded, and goes on when there is room again
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
case $GANNET_BUILD in */address* | */thread* | */undefined*) skip_all "a sanitized program can't be given a full disk" ;; esac
synth synth.yaml 100000 0.02
export GANNET_TEST_FULL=$SCRATCH/r

on_full_disk() { LD_PRELOAD="$GANNET_BUILD/tests/slow_disk.so" exec "$@"; }
trouble() { gannet status r --json | grep -q '"note": *"[^"]*the disk'; }

for signal in TERM INT; do
    resume=
    [ -d r ] && resume=--resume
    (on_full_disk gannet run synth.yaml --dir r $resume) >run.log 2>&1 &
    run=$!
    before=$(ended_count r 2>/dev/null)
    claim "$signal: trials end" until_true has_ended r $((${before:-0} + 3))
    touch r.full
    claim "$signal: the disk is full, and the run waits" until_true trouble
    confirmed=$(ended r)
    kill -$signal $run
    wait $run
    is "$signal: it ends with status 1" 1 $?
    matches "$signal: it says that not all is recorded" 'what came last is not recorded' "$(cat run.log)"
    matches "$signal: and what to do" 'Make room .* gannet run .*/r --resume' "$(tr '\n' ' ' <run.log)"
    claim "$signal: no process is left" none_left
    rm r.full
    is "$signal: what was recorded is there" "$confirmed" "$(ended r | head -n "$(echo "$confirmed" | wc -l)")"
done

# One that is killed meanwhile waits as well when it is started again: it tries to write again and again.
waits_again() {
    again=$(pid_of coordinator)
    [ -n "$again" ] && [ "$again" != "$killed" ] && [ "$(grep -cx "$again" r.refused)" -gt 12 ]
}
(on_full_disk gannet run synth.yaml --dir r --resume) >run.log 2>&1 &
run=$!
before=$(ended_count r)
claim "killed: trials end" until_true has_ended r $((before + 3))
touch r.full
claim "killed: the disk is full, and the run waits" until_true trouble
killed=$(pid_of coordinator)
kill -KILL "$killed"
claim "killed: the next coordinator waits, too" until_true waits_again
rm r.full
claim "killed: it goes on when there is room" until_true has_ended r $(($(ended_count r) + 3))
claim "killed: it can be stopped" gannet stop r
wait $run
is "killed: it ends as one that was stopped" 4 $?
claim "killed: no process is left" none_left
most=$(($(ended_count r) + 20))
claim "it goes on when there is room again" gannet run r --resume --set limits.max_trials=$most
is "with every trial" "$most" "$(ended_count r)"
finish
