#!/bin/bash
# a search starts from what earlier experiments found, and needs them no more once it is made
. "$(dirname "$0")/lib.sh"
needs sqlite3
scratch

file() { # file NAME METRIC PARAMETERS [MORE]
    printf '%s\n' 'version: 1' 'trial: {command: ["true"]}' "metric: {name: $2, goal: minimize}" "parameters: $3" \
        'strategy: random' 'limits: {max_trials: 20}' 'seed: 3' "$4" >"$1.yaml"
}

file first loss '{x: {min: 0.0, max: 1.0}, c: [a, b, z]}'
printf '{"ask": 6}\n' | gannet ask first.yaml --serve >/dev/null
for trial in 1 2 3 4 5; do gannet tell first "$trial" --value "0.$trial"; done
gannet tell first 6 --failed diverged
in_b=$(gannet trials first --json | grep -c '"c": "[ab]"')

file second loss '{x: {min: 0.0, max: 0.5}, c: [a, b], y: {min: 1, max: 9, default: 4}}' 'start_from: [first]'
gannet check second.yaml >checked.txt 2>&1
is "check says how many trials of which experiment are used" 1 "$(grep -c "^#   $in_b trials\? of $PWD/runs/first" checked.txt)"
matches "it warns that random search passes them over" "warning: the strategy 'random' learns nothing from earlier experiments" \
    "$(cat checked.txt)"
for strategy in gp auto tpe forest cmaes evolution; do
    is "$strategy does not" 0 "$(gannet check second.yaml --set strategy=$strategy 2>&1 | grep -c 'learns nothing')"
done
best=$(gannet trials first --json | tr -d '\n' | grep -o '"params": *{[^}]*}' | head -1)
gannet ask first.yaml --dir again --set strategy=tpe --set start_from=[first] >/dev/null
is "tpe tries the best point of the earlier experiment first" "$best" \
    "$(gannet trials again --json | tr -d '\n' | grep -o '"params": *{[^}]*}' | head -1)"
for strategy in gp tpe auto; do
    gannet ask second.yaml --dir tried-$strategy --set strategy=$strategy -n 3 --json | grep -o '"params": {[^}]*}' >asked.txt
    is "what check shows of $strategy is what is proposed with that history" "$(cat asked.txt)" \
        "$(gannet check second.yaml --set strategy=$strategy --json 2>/dev/null | grep -o '"params": {[^}]*}' | head -3)"
done
claim "the search starts" gannet ask second.yaml
store=runs/second/gannet.db
is "their trials are in its own store" "$in_b" "$(sqlite3 -readonly $store 'SELECT count(*) FROM earlier')"
is "what lies outside has moved to the end, what was missing takes its default" "0.5 4" \
    "$(sqlite3 -readonly $store "SELECT max(json_extract(params, '\$.x')) || ' ' || max(json_extract(params, '\$.y')) FROM earlier")"
is "a failed trial has no loss" "$(gannet trials first --json | grep '"c": "[ab]"' | grep -c diverged)" \
    "$(sqlite3 -readonly $store 'SELECT count(*) FROM earlier WHERE loss IS NULL')"

file best loss '{x: {min: 0.0, max: 1.0}, c: [a, b, z]}' 'start_from: [{experiment: runs/first, trials: best 2}]'
claim "only the best may be asked for" gannet ask best.yaml
is "these are the two best" "0.1,0.2" "$(sqlite3 -readonly runs/best/gannet.db 'SELECT group_concat(loss) FROM earlier')"

rm -r runs/first
claim "a search goes on without the earlier experiment" gannet ask second
claim "and is replayed without it" gannet replay second
refuse "an experiment that is not there is an error" 2 "start_from: there is no experiment 'frist'" \
    gannet ask best.yaml --dir other --set start_from=[frist]
file fourth loss '{x: {min: 0.0, max: 1.0}}' 'start_from: [frist]'
refuse "check points at its place" 2 "^fourth.yaml:8:1: error: start_from: there is no experiment 'frist'" gannet check fourth.yaml
claim "and tells programs" sh -c 'gannet check fourth.yaml --json 2>err | grep -q "\"code\": \"no_earlier\"" && [ ! -s err ]'
file third accuracy '{x: {min: 0.0, max: 1.0}}' 'start_from: [second]'
refuse "so is one with another objective" 2 "its objective, 'loss' to minimize, is not that" gannet ask third.yaml
finish
