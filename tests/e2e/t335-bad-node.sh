#!/bin/bash
# data that is missing on one node alone sets that node aside and costs no trial; what is missing everywhere ends the search
. "$(dirname "$0")/lib.sh"
scratch
mkdir data
cores=$(env -u OMP_NUM_THREADS nproc)

# experiment NAME TRIALS TRIAL: each worker runs one at a time.
experiment() {
    cat >"$1.yaml" <<YAML
version: 1
trial: {$3, grace: 5s}
metric: {name: val_loss, goal: minimize}
parameters: {lr: {min: 0.01, max: 0.2, log: true}}
strategy: random
seed: 7
resources: {cpus: $cores, bind: none}
limits: {max_concurrent: 2, max_trials: $2}
YAML
}
# begin NAME: its search, whose own worker is on this node.
begin() {
    TEST_NODE=here gannet run "$1.yaml" --dir "$1" --quiet --share --listen 'tcp://127.0.0.1:*' >"$1.out" 2>&1 &
    search=$!
    until_true [ -f "$1/coordinator.json" ]
}
# join NAME [COMMAND...]: a worker that says that it is on node b, started by this command.
join() {
    local name=$1
    shift
    TEST_NODE=b "$@" gannet-worker --rundir "$SCRATCH/$name" --node b --shared >"worker-$name-b.log" 2>&1 &
}
ends() {
    wait "$search"
    claim "$1: nothing is left" none_left
}
states() { gannet trials "$1" --csv --columns state | tr -d '\r"' | sed 1d | sort | uniq -c | xargs; }
aside() { gannet explain "$1" b | grep -q 'it was set aside'; }

# --- a program whose file is on its node alone ---

cat >train.sh <<'SH'
#!/bin/sh
touch "$1/began.$TEST_NODE"
until [ -e "$1/go" ]; do sleep 0.1; done
[ -e "$1/$TEST_NODE.csv" ] || { echo "the data file $1/$TEST_NODE.csv is not there" >&2; exit 3; }
sleep 0.2
echo "val_loss=$2"
SH
chmod +x train.sh
both_began() { [ -e data/began.here ] && [ -e data/began.b ]; }

touch data/here.csv
experiment alone 40 "command: [$SCRATCH/train.sh, $SCRATCH/data, '\${params.lr}']"
begin alone
join alone
claim "trials begin on both nodes" until_true both_began
touch data/go
ends "data that is missing on one node"
is "all trials complete" "40 completed" "$(states alone)"
matches "the node was set aside, and it is said why" \
    "set aside: trials fail on this node alone, other nodes are fine: the data file .*/data/b.csv is not there" "$(gannet explain alone b)"
matches "its worker heard that, too" "other nodes are fine: the data file .*/data/b.csv is not there" "$(cat worker-alone-b.log)"
matches "what failed there was tried on the other node" "on node b: the data file .* another node is to try it" "$(gannet explain alone --json)"

rm -f data/*
touch data/b.csv
experiment own 40 "command: [$SCRATCH/train.sh, $SCRATCH/data, '\${params.lr}']"
begin own
join own
claim "trials begin on both nodes" until_true both_began
touch data/go
ends "data that is missing where the search was started"
is "all trials complete on the other node" "40 completed" "$(states own)"
claim "its own worker is not started again and again" test "$(grep -c 'refuses this worker' own/logs/worker-1.log)" -le 10

rm -f data/*
experiment everywhere 40 "command: [$SCRATCH/train.sh, $SCRATCH/data, '\${params.lr}']"
begin everywhere
join everywhere
claim "trials begin on both nodes" until_true both_began
touch data/go
ends "data that is missing everywhere"
matches "the search ends by what fails alike" "trials in a row ended with: the data file .* is not there" "$(gannet explain everywhere)"
is "no trial completes" "" "$(states everywhere | grep completed)"
is "and no node is set aside" "" "$(gannet explain everywhere b | grep 'set aside')"

# --- a kernel whose file is there on one node alone ---

if unshare -rm true 2>/dev/null; then
    cp "$SOURCE/examples/data/digits.csv" data/
    mkdir empty
    experiment kernel 100000 "kernel: logreg, options: {data: $SCRATCH/data/digits.csv, epochs: 1}"
    begin kernel
    join kernel unshare -rm sh -c 'mount --bind "$0/empty" "$0/data" && exec "$@"' "$SCRATCH"
    claim "a node where a kernel's file is missing is set aside" until_true aside kernel
    matches "with the file's name" "other nodes are fine: .*digits.csv" "$(gannet explain kernel b)"
    gannet stop kernel >/dev/null 2>&1
    ends "a kernel's search"
    is "none of its trials failed" "" "$(states kernel | grep failed)"
else
    skip "a kernel's file that is missing on one node" "this user can't have mounts of its own (unshare -rm)"
fi
finish
