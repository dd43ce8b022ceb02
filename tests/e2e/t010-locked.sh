#!/bin/bash
# a store that readers can't open (network filesystem) is read through its living coordinator, and directly afterwards
. "$(dirname "$0")/lib.sh"
scratch
export GANNET_STORE_LOCKING=exclusive

cat >slow.yaml <<'YAML'
version: 1
seed: 3
trial: {kernel: synth, options: {function: sphere, seconds: 0.05}}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -1.0, max: 1.0}
strategy: random
limits: {max_trials: 2000}
YAML
some_done() { gannet trials --state completed 2>/dev/null | grep -q completed; }

gannet run slow.yaml >out 2>err &
pid=$!
claim "trials are read while it lives" until_true some_done
claim "the store itself is locked" sh -c '! sqlite3 runs/slow/gannet.db "select 1 from trials" 2>/dev/null || ! command -v sqlite3 >/dev/null'
claim "status" sh -c 'gannet status | grep -q "^state: running"'
claim "best" gannet best
claim "best of several" sh -c '[ $(gannet best -n 2 --as args | wc -l) -ge 1 ]'
claim "show" sh -c 'gannet show 1 | grep -q "^Trial 1: completed"'
claim "logs" sh -c 'gannet logs 1 -n 1'
claim "csv" sh -c 'gannet trials --csv | grep -q "^1,completed"'
claim "ls" sh -c 'gannet ls | grep -q "^slow *running"'
refuse "what is not there is not found there either" 5 "has no trial 1999" gannet show 1999
claim "it is stopped" gannet stop --now
wait $pid
is "and ends as one that was stopped" 4 $?
claim "the end is shown from the store" grep -q '^Best  value' out
claim "status reads it directly then" sh -c 'gannet status | grep -q "^state: ended: it was stopped"'
claim "nothing is left running" none_left
finish
