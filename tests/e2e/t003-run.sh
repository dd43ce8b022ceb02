#!/bin/bash
# a search runs from its file to its result, and every command shows it afterwards
# valgrind
. "$(dirname "$0")/lib.sh"
scratch

cat >bowl.yaml <<'YAML'
version: 1
seed: 3
trial: {kernel: synth, options: {function: sphere, steps: 3}}
metric: {name: value, goal: minimize, step: step}
parameters:
  x1: {min: -1.0, max: 1.0}
  x2: {min: -1.0, max: 1.0}
strategy: random
limits: {max_trials: 20}
YAML
gannet run bowl.yaml >out 2>err
is "it ends well" 0 $?
claim "the result is on the standard output" grep -q '^Best  value ' out
claim "with the command that trains it again" grep -q '^  [^ ]*gannet-trainer --run synth' out
claim "with where the time went" grep -q '^Where the time went' out
claim "with how the trials ended" grep -q '^  20 completed' out
claim "with where everything is" grep -q '^Everything is in runs/bowl$' out
claim "progress is pairs of names and values on the standard error" grep -Eq '^[0-9-]+T[0-9:.]+Z done=' err
claim "the last line says all is done" sh -c 'tail -1 err | grep -q "done=20/20"'
claim "no cursor is moved in a file" sh -c '! grep -q "$(printf "\033\|\r")" out err'
claim "nothing is left running" none_left

best=$(sed -n 's/^Best  value .*(trial \([0-9]*\))/\1/p' out)
value=$(sed -n 's/^Best  value \([^ ]*\) .*/\1/p' out)
again=$(sed -n 's/^  \([^ ]*gannet-trainer --run .*\)/\1/p' out)
claim "the command trains the best trial again to the same value" sh -c "$again >again && grep -qF '$value' again"

refuse "the same run again is refused and --resume offered" 2 "\\-\\-resume" gannet run bowl.yaml
is "status says that it has ended" "state: ended: all trials of limits.max_trials have ended" \
    "$(gannet status | sed -n 's/^\(state: [^,]*\),.*/\1/p')"
is "trials lists them all" 20 "$(gannet trials bowl | grep -c completed)"
is "the best first" "$best" "$(gannet trials bowl --sort value -n 1 --columns trial | sed -n '2s/ //gp')"
is "best names it" "trial $best" "$(gannet best | sed 's/  .*//')"
is "best --as args is for other programs" "--x1= --x2=" \
    "$(gannet best --as args | sed 's/=[^ ]*/=/g')"
claim "best --as env sets variables" sh -c 'eval "$(gannet best --as env)"; [ -n "$GANNET_PARAM_x1" ]'
claim "best --as yaml and json are parameters" \
    sh -c 'gannet best --as yaml | grep -q "^x1: " && gannet best --as json | grep -q "{\"x1\": "'
is "best -n gives more" 3 "$(gannet best -n 3 | wc -l)"
claim "show tells all of a trial" sh -c "gannet show bowl/$best | grep -q '^Learning curve'"
is "a trial can be named in several ways" "$(gannet show bowl/$best)" "$(gannet show runs/bowl $best)"
is "also as the best of the last experiment" "$(gannet show bowl/$best)" "$(gannet show best)"
claim "logs shows what the coordinator did" sh -c 'gannet logs bowl | grep -q "coordinator: "'
is "logs -n shows the last lines" 2 "$(gannet logs bowl -n 2 | wc -l)"
claim "logs --events shows what the store remembers" sh -c 'gannet logs bowl --events | grep -q worker_joined'
is "ls lists the experiment" "bowl" "$(gannet ls | sed -n '2s/ .*//p')"
claim "replay finds every proposal the same" gannet replay bowl
is "wait returns at once with how it ended" 0 "$(gannet wait bowl; echo $?)"

is "an experiment is a name, its beginning, a directory or a store" \
    "$(gannet best bowl; gannet best bowl; gannet best bowl)" \
    "$(gannet best bo; gannet best runs/bowl; gannet best runs/bowl/gannet.db)"
refuse "an experiment that is not there is named, with what there is" 5 "no experiment 'bowls'.*bowl" gannet status bowls
refuse "a trial that is not there is named" 5 "has no trial 99" gannet show bowl/99
refuse "there is nothing to stop" 69 "nothing to stop" gannet stop bowl
refuse "a column that is not there is answered with the columns" 2 "no column 'x3'.*The columns: trial" \
    gannet trials --columns x3

