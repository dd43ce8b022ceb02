#!/bin/bash
# a choice may have lists as values: programs get them as JSON, and every command shows them so
. "$(dirname "$0")/lib.sh"
scratch
cat >lists.yaml <<'YAML'
version: 1
seed: 3
trial: {command: "cat $GANNET_PARAMS_FILE; echo ; echo ${args}; echo variable $GANNET_PARAM_hidden; echo loss=0.${trial.id}"}
metric: {name: loss, goal: minimize}
parameters:
  hidden: [[64, 64], [128], []]
  betas: {values: [[0.9, 0.999], [0.5, 0.99]], default: [0.9, 0.999]}
  deep: {min: 1, max: 9, when: {hidden: [[64, 64]]}}
strategy: random
start: [{hidden: [64, 64], deep: 2}, {hidden: [128]}]
limits: {max_trials: 8}
YAML
cat >odd.yaml <<'YAML'
version: 1
trial: {command: [sh, -c, 'printf "[%s]" "$@"; echo; echo loss=1', sh, "${args}"]}
metric: {name: loss, goal: minimize}
parameters:
  hidden: {values: [[64, 64]]}
  odd: {values: ["it's \"$HOME\"  *"]}
strategy: random
limits: {max_trials: 1}
YAML
claim "a search with lists runs" gannet run lists.yaml --dir r
first=$(cat r/trials/000001/stdout)
matches "the program's file has them as JSON" '^\{"hidden": \[64, 64\], "betas": \[0\.9, 0\.999\], "deep": 2\}' "$first"
matches "its arguments, too" '^--hidden=\[64, 64\] --betas=\[0\.9, 0\.999\] --deep=2$' "$first"
matches "and its variables" '^variable \[64, 64\]$' "$first"
matches "what hangs on a list is left out with another one" '^\{"hidden": \[128\], "betas": \[0\.9, 0\.999\]\}' "$(cat r/trials/000002/stdout)"
is "CSV has them as JSON" '"[64, 64]"' "$(gannet trials r --csv --columns hidden | sed -n 2p | tr -d '\r')"
matches "so has the table" '\[64, *64\]' "$(gannet trials r)"
matches "and what programs read" '"hidden": *\[ *64, *64 *\]' "$(gannet show r 1 --json | tr '\n' ' ' | tr -s ' ')"
is "best --as args is for xargs, whatever the values" "[--hidden=[64, 64]][--odd=it's \"\$HOME\"  *]" \
    "$(gannet run odd.yaml --dir odd >/dev/null 2>&1; gannet best odd --as args | xargs printf '[%s]')"
is "which is what the trial was given" "$(head -n 1 odd/trials/000001/stdout)" "$(gannet best odd --as args | xargs printf '[%s]')"
claim "proposals come again" gannet replay r
claim "importance can be told" gannet importance r
sed 's/^start: .*/start_from: [r]/; s/max_trials: 8/max_trials: 3/' lists.yaml >later.yaml
claim "a later search learns from them" gannet run later.yaml --dir later
gannet ask lists.yaml --dir asked >asked.out 2>&1
matches "they can be asked for" '^1 --hidden=\[64, 64\]|--hidden=' "$(cat asked.out)"
sed 's/\[128\], \[\]\]/{a: 1}]/' lists.yaml >map.yaml
refuse "a map is no value" 2 "a map can't be a value" gannet check map.yaml
finish
