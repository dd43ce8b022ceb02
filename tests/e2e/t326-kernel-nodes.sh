#!/bin/bash
# a kernel trains on several nodes as on one, pauses and goes on there, and a node that is killed ends the run as lost
. "$(dirname "$0")/lib.sh"
scratch
needs sqlite3

# experiment NAME RESOURCES [EPOCHS [LIMITS [FURTHER KEYS]]]
experiment() {
    cat >"$1.yaml" <<YAML
version: 1
trial: {kernel: mlp, options: {data: $SOURCE/examples/data/digits.csv, epochs: ${3:-3}, batch: 100, dropout: 0.25}, grace: 5s}
metric: {name: val_loss, goal: minimize}
parameters: {lr: {min: 0.01, max: 0.2, log: true}}
strategy: random
seed: 7
resources: {$2, bind: none}
limits: {max_concurrent: 1, max_trials: ${4:-2}}
${5:-}
YAML
}
# begin NAME NODE...: its search, with a worker of its own and further ones that say that they are on these nodes.
begin() {
    gannet run "$1.yaml" --dir "$1" --quiet --share --listen 'tcp://127.0.0.1:*' >"$1.out" 2>&1 &
    search=$!
    until_true [ -f "$1/coordinator.json" ]
    for node in "${@:2}"; do join "$1" "$node"; done
}
# join NAME NODE: another worker, whose process is in `joined`.
join() {
    gannet-worker --rundir "$1" --node "$2" --shared >"worker-$1-$2.log" 2>&1 &
    joined=$!
}
ends() {
    wait "$search"
    claim "$1: nothing is left" none_left
}
trial_of() { gannet trials "$1" --csv --columns "$2" | tr -d '\r"' | sed 1d; }
alike() { # alike NAME NAME: the same losses, to rounding
    paste -d' ' <(trial_of "$1" value) <(trial_of "$2" value) |
        awk '{ d = ($1 - $2) / $1; if (d < -1e-3 || d > 1e-3) exit 1 } END { exit NR < 2 }'
}
here=$(hostname)

# --- as one ---

experiment alone "cpus: 1"
experiment both "nodes: 2, cpus: 1"
matches "gannet check takes it" "A trial takes a slot on each of 2 nodes" "$(gannet check both.yaml)"
sed 's/kernel: mlp/kernel: gbt/; s/, batch.*0.25//; s/epochs: 3/scaling: none/' both.yaml >trees.yaml
refuse "a kernel of one process is refused" 2 "this kernel trains in one process, on one node" gannet check trees.yaml
claim "one process trains" gannet run alone.yaml --dir alone --quiet --share
begin both b
ends "two nodes"
is "all trials complete" "completed completed" "$(trial_of both state | xargs)"
claim "to the same losses" alike alone both
matches "the nodes are recorded" "^($here,b|b,$here)$" "$(trial_of both nodes | head -n 1)"
again=$(gannet show both 1 | sed -n '/^Train it again/{n;p}')
matches "the line that trains it again has as many processes" "--ranks 2" "$again"

if [ "$(env -u OMP_NUM_THREADS nproc)" -ge 2 ]; then
    experiment four "nodes: 2, cpus: 2, ranks: 2"
    begin four b
    ends "two nodes with two ranks each"
    claim "four processes come to the same losses" alike alone four
else
    skip "two ranks on each of two nodes" "they need two cores"
fi

# --- who else connects ---

