#!/bin/bash
# of a metric that says so, what is printed as 97.5% is 0.975, also with limits and a target; of others it is 97.5
. "$(dirname "$0")/lib.sh"
scratch
cat >percent.yaml <<'YAML'
version: 1
trial: {command: "echo 'acc 25% recall: 75%' ${args}"}
metric:
  - {name: acc, goal: maximize, percent: true}
  - {name: recall, min: 0.5, percent: true}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
limits: {max_trials: 1}
YAML
claim "a search whose metrics are printed with percent signs runs" gannet run percent.yaml
is "they are parts of one" "0.25,0.75" "$(gannet trials percent --csv --columns metric.acc,metric.recall | tail -n 1 | tr -d '\r')"
matches "the frozen experiment keeps that" 'percent: true' "$(cat runs/percent/experiment.yaml)"
sed -i 's/, percent: true//' percent.yaml
claim "and without a word about it" gannet run percent.yaml --dir plain
is "they are what is printed" "25.0,75.0" "$(gannet trials plain --csv --columns metric.acc,metric.recall | tail -n 1 | tr -d '\r')"
finish
