#!/bin/bash
# a kernel that trains on two nodes is submitted, comes to the losses of one process, and goes on elsewhere when a node dies
. "$(dirname "$0")/lib.sh"
slurm_cluster NODES=3 GPUS=0

# experiment NAME RESOURCES EPOCHS TRIALS SLURM
experiment() {
    cat >"$1.yaml" <<YAML
version: 1
trial: {kernel: mlp, options: {data: $SOURCE/examples/data/digits.csv, epochs: $3, batch: 100}, grace: 5s}
metric: {name: val_loss, goal: minimize}
parameters: {lr: {min: 0.01, max: 0.2, log: true}}
strategy: random
seed: 7
resources: {$2}
limits: {max_trials: $4, max_concurrent: 1}
slurm: {cpus_per_task: 1, time: 30m$5}
YAML
}
trial_of() { gannet trials "$1" --csv --columns "$2" | tr -d '\r"' | sed 1d; }
alike() {
    paste -d' ' <(trial_of "$1" value) <(trial_of "$2" value) |
        awk '{ d = ($1 - $2) / $1; if (NF != 2 || d < -1e-3 || d > 1e-3) exit 1 } END { exit NR < 2 }'
}
trains() { [ "$(trial_of "$1" step 2>/dev/null | tail -n 1 | tr -dc 0-9)" -gt 1 ]; } 2>/dev/null

experiment alone "cpus: 1" 3 2 ""
claim "one process trains" gannet run alone.yaml --dir alone --quiet --share

experiment two "nodes: 2, cpus: 1" 3 2 ""
matches "the job has the nodes that a trial takes" "2 nodes, what one trial takes" \
    "$(timeout 300 gannet submit two.yaml --dir dry --dry-run 2>&1)"
claim "a search of a kernel on two nodes is submitted" timeout 300 gannet submit two.yaml --dir two
claim "and ends by itself" until_true job_is 1 COMPLETED
is "with all of its trials" "completed completed" "$(trial_of two state | xargs)"
is "each at its first attempt" "1 1" "$(trial_of two attempts | xargs)"
matches "on both nodes" '^(n1,n2|n2,n1)$' "$(trial_of two nodes | head -n 1)"
claim "to the losses of one process" alike alone two

experiment spare "nodes: 2, cpus: 1" 600 1 ", nodes: 3"
claim "one with a node to spare is submitted" timeout 300 gannet submit spare.yaml --dir spare
claim "it trains" until_true trains spare
# Not the first node of the job, where the coordinator is.
lost=$(trial_of spare nodes | head -n 1 | tr ',' '\n' | grep -v n1 | head -n 1)
claim "a rank of it is held, so that it does not end before its node" kill -STOP $(program_on "$lost" gannet-trainer)
node_lost "$lost"
claim "a node dies: the search ends by itself all the same" until_true job_is 2 COMPLETED
is "its trial completes" completed "$(trial_of spare state)"
is "on the others" "" "$(trial_of spare nodes | head -n 1 | grep "$lost")"
is "which costs no retry, and is no failure of the trial" "" "$(gannet trials spare --csv --columns reason | grep -e crashed -e exited)"
claim "nothing of it is left in the queue" no_jobs_left
finish