gannet trials --csv >trials.csv
is "csv has a line a trial and one of names" 21 "$(wc -l <trials.csv)"
claim "with every parameter, metric and phase" \
    sh -c 'head -1 trials.csv | grep -q "^trial,state,reason,.*value,param.x1,param.x2,metric.value,time\\."'
is "sorting by a column" "$(gannet trials --csv --columns x1 | tr -d '\r' | sed 1d | sort -g)" \
    "$(gannet trials --csv --columns x1 --sort x1 | tr -d '\r' | sed 1d)"

# Many trials are written page by page, for other programs.
gannet run bowl.yaml --dir many -q --set limits.max_trials=2500
is "of many trials each is in the JSON once" "$(seq 2500)" "$(gannet trials many --json | sed 's/.*"trial": \([0-9]*\).*/\1/')"
is "and in the CSV" "$(seq 2500)" "$(gannet trials many --csv | sed '1d; s/,.*//')"
is "and as many as were asked for" 1500 "$(gannet trials many --csv -n 1500 | sed 1d | wc -l)"
is "and in the table" "$(seq 2500)" "$(gannet trials many | sed '1d; s/^ *//; s/ .*//')"
is "in the order of a column, too" "$(gannet trials many --csv --columns x1 | tr -d '\r' | sed 1d | sort -gr)" \
    "$(gannet trials many --columns x1 --sort x1 --reverse --csv | tr -d '\r' | sed 1d)"
is "and best first" "$(gannet trials many --csv --columns value | tr -d '\r' | sed 1d | sort -g)" \
    "$(gannet trials many --sort value --csv --columns value | tr -d '\r' | sed 1d)"
is "of no trials the JSON is an empty array" "[]" "$(gannet trials many --json --state failed)"
claim "and any column may be asked for" gannet trials many --state failed --columns trial,x1

gannet run bowl.yaml --resume >out 2>err
is "resuming what has ended is no error" 0 $?
claim "it says so and shows the result" grep -q '^bowl: all trials of limits.max_trials have ended (20 trials' out
claim "with a raised limit it goes on to the new total" \
    sh -c 'gannet run bowl --resume --set limits.max_trials=30 >out 2>err && grep -q "^  30 completed" out'
is "no number is used twice" "$(seq 30)" "$(gannet trials --columns trial | sed '1d; s/ //g' | sort -n)"
refuse "another search is refused" 2 "parameters" gannet run bowl --resume --set parameters.x1.max=2.0
refuse "resources that the machine does not have are refused before anything starts" 2 "wants 4000 cores" \
    gannet run bowl --resume --set resources.cpus=4000 --set limits.max_trials=40
claim "and nothing of that is kept" sh -c '! grep -Eq "4000|max_trials: 40" runs/bowl/experiment.yaml'
refuse "so are more workers than a machine can serve" 2 "workers takes at most" gannet run bowl.yaml --dir w -w 100000
refuse "and an address that is none" 2 "'here' is no address" gannet run bowl.yaml --dir w --listen here
refuse "and a topology that is not there" 2 "topology nowhere.xml" gannet run bowl.yaml --dir w --topology nowhere.xml
claim "which leave nothing behind" [ ! -e w ]
refuse "--resume of what was never started says so" 5 "no experiment" gannet run bowl.yaml --resume --dir elsewhere

refuse "--resume of a name has its directory already" 2 "gannet run elsewhere --resume" \
    gannet run bowl --resume --dir elsewhere

is "a kernel's option of many words does not make its table wide" "word" \
    "$(gannet kernels synth | sed -n 's/^function  *\([^ ]*\) .*/\1/p')"
claim "the words stand behind what it means" sh -c 'gannet kernels synth | grep -q "^function .*: branin|six_hump"'
claim "--quiet says nothing" sh -c '[ -z "$(gannet run bowl.yaml --dir quiet --quiet 2>&1)" ]'
claim "--json is one object" sh -c 'gannet run bowl.yaml --dir json --json 2>/dev/null | grep -q "^ \"reason\": \"max_trials\","'
sed 's/seed: 3/seed: 3/; s/name: value, goal: minimize/name: value, goal: minimize, target: 5.0/' bowl.yaml >target.yaml
claim "it ends at its target" sh -c 'gannet run target.yaml --json 2>/dev/null | grep -q "\"reason\": \"target_reached\""'
claim "nothing is left running at the end" none_left
finish
