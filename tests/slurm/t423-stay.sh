#!/bin/bash
# workers outlast the job of their coordinator and take part in its next session
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/elastic.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
slurm_cluster NODES=3 GPUS=0
export GANNET_SLURM_PACE=0.02 # the 10 s between two questions become 0.2 s

has_workers() {
    gannet status "$1" --json | grep -q '"slots": 2'
}

# Trials behind the eighth last until there is a file, so that the search is in its middle however slow the machine is.
cat >hold.sh <<'END'
[ "$GANNET_TRIAL" -le 8 ] || until [ -e "$1" ]; do sleep 0.2; done
echo "value=$2"
END

# stays SHAPE: a search of this shape whose coordinator's time is up in the middle.
stays() {
    search "$1.yaml" "$1" 30 0 "workers: 2" "idle_time: 1m" "coordinator_time: 30m" "signal_before_end: 5s"
    sed -i "s|^trial: .*|trial: {command: [sh, $PWD/hold.sh, $PWD/$1.go, '\${params.x1}'], grace: 1s}|" "$1.yaml"
    before=$(slurm_submitted)
    claim "$1: it is submitted" timeout 300 gannet submit "$1.yaml" --dir "$1"
    coordinator=$(timeout 60 squeue -h -o '%A %j' | awk '$2 !~ /worker/ { print $1 }')
    claim "$1: it has its workers" until_true has_workers "$1"
    claim "$1: some trials end" until_true has_ended "$1" 4
    workers=$(worker_jobs RUNNING | sort | xargs)
    claim "$1: the time of its coordinator is up soon" timeout 300 \
        scontrol update "job=$coordinator" EndTime=now+8
    timeout 60 scancel --batch --signal=USR1 "$coordinator"
    claim "$1: it goes back into the queue" until_true grep -qs 'goes back' "$1"/logs/slurm-"$coordinator".out
    is "$1: its workers are still there" "$workers" "$(worker_jobs RUNNING | sort | xargs)"
    touch "$1.go"
    claim "$1: it ends" timeout 300 gannet wait "$1"
    is "$1: with its trials, each once" 30 "$(ended_count "$1")"
    is "$1: the coordinator's job was requeued" 1 "$(job_field "$coordinator" Restarts)"
    is "$1: no worker was submitted anew" 3 $(($(slurm_submitted) - before))
    claim "$1: nothing is left in the queue" until_true no_jobs_left
}

stays elastic
stays array
finish
