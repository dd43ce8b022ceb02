#!/bin/bash
# a search may weigh trials by their joules, and by time where no worker measures them, which it says
. "$(dirname "$0")/lib.sh"
scratch
needs sqlite3
cat >work.yaml <<'YAML'
version: 1
name: work
trial: {command: [echo, "value=${params.x0}", "${params.x1}"]}
metric: {name: value, goal: minimize}
parameters: {x0: {min: 0.0, max: 1.0}, x1: {min: 0.0, max: 1.0}}
strategy: {name: gp, options: {cost: energy, startup_trials: 2}}
limits: {max_trials: 8}
YAML
claim "cost: energy is an option" gannet check work.yaml
claim "a search with it runs" gannet run work.yaml --dir run
said=$(cat "$lib_output")
is "all trials end" 8 "$(sqlite3 run/gannet.db 'SELECT count(*) FROM trials WHERE ending IS NOT NULL')"
# Of trials of some milliseconds no machine knows the joules.
is "what is not known is not 0" 0 "$(sqlite3 run/gannet.db 'SELECT count(energy) FROM trials')"
matches "the end says what weighs them" 'cost: energy weighs trials by time, since joules are known of 0 of 8' "$said"
matches "so does explain" 'cost: energy weighs trials by time' "$(gannet explain run)"
sqlite3 run/gannet.db 'UPDATE trials SET energy = 5 + trial'
is "a search whose trials have joules has nothing to say" 0 "$(gannet explain run | grep -c 'weighs trials by time')"
claim "it goes on with what is known of them" gannet run work.yaml --dir run --resume --set limits.max_trials=12
is "to its end" 12 "$(sqlite3 run/gannet.db 'SELECT count(*) FROM trials WHERE ending IS NOT NULL')"
finish
