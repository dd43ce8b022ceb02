#!/bin/bash
# gannet run inside a job takes all of it: from the batch script or an interactive shell every node, as the tasks of a step every task
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
scratch
echo "LaunchParameters=use_interactive_step" >extra.conf
slurm_cluster NODES=3 GPUS=1 EXTRA="$SCRATCH/extra.conf"
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
claim "the batch script of a job runs it on all nodes of the job" timeout 300 \
    sbatch -W -N 3 -c 2 -t 10 -o batch.out --wrap "gannet run three.yaml --dir batch --quiet"
is "with all of its trials" 24 "$(ended_count batch)"
is "on every node" "n1 n2 n3" "$(nodes_of batch)"

# in_shell NAME FILE OPTION...: searches from the shell of an interactive job, which is a step with this cluster's settings.
in_shell() {
    shell_name=$1 shell_file=$2
    shift 2
    printf '#!/bin/sh\nenv >%s.env\nexec gannet run %s --dir %s --quiet\n' "$shell_name" "$shell_file" "$shell_name" >shell.sh
    chmod +x shell.sh
    SHELL=$SCRATCH/shell.sh timeout 300 salloc -Q "$@" -c 2 -t 10
}

meet shell.yaml shell 3
claim "so does the shell of an interactive job" in_shell alone shell.yaml -N 3
matches "which is a step for Slurm" '^SLURM_STEP_ID=' "$(grep STEP_ID alone.env)"
is "with all of its trials" 24 "$(ended_count alone)"
is "on every node" "n1 n2 n3" "$(nodes_of alone)"
meet one.yaml one 1
echo "resources: {gpus: 1}" >>one.yaml
claim "it has the GPU of its job" in_shell gpu one.yaml -N 1 --gres=gpu:1
is "for all of its trials" "24 0" "$(gannet trials gpu --csv --columns gpus | tail -n +2 | tr -d '\r' | uniq -c | xargs)"

meet two.yaml two 2
claim "tasks of a step, one a node, are its workers" timeout 300 \
    srun -N 2 --ntasks-per-node=1 -c 2 -t 10 gannet run two.yaml --dir tasks --quiet
is "with all of its trials" 24 "$(ended_count tasks)"
is "on every node of the step" 2 "$(nodes_of tasks | wc -w)"

claim "so are several tasks of one node" timeout 300 \
    srun -N 1 -n 2 -c 1 -t 10 gannet run x.yaml --dir local --quiet
is "with all of its trials" 24 "$(ended_count local)"
is "which share the node: none of its cores is in two slots" "" "$(gannet trials local --csv --columns node,cpus,slot |
    tail -n +2 | tr -d '\r' | sort -u | cut -d, -f2 | grep . | sort | uniq -d)"

refuse "a file that is wrong ends all tasks, and is said once" 2 'max_trials' timeout 300 \
    srun -N 2 -n 2 -t 10 gannet run x.yaml --dir wrong --quiet --set limits.max_trials=none
is "and nothing was started" "" "$(ls -d wrong 2>/dev/null)"
finish
