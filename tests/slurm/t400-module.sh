#!/bin/bash
# the module does to a real Slurm what its interface says, and whatever is wrong with that Slurm is an answer in bounded time
. "$(dirname "$0")/lib.sh"
slurm_cluster NODES=2
unset GANNET_SLURM_MODULE

# ask QUESTION: the agent's answer; or "status N" and what it said, when it ended without one.
ask() {
    ask_answer=$(timeout 300 gannet slurm-agent <<<"$1" 2>"$SCRATCH/said")
    ask_status=$?
    grep -ve '"note"' -e '^$' <<<"$ask_answer" || echo "status $ask_status: $(cat "$SCRATCH/said")"
}

# member NAME JSON: a number or text of the first object that has it.
member() {
    grep -o "\"$1\":[^,}]*" <<<"$2" | head -n 1 | cut -d: -f2 | tr -d '"'
}

# submit SCRIPT [MEMBERS]: the new job's id; SCRIPT must need no escapes in JSON.
submit() {
    submit_place="\"directory\":\"$SCRATCH\",\"comment\":\"gannet:t400\",\"minutes\":5,\"environment\":[\"PATH=$PATH\"]"
    member id "$(ask "{\"call\":\"submit\",\"request\":{\"script\":\"#!/bin/bash\\n$1\",$submit_place${2:+,$2}}}")"
}

state() {
    member state "$(ask "{\"call\":\"job\",\"id\":$1}")"
}

state_is() {
    [ "$(state "$1")" = "$2" ]
}

is "the controller answers" '{}' "$(ask '{"call":"ping"}')"
is "the partitions are listed" '{"partitions":["main","high","low"]}' "$(ask '{"call":"partitions"}')"
is "a number that no job has is a vanished job" vanished "$(state 4711)"
matches "a request that Slurm refuses is its own sentence and number" 'Invalid partition.*"number":2000' \
    "$(ask '{"call":"submit","request":{"partition":"nowhere","script":"#!/bin/sh","environment":["A=b"]}}')"

# --- what a job is given ---
job=$(submit 'env; echo cpus $(nproc --all); pwd' '"nodes":2,"tasks_per_node":1,"cpus_per_task":3,"gpus_per_node":"1","output":"out-%j"')
claim "a job ends and is completed" until_true state_is "$job" completed
is "it ran on the nodes that were asked for" 'n[1-2]' "$(sed -n 's/^SLURM_JOB_NODELIST=//p' "out-$job")"
is "it had the processors that were asked for" '3(x2)' "$(sed -n 's/^SLURM_JOB_CPUS_PER_NODE=//p' "out-$job")"
is "it had the GPUs that were asked for" 1 "$(sed -n 's/^SLURM_GPUS_ON_NODE=//p' "out-$job")"
claim "it started in the directory that was asked for" grep -qx "$SCRATCH" "out-$job"
is "its comment is ours" gannet:t400 "$(job_field "$job" Comment)"
job=$(submit 'exit 3' '"gres":"gpu:2"')
claim "a job that fails says so" until_true state_is "$job" failed
is "... with its status" 3 "$(member exit_status "$(ask "{\"call\":\"job\",\"id\":$job}")")"

# --- what waits, and what is done to it ---
job=$(submit 'sleep 300' '"exclusive":true,"nodes":2,"requeue":true')
until_true state_is "$job" running
waiting=$(submit 'sleep 300' '"nodes":2,"exclusive":true')
claim "a job that waits says why" until_true eval "job_field $waiting Reason | grep -Eq 'Resources|Priority'"
matches "... through the module, too" '"reason":"(Resources|Priority)"' "$(ask "{\"call\":\"job\",\"id\":$waiting}")"
matches "all our jobs that live are found by their comment" "\"id\":$job,.*\"id\":$waiting," \
    "$(ask '{"call":"find","comment":"gannet:t400"}')"
