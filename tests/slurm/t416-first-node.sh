#!/bin/bash
# when the first node of a job fails, and the coordinator with it, the nodes that are left see to the job in which the search goes on
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
slurm_cluster NODES=6 GPUS=0 TIMEOUT=120

# search NAME NODES KEYS: submits a search whose trials wait for a file from the sixth one on; its job in $job.
search() {
    synth "$1.yaml" 24
    sed -i "s|^trial:.*|trial: {command: [$SCRATCH/hold.sh, \"\${args}\"], grace: 1s}|" "$1.yaml"
    echo "slurm: {nodes: 2, exclude: '$2', cpus_per_task: 2, time: 30m$3}" >>"$1.yaml"
    claim "$1: it is submitted" timeout 300 gannet submit "$1.yaml" --dir "$1"
    job=$(grep -o '"id": [0-9]*' "$1/slurm.json" | head -n 1 | grep -o '[0-9]*$')
}
cat >hold.sh <<END
#!/bin/sh
while [ "\$GANNET_TRIAL" -gt 5 ] && [ ! -e "$SCRATCH/go" ]; do sleep 0.1; done
echo value=\$GANNET_TRIAL
END
chmod +x hold.sh

over() {
    [ "$(ended_count "$1")" = 24 ] && [ ! -e "$1/coordinator.json" ]
}

# goes_on NAME: there is a next job of it, by the record.
goes_on() {
    sleep 1
    [ "$(grep -c '"role"' "$1/slurm.json")" = 2 ]
}

# says_lost NODE: Slurm is asked every ten seconds.
says_lost() {
    sleep 1
    timeout 300 gannet status back | grep "job $back has lost $1, on which its coordinator was"
}

search back 'n[3-6]'
back=$job
search moved 'n[1-2,5-6]' ", requeue: false"
moved=$job
until_true has_ended back 4
until_true has_ended moved 4
claim "back: the first node of its job fails" node_lost n1
claim "moved: so does that of its job" node_lost n3
claim "back: status says what happened" until_true says_lost n1
claim "n1 has power again" cluster node-start n1
claim "n3 has power again" cluster node-start n3
touch go
claim "back: there is another job" until_true goes_on back
claim "moved: there is, too" until_true goes_on moved
is "back: it is the same one, from the queue" 1 "$(job_field "$back" Restarts)"
claim "moved: the old one is ended" until_true job_is "$moved" CANCELLED
for name in back moved; do
    claim "$name: the search goes on to its end" until_true over "$name"
    is "$name: with exactly its trials" 24 "$(ended_count "$name")"
    is "$name: all of them well" 24 "$(gannet trials "$name" --csv --columns state | grep -c completed)"
    matches "$name: the lost node is in the books" '"state": "node_failed"' "$(gannet status "$name" --json)"
    matches "$name: explain names it" 'node_failed' "$(gannet explain "$name")"
    grep -h rescue "$name"/logs/worker-n*.log "$name"/logs/slurm-*.out | diag
done
claim "nothing is left in the queue" until_true no_jobs_left
finish
