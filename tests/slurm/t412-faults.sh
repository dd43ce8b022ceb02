#!/bin/bash
# whatever is done to its job, a search ends with exactly its trials, and what happened can be seen
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
slurm_cluster NODES=8 GPUS=0 TIMEOUT=120

# What a site's accounts would say; this cluster keeps none.
mkdir accounts
cat >accounts/sacct <<END
#!/bin/sh
echo "CANCELLED by $(id -u)"
END
chmod +x accounts/sacct
export PATH="$SCRATCH/accounts:$PATH"

# From the sixth one on trials wait for a file, so that no search is over before its fault has come, however busy the machine.
cat >hold.sh <<END
#!/bin/sh
while [ "\$GANNET_TRIAL" -gt 5 ] && [ ! -e "$SCRATCH/go-\$1" ]; do sleep 0.1; done
echo value=\$GANNET_TRIAL
END
chmod +x hold.sh

# search NAME PARTITION NODES: submits a search of 24 trials that wait for faults; its job in $job.
search() {
    synth "$1.yaml" 24
    sed -i "s|^trial:.*|trial: {command: [$SCRATCH/hold.sh, $1, \"\${args}\"], grace: 1s}|" "$1.yaml"
    echo "slurm: {partition: $2, nodelist: '$3', nodes: ${4:-1}, cpus_per_task: 2, time: 30m}" >>"$1.yaml"
    claim "$1: it is submitted" timeout 300 gannet submit "$1.yaml" --dir "$1"
    job=$(grep -o '"id": [0-9]*' "$1/slurm.json" | head -n 1 | grep -o '[0-9]*$')
}

# has_come_to_its_end NAME: it has ended by itself; with all of its trials, none of them twice, none failed.
has_come_to_its_end() {
    until_true over "$1"
    is "$1: it ends with exactly its trials" 24 "$(ended_count "$1")"
    is "$1: all of them well" 24 "$(gannet trials "$1" --csv --columns state | grep -c completed)"
}

over() {
    [ "$(ended_count "$1")" = 24 ] && [ ! -e "$1/coordinator.json" ]
}

# attempts NAME: how the attempts of its trials ended.
attempts() {
    for trial in $(seq 24); do
        gannet show "$1" "$trial" --json
    done | grep '"runs"' | grep -o '"attempt": [0-9]*, "reason": "[a-z_]*"' | cut -d'"' -f6 | sort | uniq -c | xargs
}

# begun_again JOB: it was taken away, and has come back from the queue.
begun_again() {
    [ "$(job_field "$1" Restarts)" -ge 1 ] && job_is "$1" RUNNING
}

search requeued main n1
requeued=$job
search cancelled main n2
cancelled=$job
search preempted low n3
preempted=$job
search node main 'n[4-5]' 2
search step main n6
search controller main n7
for name in requeued cancelled preempted node step controller; do
    until_true has_ended "$name" 4
done

claim "requeued: its job is put back into the queue" timeout 300 scontrol requeue "$requeued"
claim "cancelled: its job is cancelled" timeout 300 scancel "$cancelled"
timeout 300 gannet attach cancelled >attached 2>&1
matches "cancelled: who watched is told what ended it" "^synth: job $cancelled was cancelled by $(id -un); .gannet resume. goes on" \
    "$(cat attached)"
matches "cancelled: so is who asks for its state" "ended: job $cancelled was cancelled by $(id -un)" "$(gannet status cancelled)"
claim "preempted: another one wants its node" timeout 300 \
    sbatch -p high -w n3 --exclusive -o /dev/null --wrap 'sleep 3'
claim "node: one of its two nodes goes down" node_lost n5
killed=$(worker_on n6)
claim "step: its worker is killed" kill -KILL "$killed"
another_worker() {
    another=$(worker_on n6)
    [ -n "$another" ] && [ "$another" != "$killed" ]
}
claim "step: and started again" until_true another_worker
claim "controller: slurmctld goes down" cluster controller-stop
touch go-controller
until_true has_ended controller 12 # what could need the controller has some time to miss it
claim "controller: and comes back" cluster controller-start
claim "requeued: it begins again" until_true begun_again "$requeued"
claim "preempted: it begins again" until_true begun_again "$preempted"
touch go-requeued go-preempted go-node go-step

has_come_to_its_end step
matches "step: the lost attempts are seen" 'lost' "$(attempts step)"
has_come_to_its_end controller
is "controller: nothing of it shows" "24 completed" "$(attempts controller)"
has_come_to_its_end node
# Of a step whose node is lost, srun of 22.05 ends with status 0, and those of later versions as of any other that died.
case $(scontrol --version) in
*" 22."*) lost='node_failed|node failed' ;;
*) lost='node_failed|node failed|lost' ;;
esac
matches "node: what its node took with it is seen" "$lost" "$(attempts node)"

is "cancelled: it is over before its end" no "$([ "$(ended_count cancelled)" = 24 ] && echo yes || echo no)"
touch go-cancelled
claim "cancelled: a person goes on with it" until_true timeout 300 gannet resume cancelled
has_come_to_its_end cancelled

has_come_to_its_end requeued
matches "requeued: the attempts that ended with the job are seen" 'preempted' "$(attempts requeued)"
is "requeued: in the same job" 1 "$(job_field "$requeued" Restarts)"
has_come_to_its_end preempted
matches "preempted: the attempts that ended with the job are seen" 'preempted' "$(attempts preempted)"

# --- what a person is told ---
matches "requeued: explain says what happened" "^job $requeued .*put back into the queue" "$(gannet explain requeued)"
matches "requeued: of the worker, too" "told to end by SIGTERM; job $requeued was put back into the queue" \
    "$(gannet explain requeued n1)"
matches "preempted: explain says what happened" "^job $preempted .*preempted" "$(gannet explain preempted)"
matches "cancelled: explain says by whom" "^job $cancelled .*cancelled on n2: it was cancelled by $(id -un)" \
    "$(gannet explain cancelled)"
matches "node: explain says what happened" "$lost" "$(gannet explain node)"
matches "step: explain says what happened" 'lost|its process' "$(gannet explain step)"
matches "step: so does the coordinator's log" 'worker .* is gone' "$(cat step/logs/coordinator.log)"
finish
