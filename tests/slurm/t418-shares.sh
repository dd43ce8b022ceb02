#!/bin/bash
# several workers share a node: each has its part of the cores and GPUs, dies and comes back alone, and is named apart
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
slurm_cluster NODES=2 GPUS=2
unset GANNET_SLURM_MODULE
export LC_ALL=C GANNET_SLURM_PACE=0.02
cat >see.sh <<'E2'
#!/bin/sh
start=$(date +%s.%N)
sleep 0.3
cpus=$(grep Cpus_allowed_list /proc/self/status | cut -f2)
echo "$SLURMD_NODENAME $CUDA_VISIBLE_DEVICES $cpus $start $(date +%s.%N) $GANNET_TRIAL $PPID" >>"$1"
echo "value=$2"
E2
chmod +x see.sh

# search NAME TRIALS [LINE...]: an experiment of programs on a GPU each; the lines are keys under slurm.
search() {
    cat >"$1.yaml" <<END
version: 1
name: $1
seed: 3
trial: {command: [$SCRATCH/see.sh, $SCRATCH/$1.seen, "\${params.x}"]}
metric: {name: value, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
resources: {gpus: 1}
limits: {max_trials: $2}
slurm:
  workers_per_node: 2
  gpus_per_node: 2
  cpus_per_task: 2
  time: 10m
END
    shift_name=$1
    shift 2
    for line in "$@"; do
        echo "  $line" >>"$shift_name.yaml"
    done
}

# workers NAME: what status calls them, a line each.
workers() {
    gannet status "$1" 2>/dev/null | sed -n 's/^ *\(n[0-9]*:[0-9]*\) .*/\1/p' | sort
}

# four NAME: both workers of both nodes are there.
four() {
    [ "$(workers "$1" | xargs)" = "n1:1 n1:2 n2:1 n2:2" ]
}

# slots NAME: how many they offer in all.
slots() {
    gannet status "$1" --json | grep -o '"slots": [0-9]*' | head -n 1 | grep -o '[0-9]*$'
}

# shared FILE FIELD: the GPUs (2), or lists of cores (3), of a node that more than one worker gave to its trials.
shared() {
    awk -v field="$2" '{ print $1, $field, $7 }' "$1" | sort -u | awk '{ print $1, $2 }' | uniq -d
}

# ids NAME: the numbers of its workers, a line each.
ids() {
    gannet status "$1" --json | grep -o '"worker": "[0-9a-f]*"' | sort
}

# replaced NAME: four are there, one of them another than before.
replaced() {
    four "$1" && [ "$(comm -12 ids.before <(ids "$1") | wc -l)" = 3 ]
}

# --- a job ---
search j 1000000 "nodes: 2"
claim "a search with two workers a node is submitted" timeout 300 gannet submit j.yaml --dir j
claim "both of both nodes are there, named apart" until_true four j
is "each has the slot of its GPU" 4 "$(slots j)"
matches "each says what its part is" 'part 2 of 2' "$(cat j/logs/worker-n1-2.log)"
claim "trials run" until_true has_ended j 24
cp j.seen early
is "no GPU is two workers'" "" "$(shared early 2)"
is "all of them are somebody's" "n1 0 n1 1 n2 0 n2 1" "$(awk '{ print $1, $2 }' early | sort -u | xargs)"
if [ "$(nproc)" = 2 ] && ! lscpu | grep -q '^Thread(s) per core: *[2-9]'; then
    is "no core is, either" "" "$(shared early 3)"
else
    skip "no core is, either" "on this machine the nodes of the cluster have other cores than they are configured with"
fi
ids j >ids.before
victim=$(for pid in $(worker_on n2); do grep -qzx -e '--share=2/2' "/proc/$pid/cmdline" && echo "$pid"; done)
claim "one worker is killed" kill -9 "$victim"
claim "another one takes its place, and the other three live on" until_true replaced j
claim "trials go on" until_true has_ended j "$(($(ended_count j) + 16))"
claim "it is stopped" timeout 300 gannet stop j
claim "the job ends" until_true no_jobs_left
is "never two trials were on one GPU at a time, as they saw it" "" "$(collisions <j.seen)"

# --- workers that have jobs of their own ---
for shape in array elastic; do
    search $shape 60 "shape: $shape" "workers: 2" "exclusive: true" "idle_time: 30s" "coordinator: here"
    timeout 300 gannet submit $shape.yaml --dir $shape >$shape.log 2>&1 &
    here=$!
    claim "$shape: both workers of each job come" until_true four $shape
    is "$shape: each has the slot of its GPU" 4 "$(slots $shape)"
    wait $here
    is "$shape: the search ends in order" 0 $?
    is "$shape: with its trials, each once" 60 "$(ended_count $shape)"
    is "$shape: no GPU is two workers'" "" "$(shared $shape.seen 2)"
    claim "$shape: nothing is left in the queue" until_true no_jobs_left
    is "$shape: no job failed" "" "$(gannet explain $shape | grep -i 'failed\|status [1-9]')"
done
# --- nodes that differ ---
search u 40 "nodes: 2"
sed -i 's/sleep 0.3/sleep 1/' see.sh
refuse "a trial that fits no node of such a job is said before anything is started" 2 \
    "'resources.gpus' is 3, but no node of job [0-9]+ has more than 2 for each of its workers" \
    timeout 300 salloc -Q -N 2 -n 3 --gpus=3 -t 10 gannet run u.yaml --dir big --quiet --set resources.gpus=3
claim "a job whose nodes have two GPUs and one is used as it is" timeout 300 \
    salloc -Q -N 2 -n 3 --gpus=3 -t 10 gannet run u.yaml --dir u --quiet
is "with all of its trials" 40 "$(ended_count u)"
is "on each GPU that it has, and no other" "3" "$(awk '{ print $1, $2 }' u.seen | sort -u | wc -l)"
is "never two at a time" "" "$(collisions <u.seen)"
claim "nothing is left in the queue" until_true no_jobs_left
is "what no worker's part has is said before" "" "$(timeout 300 gannet submit j.yaml --dir x --set resources.gpus=2 2>&1 |
    grep -v "'resources.gpus' is 2, but a node of the job has 2 (slurm.gpus_per_node) for 2 workers" | grep -v Nothing)"
finish
