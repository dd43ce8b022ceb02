#!/bin/bash
# a job of several components is submitted; when its first node fails, the nodes of the other components see to the job in which the search goes on
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
slurm_cluster NODES=8 GPUS=0 TIMEOUT=120
unset GANNET_SLURM_MODULE

# search NAME KEYS OPTIONS: submits a search whose trials wait for a file from the sixth one on; its job in $job.
search() {
    synth "$1.yaml" 24
    sed -i "s|^trial:.*|trial: {command: [$SCRATCH/hold.sh, \"\${args}\"], grace: 1s}|" "$1.yaml"
    echo "slurm: {cpus_per_task: 2, time: 30m, $2}" >>"$1.yaml"
    # shellcheck disable=SC2086
    claim "$1: it is submitted" timeout 300 gannet submit "$1.yaml" --dir "$1" -- $3
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
    [ "$(grep -c '"role"' "$1/slurm.json")" -ge 2 ]
}

# One whose first component has two nodes; one whose first component has one, with which Slurm requeues or ends the whole job.
search two "nodelist: 'n[1-2]', nodes: 2, components: ['-w n3 -c 2']"
two=$job
search one "nodelist: n4" ": -w n[5-6] -N 2 -c 2"
one=$job
search gone "nodelist: n7, requeue: false, components: ['-w n8 -c 2']"
gone=$job
is "two: Slurm has two components of it" 2 "$(timeout 60 squeue -h -t all -o %A -j "$two" | wc -l)"
until_true has_ended two 4
until_true has_ended one 4
until_true has_ended gone 4
stopped=$(worker_on n2)
claim "two: the other node of its component does nothing any more" kill -STOP $stopped
claim "two: the first node of its job fails" node_lost n1
claim "one: so does that of its job" node_lost n4
claim "gone: and that of its job" node_lost n7
claim "two: another job sees to the search" until_true goes_on two
claim "n1 has power again" cluster node-start n1
claim "n4 has power again" cluster node-start n4
claim "n7 has power again" cluster node-start n7
touch go
claim "one: Slurm puts all of its job back into the queue" until_true goes_on one
matches "two: a node of the other component has seen to that" '"state": "node_failed"' "$(cat two/slurm.json)"
claim "gone: Slurm ends all of the job" until_true job_is "$gone" NODE_FAIL
claim "gone: and it is submitted again" timeout 300 gannet resume gone
for name in two one gone; do
    claim "$name: the search goes on to its end" until_true over "$name"
    is "$name: with exactly its trials" 24 "$(ended_count "$name")"
    is "$name: all of them well" 24 "$(gannet trials "$name" --csv --columns state | grep -c completed)"
done
claim "nothing is left in the queue" until_true no_jobs_left
finish
