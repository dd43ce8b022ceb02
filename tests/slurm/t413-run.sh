#!/bin/bash
# gannet run inside a job takes all of it: from the batch script every node, as the tasks of a step every task
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
slurm_cluster NODES=3 GPUS=1
synth x.yaml 24 0.1

# Trials that end once there have been some on so many nodes: a search can't be over before all workers have come.
meet() {
    mkdir "$2"
    cat >"$1" <<END
version: 1
trial:
  command: [sh, -c, 'touch $PWD/$2/\$SLURMD_NODENAME; until [ \$(ls $PWD/$2 | wc -l) -ge $3 ]; do sleep 0.1; done; echo loss=1', "\${args}"]
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
limits: {max_trials: 24}
END
}

nodes_of() {
    gannet trials "$1" --csv --columns node | tail -n +2 | tr -d '\r' | sort -u | xargs
}

meet three.yaml three 3
claim "the batch script of a job runs it on all nodes of the job" timeout 120 \
    sbatch -W -N 3 -c 2 -t 10 -o batch.out --wrap "gannet run three.yaml --dir batch --quiet"
is "with all of its trials" 24 "$(ended_count batch)"
is "on every node" "n1 n2 n3" "$(nodes_of batch)"

meet two.yaml two 2
claim "tasks of a step, one a node, are its workers" timeout 120 \
    srun -N 2 --ntasks-per-node=1 -c 2 -t 10 gannet run two.yaml --dir tasks --quiet
is "with all of its trials" 24 "$(ended_count tasks)"
is "on every node of the step" 2 "$(nodes_of tasks | wc -w)"

claim "so are several tasks of one node" timeout 120 \
    srun -N 1 -n 2 -c 1 -t 10 gannet run x.yaml --dir local --quiet
is "with all of its trials" 24 "$(ended_count local)"
is "which share the node: none of its cores is in two slots" "" "$(gannet trials local --csv --columns node,cpus,slot |
    tail -n +2 | tr -d '\r' | sort -u | cut -d, -f2 | grep . | sort | uniq -d)"

refuse "a file that is wrong ends all tasks, and is said once" 2 'max_trials' timeout 120 \
    srun -N 2 -n 2 -t 10 gannet run x.yaml --dir wrong --quiet --set limits.max_trials=none
is "and nothing was started" "" "$(ls -d wrong 2>/dev/null)"
finish
