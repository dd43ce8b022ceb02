#!/bin/bash
# a kernel in a slot of two cores trains with two threads, the same bits each time, whatever OpenMP is told elsewhere
. "$(dirname "$0")/lib.sh"
scratch
[ "$(env -u OMP_NUM_THREADS nproc)" -ge 2 ] || skip_all "two threads need two cores"
unset OMP_NUM_THREADS OMP_WAIT_POLICY GOMP_SPINCOUNT

# experiment NAME CPUS EPOCHS [TRIALS]
experiment() {
    cat >"$1.yaml" <<YAML
version: 1
trial: {kernel: mlp, options: {data: $SOURCE/examples/data/digits.csv, epochs: $3, batch: 256, width: 1024, dropout: 0.2}}
metric: {name: val_loss, goal: minimize}
parameters: {lr: {min: 0.01, max: 0.1, log: true}}
strategy: random
seed: 7
resources: {cpus: $2}
limits: {max_trials: ${4:-2}}
YAML
}
values() { gannet trials "$1" --csv --columns value | tr -d '\r' | sed 1d; }
trainer() { left | sed -n 's/^\([0-9]*\) [^ ]*gannet-trainer.*/\1/p' | head -n 1; }

# --- who works ---

# busy THREADS: so many threads of the trainer have had a fifth of a second of a processor each.
busy() {
    busy_pid=$(trainer) && [ -n "$busy_pid" ] &&
        [ "$(cat /proc/"$busy_pid"/task/*/stat 2>/dev/null | sed 's/.*) //' | awk '$12 + $13 >= 20' | wc -l)" -ge "$1" ]
}
environment() { tr '\0' '\n' <"/proc/$(trainer)/environ" | grep -xE "$1" | xargs; }
experiment long 2 1000000 1
gannet run long.yaml --dir long --quiet >long.out 2>&1 &
run=$!
claim "two threads of the trainer work" until_true busy 2
matches "and wait for each other in a way that leaves a shared core to others" "OMP_NUM_THREADS=2.*GOMP_SPINCOUNT=1000" \
    "$(environment 'OMP_NUM_THREADS=.*|GOMP_SPINCOUNT=.*' | tr ' ' '\n' | sort -r | xargs)"
kill -TERM $run
wait $run
OMP_WAIT_POLICY=active gannet run long.yaml --dir active --quiet >active.out 2>&1 &
run=$!
claim "where a person says how they wait" until_true busy 2
is "that holds" "OMP_WAIT_POLICY=active" "$(environment 'OMP_WAIT_POLICY=.*|GOMP_SPINCOUNT=.*')"
kill -TERM $run
wait $run

# --- what comes of it ---

alike() { # of other numbers of threads: the same to rounding
    paste -d' ' "$1" "$2" | awk '{ d = ($1 - $2) / $1; if (d < -1e-3 || d > 1e-3) exit 1 } END { exit NR != 2 }'
}
for name in one two again dynamic limited; do
    experiment "$name" 2 3
done
experiment one 1 3
claim "trials train with one thread" gannet run one.yaml --dir one --quiet
claim "and with two" gannet run two.yaml --dir two --quiet
claim "and once more" gannet run again.yaml --dir again --quiet
claim "where threads come and go by the load" env OMP_DYNAMIC=true gannet run dynamic.yaml --dir dynamic --quiet
claim "and where fewer are allowed" env OMP_THREAD_LIMIT=1 gannet run limited.yaml --dir limited --quiet
for name in one two again dynamic limited; do values "$name" >"$name.values"; done
claim "two threads come to the losses of one" alike one.values two.values
is "the same bits each time" "$(cat two.values)" "$(cat again.values)"
is "and where they would come and go" "$(cat two.values)" "$(cat dynamic.values)"
claim "fewer than a slot has cores leave no work undone" alike one.values limited.values
by_hand() {
    gannet-trainer --run logreg --options "{\"data\": \"$SOURCE/examples/data/digits.csv\"}" --params '{"epochs": 3}' --threads 2 --json |
        grep -o '"val_loss":[0-9.]*'
}
is "by hand, too" "$(by_hand)" "$(OMP_DYNAMIC=true OMP_MAX_ACTIVE_LEVELS=0 by_hand)"
claim "nothing is left" none_left
finish
