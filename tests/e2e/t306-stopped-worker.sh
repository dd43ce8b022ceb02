#!/bin/bash
# a worker that is stopped is killed and replaced, and the trial that stopped it counts as lost
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch

# The second trial stops its worker, once; its first process is the trial's own, whose parent is the worker.
cat >stopping.yaml <<'YAML'
version: 1
seed: 1
trial:
  command: |
    : ${args}
    [ "$GANNET_TRIAL" != 2 ] || [ -e stopped ] || { touch stopped; kill -STOP $PPID; sleep 1000; }
    echo loss=1
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
strategy: random
resources: {cpus: 1}
limits: {max_trials: 4, max_concurrent: 1}
YAML
gannet run stopping.yaml >out 2>err &
run=$!
claim "a trial stops its worker" until_true [ -e stopping/stopped -o -e stopped ]
worker=$(pid_of worker)
wait $run
is "the search comes to its end" 0 $?
is "with every trial" 4 "$(ended_count stopping)"
is "the one that stopped it in its second attempt" 2 "$(gannet trials stopping --csv --columns trial,attempts | tr -d '\r' | sed -n 's/^2,//p')"
claim "because its worker was lost" sh -c "gannet show stopping/2 --json | grep -q '\"lost\"'"
claim "the stopped worker is gone" sh -c "! kill -0 $worker"
claim "nothing is left" none_left
finish
