#!/bin/bash
# a search whose trials run on two nodes gets jobs of enough of them, and begins anew when too few are left
. "$(dirname "$0")/lib.sh"
slurm_cluster NODES=3 GPUS=0

cat >train.sh <<'SH'
#!/bin/sh
echo "node $GANNET_NODE of $GANNET_NODES on $SLURMD_NODENAME, meets at $MASTER_ADDR"
touch "$1.began.$RANK"
until [ -e "$1.go" ]; do sleep 0.1; done
[ "$RANK" = 0 ] && echo "loss=$2"
exit 0
SH
chmod +x train.sh
# search NAME KEYS: submits a search of two trials.
search() {
    cat >"$1.yaml" <<YAML
version: 1
trial: {command: [$SCRATCH/train.sh, $SCRATCH/$1, "\${params.x}"], grace: 5s}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
resources: {nodes: 2}
limits: {max_trials: 2, max_concurrent: 1}
slurm: {cpus_per_task: 1, time: 10m$2}
YAML
    timeout 300 gannet submit "$1.yaml" --dir "$1" >"$1.out" 2>&1
}
all_began() { [ -e "$1.began.0" ] && [ -e "$1.began.1" ]; }
completed() { gannet trials "$1" --csv --columns state | grep -c completed; }

claim "a search on two nodes is submitted" search two ""
matches "the job has the nodes that a trial takes" "2 nodes, what one trial takes" \
    "$(timeout 300 gannet submit two.yaml --dir dry --dry-run 2>&1)"
touch two.go
claim "and ends by itself" until_true job_is 1 COMPLETED
is "with all of its trials" 2 "$(completed two)"
matches "on both nodes" '^"?(n1,n2|n2,n1)"?$' "$(gannet trials two --csv --columns nodes | sed -n 2p | tr -d '\r')"
is "each began on its own, and meets the other on the first" 2 \
    "$(cat two/trials/000001/stdout two/trials/000001/stdout.rank1 | sed 's/.* on \(n.\), .*/\1/' | grep -c '^n[12]')"

refuse "each worker in a job of its own is refused" 2 "needs them at the same time" \
    gannet submit two.yaml --dir elastic --set slurm.shape=elastic

claim "a search with a node to spare is submitted" search spare ", nodes: 3"
claim "its first trial begins" until_true all_began spare
# Not the first node of the job, where the coordinator is.
lost=$(gannet trials spare --csv --columns nodes | sed -n 2p | tr -d '\r"' | tr ',' '\n' | grep -v n1 | head -n 1)
rm -f spare.began.*
node_lost "$lost"
claim "a node dies: the trial begins anew on the others" until_true all_began spare
touch spare.go
claim "and the search ends by itself" until_true job_is 2 COMPLETED
is "with all of its trials" 2 "$(completed spare)"
claim "nothing of it is left in the queue" no_jobs_left
finish
