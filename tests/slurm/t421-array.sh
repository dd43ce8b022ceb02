#!/bin/bash
# the workers of an array come and go as the queue lets them in, and what the nodes do to them is nobody's fault
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/elastic.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
slurm_cluster NODES=2 GPUS=0
unset GANNET_SLURM_MODULE
export GANNET_SLURM_PACE=0.02 # the 10 s between two questions become 0.2 s

search a.yaml array 40 0.5 "workers: 4" "idle_time: 30s" "exclusive: true" "coordinator: here"
timeout 300 gannet submit a.yaml --dir a >a.log 2>&1 &
here=$!
claim "elements run, as many as there are nodes" until_true worker_jobs_are 2 RUNNING
claim "the others wait" worker_jobs_are 2 PENDING
claim "trials end" until_true has_ended a 3
first=$(worker_jobs RUNNING | head -n 1)
claim "an element is taken away" timeout 300 scancel "$first"
claim "the next one comes in its place" until_true sh -c "gannet status a --json | grep -q '\"slots\": 2'"
wait $here
is "the search ends in order" 0 $?
is "with its trials, each once" 40 "$(ended_count a)"
claim "nothing is left in the queue" until_true no_jobs_left
is "it was one submission" 1 "$(gannet status a --json | grep -o '"role": "worker"' | grep -c .)"
claim "no trial failed" sh -c '! gannet trials a --csv --columns state | grep -q failed'
finish
