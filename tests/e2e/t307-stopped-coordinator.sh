#!/bin/bash
# a coordinator that was itself stopped for a while takes nobody's silence amiss
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch

# Trials that are longer than the stop.
cat >long.yaml <<'YAML'
version: 1
seed: 1
trial: {command: ["sh", "-c", "touch begun; until [ -e go ]; do sleep 0.2; done; echo loss=1", "${args}"]}
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
strategy: random
resources: {cpus: 1}
limits: {max_trials: 2, max_concurrent: 2}
YAML
gannet run long.yaml --dir long >out 2>err &
run=$!
claim "a trial runs" until_true [ -e begun ]
coordinator=$(pid_of coordinator)
kill -STOP "$coordinator"
sleep 80
kill -CONT "$coordinator"
claim "it notices that it was stopped" until_true grep -q 'did not run for' long/logs/coordinator.log
touch go
wait $run
is "the search comes to its end" 0 $?
is "no worker was lost and no run done twice" "1 1" "$(gannet trials long --csv --columns attempts | tr -d '\r' | tail -n +2 | xargs)"
is "and the same coordinator saw it" "" "$(grep -i 'fell silent\|killed by' long/logs/coordinator.log err)"
finish
