#!/bin/bash
# a search goes on over several jobs that are too short for it: no trial is lost, repeated or failed
. "$(dirname "$0")/lib.sh"
needs sqlite3
. "$(dirname "$0")/experiments.sh"
scratch

# search FILE CHECKPOINT: 8 trials of 30 steps, 3 seconds each: in the 4 or 5 seconds that a job of 10 trains, one ends at
# most in each slot, and what comes next is ended with the job.
search() {
    cat >"$1" <<END
version: 1
name: walltime
seed: 7
trial: {kernel: synth, options: {function: branin, steps: 30, seconds: 0.1}, grace: 4s, checkpoint: $2}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -5.0, max: 10.0}
  x2: {min: 0.0, max: 15.0}
strategy: random
limits: {max_trials: 8}
END
}

reason() { gannet status "$1" --json | grep -o '"reason": "[a-z_]*"' | cut -d'"' -f4; }
attempts() { sqlite3 "$1/gannet.db" "SELECT count(*) FROM v_runs WHERE reason = '$2'"; }

# session DIR [SECONDS [WARN]]: one job: a coordinator that knows when it is up, and a worker with two slots. A busy
# machine needs seconds to start them, and as many to save what runs.
session() {
    coordinator "$1" ${2:+--until $(($(date +%s) + $2)) --warn ${3:-5}}
    session_pid=$!
    gannet-worker --rundir "$1" --topology "$SOURCE/tests/worker/topologies/plain.xml" --share 1/2 >>worker.log 2>&1 &
    session_worker=$!
    [ -n "$2" ] || return 0
    wait $session_pid
    session_status=$?
    wait $session_worker
    return $session_status
}

# all_sessions DIR SECONDS [WARN]: sessions until the search has ended for good; adds their reasons to the file reasons.
all_sessions() {
    for number in $(seq 20); do
        session "$1" "$2" "$3" || return 1
        reason "$1" >>reasons
        [ "$(reason "$1")" = walltime ] || return 0
    done
    return 1
}

search search.yaml true
claim "a search is prepared" prepared r search.yaml 7
claim "job after job ends in order" all_sessions r 10
claim "the first ones because their time was up" grep -q walltime reasons
is "the last one because all was done" max_trials "$(tail -n 1 reasons)"
is "every trial was completed, once" 8 "$(ended r | grep -c ',completed,')"
claim "some attempts ended with the job" test "$(attempts r walltime)" -gt 0
is "none of them counts as a retry" 0 "$(gannet status r --json | grep -o '"attempts_failed": [0-9]*' | cut -d' ' -f2)"
claim "they went on from their checkpoints" \
    test "$(sqlite3 r/gannet.db "SELECT count(*) FROM v_runs WHERE resumed > 0")" -gt 0
is "no step was taken twice" 0 "$(sqlite3 r/gannet.db \
    'SELECT count(*) FROM (SELECT trial, step FROM v_metrics GROUP BY trial, step HAVING count(*) > 1)')"
claim "status tells how much of the time was not kept" sh -c "gannet status r --json | grep -q '\"wasted\": [0-9]'"
claim "explain says what the jobs did to it" sh -c "gannet explain r | grep -q 'ended as walltime: the time of the job was up'"
claim "nothing is left running" none_left

# A trial that can't save a checkpoint is not started when it would not end. 12 seconds of trials don't fit into a job that
# trains for 11; one that has less than a trial needs, since a busy machine was slow to start it, would end the search.
search whole.yaml false
sed -i 's/steps: 30/steps: 10/; s/max_trials: 8/max_trials: 24/' whole.yaml
claim "a search without checkpoints is prepared" prepared w whole.yaml 23
rm -f reasons
claim "its jobs end in order, too" all_sessions w 21 10
is "every trial was completed" 24 "$(ended w | grep -c ',completed,')"
is "and none was cut short that had begun in vain" 0 "$(attempts w walltime)"

# limits.time is the time of all jobs together: more than one of them has.
search time.yaml true
sed -i 's/max_trials: 8/max_trials: 1000, time: 13s/; s/seconds: 0.1/seconds: 0.0/' time.yaml
claim "a search with a limit of time is prepared" prepared t time.yaml 1000
sed -i 's/seconds: 0.0/seconds: 0.1/' t/experiment.yaml
rm -f reasons
claim "its jobs end in order" all_sessions t 10
is "the first one because its time was up" walltime "$(head -n 1 reasons)"
is "the last one because that of the search was" time_limit "$(tail -n 1 reasons)"

# Signals say it as well as the clock.
claim "another search is prepared" prepared s search.yaml 7
steps() { sqlite3 -readonly "$1/gannet.db" 'SELECT count(*) FROM v_metrics' 2>/dev/null || echo 0; }
takes_steps() { [ "$(steps "$1")" -gt "$before" ]; } # a lease alone would be given back as if nothing had been
for signal in USR1:walltime USR2:preempted; do
    before=$(steps s)
    session s
    claim "trials run" until_true takes_steps s
    kill -"${signal%:*}" $session_pid
    wait $session_pid
    is "${signal%:*} ends the session in order" 0 $?
    is "and it says why" "${signal#*:}" "$(reason s)"
    wait $session_worker
    claim "the attempts say so, too" test "$(attempts s "${signal#*:}")" -gt 0
done
claim "nothing is left running at the end" none_left
finish
