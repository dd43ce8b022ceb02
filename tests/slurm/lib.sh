# What the tests on a real Slurm share, beside tests/e2e/lib.sh: a cluster of their own (tests/slurm/cluster), in the scratch
# directory, taken down at the end whatever happens.
#
#     #!/bin/bash
#     # a submitted search ends with the trials it was asked for
#     . "$(dirname "$0")/lib.sh"
#     slurm_cluster                    # skips the whole script, in words, where there can't be one
#     claim "it is submitted" gannet submit "$EXAMPLES/digits.yaml" --dir r
#     until_true job_is 1 RUNNING
#     finish
#
# A controller that is away makes every client of Slurm wait for seconds: call them with `timeout`.

. "$(dirname "$0")/../e2e/lib.sh"
CLUSTER= # the cluster's directory
trap 'slurm_clean; lib_clean' EXIT

# slurm_cluster [NAME=VALUE...]: makes the scratch directory, starts a cluster in it with these knobs (NODES=2 GPUS=0; see
# tests/slurm/cluster) and sets SLURM_CONF, so that everything finds it.
slurm_cluster() {
    slurm_why=$("$SOURCE/tests/slurm/cluster" check 2>&1) || skip_all "${slurm_why#cluster: }"
    [ -e "${GANNET_SLURM_MODULE:-$GANNET_BUILD/slurm.so}" ] || skip_all "gannet was built without libslurm"
    [ -n "$SCRATCH" ] || scratch
    CLUSTER=$SCRATCH/cluster
    slurm_knobs=
    for slurm_knob in "$@"; do
        slurm_knobs="$slurm_knobs GANNET_CLUSTER_$slurm_knob"
    done
    if ! env $slurm_knobs GANNET_CLUSTER_OWNER=$$ "$SOURCE/tests/slurm/cluster" up "$CLUSTER" >"$lib_output" 2>&1; then
        diag <"$lib_output"
        echo "Bail out! The cluster did not come up."
        exit 1
    fi
    export SLURM_CONF="$CLUSTER/etc/slurm.conf"
}

# cluster COMMAND [NODE]: on the cluster of this script, such as `cluster node-kill n2`.
cluster() {
    slurm_command=$1
    shift
    "$SOURCE/tests/slurm/cluster" "$slurm_command" "$CLUSTER" "$@"
}

# node_lost NODE: a power cut that the controller notices at once and not after its timeout.
node_lost() {
    cluster node-kill "$1" && timeout 60 scontrol update "nodename=$1" state=down reason=power
}

# job_state ID: PENDING, RUNNING, COMPLETED, ...; a line for each element of an array; nothing when it is not known.
job_state() {
    timeout 60 squeue -h -t all -o %T -j "$1" 2>/dev/null
}

# job_is ID STATE: for until_true.
job_is() {
    [ "$(job_state "$1" | sort -u)" = "$2" ]
}

# jobs_left: the jobs that have not ended, a line each: ID NAME STATE REASON.
jobs_left() {
    timeout 60 squeue -h -o '%A %j %T %r'
}

no_jobs_left() {
    [ -z "$(jobs_left)" ]
}

# job_field ID FIELD: one of what `scontrol show job` says, such as Comment or Restarts.
job_field() {
    timeout 60 scontrol show -o job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}

# program_on NODE NAME: the processes of a program there, on this cluster.
program_on() {
    for environment in $(grep -lzxs "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ); do
        grep -qzxs "SLURMD_NODENAME=$1" "$environment" && grep -qsx "$2" "${environment%environ}comm" &&
            echo "$environment" | cut -d/ -f3
    done
}

# worker_on NODE: the process of the worker there.
worker_on() {
    program_on "$1" gannet-worker
}

slurm_clean() {
    [ -z "$CLUSTER" ] || "$SOURCE/tests/slurm/cluster" down "$CLUSTER"
}
