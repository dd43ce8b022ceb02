#!/bin/bash
# processes of a kernel on two nodes that are killed while the nodes meet, or while a checkpoint is written: the run ends as what it is, and nothing is lost
. "$(dirname "$0")/lib.sh"
scratch
case $GANNET_BUILD in */address* | */thread* | */undefined*) skip_all "a sanitizer wants to be preloaded first" ;; esac

# experiment NAME RESOURCES EPOCHS TRIALS [FURTHER KEYS]
experiment() {
    cat >"$1.yaml" <<YAML
version: 1
trial: {kernel: mlp, options: {data: $SOURCE/examples/data/digits.csv, epochs: $3, batch: 100}, grace: 5s, retries: 1}
metric: {name: val_loss, goal: minimize}
parameters: {lr: {min: 0.01, max: 0.2, log: true}}
strategy: random
seed: 7
resources: {$2, bind: none}
limits: {max_concurrent: 1, max_trials: $4}
${5:-}
YAML
}
# begin NAME [POINT [POINT]]: its search, with a worker of its own and one that says that it is on node b, in `other`. Where a
# POINT is given (tests/preload/failpoints.c) the first trainer of the one, or of the other, that comes there is killed.
begin() {
    rm -rf points && mkdir -p points/here points/b
    [ -z "$2" ] || echo "$2" >points/here/gannet-trainer.any
    [ -z "$3" ] || echo "$3" >points/b/gannet-trainer.any
    GANNET_TEST_POINTS=$PWD/points/here LD_PRELOAD=$GANNET_BUILD/tests/failpoints.so \
        gannet run "$1.yaml" --dir "$1" --quiet --share --listen 'tcp://127.0.0.1:*' >"$1.out" 2>&1 &
    search=$!
    until_true [ -f "$1/coordinator.json" ]
    [ -n "$4" ] || join "$1"
}
# join NAME [ARGUMENT...]: the worker on node b.
join() {
    local name=$1
    shift
    GANNET_TEST_POINTS=$PWD/points/b LD_PRELOAD=$GANNET_BUILD/tests/failpoints.so \
        gannet-worker --rundir "$name" --node b --shared "$@" >>"worker-$name-b.log" 2>&1 &
    other=$!
}
ends() {
    wait "$search"
    claim "$1: nothing is left" none_left
}
trial_of() { gannet trials "$1" --csv --columns "$2" | tr -d '\r"' | sed 1d; }
alike() { # alike NAME NAME: as many trials, with the same losses to rounding
    paste -d' ' <(trial_of "$1" value) <(trial_of "$2" value) |
        awk '{ d = ($1 - $2) / $1; if (NF != 2 || d < -1e-3 || d > 1e-3) exit 1 } END { exit NR < 2 }'
}
here_worker() { pgrep -P "$search" -f gannet-worker | head -n 1; }
trainer_of() { pgrep -P "$1" -x gannet-trainer | head -n 1; } # its first: rank 0

# --- while they meet ---

experiment alone "nodes: 2, cpus: 1" 3 2
begin alone
ends "an undisturbed search"
number=0
for point in "here before accept" "here after accept" "b before connect" "b after connect"; do
    set -- $point
    name=meeting$((number += 1))
    cp alone.yaml "$name.yaml"
    # Whichever node is the first: that one listens, the others connect. Both have the point, and one comes to it.
    begin "$name" "$2 $3 1" "$2 $3 1"
    ends "$name"
    claim "killed $2 it can $3: one was" test -s points/here/fired -o -s points/b/fired
    is "killed $2 it can $3: the trials complete" "completed completed" "$(trial_of "$name" state | xargs)"
    matches "killed $2 it can $3: the first attempt is known to be killed" "SIGKILL" "$(gannet show "$name" 1)"
    claim "killed $2 it can $3: to the losses of one that was not" alike alone "$name"
done

# A rank that is killed while its first one waits for the other node, whose trainer comes late.
cat >late.sh <<'SH'
#!/bin/sh
until [ -e "$0.go" ]; do sleep 0.05; done
exec gannet-trainer "$@"
SH
chmod +x late.sh
rank_waits() { [ -n "$(pgrep -P "$(trainer_of "$(here_worker)")" -x gannet-trainer)" ] && [ "$(trial_of rank state)" = running ]; }
tried_again() { [ "$(trial_of rank attempts)" = 2 ] || gannet explain rank 1 --json | grep -q crashed; }
if [ "$(env -u OMP_NUM_THREADS nproc)" -ge 2 ]; then
    experiment rank "nodes: 2, cpus: 2, ranks: 2" 3 1
    begin rank "" "" late
    join rank --trainer "$PWD/late.sh"
    claim "ranks wait for the other node" until_true rank_waits
    kill -KILL "$(pgrep -P "$(trainer_of "$(here_worker)")" -x gannet-trainer | head -n 1)"
    claim "one of them is killed: the run has crashed" until_true tried_again
    touch late.sh.go
    ends "a rank that is killed while the nodes meet"
    is "its trial completes at the second attempt" "completed 2" "$(trial_of rank state) $(trial_of rank attempts)"
    matches "the first one says which rank that was" "rank [0-3] of [24] was killed by signal 9" "$(gannet show rank 1)"
else
    skip "a rank that is killed while the nodes meet" "two ranks need two cores"
fi

# --- while a checkpoint is written ---

rungs="early_stop: {name: asha, min_steps: 1, max_steps: 9, eta: 3}"
experiment rungs "nodes: 2, cpus: 1" 9 6 "$rungs"
begin rungs
ends "an undisturbed search that pauses"
number=0
for point in "before make 1" "before rename 1" "after rename 1" "before rename 3"; do
    name=saving$((number += 1))
    cp rungs.yaml "$name.yaml"
    begin "$name" "$point" "$point"
    ends "$name"
    claim "killed $point of a checkpoint: one was" test -s points/here/fired -o -s points/b/fired
    is "killed $point of a checkpoint: no trial is lost" "$(trial_of rungs state | xargs)" "$(trial_of "$name" state | xargs)"
    is "killed $point of a checkpoint: they come as far" "$(trial_of rungs step | xargs)" "$(trial_of "$name" step | xargs)"
    claim "killed $point of a checkpoint: to the same losses" alike rungs "$name"
    is "killed $point of a checkpoint: no file is left half" "" "$(find "$name/trials" -name '*.new-*')"
done
finish
