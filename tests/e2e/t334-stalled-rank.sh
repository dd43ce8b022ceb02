#!/bin/bash
# a rank that is stopped is named while the others wait for it, with its node and why, and in the sentence of the run's end
. "$(dirname "$0")/lib.sh"
scratch

# experiment NAME RESOURCES [FURTHER LIMITS]
experiment() {
    cat >"$1.yaml" <<YAML
version: 1
trial: {kernel: mlp, options: {data: $SOURCE/examples/data/digits.csv, epochs: 1000000, batch: 100}, grace: 5s}
metric: {name: val_loss, goal: minimize}
parameters: {lr: {min: 0.01, max: 0.2, log: true}}
strategy: random
seed: 7
resources: {$2, bind: none}
limits: {max_concurrent: 1, max_trials: 1$3}
YAML
}
# begin NAME: its search; with a second word also a worker that says that it is on that node, whose process is in `other`.
begin() {
    gannet run "$1.yaml" --dir "$1" --quiet --share --listen 'tcp://127.0.0.1:*' >"$1.out" 2>&1 &
    search=$!
    until_true [ -f "$1/coordinator.json" ]
    [ -z "$2" ] || { gannet-worker --rundir "$1" --node "$2" --shared >"worker-$1-$2.log" 2>&1 & other=$!; }
}
ends() {
    wait "$search"
    claim "$1: nothing is left" none_left
}
trial_of() { gannet trials "$1" --csv --columns "$2" | tr -d '\r"' | sed 1d; }
trains() { [ "$(trial_of "$1" step 2>/dev/null | tail -n 1 | tr -dc 0-9)" -gt 1 ]; } 2>/dev/null
here_worker() { pgrep -P "$search" -f gannet-worker | head -n 1; }
trainer_of() { pgrep -P "$1" -x gannet-trainer | head -n 1; }
says() { gannet status "$1" | grep -q 'stands still'; }
says_not() { ! says "$1"; }
still() { gannet status "$1" | sed -n 's/.*stands still: //p'; }

# --- on another node, until it goes on, and until the time of the trial is up ---

experiment nodes "nodes: 2, cpus: 1" ", trial_time: 10m"
begin nodes b
claim "a trial trains on two nodes" until_true trains nodes
is "nothing is said of it" "" "$(still nodes)"
stopped=$(trainer_of "$other")
kill -STOP "$stopped"
claim "one of its processes is stopped: that is said" until_true says nodes
matches "with its rank, its node, why, and who waits" \
    '^rank [01] on node b has not moved for .*: its process is stopped \(SIGSTOP\); SIGCONT lets it go on; 1 other rank waits for it$' "$(still nodes)"
matches "gannet explain says it of the search" "trial 1 stands still: rank [01] on node b" "$(gannet explain nodes)"
matches "and of the trial" "trial 1 stands still: rank [01] on node b" "$(gannet explain nodes 1)"
matches "programs find it, too" '"text": "rank [01] on node b' "$(gannet status nodes --json)"
matches "and the log of its worker has it" "rank [01] has not moved for" "$(cat worker-nodes-b.log)"
kill -CONT "$stopped"
claim "once it goes on nothing is said any more" until_true says_not nodes
gannet stop nodes --now >/dev/null 2>&1
ends "the first search"

experiment ended "nodes: 2, cpus: 1" ", trial_time: 60s"
sed -i 's/^trial: {/trial: {retries: 0, /' ended.yaml
begin ended b
claim "it trains" until_true trains ended
kill -STOP "$(trainer_of "$(here_worker)")"
ends "a search whose trial takes too long"
is "its trial has timed out" timed_out "$(trial_of ended reason)"
matches "and its end says who was waited for" \
    "rank [01] on node $(hostname) has not moved for .*its process is stopped.*1 other rank waits for it" "$(gannet show ended 1)"

# --- on one node ---

if [ "$(env -u OMP_NUM_THREADS nproc)" -ge 2 ]; then
    experiment ranks "cpus: 2, ranks: 2"
    begin ranks
    claim "a trial of two ranks trains" until_true trains ranks
    kill -STOP "$(pgrep -P "$(trainer_of "$(here_worker)")" -x gannet-trainer | head -n 1)"
    claim "its second rank is stopped: that is said" until_true says ranks
    matches "with its number" "^rank 1 on node $(hostname) has not moved" "$(still ranks)"
    gannet stop ranks --now >/dev/null 2>&1
    ends "two ranks"
else
    skip "two ranks on one node" "they need two cores"
fi

# --- a program of a person's own, whose shell waits for what is stopped ---

cat >program.yaml <<YAML
version: 1
trial: {command: [sh, -c, "sleep 33417.$$; echo loss=\${params.lr}"], retries: 0, grace: 1s}
metric: {name: loss, goal: minimize}
parameters: {lr: {min: 0.01, max: 0.2, log: true}}
strategy: random
limits: {max_concurrent: 1, max_trials: 1}
YAML
begin program
sleeper() { pgrep -f -x "sleep 33417\.$$" -P "$(pgrep -f "[s]leep 33417\.$$; echo loss=" | paste -sd,)"; }
claim "a program runs" until_true sleeper
stopped=$(sleeper | head -n 1)
kill -STOP "$stopped"
claim "what it started is stopped: that is said" until_true says program
matches "with its number and what lets it go on" \
    "^process $stopped on node $(hostname) has been stopped for .* \(SIGSTOP\); kill -CONT $stopped there lets it go on$" "$(still program)"
matches "gannet explain says it of the trial" "trial 1 stands still: process $stopped" "$(gannet explain program 1)"
kill -CONT "$stopped"
claim "once it goes on nothing is said any more of it" until_true says_not program
gannet stop program --now >/dev/null 2>&1
ends "a program"
finish
