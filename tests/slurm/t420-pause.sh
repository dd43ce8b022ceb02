#!/bin/bash
# a search that runs in a job is paused, resumed, stopped and cancelled, and in the end has exactly its trials
. "$(dirname "$0")/lib.sh"
slurm_cluster NODES=2
unset GANNET_SLURM_MODULE
cat >p.yaml <<'EOF'
version: 1
seed: 5
trial: {kernel: synth, options: {function: branin, seconds: 0.3}, grace: 1s}
metric: {name: value, goal: minimize}
parameters: {x1: {min: -5.0, max: 10.0}, x2: {min: 0.0, max: 15.0}}
strategy: random
limits: {max_trials: 500}
slurm: {nodes: 2, cpus_per_task: 2, time: 30m}
EOF

ended() {
    gannet trials p --csv --columns state | grep -c -e completed -e failed -e cancelled
}

# more_than N: for until_true.
more_than() {
    [ "$(ended)" -gt "$1" ]
}

# reason: why the last session ended.
reason() {
    gannet status p --json | tr -d '\n ' | grep -o '"reason":"[a-z_]*"' | head -n 1 | cut -d'"' -f4
}

# same_end JOB: how Slurm says that it ended, and how gannet explain does.
same_end() {
    state=$(job_state "$1" | tr 'A-Z' 'a-z')
    [ -n "$state" ] && gannet explain p | grep "^job $1 (experiment): $state"
}

# last_job: the number of the job that was submitted last.
last_job() {
    sed -n 's/.*"id": \([0-9]*\).*/\1/p' p/slurm.json | tail -n 1
}

claim "it is submitted" timeout 300 gannet submit p.yaml --dir p
claim "and runs" until_true more_than 3
claim "pause gives the nodes back" timeout 300 gannet pause p
claim "resume does not take a job that is ending for one that runs" timeout 300 gannet resume p
claim "the search goes on" until_true more_than "$(($(ended) + 2))"
claim "pause gives the nodes back again" timeout 300 gannet pause p
claim "its job ends, and no other comes" until_true no_jobs_left
is "it was paused, says the store" paused "$(reason)"
matches "and the record" '"paused": true' "$(cat p/slurm.json)"
before=$(ended)
claim "resume submits a job" timeout 300 gannet resume p
claim "the search goes on" until_true more_than "$before"
refuse "what runs can't be resumed" 2 'is running' timeout 300 gannet resume p
refuse "nor submitted again" 2 'is running' timeout 300 gannet submit p --resume
claim "stop lets it end" timeout 300 gannet stop p
claim "its job ends" until_true no_jobs_left
is "it was stopped" stopped "$(reason)"
claim "its job counts as completed, as a job should that was asked to end" until_true job_is "$(last_job)" COMPLETED
claim "which explain says, too" until_true same_end "$(last_job)"
before=$(ended)
claim "resume goes on after that, too" timeout 300 gannet resume p
claim "with further trials" until_true more_than "$before"
claim "cancel ends it" timeout 300 gannet cancel p
claim "and its job" until_true no_jobs_left
is "as a person's wish" stopped "$(reason)"
claim "how its job ended is the same in Slurm's books and ours" until_true same_end "$(last_job)"
ended_before=$(last_job)
total=$(($(ended) + 5))
claim "what is left is done in another job" timeout 300 gannet submit p --resume --wait --set limits.max_trials=$total
is "until it has all of its trials" "$total" "$(ended)"
is "each of them once" "$total" "$(gannet trials p --csv --columns trial,state | grep -e completed -e failed -e cancelled | sort -u | wc -l)"
claim "no job is left" until_true no_jobs_left
is "the store has how the job before ended" "$(job_state "$ended_before" | tr 'A-Z' 'a-z')" \
    "$(gannet explain p --json | grep -o "\"job\": $ended_before,[^}]*" | grep -o '"state": "[a-z_]*"' | tail -n 1 | cut -d'"' -f4)"
refuse "a finished search is not resumed without more to do" 2 'has ended' timeout 300 gannet resume p
finish
