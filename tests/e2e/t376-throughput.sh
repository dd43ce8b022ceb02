#!/bin/bash
# a search tunes how fast a trial trains: threads and settings are parameters, and examples a second a metric
. "$(dirname "$0")/lib.sh"
scratch
needs sqlite3

cat >speed.yaml <<'YAML'
version: 1
name: speed
trial: {kernel: logreg, options: {data: "generate:shapes", epochs: 2}}
metric: {name: samples_per_second, goal: maximize}
parameters: {batch: [16, 64], threads: [1, 2]}
resources: {cpus: 1}
strategy: grid
limits: {max_trials: 4, max_failures: 4}
YAML
claim "a search for speed runs" gannet run speed.yaml --dir r --quiet
rows() { sqlite3 "$1/gannet.db" "$2"; }
is "trials within their slot have a speed" 2 "$(rows r "SELECT count(*) FROM v_trials WHERE state = 'completed' AND value > 0")"
is "those with more threads than it has are refused" 2 \
    "$(rows r "SELECT count(*) FROM v_trials WHERE reason = 'bad_config' AND detail LIKE 'threads is 2, and the slot has 1%'")"
sed -e 's/samples_per_second, goal: maximize/val_loss, goal: minimize/; s/\[1, 2\]/[1]/; s/name: speed/name: loss/' speed.yaml >loss.yaml
claim "a search for something else runs" gannet run loss.yaml --dir l --quiet
is "and records no speed, which would differ from run to run" 0 "$(rows l "SELECT count(*) FROM v_metrics WHERE metric LIKE 'samples%'")"

cat >program.yaml <<'YAML'
version: 1
name: own
trial:
  command: 'echo "rate=$OMP_NUM_THREADS"; echo "$KMP_BLOCKTIME $KMP_AFFINITY" >settings'
  workdir: "."
  env: {OMP_NUM_THREADS: "${params.threads}", KMP_BLOCKTIME: "${params.blocktime}", KMP_AFFINITY: "granularity=fine,${params.affinity}"}
metric: {name: rate, goal: maximize}
parameters: {threads: [3], blocktime: [7], affinity: [compact]}
strategy: grid
limits: {max_trials: 1}
YAML
claim "settings of a program's threads are parameters" gannet run program.yaml --dir p --quiet
is "the number of threads wins over the slot's" 3.0 "$(rows p 'SELECT value FROM v_trials')"
is "and others arrive" "7 granularity=fine,compact" "$(cat settings)"
finish
