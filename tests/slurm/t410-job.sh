#!/bin/bash
# a submitted search runs on all nodes of its job, each trial on the GPU and the cores that its record names
. "$(dirname "$0")/lib.sh"
needs sqlite3
. "$(dirname "$0")/places.sh"
slurm_cluster NODES=4 GPUS=2
export LC_ALL=C

claim "digits is submitted to four nodes of two GPUs" timeout 300 gannet submit "$EXAMPLES/digits.yaml" --dir r \
    --set trial.options.epochs=3 --set resources.gpus=1 --set slurm.nodes=4 --set slurm.gpus_per_node=2 \
    --set slurm.cpus_per_task=2 --set slurm.time=10m
claim "it ends by itself, and well" until_true job_is 1 COMPLETED
# (in a corner of its space, sgd with the largest rate and momentum, networks may diverge)
is "with all of its trials" 100 "$(gannet trials r --csv --columns reason | grep -cE 'completed|diverged')"
is "each of them once" "" "$(gannet trials r --csv --columns attempts | tail -n +2 | tr -d '\r' | grep -vx 1)"
places r >places.r
is "on every node, by the name that Slurm gives it" "n1 n2 n3 n4" "$(cut -d' ' -f1 places.r | sort -u | xargs)"
is "on both GPUs of a node" "0 1" "$(cut -d' ' -f2 places.r | sort -u | xargs)"
is "never two on one GPU at a time" "" "$(collisions <places.r)"
claim "nothing of it is left in the queue" no_jobs_left
matches "its job is in the store, with its nodes" 'job 1 \(experiment\): completed on n\[1-4\]' "$(gannet explain r)"
matches "and with what was asked for" '"gpus_per_node":"?2' \
    "$(sqlite3 -readonly r/gannet.db 'SELECT request FROM jobs')"

# --- what the trials themselves see ---
cat >see.sh <<'E2'
#!/bin/sh
start=$(date +%s.%N)
sleep 0.1
cpus=$(grep Cpus_allowed_list /proc/self/status | cut -f2)
echo "$SLURMD_NODENAME $CUDA_VISIBLE_DEVICES $cpus $start $(date +%s.%N) $GANNET_TRIAL" >>"$1"
echo "value=$2"
E2
chmod +x see.sh
cat >see.yaml <<END
version: 1
name: see
seed: 3
trial: {command: [$SCRATCH/see.sh, $SCRATCH/seen, "\${params.x}"]}
metric: {name: value, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
resources: {gpus: 1}
limits: {max_trials: 60}
slurm: {nodes: 4, gpus_per_node: 2, cpus_per_task: 2, time: 10m}
END
claim "a search of programs is submitted" timeout 300 gannet submit see.yaml --dir s
claim "and ends by itself" until_true job_is 2 COMPLETED
is "with all of its trials" 60 "$(gannet trials s --csv --columns state | grep -c completed)"
is "never two on one GPU at a time, as they saw it" "" "$(collisions <seen)"
is "every one of them where its record says" "" \
    "$(diff <(awk '{ print $6, $1, $2, $3 }' seen | sort) <(places s | awk '{ print $6, $1, $2, $3 }' | sort))"

# --- two searches that share a node which binds nobody ---
[ "$(nproc)" -ge 2 ] && ! lscpu | grep -q '^Thread(s) per core: *[2-9]'
few=$?
for name in a b; do
    claim "$name: a search of one core of a node is submitted" timeout 300 gannet submit see.yaml --dir $name \
        --set resources.gpus=0 --set slurm.nodes=1 --set slurm.gpus_per_node=0 --set slurm.cpus_per_task=1 \
        --set 'slurm.nodelist=n1'
done
claim "both end by themselves" until_true no_jobs_left
if [ $few = 0 ]; then
    is "each kept to the core that Slurm had given it" 2 "$(for name in a b; do
        gannet trials $name --csv --columns cpus | tail -n +2 | tr -d '\r' | sort -u
    done | grep -c '^[0-9]*$')"
    is "which are not the same" "" "$(for name in a b; do
        gannet trials $name --csv --columns cpus | tail -n +2 | tr -d '\r' | sort -u
    done | sort | uniq -d)"
else
    skip "each keeps to the core that Slurm had given it" "this machine has one core, or hyperthreads that the cluster does not know"
fi
finish
