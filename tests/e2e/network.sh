#!/bin/bash
# A search on the two ends of a bad network, once for each trouble that it can have; all trials have to end once.
#
#     tests/e2e/network.sh [TROUBLE...]     those named; default: all, some ten minutes. Needs the built programs in PATH.
#
# t309-network.sh has those that last seconds. Here are partitions beyond the 60 s after which a silent worker is given up, and the
# two minutes after which a worker leaves. SEED repeats the packets that are lost.
troubles=(loss jitter resets partition5 partition75 partition150 deaf75 mute75 coordinator_gone worker_gone)
[ $# -gt 0 ] && troubles=("$@")
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
. "$(dirname "$0")/record.sh"
. "$(dirname "$0")/net.sh"
scratch
net_begin

cut_for() { # cut_for A B SECONDS: what A and B send is lost for so long
    wire loss "$1" "$2" && sleep "$3" && wire loss 0 0
}

loss() { wire loss 30 30; }
jitter() { wire delay 50 400; }
resets() { for time in $(seq 20); do wire reset 200 && sleep 0.7; done; }
partition5() { cut_for 100 100 5; }
partition75() { cut_for 100 100 75; }
partition150() { cut_for 100 100 150; }
deaf75() { cut_for 100 0 75; } # the worker hears nothing
mute75() { cut_for 0 100 75; } # the coordinator hears nothing

# The coordinator's side fails and is back later, at another port.
coordinator_gone() {
    : >"$dir.waits"
    wire loss 100 100
    kill -KILL $net_coordinator
    sleep 10
    net_coordinator "$dir"
    rm "$dir.waits"
    wire loss 0 0
}

worker_gone() {
    wire loss 100 100
    kill -KILL $(left | sed -n 's/^\([0-9]*\) gannet-worker .*/\1/p')
    sleep 10
    wire loss 0 0
}

for trouble in "${troubles[@]}"; do
    dir=$trouble
    claim "$trouble: an experiment is prepared" net_search "$dir" 60
    net_coordinator "$dir"
    net_workers "$dir"
    net_progress "$dir" 3
    claim "$trouble" "$trouble"
    wait $net_coordinator
    is "$trouble: the search comes to its end" 0 $?
    wire loss 0 0 && wire delay 0 0
    wait $net_workers
    claim "$trouble: every trial was completed once, and none begun twice" net_is_whole "$dir" 60
    diag "$trouble: $(wc -l <"$dir.started") runs of the other 59 trials"
    claim "$trouble: nothing is left running" until_true no_gannet_left
done
net_close
finish
