#!/bin/bash
# a kernel on two nodes with a bad network between them: lost packets and short partitions cost time alone, a broken connection a new attempt
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
. "$(dirname "$0")/record.sh"
. "$(dirname "$0")/net.sh"
scratch
net_begin

# begin NAME EPOCHS: a search with a worker on each side of the wire.
begin() {
    cat >"$1.yaml" <<YAML
version: 1
trial: {kernel: mlp, options: {data: $SOURCE/examples/data/digits.csv, epochs: $2, batch: 100}, grace: 5s, retries: 0}
metric: {name: val_loss, goal: minimize}
parameters: {lr: {min: 0.01, max: 0.2, log: true}}
resources: {nodes: 2, cpus: 1, bind: none}
limits: {max_concurrent: 1, max_trials: 1}
YAML
    in_a gannet run "$1.yaml" --dir "$1" --quiet --share --listen 'tcp://10.9.0.1:*' >"$1.out" 2>&1 &
    search=$!
    until_true [ -f "$1/coordinator.json" ]
    in_b gannet-worker --rundir "$1" --shared >>"$1.log" 2>&1 &
    claim "$1: it trains on both" until_true trains "$1"
}
trial_of() { gannet trials "$1" --csv --columns "$2" 2>/dev/null | tr -d '\r"' | sed 1d; }
steps_of() { trial_of "$1" step | tr -dc 0-9; }
trains() { [ "$(steps_of "$1")" -gt 1 ]; } 2>/dev/null
# completes NAME ATTEMPTS
completes() {
    wait "$search"
    is "$1: the trial completes" "completed $2" "$(trial_of "$1" state) $(trial_of "$1" attempts)"
}

# Each sum takes some milliseconds, so that what happens to the network happens while they train.
wire delay 2 0
begin loss 5
wire loss 10 10
completes loss 1
wire loss 0 0

begin partition 30
wire loss 100 100
sleep 5
wire loss 0 0
completes partition 1

begin deaf 30
wire loss 100 0
sleep 5
wire loss 0 0
completes deaf 1

begin reset 30
wire reset 300
wait "$search"
is "a broken connection costs no retry" completed "$(trial_of reset state)"
matches "and is a loss" "lost" "$(gannet show reset 1)"
net_close
finish
