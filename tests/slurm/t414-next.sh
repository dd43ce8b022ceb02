#!/bin/bash
# a search goes on in another job when its own can't come back, stays in its own when that is given more time, and tells its end once
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
scratch
cat >extra.conf <<'E2'
PartitionName=brief Nodes=ALL PriorityTier=2 PreemptMode=CANCEL
JobRequeue=0
KillWait=20
E2
slurm_cluster NODES=4 GPUS=0 EXTRA="$SCRATCH/extra.conf"

# search NAME TRIALS PARTITION NODE [KEYS]: submits a search of so many trials of 2 s that can be continued; its job in $job.
search() {
    synth "$1.yaml" "$2"
    sed -i 's/seconds: 0/steps: 10, seconds: 0.2/' "$1.yaml"
    echo "slurm: {partition: $3, nodelist: '$4', cpus_per_task: 2, time: 30m, signal_before_end: 10s$5}" >>"$1.yaml"
    echo "notify: {command: 'echo \$GANNET_ENDING \$GANNET_REASON >>$SCRATCH/$1.told'}" >>"$1.yaml"
    claim "$1: it is submitted" timeout 300 gannet submit "$1.yaml" --dir "$1"
    job=$(jobs_of "$1")
}

# jobs_of NAME: the jobs that were submitted for it, a line each.
jobs_of() {
    sed -n 's/.*"id": \([0-9]*\).*/\1/p' "$1/slurm.json" | sort -un
}

# ends_in JOB SECONDS: its time is up so soon, and Slurm's warning comes now and not with its next look at its clock.
ends_in() {
    timeout 60 scontrol update "job=$1" "EndTime=now+$2" && timeout 60 scancel --batch --signal=USR1 "$1"
}

# says NAME TIMES TEXT: the batch processes have said so, so often.
says() {
    [ "$(cat "$1"/logs/slurm-*.out | grep -c -- "$3")" -ge "$2" ]
}

# over NAME TRIALS
over() {
    [ "$(ended_count "$1")" = "$2" ] && [ ! -e "$1/coordinator.json" ]
}

# has_come_to_its_end NAME TRIALS
has_come_to_its_end() {
    until_true over "$@" || until_true over "$@"
    is "$1: it ends with exactly its trials" "$2" "$(ended_count "$1")"
    is "$1: all of them well" "$2" "$(gannet trials "$1" --csv --columns state | grep -c completed)"
}

# went_on_in_another NAME REASON
went_on_in_another() {
    says "$1" 1 "can't go back into the queue"
    tap_line $? "$1: its job can't come back"
    is "$1: so another one went on" 2 "$(jobs_of "$1" | wc -l)"
    matches "$1: what ended the first one is seen" "$2" "$(gannet explain "$1")"
}

search refused 24 main n1 ", requeue: false"
refused=$job
search taken 24 brief n2
taken=$job
search gone 24 brief n3 ", requeue: false"
gone=$job
search extended 30 main n4
extended=$job
for name in refused taken gone extended; do
    until_true has_ended "$name" 2
done

claim "extended: its time is up soon" ends_in "$extended" 35
claim "extended: and it knows" until_true says extended 2 "time is up at"
claim "extended: it is given more" timeout 300 scontrol update "job=$extended" TimeLimit=60
claim "refused: its time is up soon" ends_in "$refused" 14
claim "taken, gone: other jobs want their nodes" timeout 300 \
    sbatch -p high -N 2 -w 'n[2-3]' --exclusive -o /dev/null --wrap 'sleep 3'

has_come_to_its_end refused 24
went_on_in_another refused 'time of its job|walltime'
has_come_to_its_end gone 24
went_on_in_another gone 'taken away|preempted'
has_come_to_its_end taken 24
is "taken: it went on in the same job, as it asked to" "$taken" "$(jobs_of taken)"
has_come_to_its_end extended 30
is "extended: in one job" "$extended" "$(jobs_of extended)"
is "extended: that was in the queue once" 0 "$(job_field "$extended" Restarts)"
claim "extended: it has heard of the new end" says extended 3 "time is up at"
claim "nothing is left in the queue" until_true no_jobs_left
for name in refused taken gone extended; do
    is "$name: one message was sent, at the end of the search" "completed max_trials" "$(cat "$name.told")"
done
finish
