#!/bin/bash
# workers are submitted while there is work for them, leave when there is none, and what can't be had is said
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/elastic.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
slurm_cluster NODES=4 GPUS=0
unset GANNET_SLURM_MODULE
export GANNET_SLURM_PACE=0.02 # the 10 s between two questions become 0.2 s

# --- workers come while there is work ---
search s.yaml elastic 24 0.4 "workers: 3" "idle_time: 30s" "backlog: 2" "coordinator: here"
claim "a search whose coordinator is here submits its workers and ends" timeout 300 gannet submit s.yaml --dir s
is "with its trials, each once" 24 "$(ended_count s)"
claim "nothing is left in the queue" until_true no_jobs_left
is "no more workers were submitted than allowed" 3 "$(slurm_submitted)"
matches "the books have the nodes of workers" 'worker completed n' "$(books s)"
is "... and every worker's job has ended in them; one that came too late was taken back" 3 \
    "$(books s | grep -cE 'worker (completed|cancelled)')"

search j.yaml elastic 24 0.4 "workers: 3" "idle_time: 30s" "coordinator_time: 10m"
claim "one whose coordinator has a job of its own, too" timeout 300 gannet submit j.yaml --dir j
claim "... ends" timeout 300 gannet wait j
is "... with its trials, each once" 24 "$(ended_count j)"
is "the coordinator and three workers were submitted" 4 $(($(slurm_submitted) - 3))
claim "and nothing is left in the queue" until_true no_jobs_left

# --- workers leave when they have none: trial 1 goes on until the others' workers have gone ---
cat >trial.sh <<'END'
[ "$1" = 1 ] && until [ -e "$2/go" ]; do sleep 0.1; done
echo value=$1
END
search i.yaml elastic 0 0 "workers: 3" "idle_time: 1s" "backlog: 3" "coordinator: here"
sed -i -e "s|^trial:.*|trial: {command: [sh, $SCRATCH/trial.sh, '\${params.x}', $SCRATCH]}|" \
    -e 's|^parameters:|parameters: {x: {values: [1, 2, 3]}}|' -e '/^  x[12]:/d' -e 's/random/grid/' -e '/^limits/d' i.yaml
timeout 300 gannet submit i.yaml --dir i >i.log 2>&1 &
here=$!
claim "there are workers" until_true sh -c 'gannet status i --json | grep -q "\"slots\": [1-9]"'
claim "the short trials end" until_true has_ended i 2
claim "those that have no work leave within their idle time, the one with a trial stays" until_true worker_jobs_are 1 RUNNING
before=$(slurm_submitted)
touch go
wait $here
is "the search ends in order" 0 $?
is "all its trials are there" 3 "$(ended_count i)"
is "nobody's run was lost" "" "$(gannet trials i --csv --columns attempts | tr -d '\r' | grep -v -e attempts -e '^1$')"
is "nothing is submitted for work that is being done" "$before" "$(slurm_submitted)"
claim "and nothing is left" until_true no_jobs_left

# --- what waits in the queue at the end is taken back ---
search q.yaml elastic 6 0.5 "workers: 6" "backlog: 6" "exclusive: true" "coordinator: here"
claim "a search with more workers than nodes ends" timeout 300 gannet submit q.yaml --dir q
claim "those that still waited are gone, too" until_true no_jobs_left

# --- no workers ---
export GANNET_SLURM_PACE=0.0005 # an hour becomes 1.8 s
search n.yaml elastic 5 0 "workers: 2" "partition: nowhere" "coordinator_partition: main"
refuse "what workers can never have is found before anything is submitted" 3 'slurm.partition \(nowhere\): there is no such partition' \
    timeout 300 gannet submit n.yaml --dir n
claim "... and nothing is left behind" test ! -e n
claim "what is shown of a worker can be tried without gannet" bash -c \
    "gannet submit s.yaml --dir n --dry-run | sed -n '/^That of a worker/,/^exec/p' | tail -n +2 >n.sh && timeout 60 sbatch --test-only n.sh"
timeout 60 scontrol update partition=high state=drain # Slurm takes no job for it, which may be otherwise in a minute
search f.yaml elastic 5 0 "workers: 2" "partition: high" "coordinator: here"
refuse "submissions that fail end the session, and that is said" 1 '5 submissions in a row failed.*partition not available' \
    timeout 300 gannet submit f.yaml --dir f
timeout 60 scontrol update partition=high state=up
claim "... and no workers as the reason" ended_with f no_workers
export GANNET_SLURM_PACE=0.1 # a worker has half a minute to join: the job's own end comes first on any machine
before=$(slurm_submitted)
search d.yaml elastic 5 0 "workers: 1" "setup: ['echo out of luck', 'exit 3']" "coordinator: here"
refuse "so do jobs that end before their worker is there, with the last one's last words" 1 \
    '3 worker jobs.*status 3.*ends: out of luck' timeout 600 gannet submit d.yaml --dir d
is "no fourth one was submitted" 3 $(($(slurm_submitted) - before))
sed -i '/setup:/d' d/experiment.yaml
export GANNET_SLURM_PACE=0.02
claim "the search goes on when that is mended" timeout 300 gannet submit d --resume --set 'slurm.setup=[]'
is "... to its end" 5 "$(ended_count d)"
finish
