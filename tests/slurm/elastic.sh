# What the scripts about the shapes array and elastic share. To be sourced after lib.sh.

# search FILE SHAPE TRIALS SECONDS [LINE...]: writes an experiment of so many trials of so many seconds; the lines are keys
# under slurm.
search() {
    search_file=$1 search_shape=$2 search_trials=$3 search_seconds=$4
    shift 4
    {
        cat <<END
version: 1
name: $(basename "$search_file" .yaml)
seed: 7
trial: {kernel: synth, options: {function: branin, seconds: $search_seconds}, grace: 1s}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -5.0, max: 10.0}
  x2: {min: 0.0, max: 15.0}
strategy: random
limits: {max_trials: $search_trials}
resources: {cpus: 1}
slurm:
  shape: $search_shape
  time: 10m
  cpus_per_task: 1
END
        for search_line in "$@"; do
            echo "  $search_line"
        done
    } >"$search_file"
}

# worker_jobs [STATE]: the numbers of the worker jobs in the queue, a line an element.
worker_jobs() {
    timeout 60 squeue -h -r -o '%i %j %T' | awk -v state="$1" '$2 ~ /:worker$/ && (!state || $3 == state) { print $1 }'
}

worker_jobs_are() {
    [ "$(worker_jobs "$2" | grep -c .)" -eq "$1" ]
}

# asked_so_far: the questions that the controller was asked by this user, nodes and daemons not counted.
asked_so_far() {
    timeout 60 sdiag | awk '/^\tREQUEST_(SUBMIT_BATCH_JOB|JOB_INFO|JOB_INFO_SINGLE|KILL_JOB|JOB_USER_INFO|JOB_REQUEUE|UPDATE_JOB|PING)/ {
        sub("count:", "", $4); sum += $4 } END { print sum + 0 }'
}

# slurm_submitted: how many jobs were submitted to this cluster so far; an element of an array is one.
slurm_submitted() {
    timeout 60 sdiag | sed -n 's/^Jobs submitted: *//p'
}

# books DIR: the jobs in slurm.json, a line each: ROLE STATE NODES.
books() {
    gannet status "$1" --json | tr '{' '\n' |
        sed -n 's/.*"role": "\([^"]*\)".*"state": "\([^"]*\)".*"nodes": "*\([^",]*\).*/\1 \2 \3/p'
}

# ended_with DIR REASON: the experiment has ended so.
ended_with() {
    gannet status "$1" --json | grep -q "\"reason\": \"$2\""
}
