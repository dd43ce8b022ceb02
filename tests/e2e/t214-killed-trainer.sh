#!/bin/bash
# a trainer that is killed as it saves a checkpoint, or with its run, while its trial goes on from an earlier one, leaves no step out
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
. "$(dirname "$0")/record.sh"
scratch
case $GANNET_BUILD in */address* | */thread* | */undefined*) skip_all "a sanitizer wants to be preloaded first" ;; esac
synth synth.yaml 9
sed -i 's/seconds: 0/seconds: 0.002, steps: 9, curve: 20/; s/grace: 1s/grace: 1s, retries: 2/; s/max_trials: 9/max_trials: 9, max_concurrent: 1/' synth.yaml
echo "early_stop: {name: asha, min_steps: 1, max_steps: 9, eta: 3}" >>synth.yaml

# left_out: a line for each trial that lacks a step.
left_out() {
    sqlite3 -readonly r/gannet.db "
        SELECT 'trial ' || trial || ' has ' || count(*) || ' steps, the last is ' || max(step) FROM v_metrics
            WHERE counts AND step IS NOT NULL GROUP BY trial HAVING count(*) <> max(step);"
}

# searched POINT: a search of which the first trainer that comes there is killed, if one does.
searched() {
    rm -rf r points && mkdir points && echo "$1" >points/gannet-trainer.any
    GANNET_TEST_POINTS=$PWD/points LD_PRELOAD=$GANNET_BUILD/tests/failpoints.so gannet run synth.yaml --dir r --quiet || return 1
    [ -z "$(left_out)" ] || { left_out && return 1; }
    is_whole r 9
}

# --- at each checkpoint ---

for when in before after; do
    for number in $(seq 50); do
        claim "it is killed $when it puts checkpoint $number to its place" searched "$when rename $number"
        [ -s points/fired ] || break
    done
    claim "$when: it was killed at each of them" test "$number" -gt 4 -a "$number" -lt 50
done

# --- a run that is killed ---

# Its steps last longer than the grace, so that the trainer is killed before it has said anything.
sed 's/seconds: 0.002, steps: 9/seconds: 4, steps: 2/; s/grace: 1s/grace: 100ms/; s/max_trials: 9, max_concurrent: 1/max_trials: 2/
    s/max_steps: 9, eta: 3/max_steps: 2, eta: 2/' synth.yaml >long.yaml
goes_on() {
    [ "$(sqlite3 -readonly r/gannet.db "SELECT count(*) FROM runs WHERE attempt = 2 AND leased < (julianday('now') - 2440587.5) * 86400 - 0.5")" = 1 ]
}
kill_run() {
    kill -KILL $run
    wait $run
} 2>/dev/null # the shell's word that it was killed
rm -rf r
gannet run long.yaml --dir r --quiet >/dev/null 2>&1 &
run=$!
claim "a trial goes on from its checkpoint" until_true goes_on
kill_run
claim "the run is killed, and its processes end" until_true none_left
is "the attempt was cut short without a word" "2 preempted 0" \
    "$(sqlite3 -readonly r/gannet.db "SELECT r.attempt || ' ' || r.reason || ' ' || count(m.number) FROM v_runs r
        LEFT JOIN v_metrics m ON m.trial = r.trial AND m.attempt = r.attempt WHERE r.attempt = 2")"
claim "it is resumed" gannet run r --resume --quiet
is "no step is left out" "" "$(left_out)"
claim "the record is whole" is_whole r 2
finish
