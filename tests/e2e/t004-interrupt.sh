#!/bin/bash
# Ctrl-C once lets running trials finish, twice stops them, three times kills; nothing recorded is lost
. "$(dirname "$0")/lib.sh"
scratch

cat >slow.yaml <<'YAML'
version: 1
seed: 3
trial: {kernel: synth, options: {function: sphere, steps: 10, seconds: 0.1}}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -1.0, max: 1.0}
strategy: random
limits: {max_trials: 500}
YAML
running() { [ "$(gannet status "$1" --json 2>/dev/null | grep -c '"running": [1-9]')" -gt 0 ]; }
some_done() { [ "$(gannet trials "$1" --state completed 2>/dev/null | wc -l)" -gt 1 ]; }

gannet run slow.yaml --dir once >out 2>err &
pid=$!
claim "trials run" until_true some_done once
kill -INT $pid
claim "it says what it does now" until_true grep -q 'finishing .*; Ctrl-C again to stop' err
wait $pid
is "interrupted once it ends with status 130" 130 $?
is "no trial is left unfinished" 0 "$(gannet trials once --csv | grep -c ',running,')"
is "none was cancelled or lost" 0 "$(gannet trials once --csv | grep -Ec ',(cancelled|failed),')"
claim "the end says how to go on" grep -q 'gannet run once --resume' out
claim "nothing is left running" none_left

gannet run slow.yaml --dir twice >out 2>err &
pid=$!
claim "trials run again" until_true some_done twice
kill -INT $pid
claim "it drains" until_true grep -q 'Ctrl-C again to stop' err
kill -INT $pid
wait $pid
is "interrupted twice it ends with status 130" 130 $?
is "running trials wait again" 0 "$(gannet trials twice --csv | grep -Ec ',(running|cancelled|failed),')"
done_before=$(gannet trials twice --csv | grep -c ',completed,')
claim "nothing is left running then" none_left
claim "what ran is remembered as interrupted" sh -c "gannet logs twice --events | grep -q 'it was interrupted and waits'"

gannet run slow.yaml --dir thrice >out 2>err &
pid=$!
claim "trials run once more" until_true running thrice
kill -INT $pid
kill -INT $pid
sleep 0.2
kill -INT $pid
wait $pid
is "interrupted three times it ends with status 130" 130 $?
claim "and nothing is left running" none_left

for dir in once twice thrice; do
    most=$(($(gannet trials $dir --csv | grep -c ',completed,') + 6)) # two and four that are new
    claim "$dir goes on" gannet run $dir --resume --set limits.max_trials=$most
    is "$dir has every trial, completed" $most "$(gannet trials $dir --csv | grep -c ',completed,')"
done
claim "what was done before was not done again" \
    test "$done_before" -le "$(gannet trials twice --csv --columns state,attempts | grep -c '^completed,1')"

gannet run slow.yaml --dir term >out 2>err &
pid=$!
claim "trials run for the last time" until_true running term
kill -TERM $pid
wait $pid
is "SIGTERM stops it with status 130" 130 $?
claim "nothing is left running at the end" none_left
finish
