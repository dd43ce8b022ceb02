#!/bin/bash
# a full disk stops the search but loses nothing; when there is room again it goes on
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
command -v prlimit >/dev/null || skip_all "prlimit (util-linux) is needed to make a disk full"
synth synth.yaml 5000
claim "an experiment is prepared" prepared r synth.yaml 5000

trouble() {
    gannet status r --json | grep -q '"note": *"[^"]*the disk'
}

# Files may not become larger than 300 KiB: to SQLite that is a full disk.
trap '' XFSZ
(ulimit -S -f 300 && exec gannet coordinator --rundir r >>r/logs/coordinator.log 2>&1) &
coordinator=$!
claim "the coordinator listens" until_true test -e r/coordinator.json
gannet-worker --rundir r >r/logs/worker.log 2>&1 &
worker=$!
claim "the status says what is wrong" until_true trouble
claim "the log says it once" test "$(grep -c "can't be written" r/logs/coordinator.log)" -eq 1
before=$(ended_count r)
claim "coordinator and worker live" kill -0 "$coordinator" "$worker"
claim "there is room again" prlimit --pid "$coordinator" --fsize=unlimited
wait "$coordinator"
is "the search comes to its end" 0 $?
is "with every trial" 5001 "$(ended_count r)"
claim "among them those of before ($before)" test "$before" -le 5001
wait "$worker"
finish