# The second node's trainer comes late: meanwhile 200 strangers connect to the first one, of whom some say nothing, some
# nonsense, and one very much of it.
experiment strangers "nodes: 2, cpus: 1" 3 1 "network: {ports: 21400-21419}"
cat >late.sh <<'SH'
#!/bin/sh
until [ -e "$0.go" ]; do sleep 0.05; done
exec gannet-trainer "$@"
SH
chmod +x late.sh
begin strangers
gannet-worker --rundir strangers --node b --shared --trainer "$PWD/late.sh" >worker-strangers-b.log 2>&1 &
# Where a trainer of ours listens: other scripts' trainers do so as well.
listening() {
    local line
    ss -Hltnp 2>/dev/null | grep -o '127.0.0.1:[0-9]* .*gannet-trainer",pid=[0-9]*' | while read -r line; do
        [ "$(readlink "/proc/${line##*=}/cwd")" = "$(pwd -P)" ] && echo "${line%% *}"
    done | head -n 1
}
listens() { place=$(listening) && [ -n "$place" ]; }
strangers() {
    local fd fds=()
    for _ in $(seq 200); do
        exec {fd}<>"/dev/tcp/${place%:*}/${place#*:}" || return 1
        fds+=("$fd")
    done
    for fd in "${fds[@]:100}"; do head -c 300 /dev/urandom >&"$fd"; done
    head -c 10000000 /dev/urandom >"/dev/tcp/${place%:*}/${place#*:}"
    touch late.sh.go
    wait "$search"
    for fd in "${fds[@]}"; do exec {fd}>&-; done
} 2>/dev/null
if command -v ss >/dev/null; then
    claim "the first node's trainer listens" until_true listens
    matches "in network.ports" ':214[01][0-9]$' "$place"
    claim "strangers connect" strangers
    touch late.sh.go # whatever came of them
else
    skip "noise at its port" "there is no ss to find it with (iproute2)"
    touch late.sh.go
fi
ends "noise at its port"
is "a search at whose ports somebody makes noise completes" completed "$(trial_of strangers state)"

# --- pausing ---

experiment rungs "nodes: 2, cpus: 1" 9 9 "early_stop: {name: asha, min_steps: 1, max_steps: 9, eta: 3}"
sed 's/nodes: 2, //; s/max_concurrent: 1/max_concurrent: 1/' rungs.yaml >rungs-alone.yaml
claim "one process pauses at rungs" gannet run rungs-alone.yaml --dir rungs-alone --quiet --share
begin rungs b
ends "rungs"
# Which trial goes on first depends on which of two things the coordinator hears first: a free slot, or the next pause.
losses_of() {
    sqlite3 "$1/gannet.db" "SELECT trial || '@' || step || ' ' || value FROM v_metrics WHERE counts AND metric = 'val_loss'" | sort
}
same_losses() {
    command join <(losses_of "$1") <(losses_of "$2") |
        awk '{ d = ($2 - $3) / $2; if (d < -1e-3 || d > 1e-3) exit 1 } END { exit NR < 9 }'
}
is "two nodes pause at the same rungs" "1 3 9" "$(trial_of rungs step | sort -un | xargs)"
is "as one does" "1 3 9" "$(trial_of rungs-alone step | sort -un | xargs)"
claim "and come to the same losses" same_losses rungs-alone rungs

# --- who is killed ---

trains() { [ "$(gannet trials "$1" --csv --columns step 2>/dev/null | tail -n 1 | tr -dc 0-9)" -gt 1 ]; }
experiment worker "nodes: 2, cpus: 1" 300 1
begin worker b
claim "it trains on both" until_true trains worker
kill -KILL "$joined"
join worker c
ends "a worker is killed"
is "the trial completes on another node" completed "$(trial_of worker state)"
matches "what ended its first attempt is a loss" "lost" "$(gannet show worker 1)"
is "which costs no retry" 2 "$(trial_of worker attempts)"

# trainer_of NODE'S-WORKER: its trainer.
trainer_of() { pgrep -P "$1" -x gannet-trainer | head -n 1; }
experiment rank "nodes: 2, cpus: 1" 1000000 1
sed -i 's/^trial: {/trial: {retries: 0, /' rank.yaml
begin rank b
claim "it trains" until_true trains rank
kill -KILL "$(trainer_of "$joined")"
ends "a trainer is killed"
is "the run crashed, whichever node it was on" crashed "$(trial_of rank reason)"
matches "its sentence says by what" "SIGKILL" "$(gannet show rank 1 | head -n 1)"
finish
