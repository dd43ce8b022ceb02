#!/bin/bash
# a kernel on two nodes: whoever of its processes is stopped or killed, at whatever moment, the trials complete, or end with what happened
. "$(dirname "$0")/lib.sh"
scratch

# experiment NAME RESOURCES EPOCHS TRIALS [FURTHER KEYS]
experiment() {
    cat >"$1.yaml" <<YAML
version: 1
trial: {kernel: mlp, options: {data: $SOURCE/examples/data/digits.csv, epochs: $3, batch: 100}, grace: 5s}
metric: {name: val_loss, goal: minimize}
parameters: {lr: {min: 0.01, max: 0.2, log: true}}
strategy: random
seed: 7
resources: {$2, bind: none}
limits: {max_concurrent: 1, max_trials: $4}
${5:-}
YAML
}
# begin NAME: its search, with a worker of its own and one that says that it is on node b, whose process is in `other`.
begin() {
    gannet run "$1.yaml" --dir "$1" --quiet --share --listen 'tcp://127.0.0.1:*' >"$1.out" 2>&1 &
    search=$!
    until_true [ -f "$1/coordinator.json" ]
    join "$1" b
}
join() {
    gannet-worker --rundir "$1" --node "$2" --shared >>"worker-$1-$2.log" 2>&1 &
    other=$!
}
ends() {
    wait "$search"
    claim "$1: nothing is left" none_left
}
trial_of() { gannet trials "$1" --csv --columns "$2" | tr -d '\r"' | sed 1d; }
steps_of() { trial_of "$1" step | awk '{ all += $1 } END { print all + 0 }'; }
trains() { [ "$(trial_of "$1" step 2>/dev/null | tail -n 1 | tr -dc 0-9)" -gt 1 ]; } 2>/dev/null
here_worker() { pgrep -P "$search" -f gannet-worker | head -n 1; }
trainer_of() { pgrep -P "$1" -x gannet-trainer | head -n 1; } # its first: rank 0
rank_of() { pgrep -P "$(trainer_of "$1")" -x gannet-trainer | head -n 1; }

# --- stopped ---

experiment stopped "nodes: 2, cpus: 1" 150 1
begin stopped
claim "it trains" until_true trains stopped
stopped=$(trainer_of "$other")
kill -STOP "$stopped"
at=$(steps_of stopped)
sleep "${GANNET_STOP_SECONDS:-5}"
kill -CONT "$stopped"
ends "a stopped rank"
is "the trial goes on" "completed 1" "$(trial_of stopped state) $(trial_of stopped attempts)"

# --- killed ---

ranks="cpus: 1"
[ "$(env -u OMP_NUM_THREADS nproc)" -lt 2 ] || ranks="cpus: 2, ranks: 2"
for who in first-trainer first-rank other-rank; do
    [ "$who" = first-trainer ] || [ "$ranks" != "cpus: 1" ] || { skip "$who" "two ranks need two cores"; continue; }
    experiment "$who" "nodes: 2, $ranks" 1000000 1
    sed -i 's/^trial: {/trial: {retries: 0, /' "$who.yaml"
    begin "$who"
    claim "$who: it trains" until_true trains "$who"
    case $who in
        first-trainer) victim=$(trainer_of "$(here_worker)") ;;
        first-rank) victim=$(rank_of "$(here_worker)") ;;
        other-rank) victim=$(rank_of "$other") ;;
    esac
    kill -KILL "$victim"
    ends "$who"
    is "$who: the run crashed" crashed "$(trial_of "$who" reason)"
    matches "$who: by what is said" "SIGKILL" "$(gannet show "$who" 1)"
done

experiment first-worker "nodes: 2, cpus: 1" 150 1
begin first-worker
claim "it trains" until_true trains first-worker
kill -KILL "$(here_worker)"
ends "the first node's worker is killed"
is "its trial completes" completed "$(trial_of first-worker state)"

# --- the coordinator ---

experiment coordinator "nodes: 2, cpus: 1" 150 2
begin coordinator
claim "it trains" until_true trains coordinator
kill -KILL "$(sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' coordinator/coordinator.json)"
ends "a killed coordinator"
is "it was started again" 2 "$(grep -c 'coordinator: session ' coordinator/logs/coordinator.log)"
is "its trials complete" "completed completed" "$(trial_of coordinator state | xargs)"

# --- two searches ---

experiment left "nodes: 2, cpus: 1" 20 3 "network: {ports: 21500-21509}"
cp left.yaml right.yaml
begin left
left=$search
begin right
wait "$left"
ends "two searches"
is "both complete, in one range of ports" "completed completed completed completed completed completed" \
    "$(trial_of left state | xargs) $(trial_of right state | xargs)"
is "at their first attempts" "1 1 1 1 1 1" "$(trial_of left attempts | xargs) $(trial_of right attempts | xargs)"
finish
