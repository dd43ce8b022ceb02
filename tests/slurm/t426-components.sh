#!/bin/bash
# a heterogeneous job has workers in all of its components, each with what Slurm gave it there
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
slurm_cluster NODES=4 GPUS=2
unset GANNET_SLURM_MODULE
export LC_ALL=C
cat >see.sh <<'E2'
#!/bin/sh
start=$(date +%s.%N)
sleep 0.5
echo "$SLURMD_NODENAME ${CUDA_VISIBLE_DEVICES:-none} - $start $(date +%s.%N) $GANNET_TRIAL" >>"$1"
echo "value=$2"
E2
chmod +x see.sh

# search NAME TRIALS KEYS: an experiment of programs; the keys are those under resources.
search() {
    cat >"$1.yaml" <<END
version: 1
name: $1
seed: 3
trial: {command: [$SCRATCH/see.sh, $SCRATCH/$1.seen, "\${params.x}"]}
metric: {name: value, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
resources: {$3}
limits: {max_trials: $2}
END
}

# in_components NAME: runs it in a job of two components: a node without GPUs and two with two each.
in_components() {
    cat >"$1.sh" <<END
#!/bin/bash
#SBATCH -w n1 -N 1 -n 1 -c 2 -t 10 -o $SCRATCH/$1.out
#SBATCH hetjob
#SBATCH -w n[2-3] -N 2 -c 2 --gres=gpu:2
exec gannet run $SCRATCH/$1.yaml --dir $SCRATCH/$1
END
    claim "$1: a job of two components ends well" timeout 300 sbatch -W "$1.sh" || diag <"$1.out"
}

search all 24 "cpus: 1"
in_components all
is "all: each trial once" 24 "$(ended_count all)"
is "all: on the nodes of both components" "n1 n2 n3" "$(awk '{ print $1 }' all.seen | sort -u | xargs)"

search gpus 16 "gpus: 1"
in_components gpus
is "gpus: each trial once" 16 "$(ended_count gpus)"
is "gpus: on all GPUs of the component that has some, and nowhere else" "n2 0 n2 1 n3 0 n3 1" \
    "$(awk '{ print $1, $2 }' gpus.seen | sort -u | xargs)"
is "gpus: never two at a time on one" "" "$(collisions <gpus.seen)"
matches "gpus: why the other node did nothing is said" 'n1.*GPU' "$(gannet explain gpus n1)"
claim "nothing is left in the queue" until_true no_jobs_left
finish
