#!/bin/bash
# faults that take their time: a slurmd that is killed alone, under a worker and under a coordinator, and a controller that is
# away for a minute while a worker dies; each search ends with exactly its trials. Takes some four minutes:
#
#     GANNET_BUILD=$PWD/build PATH=$PWD/build/bin:$PATH tests/slurm/faults.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
slurm_cluster NODES=6 GPUS=0 TIMEOUT=10
TRIALS=200

# search NAME NODES KEYS: submits a search of 200 trials of 2 s that can be continued.
search() {
    synth "$1.yaml" $TRIALS
    sed -i 's/seconds: 0/steps: 10, seconds: 0.2/' "$1.yaml"
    echo "slurm: {nodes: $2, cpus_per_task: 2, time: 30m, $3}" >>"$1.yaml"
    claim "$1: it is submitted" timeout 300 gannet submit "$1.yaml" --dir "$1"
}

over() {
    [ "$(ended_count "$1")" = $TRIALS ] && [ ! -e "$1/coordinator.json" ]
}

has_come_to_its_end() {
    until_true over "$1" || until_true over "$1" || until_true over "$1"
    is "$1: it ends with exactly its trials" $TRIALS "$(ended_count "$1")"
    is "$1: all of them well" $TRIALS "$(gannet trials "$1" --csv --columns state | grep -c completed)"
    diag "$1: attempts: $(attempts "$1")"
    gannet explain "$1" | diag
}

# attempts NAME: how the attempts of its trials ended.
attempts() {
    for trial in $(seq $TRIALS); do
        gannet show "$1" "$trial" --json
    done | grep '"runs"' | grep -o '"attempt": [0-9]*, "reason": "[a-z_]*"' | cut -d'"' -f6 | sort | uniq -c | xargs
}

# processes NAME NODE: the processes of this name on the node, slurmd not among them.
processes() {
    for environment in $(grep -lzxs "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ); do
        grep -qzxs "SLURMD_NODENAME=$2" "$environment" && grep -qsx "$1" "${environment%environ}comm" &&
            echo "$environment" | cut -d/ -f3
    done
}

# kill_slurmd NODE: the daemon alone; its steps and their tasks live on.
kill_slurmd() {
    kill -KILL "$(cat "$CLUSTER/run/$1.pid")"
}

node_is_down() {
    [ "$(timeout 60 sinfo -h -N -n "$1" -p main -o %T)" = "down*" ]
}

another_worker() {
    another=$(processes gannet-worker "$1")
    [ -n "$another" ] && [ "$another" != "$2" ]
}

search worker 2 "nodelist: 'n[1-2]'"
search coordinator 1 "exclude: 'n[1-2],n[5-6]'"
search controller 2 "nodelist: 'n[5-6]'"
for name in worker coordinator controller; do
    until_true has_ended $name 4
done

claim "worker: the slurmd of n2 is killed" kill_slurmd n2
claim "coordinator: so is that of its batch script's node" kill_slurmd n3
claim "worker: Slurm takes n2 for lost" until_true node_is_down n2
claim "coordinator: and n3" until_true node_is_down n3
claim "controller: it goes down" cluster controller-stop
killed=$(processes gannet-worker n6)
claim "controller: a worker is killed meanwhile" kill -KILL "$killed"
before=$(ended_count controller)
sleep 60
ended=$(($(ended_count controller) - before))
claim "controller: the other worker goes on: $ended trials in this minute" [ $ended -gt 20 ]
claim "controller: it comes back" cluster controller-start
back=$SECONDS
until_true another_worker n6 "$killed" || until_true another_worker n6 "$killed"
diag "controller: the killed worker was back $((SECONDS - back)) s after it"
for name in worker coordinator controller; do
    has_come_to_its_end $name
    tail -n 12 $name/logs/slurm-*.out | diag
    tail -n 5 $name/logs/worker-n[26]*.log 2>/dev/null | diag
done
timeout 60 squeue | diag
finish