is "and no others" '{"jobs":[]}' "$(ask '{"call":"find","comment":"gannet:t40"}')"
is "one that waits is held" '{}' "$(ask "{\"call\":\"hold\",\"id\":$waiting,\"hold\":true}")"
is "... and says so" JobHeldUser "$(member reason "$(ask "{\"call\":\"job\",\"id\":$waiting}")")"
is "it is released" '{}' "$(ask "{\"call\":\"hold\",\"id\":$waiting,\"hold\":false}")"
claim "... and waits for something else" until_true eval "! job_field $waiting Reason | grep -q Held"
is "it is cancelled" '{}' "$(ask "{\"call\":\"cancel\",\"which\":\"$waiting\",\"signal\":0}")"
is "... and says so" cancelled "$(state "$waiting")"
is "cancelling it again is no error" '{}' "$(ask "{\"call\":\"cancel\",\"which\":\"$waiting\",\"signal\":0}")"
matches "cancelling what never was is one" '"number":2017' "$(ask '{"call":"cancel","which":"4711","signal":0}')"
is "a job is requeued" '{}' "$(ask "{\"call\":\"requeue\",\"id\":$job}")"
is "... and waits again" pending "$(state "$job")"
is "... counting that" 1 "$(member restarts "$(ask "{\"call\":\"job\",\"id\":$job}")")"
is "one that is to wait until released does" JobHeldUser \
    "$(job_field "$(submit true '"hold":true')" Reason)"
scancel -u "$(id -un)"

# --- signals and arrays ---
job=$(submit "trap 'echo warned; exit 7' USR1; echo ready; while sleep 0.1; do :; done" '"output":"signal"')
until_true grep -qs ready signal
is "a signal is sent to the batch script" '{}' "$(ask "{\"call\":\"cancel\",\"which\":\"$job\",\"signal\":10}")"
claim "... which gets it" until_true grep -q warned signal
job=$(submit 'echo element $SLURM_ARRAY_TASK_ID; sleep 300' '"array":"0-3%2","output":"array-%a"')
until_true test -s array-1
answer=$(ask "{\"call\":\"job\",\"id\":$job}")
is "of an array two elements run and the rest waits" "2 1" \
    "$(grep -o '"state":"running"' <<<"$answer" | wc -l) $(grep -o '"state":"pending"' <<<"$answer" | wc -l)"
matches "each is of the array and has its number" "\"array\":$job,\"element\":0" "$answer"
ask "{\"call\":\"cancel\",\"which\":\"${job}_0\",\"signal\":0}" >/dev/null
claim "one element is cancelled alone" until_true test -s array-2
ask "{\"call\":\"cancel\",\"which\":\"$job\",\"signal\":0}" >/dev/null
claim "the array is cancelled whole" until_true no_jobs_left

# --- what can be wrong with a Slurm; the status 124 would be that of `timeout` ---
cluster controller-stop
matches "without a controller the answer is a sentence" 'Unable to contact slurm controller.*scontrol ping.*"number":1800,"unclear":false' \
    "$(ask '{"call":"ping"}')"
matches "a submission to it was not made" '"unclear":false' \
    "$(ask '{"call":"submit","request":{"script":"#!/bin/sh","environment":["A=b"]}}')"
cluster controller-start
cluster controller-hang
question="{\"call\":\"submit\",\"request\":{\"comment\":\"gannet:lost\",\"directory\":\"$SCRATCH\",\"script\":\"#!/bin/sh\\nsleep 300\",\"environment\":[\"A=b\"]}}"
matches "what becomes of a submission to one that hangs is unclear" '"unclear":true' "$(ask "$question")"
cluster controller-wake
claim "... for it may do it when it wakes up" until_true eval "ask '{\"call\":\"find\",\"comment\":\"gannet:lost\"}' | grep -q '\"id\"'"
scancel -u "$(id -un)"
cluster munge-stop
matches "without munge the answer names it" 'authentication.*munge.*"number":1007' "$(ask '{"call":"partitions"}')"
cluster munge-start
mkdir -p other/run other/log
"$SOURCE/tests/slurm/cluster" munge-start "$SCRATCH/other"
sed "s,$CLUSTER/run/munge,$SCRATCH/other/run/munge," "$SLURM_CONF" >other.conf
matches "with munge's key of another cluster, too" 'key of munge|munged running here, with the key of the cluster' \
    "$(SLURM_CONF=$SCRATCH/other.conf ask '{"call":"partitions"}')"
"$SOURCE/tests/slurm/cluster" down "$SCRATCH/other"
matches "an absent slurm.conf is an answer" 'SLURM_CONF names .*/nowhere: No such file' \
    "$(SLURM_CONF=$SCRATCH/nowhere ask '{"call":"ping"}')"
matches "without any the agent ends, and says why" 'fatal: .*configuration source' "$(unset SLURM_CONF; ask '{"call":"ping"}')"
echo "Nonsense=1" >nonsense.conf
matches "with a bad one, too" '^status 1: .*(Nonsense|Parse)' "$(SLURM_CONF=$SCRATCH/nonsense.conf ask '{"call":"ping"}')"
finish
