#!/bin/bash
# a loop of one's own reports values on the way and is told to prune, the same whether it is one process or many, and replayed
. "$(dirname "$0")/lib.sh"
scratch

# experiment NAME STOPPER STRATEGY
experiment() {
    cat >"$1.yaml" <<END
version: 1
name: $1
seed: 5
trial: {command: "true", checkpoint: ${4:-false}}
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
  y: {min: 0.0, max: 1.0}
strategy: $3
early_stop: $2
limits: {max_trials: 12}
END
}

# requests: twelve trials, three steps each, the fifth reported twice and the last ones as bad as can be.
requests() {
    for trial in $(seq 12); do
        echo '{"ask": true}'
        for step in 1 2 3; do
            value=$(((trial * 7) % 12)).$step
            [ "$trial" -ne 11 ] || value='"nan"'
            echo "{\"report\": {\"trial\": $trial, \"step\": $step, \"value\": $value}}"
        done
        case $trial in
        [369]) echo "{\"tell\": {\"trial\": $trial, \"pruned\": true}}" ;;
        *) echo "{\"tell\": {\"trial\": $trial, \"value\": $(((trial * 7) % 12))}}" ;;
        esac
    done
}
requests >requests

# one_by_one NAME: each request by a process of its own.
one_by_one() {
    while read -r line; do
        echo "$line" | gannet ask "$1.yaml" --dir "$1-many" --serve || return 1
    done <requests
}

decisions() { gannet show "$1" "$2" --json | tr -d '\n ' | grep -o '"decisions":\[.*\]' ; }

for stopper in median asha hyperband; do
    case $stopper in
    median) experiment median "{name: median, min_steps: 1}" tpe ;;
    asha) experiment asha "{name: asha, min_steps: 1, max_steps: 3, eta: 3}" gp ;;
    hyperband) experiment hyperband "{name: hyperband, min_steps: 1, max_steps: 3, eta: 3}" random true ;;
    esac
    gannet ask $stopper.yaml --dir $stopper-one --serve <requests >one
    one_by_one $stopper >many
    is "$stopper: every request is answered" "$(wc -l <requests)" "$(wc -l <one)"
    is "$stopper: with no error" "" "$(grep '"error"' one)"
    matches "$stopper: some are to be pruned" '"prune": ?true, ?"why": ?"[^"]' "$(cat one)"
    matches "$stopper: and some are not" '"prune": ?false' "$(cat one)"
    is "$stopper: many processes hear the same" "$(cat one)" "$(cat many)"
    for way in one many; do
        claim "$stopper, $way: every proposal can be made anew" gannet replay $stopper-$way
        is "$stopper, $way: what was given up was stopped" 3 "$(gannet trials $stopper-$way --csv --columns state | grep -c stopped)"
        claim "$stopper, $way: the store is in order" gannet status $stopper-$way
    done
done
matches "a trial that was given up is worth what it came to" '^3,stopped,9.3' "$(gannet trials median-one --csv --columns trial,state,value)"
matches "and its reports are its curve" '"step": *3' "$(gannet show median-one 3 --json)"
experiment none null random
sed -i '/early_stop/d' none.yaml
mistakes='{"ask": true}
{"report": {"trial": 1, "step": 0, "value": 1}}
{"report": {"trial": 1, "step": 1}}
{"report": {"trial": 1, "step": 1, "values": {"acc": 1}}}
{"report": {"trial": 2, "step": 1, "value": 1}}
{"report": {"trial": 1, "step": 1, "value": 1}}
{"tell": {"trial": 1, "pruned": true}}
{"report": {"trial": 1, "step": 2, "value": 1}}'
said=$(gannet ask none.yaml --dir none --serve <<<"$mistakes")
matches "a step is one" 'a step is a whole number from 1 on' "$(sed -n 2p <<<"$said")"
matches "a report has a value" 'a report has a value' "$(sed -n 3p <<<"$said")"
matches "of a metric that there is" "no metric 'acc'" "$(sed -n 4p <<<"$said")"
matches "and a trial that there is" 'there is no trial 2' "$(sed -n 5p <<<"$said")"
matches "without early stopping nothing is pruned" '"prune": ?false' "$(sed -n 6p <<<"$said")"
matches "but a person may" '"told": ?1' "$(sed -n 7p <<<"$said")"
matches "what has ended is reported no more" 'trial 1 has ended already' "$(sed -n 8p <<<"$said")"
finish
