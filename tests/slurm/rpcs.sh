#!/bin/bash
# in the long run the controller is asked at most once in ten seconds, whatever the number of trials and of those who look
#
#     tests/slurm/rpcs.sh [TRIALS [SECONDS]]     default: 10000 trials of 0.1 s; t422-polite.sh runs a small one
#
# Counted at the controller (sdiag), by kind, from the moment when all workers are there to when the first of them leaves.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/elastic.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
trials=${1:-10000} seconds=${2:-0.1}
slurm_cluster NODES=4 GPUS=0
unset GANNET_SLURM_MODULE GANNET_SLURM_PACE

search r.yaml elastic "$trials" "$seconds" "workers: 4" "idle_time: 30s" "backlog: 4" "exclusive: true" "coordinator: here"
gannet submit r.yaml --dir r >r.log 2>&1 &
here=$!
all_there() {
    [ "$(gannet status r | grep -c '^n[1-4] ')" -eq 4 ]
}
claim "its workers are there" until_true all_there
sleep 1 # the answers about the last of them
asked_before=$(asked_so_far) began=$SECONDS
while gannet status r | grep -q '^state: running'; do # somebody who looks again and again
    sleep 0.5
    asked_running=$(asked_so_far) lasted=$((SECONDS - began))
done
diag "asked $((asked_running - asked_before)) times in $lasted s of steady running"
claim "in steady running the controller is asked at most once in ten seconds" \
    test $((10 * (asked_running - asked_before))) -le $((lasted + 10))
wait $here
is "the search ends in order" 0 $?
is "with its trials, each once" "$trials" "$(ended_count r)"
claim "nothing is left in the queue" until_true no_jobs_left

# --- while a job waits, viewers look, all together once in ten seconds ---
search w.yaml elastic 1 0 "workers: 1" "hold: true"
claim "a search is submitted and held" gannet submit w.yaml --dir w
asked_before=$(asked_so_far) began=$SECONDS
for viewer in 1 2 3; do
    (for look in 1 2 3 4 5; do gannet status w; sleep 0.2; done) >"status-$viewer" 2>&1 &
done
wait
matches "every viewer is told why it waits" 'JobHeldUser - it is held; gannet resume' "$(cat status-1)"
claim "fifteen looks in a row are one or two questions" \
    test $(($(asked_so_far) - asked_before)) -le $((1 + (SECONDS - began + 9) / 10))
claim "it is taken back" timeout 300 gannet cancel w
finish
