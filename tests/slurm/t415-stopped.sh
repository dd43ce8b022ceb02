#!/bin/bash
# a worker of a job that is stopped on its node is killed with its step, and another one takes its place
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
slurm_cluster NODES=2 GPUS=0 TIMEOUT=120
synth synth.yaml 100000 0.5
echo "slurm: {nodes: 2, cpus_per_task: 2, time: 30m}" >>synth.yaml

# It takes a minute and a half, and a look goes through all processes.
another_worker() {
    sleep 2
    another=$(worker_on n2)
    [ -n "$another" ] && [ "$another" != "$stopped" ]
}

claim "it is submitted" timeout 300 gannet submit synth.yaml --dir r
claim "trials end" until_true has_ended r 5
stopped=$(worker_on n2)
claim "the worker of a node is stopped" kill -STOP "$stopped"
claim "another one takes its place" until_true another_worker
claim "the stopped one is gone" sh -c "! kill -0 $stopped"
before=$(ended_count r)
claim "trials go on" until_true has_ended r $((before + 5))
claim "the search is ended" timeout 300 gannet cancel r
finish
