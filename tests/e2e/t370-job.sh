#!/bin/bash
# the batch process keeps a search going from job to job as Slurm's words and signals ask for, with a Slurm that a test leads
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
[ -f "$GANNET_BUILD/tests/slurm_fake.so" ] || skip_all "tests/slurm_fake.so was not built"
export GANNET_SLURM_MODULE="$GANNET_BUILD/tests/slurm_fake.so" GANNET_SLURM_FAKE="$SCRATCH/slurm"
mkdir slurm programs
cat >programs/srun <<'END'
#!/bin/bash
while [[ $1 == -* ]]; do
    [[ $1 != --nodelist=* ]] || export SLURMD_NODENAME=${1#*=}
    shift
done
echo "$*" >>steps
exec "$@"
END
chmod +x programs/srun
PATH=$SCRATCH/programs:$PATH
synth x.yaml 40
sed -i 's/seconds: 0/steps: 50, seconds: 0.1/' x.yaml
echo 'slurm: {signal_before_end: 5s}' >>x.yaml

# slurm_says MEMBERS: what it knows of our job, with ' for ".
slurm_says() {
    tr "'" '"' <<<"[{'id': 100, 'started': $(date +%s), 'comment': 'gannet:x', $1}]" >slurm/jobs.new
    mv slurm/jobs.new slurm/jobs.json
}

# called: what Slurm was asked to do, in a row.
called() {
    grep -o -e '^requeue' -e '^submit' slurm/calls | xargs
}

runs_a_trial() {
    gannet status "$1" --json | grep -q '"busy": [1-9]'
}

# begin NAME [SCRIPT]: the batch process of a search, in $batch, once it runs a trial; what goes wrong, with ' for ".
begin() {
    rm -f slurm/*
    claim "$1: it is submitted" gannet submit x.yaml --dir "$1"
    rm slurm/calls
    slurm_says "'state': 'running', 'cores': '0', 'ends': $(($(date +%s) + 3600))"
    [ $# -lt 2 ] || tr "'" '"' <<<"$2" >slurm/script.json
    SLURM_JOB_ID=100 SLURM_JOB_NODELIST=n1 gannet job --rundir "$1" >"$1.log" 2>&1 &
    batch=$!
    claim "$1: it runs in the job" until_true runs_a_trial "$1"
}

# ends NAME STATUS CALLS REASON: the process ends so, having asked for that; the session's reason.
ends() {
    wait "$batch"
    is "$1: the process ends with status $2" "$2" $?
    is "$1: Slurm was asked for: ${3:-nothing}" "$3" "$(called)"
    matches "$1: the session ended as $4" "\"reason\": \"$4\"" "$(gannet status "$1" --json)"
    claim "$1: no process is left" none_left
}

refuse "outside a job it says what it is for" 2 'inside no job' env -u SLURM_JOB_ID gannet job --rundir x

begin pushed
matches "pushed: its worker is told which cores the job has" 'gannet-worker .*--job-cores=0$' "$(cat steps)"
slurm_says "'state': 'running', 'final_state': 'preempted'"
kill -TERM $batch
ends pushed 0 requeue preempted

begin back
slurm_says "'state': 'pending', 'requeued': true"
kill -TERM $batch
ends back 0 "" preempted

begin person
slurm_says "'state': 'running', 'final_state': 'cancelled'"
kill -TERM $batch
ends person 130 "" interrupted

begin late
slurm_says "'state': 'running', 'final_state': 'timeout'"
kill -TERM $batch
kill -TERM $batch # as Slurm does
ends late 0 requeue walltime

begin warned
slurm_says "'state': 'running', 'ends': $(($(date +%s) + 4))"
kill -USR1 $batch
ends warned 0 requeue walltime

begin refused "{'requeue': {'error': 'Requested operation is presently disabled', 'number': 2063}}"
slurm_says "'state': 'running', 'final_state': 'timeout'"
kill -TERM $batch
ends refused 0 "requeue submit" walltime
matches "refused: the next job is in the record" '"id": 101' "$(cat refused/slurm.json)"
matches "refused: what Slurm said is in the log" 'presently disabled' "$(cat refused.log)"

begin busy "{'requeue': {'error': 'it is away', 'number': 1800, 'unclear': true, 'times': 2}}"
slurm_says "'state': 'running', 'final_state': 'timeout'"
kill -TERM $batch
ends busy 0 "requeue requeue requeue" walltime

begin nothing "{'requeue': {'error': 'no', 'number': 2063}, 'submit': {'error': 'the account is closed', 'number': 2045}}"
slurm_says "'state': 'running', 'final_state': 'timeout'"
kill -TERM $batch
ends nothing 1 "requeue submit" walltime
matches "nothing: that is said, and what to do" 'gannet resume.*the account is closed' "$(cat nothing.log)"

begin killed "{'requeue': {'after': true, 'ends_job': true}}"
slurm_says "'state': 'running', 'final_state': 'timeout'"
kill -TERM $batch
ends killed 137 requeue walltime
matches "killed: a job whose processes are ended as it is requeued has said that it goes back" 'job 100 goes back' "$(cat killed.log)"

begin silent "{'job': {'error': 'it is away', 'number': 1800}}"
matches "silent: without an answer it runs all the same" 'does not say when the job ends' "$(cat silent.log)"
kill -USR1 $batch
ends silent 0 requeue walltime

# --- the first node of a job is lost: what a worker on another one becomes ---
# lost NAME [SCRIPT]: a job that has lost n1, and what n2 does about it; what Slurm was asked for then.
lost() {
    rm -f slurm/*
    claim "$1: it is submitted" gannet submit x.yaml --dir "$1"
    [ $# -lt 3 ] || claim "$1: and paused" gannet pause "$1"
    rm slurm/calls
    slurm_says "'state': 'running', 'nodes': 'n2', 'batch_node': 'n1'"
    tr "'" '"' <<<"${2:-{\}}" >slurm/script.json
    claim "$1: another node sees to it" env SLURM_JOB_ID=100 SLURM_JOB_NODELIST='n[1-2]' SLURMD_NODENAME=n2 \
        timeout 300 gannet job --rescue --rundir "$1"
    lost_calls=$(grep -o -e '^requeue' -e '^submit' -e '^cancel' slurm/calls | xargs)
}

lost requeue
is "requeue: the job goes back" requeue "$lost_calls"
is "requeue: what it was has ended in the record, and it waits anew" "node_failed pending" \
    "$(sed -n 's/^ *"state": "\(.*\)",/\1/p' requeue/slurm.json | xargs)"
rm slurm/calls
slurm_says "'state': 'running', 'nodes': 'n2', 'batch_node': 'n1'"
sed -i 's/"state": "node_failed"/"state": "running"/' requeue/slurm.json
SLURM_JOB_ID=100 SLURM_JOB_NODELIST='n[1-2]' SLURMD_NODENAME=n2 \
    timeout 300 gannet-worker --rundir requeue --rescue --give-up 2s 2>&1 | true
is "a worker to which nobody listens any more sees to it, too" requeue "$(called)"
lost submit "{'requeue': {'error': 'no', 'number': 2063}}"
is "submit: another one is submitted, and this one ended" "requeue submit cancel" "$lost_calls"
lost none "{'requeue': {'error': 'no', 'number': 2063}, 'submit': {'error': 'the account is closed', 'number': 2045}}"
matches "none: that nobody takes it is tried again, and then the nodes are given back" '^(requeue submit ){3}cancel$' "$lost_calls"
matches "none: status says why and what to do" 'n1, on which the coordinator was, has failed, and .*gannet resume.*account is closed' \
    "$(gannet status none)"
lost paused "{}" paused
is "paused: what nobody wants is ended" cancel "$lost_calls"
slurm_says "'state': 'completed', 'nodes': 'n2', 'batch_node': 'n1'"
claim "a job that is over needs nobody" env SLURM_JOB_ID=100 SLURM_JOB_NODELIST='n[1-2]' gannet job --rescue --rundir paused
slurm_says "'state': 'running', 'ends': $(($(date +%s) + 3600))"
refuse "a directory that holds no experiment is told from a search that failed" 2 'experiment.yaml' \
    env SLURM_JOB_ID=100 SLURM_JOB_NODELIST=n1 gannet job --rundir nowhere
refuse "outside a job it says so" 1 'no other node of a job' env -u SLURM_JOB_ID gannet job --rescue --rundir paused
finish
