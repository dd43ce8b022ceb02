#!/bin/bash
# trials that train together: the losses that they have alone, early stopping, deaths of their trainer and worker, and
# files that can't mean it
. "$(dirname "$0")/lib.sh"
scratch

cat >fuse.yaml <<YAML
version: 1
seed: 3
trial:
  kernel: mlp
  options: {data: $EXAMPLES/data/digits.csv, width: 16, epochs: 6}
  retries: 2
parameters:
  lr: {min: 0.001, max: 0.3, log: true}
  momentum: {min: 0.0, max: 0.95}
  dropout: {min: 0.01, max: 0.5}
metric: {name: val_loss, goal: minimize}
strategy: random
limits: {max_trials: 24}
resources: {fuse: 8}
YAML
# losses DIRECTORY: each trial's, by its number
losses() { gannet trials "$1" --csv --columns trial,val_loss --sort trial | tail -n +2; }
completed() { gannet trials "$1" --csv --columns state | grep -c completed; }

claim "a search whose trials train together" gannet run fuse.yaml
is "all of its trials end" 24 "$(completed fuse)"
matches "a slot says that it has company" 'slot 0: .*with 7 others' "$(cat runs/fuse/logs/worker-*.log)"
claim "the same search with slots of their own" gannet run fuse.yaml --dir alone --set resources.fuse=1
is "has the same losses to a hundredth" 24 "$(paste -d, <(losses fuse) <(losses alone) |
    awk -F, '$1 == $3 && ($2 - $4) ^ 2 <= (0.01 * $4) ^ 2' | wc -l)"

claim "with asha trials pause, and go on from their checkpoints" gannet run fuse.yaml --dir asha \
    --set 'early_stop={name: asha, min_steps: 1, max_steps: 6, eta: 3}' --set limits.max_trials=40
is "none of them fails" 0 "$(gannet trials asha --csv --columns state | grep -c failed)"
claim "some of them reach the end" [ "$(completed asha)" -ge 1 ]
matches "others were stopped on their way" 'stopped|paused' "$(gannet trials asha --csv --columns state)"

# offspring PID NAME: those of its descendants that run this program
offspring() {
    local child
    for child in $(pgrep -P "$1"); do
        [ "$(cat "/proc/$child/comm" 2>/dev/null)" = "$2" ] && echo "$child"
        offspring "$child" "$2"
    done
}
# all_report DIRECTORY: whether each of its eight trials has reported
all_report() { [ "$(losses "$1" 2>/dev/null | grep -c ',[0-9-]')" -eq 8 ]; }
lost_attempts() { gannet trials "$1" --csv --columns trial,attempts | awk -F, 'NR > 1 && $2 + 0 > 1 { print $1 }'; }
# kill_one DIRECTORY NAME: a long search, of which this program is killed in the midst of trials. On a busy machine the search may be over
# before that is seen and done: then a longer one is taken.
kill_one() {
    local epochs=400 search victim status
    while :; do
        rm -rf "$1"
        gannet run fuse.yaml --dir "$1" --set trial.options.epochs=$epochs --set limits.max_trials=8 >"$1.out" 2>&1 &
        search=$!
        while kill -0 $search 2>/dev/null && ! all_report "$1"; do sleep 0.1; done
        victim=$(offspring $search "$2" | head -n 1)
        [ -n "$victim" ] && kill -9 "$victim"
        wait $search
        status=$?
        [ $epochs -ge 100000 ] || [ -n "$(lost_attempts "$1")" ] && return $status
        epochs=$((epochs * 4))
    done
}
claim "a search whose trainer is killed goes on" kill_one trainer gannet-trainer
is "and comes to its end" 8 "$(completed trainer)"
matches "an attempt of each of its trials is lost, and says so" 'trained together end with it' "$(gannet show trainer "$(lost_attempts trainer | head -n 1)")"
claim "a search whose worker is killed goes on" kill_one worker gannet-worker
is "and comes to its end, too" 8 "$(completed worker)"

sed 's/  kernel: mlp/  command: "echo val_loss=${lr} ${momentum} ${dropout}"/; /options:/d' fuse.yaml >command.yaml
refuse "a command can't train with others" 2 "command.yaml:[0-9]+:13: error: 'resources.fuse' and a command exclude" gannet check command.yaml
sed 's/fuse: 8/fuse: 8, cpus: 2/' fuse.yaml >cpus.yaml
refuse "they have one core" 2 "cpus.yaml:[0-9]+:13: error: 'resources.fuse' and more than one of 'resources.cpus'" gannet check cpus.yaml
sed 's/kernel: mlp/kernel: cnn/; s/, width: 16//; /momentum: {/d' fuse.yaml >cnn.yaml
refuse "a kernel that can't says which can" 2 "cnn.yaml:[0-9]+:19: error: trials of the kernel 'cnn' can't train together" gannet check cnn.yaml
claim "nothing is left running" none_left
finish
