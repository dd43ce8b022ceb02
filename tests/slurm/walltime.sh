#!/bin/bash
# a job limit of one minute and 200 trials of 5 s: the search comes to its end over several requeues of its job, no trial is
# lost, repeated or failed, and of the time in slots no more than a twentieth is wasted. Takes some four minutes:
#
#     GANNET_BUILD=$PWD/build PATH=$PWD/build/bin:$PATH tests/slurm/walltime.sh [TRIALS]
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
trials=${1:-200}
slurm_cluster NODES=4 GPUS=0
synth w.yaml "$trials"
sed -i 's/seconds: 0/steps: 10, seconds: 0.5/' w.yaml
echo 'slurm: {nodes: 4, cpus_per_task: 2, time: 1m}' >>w.yaml

# over: no job is left; the controller is asked only now and then.
over() {
    sleep 2
    no_jobs_left
}

# used JSON: seconds of all attempts, and of those that the trials came to.
used() {
    for trial in $(seq "$trials"); do
        gannet show w "$trial" --json
    done | awk -F'[ ,]+' '/^ "runs"/ { while (match($0, /"started": "[^"]*", "seconds": [0-9.]+/)) {
                                            split(substr($0, RSTART, RLENGTH), part, "\"seconds\": "); all += part[2]
                                            $0 = substr($0, RSTART + RLENGTH) } }
                           END { printf "%.1f\n", all }'
}

claim "it is submitted" timeout 300 gannet submit w.yaml --dir w
for minute in $(seq 15); do
    until_true over && break
done
is "every trial has ended, once" "$trials" "$(ended_count w)"
is "and well" "$trials" "$(gannet trials w --csv --columns state | grep -c completed)"
is "none was tried again for a fault" "" "$(gannet trials w --csv --columns reason | tail -n +2 | tr -d '\r' | grep -v completed)"
restarts=$(job_field 1 Restarts)
matches "the job was in the queue more than once" '^[1-9]' "$restarts"
seconds=$(used)
diag "$restarts restarts; $seconds s in slots for $((trials * 5)) s of trials; $(gannet status w --json | grep -o '"wasted[^,]*' | xargs)"
is "at most a twentieth of the time in slots was wasted" yes \
    "$(awk -v used="$seconds" -v needed="$((trials * 5))" 'BEGIN { print used <= needed * 1.05 ? "yes" : "no" }')"
finish
