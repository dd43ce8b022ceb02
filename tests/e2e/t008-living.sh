#!/bin/bash
# a living experiment can be looked at, trials cancelled, and the whole stopped
. "$(dirname "$0")/lib.sh"
scratch

cat >slow.yaml <<'YAML'
version: 1
seed: 3
trial: {kernel: synth, options: {function: sphere, steps: 1000, seconds: 0.1}}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -1.0, max: 1.0}
strategy: random
limits: {max_trials: 50, max_concurrent: 1}
YAML
running() { gannet status --json 2>/dev/null | grep -q '"running": 1'; }
state_is() { gannet trials --csv --columns trial,state | tr -d '\r' | grep -qx "$1,$2"; }

gannet run slow.yaml >out 2>err &
pid=$!
claim "a trial runs" until_true running
claim "status says so" sh -c 'gannet status | grep -q "^state: running"'
claim "with its workers" sh -c 'gannet status | grep -q "^node "'
is "for programs it lives" "true" "$(gannet status --json | sed -n 's/^ "lives": \(.*\),/\1/p')"
is "and they see what it has counted" 1 "$(gannet status --json | tr -d ' \n' | grep -c '"counters":{.*"commits":[1-9].*"hello":1,.*"turns":[1-9]')"
claim "ls shows it running" sh -c 'gannet ls | grep -Eq "^slow +running"'
refuse "it can't be resumed while it runs" 2 "runs" gannet run slow --resume
is "wait gives up after its timeout" 124 "$(gannet wait --timeout 100ms; echo $?)"

claim "a running trial is cancelled" gannet cancel slow/1
claim "and ends" until_true state_is 1 cancelled
claim "the next one runs" until_true running
refuse "a trial that is not there can't be cancelled" 5 "99" gannet cancel slow/99
refuse "one that has ended can't either" 5 "1" gannet cancel slow/1

gannet status --watch >watched 2>&1 &
watcher=$!
gannet logs --follow >followed 2>&1 &
follower=$!
claim "stop --now ends it" gannet stop --now
wait $pid
is "gannet run ends with the status of a stopped experiment" 4 $?
claim "the watcher ends with it" wait $watcher
claim "so does who follows the logs" wait $follower
claim "who watched has seen lines" grep -q 'done=' watched
claim "who followed has seen the end" grep -q 'coordinator: ' followed
is "wait has the same status" 4 "$(gannet wait; echo $?)"
is "nothing runs" 0 "$(gannet trials --csv | grep -c ',running,')"
claim "nothing is left running" none_left
finish
