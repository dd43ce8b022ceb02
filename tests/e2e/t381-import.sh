#!/bin/bash
# searches of other tools are taken over: their spaces as files, their trials as experiments that start_from knows
. "$(dirname "$0")/lib.sh"
scratch
data=$SOURCE/tests/data/optuna

# The programs that the searches are of: a file that names one which is not there is refused.
mkdir bin && printf '#!/bin/sh\n' >bin/python3 && chmod +x bin/python3
command -v python3 >/dev/null || PATH=$PATH:$PWD/bin
touch train.py TRAIN.py mnist.py

parameters() { sed -n '/^parameters:/,/^$/s/^  //p' "$1" | sed 's/ *#.*//; /^$/d'; }
comments_of() { sed -n '/^# Not searched/,$s/^#   //p' "$1"; }

# --- Optuna ---
if command -v sqlite3 >/dev/null; then
    for version in 3 4 5; do
        sqlite3 optuna-$version.db <"$data/optuna-$version.sql"
        claim "a study of Optuna $version is taken over" \
            gannet import optuna optuna-$version.db --study digits -o of-$version.yaml --dir past-$version --from 'python3 train.py'
        is "its distributions are a space" "$(printf '%s\n' 'lr: {min: 1e-05, max: 0.1, log: true}' \
            'dropout: {min: 0.0, max: 0.5, step: 0.1}' 'width: {min: 16, max: 256, step: 16}' \
            'layers: {min: 1, max: 64, log: true}' 'optimizer: {values: [sgd, adam, null, true]}' \
            'momentum: {min: 0.5, max: 0.99, when: {optimizer: [sgd]}}')" "$(parameters of-$version.yaml)"
        is "its objective has the name and the direction" "metric: {name: val_loss, goal: minimize}" "$(grep '^metric:' of-$version.yaml)"
        is "its trials are there with their endings" "9 completed 1 failed 2 stopped" \
            "$(gannet trials past-$version --csv --columns trial,state | tr -d '\r' | tail -n +2 | cut -d, -f2 | sort | uniq -c | xargs)"
        claim "the file is a good one" gannet check of-$version.yaml
        matches "and learns from them" "^#   12 trials of $PWD/past-$version" "$(gannet check of-$version.yaml)"
    done
    sqlite3 optuna-5.db "SELECT v.value FROM trial_values v JOIN trials t USING (trial_id) WHERE t.study_id = 1 AND t.state = 'COMPLETE' ORDER BY t.number" >theirs
    gannet trials past-5 --csv --columns trial,state,value | tr -d '\r' | sed -n 's/.*completed,//p' >ours
    is "every value is the same to the last digit" "" "$(paste theirs ours | awk '$1 - $2 > 1e-15 || $2 - $1 > 1e-15')"
    matches "a trial that was pruned has its curve" '"step": 2' "$(gannet show past-5 5 --json)"
    claim "what it was given may be looked into" gannet importance past-5
    claim "and gone on with" gannet ask of-5.yaml
    refuse "several studies are listed" 2 "choose one with --study: 'digits', 'two'" gannet import optuna optuna-5.db
    refuse "one that is not there, too" 2 "has no study 'digit'; it has 'digits', 'two'" gannet import optuna optuna-5.db --study digit
    claim "an address of Optuna's is a file" gannet import optuna sqlite:///optuna-5.db --study two
    is "several objectives stay several" "  - {name: value_0, goal: minimize}   - {name: value_1, goal: maximize}" \
        "$(sed -n '/^metric:/,/^$/p' two.yaml | tail -n +2 | paste -sd' ' | sed 's/ *$//')"
    claim "the file is a good one" gannet check two.yaml
    refuse "nothing is replaced" 2 "two.yaml is there already" gannet import optuna optuna-5.db --study two
    refuse "old results never" 2 "holds an experiment already, with 4 ended trials" gannet import optuna optuna-5.db --study two --force
    # Broken and hostile files.
    head -c 5000 optuna-5.db >cut.db
    refuse "a file that is cut off is refused" 2 "" gannet import optuna cut.db --study digits
    sqlite3 other.db 'CREATE TABLE t (x)'
    refuse "another database is none of Optuna's" 2 "no storage of Optuna 3 or later" gannet import optuna other.db
    cp optuna-5.db view.db
    sqlite3 view.db 'ALTER TABLE trials RENAME TO real;
        CREATE VIEW trials AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS trial_id FROM n'
    refuse "a view that never ends is not read" 2 "lacks tables" gannet import optuna view.db --study digits
    cp optuna-5.db wrong.db
    sqlite3 wrong.db "UPDATE trial_params SET param_value = 'x' WHERE param_id % 3 = 0; UPDATE trial_params SET param_value = 1e300
        WHERE param_id % 3 = 1; UPDATE trial_params SET distribution_json = zeroblob(100000) WHERE param_name = 'width';
        UPDATE trial_params SET distribution_json = '{\"name\": \"CategoricalDistribution\", \"attributes\": {\"choices\": [[1], {\"a\": 2}]}}'
        WHERE param_name = 'layers'; UPDATE trials SET state = x'ff', datetime_start = 'never' WHERE trial_id = 1;
        UPDATE trial_values SET value_type = 'INF_POS' WHERE trial_id = 2"
    cp optuna-5.db lists.db
    sqlite3 lists.db "UPDATE trial_params SET distribution_json =
        '{\"name\": \"CategoricalDistribution\", \"attributes\": {\"choices\": [[64, 64], [], {\"a\": 2}, [{\"a\": 2}]]}}'
        WHERE param_name = 'optimizer'"
    claim "choices that are lists are taken over" gannet import optuna lists.db --study digits -o lists.yaml --dir past-lists
    is "as lists, and maps as their texts" 'optimizer: {values: [[64, 64], [], "{\"a\": 2}", "[{\"a\": 2}]"]}' "$(parameters lists.yaml | grep ^optimizer)"
    claim "the file is a good one" gannet check lists.yaml
    matches "its trials had them" '"optimizer": \[64, 64\]' "$(gannet trials past-lists --json)"
    claim "wrong types are said" gannet import optuna wrong.db --study digits -o wrong.yaml --dir past-wrong
    matches "what can't be taken over stays as a comment" '^width: it has a distribution that is not known here' "$(comments_of wrong.yaml)"
    matches "an infinite value is no value" 'diverged' "$(gannet trials past-wrong --json)"
else
    skip "Optuna's SQLite files" "sqlite3 is not here (apt-get install sqlite3)"
fi
for version in 3 5; do
    claim "a journal of Optuna $version is taken over" gannet import optuna "$data/optuna-$version.log" --metric score -o journal-$version.yaml --dir journal-$version
    is "with its trials" 8 "$(gannet trials journal-$version --json | grep -c '"trial"')"
    is "and its direction" 1 "$(grep -c '{name: score, goal: maximize}' journal-$version.yaml)"
done
is "and its space" "$(printf '%s\n' 'lr: {min: 1e-05, max: 0.1, log: true}' 'dropout: {min: 0.0, max: 0.5, step: 0.1}' \
    'width: {min: 16, max: 256, step: 16}' 'layers: {min: 1, max: 64, log: true}' 'optimizer: {values: [sgd, adam, null, true]}')" \
    "$(parameters journal-5.yaml | head -5)"
{
    sed -n 1,2p "$data/optuna-3.log"
    seq 1001 | sed 's/.*/{"op_code": 5, "worker_id":"w", "trial_id": 0, "param_name": "p&", "param_value_internal": 0.5, "distribution": "{\\"name\\": \\"FloatDistribution\\", \\"attributes\\": {\\"low\\": 0.0, \\"high\\": 1.0}}"}/'
    grep '"op_code": 6.*"trial_id": 0,' "$data/optuna-3.log"
} >wide.log
claim "a journal with more parameters than are taken" gannet import optuna wide.log -o wide.yaml --dir wide
matches "says that it has more" "parameters beyond the first 1000" "$(cat wide.yaml)"
head -c 3000 "$data/optuna-5.log" >cut.log
claim "a journal that is cut off has what it has" gannet import optuna cut.log -o cut.yaml --dir cut

# --- W&B ---
cat >sweep.yaml <<'YAML'
program: train.py
name: my sweep
method: bayes
metric: {name: val_acc, goal: maximize}
run_cap: 40
project: secret
early_terminate: {type: hyperband, min_iter: 3}
parameters:
  lr: {distribution: log_uniform_values, min: 1e-5, max: 1e-1}
  decay: {distribution: log_uniform, min: -9.21034037, max: 0}
  width: {min: 16, max: 256}
  drop: {min: 0.0, max: 0.5}
  batch: {distribution: q_log_uniform_values, q: 8, min: 16, max: 256}
  units: {distribution: q_uniform, q: 32, min: 32, max: 512}
  layers: {distribution: q_log_uniform_values, q: 1, min: 1, max: 64}
  opt: {values: [sgd, adam], probabilities: [0.2, 0.8]}
  hidden: {values: [[64, 64], [128], 32]}
  aug: {values: [{flip: true}, [1]]}
  betas: {value: [0.9, 0.999]}
  noise: {distribution: normal, mu: 0, sigma: 0.1}
  epochs: {value: 10}
  odd: {distribution: beta, min: 0, max: 1}
  net: {parameters: {depth: {values: [1, 2]}}}
command: ["${env}", "${interpreter}", "${program}", "--fast", "${args}", "${args_json}"]
YAML
claim "a sweep of W&B is taken over" gannet import wandb sweep.yaml
is "its distributions are a space" "$(printf '%s\n' 'lr: {min: 1e-05, max: 0.1, log: true}' \
    'decay: {min: 0.0001, max: 1.0, log: true}' 'width: {min: 16, max: 256}' 'drop: {min: 0.0, max: 0.5}' \
    'batch: {min: 16.0, max: 256.0, log: true}' 'units: {min: 32, max: 512, step: 32}' 'layers: {min: 1, max: 64, log: true}' \
    'opt: {values: [sgd, adam], weights: [0.2, 0.8]}' 'hidden: {values: [[64, 64], [128], 32]}' \
    'betas: {value: [0.9, 0.999]}' 'noise: {mean: 0.0, stddev: 0.1}' 'epochs: {value: 10}' \
    'net.depth: {values: [1, 2]}')" "$(parameters my_sweep.yaml)"
is "so is its command" '  command: [python3, train.py, "--fast", "${args}"]' "$(grep '^  command:' my_sweep.yaml)"
is "and the number of its runs" "limits: {max_trials: 40}" "$(grep ^limits my_sweep.yaml)"
for thing in 'aug: its values are maps, or lists with maps in them' 'odd: its distribution is not known' 'batch: q: 8' 'net: its parameters have its name in front' 'method: bayes' \
    'early_terminate' 'project: it has no meaning' 'command: ..args_json'; do
    matches "what could not be is a comment: ${thing%% *}" "^$thing" "$(comments_of my_sweep.yaml)"
done
claim "the file is a good one" gannet check my_sweep.yaml
printf "a: 1\n" >else.yaml
refuse "something else is no sweep" 2 "has no .parameters." gannet import wandb else.yaml

# --- Katib ---
cat >katib.yaml <<'YAML'
apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {namespace: kubeflow, name: random-search}
spec:
  objective: {type: minimize, goal: 0.001, objectiveMetricName: loss, additionalMetricNames: [acc]}
  algorithm: {algorithmName: bayesianoptimization}
  parallelTrialCount: 3
  maxTrialCount: 12
  maxFailedTrialCount: 2
  parameters:
    - {name: lr, parameterType: double, feasibleSpace: {min: "0.01", max: "0.05", distribution: logUniform}}
    - {name: num-layers, parameterType: int, feasibleSpace: {min: "1", max: "9", step: "2"}}
    - {name: opt, parameterType: categorical, feasibleSpace: {list: [sgd, adam, "1"]}}
    - {name: bs, parameterType: discrete, feasibleSpace: {list: ["16", "64"]}}
    - {name: broken, parameterType: double, feasibleSpace: {min: "low", max: "1"}}
  trialTemplate:
    trialParameters:
      - {name: learningRate, reference: lr}
      - {name: numberLayers, reference: num-layers}
    trialSpec:
      apiVersion: batch/v1
      spec: {template: {spec: {containers: [{name: training, image: docker.io/x,
        command: [python3, /opt/train.py, "--lr=${trialParameters.learningRate}", "--layers=${trialParameters.numberLayers}"]}]}}}
YAML
claim "an Experiment of Katib is taken over" gannet import katib katib.yaml
is "its parameters are a space" "$(printf '%s\n' 'lr: {min: 0.01, max: 0.05, log: true}' 'num-layers: {min: 1, max: 9, step: 2}' \
    'opt: {values: [sgd, adam, "1"]}' 'bs: {values: [16, 64], ordered: true}')" "$(parameters random-search.yaml)"
is "its command has our placeholders" '  command: [python3, /opt/train.py, "--lr=${params.lr}", "--layers=${params.num-layers}"]' \
    "$(grep '^  command:' random-search.yaml)"
is "its limits" "limits: {max_trials: 12, max_concurrent: 3, max_failures: 2}" "$(grep ^limits random-search.yaml)"
is "its goal is a target" "metric: {name: loss, goal: minimize, target: 0.001}" "$(grep ^metric random-search.yaml)"
matches "what is no range is a comment" "^broken: its ends are no numbers" "$(comments_of random-search.yaml)"
sed 's|/opt/train.py|train.py|' random-search.yaml >here.yaml
claim "the file is a good one" gannet check here.yaml

# --- NNI ---
cat >search_space.json <<'JSON'
{"lr": {"_type": "loguniform", "_value": [0.0001, 0.1]}, "n": {"_type": "randint", "_value": [1, 5]},
 "q": {"_type": "quniform", "_value": [0, 100, 10]}, "x": {"_type": "qloguniform", "_value": [1, 100, 5]},
 "opt": {"_type": "choice", "_value": ["sgd", "adam"]}, "z": {"_type": "normal", "_value": [0, 1]},
 "h": {"_type": "choice", "_value": [[8, 8], [16]]},
 "layer": {"_type": "choice", "_value": [{"_name": "none"}, {"_name": "conv", "size": {"_type": "choice", "_value": [3, 5]}}]},
 "bad": {"_type": "uniform", "_value": ["a", 1]}}
JSON
cat >config.yml <<'YAML'
experimentName: mnist
searchSpaceFile: search_space.json
trialCommand: python3 mnist.py
trialConcurrency: 2
maxTrialNumber: 20
tuner: {name: TPE, classArgs: {optimize_mode: maximize}}
YAML
claim "a configuration of NNI is taken over" gannet import nni config.yml
is "with the space of its file" "$(printf '%s\n' 'lr: {min: 0.0001, max: 0.1, log: true}' '"n": {min: 1, max: 4}' \
    'q: {min: 0, max: 100, step: 10}' 'x: {min: 1.0, max: 100.0, log: true}' 'opt: {values: [sgd, adam]}' \
    'z: {mean: 0.0, stddev: 1.0}' 'h: {values: [[8, 8], [16]]}' 'layer: {values: [none, conv]}' 'layer.size: {values: [3, 5], when: {layer: conv}}')" \
    "$(parameters mnist.yaml)"
is "and its direction" "metric: {name: default, goal: maximize}" "$(grep ^metric mnist.yaml)"
claim "the file is a good one" gannet check mnist.yaml
claim "a space alone is taken over, too" gannet import nni search_space.json -o space.yaml
claim "it is a good one" gannet check space.yaml

# --- tables ---
cat >results.csv <<'CSV'
run,lr,width,opt,amp,epochs,note,val_loss
a,0.1,64,sgd,True,10,x,0.5
b,0.001,128,adam,False,10,y,0.3
c,0.00001,32,adam,True,10,z,
d,0.01,64,"sgd, plain",False,10,w,nan
CSV
claim "a table is taken over" gannet import csv results.csv
is "its space is what was tried" "$(printf '%s\n' 'lr: {min: 1e-05, max: 0.1, log: true}' 'width: {values: [32, 64, 128], ordered: true}' \
    'opt: {values: [sgd, adam, "sgd, plain"]}')" "$(parameters results.yaml | grep -v '^amp')"
is "its trials are there" "completed completed failed failed" "$(gannet trials runs/results-imported --csv --columns trial,state | tr -d '\r' | tail -n +2 | cut -d, -f2 | xargs)"
is "the best is the best" "trial 2" "$(gannet best runs/results-imported | grep -o '^trial [0-9]*')"
claim "the file is a good one" gannet check results.yaml
claim "columns may be named" gannet import csv results.csv --params lr,epochs --metric 'width maximize' -o named.yaml --dir named
is "these are taken" "lr epochs" "$(parameters named.yaml | cut -d: -f1 | xargs)"
refuse "a column that is not there" 2 "there is no column 'depth'; the columns: run, lr" gannet import csv results.csv --params depth -o n.yaml
refuse "a file that can't be written" 1 "can't write 'nowhere/x.yaml'" gannet import csv results.csv -o nowhere/x.yaml --dir left-behind
is "leaves no results behind that nothing names" no "$([ -e left-behind ] && echo yes || echo no)"
printf 'a,b\n1,2\n' >two.csv
refuse "a table without a metric" 2 "say which column is the metric by --metric" gannet import csv two.csv
claim "what gannet itself writes is read" sh -c 'gannet trials runs/results-imported --csv >own.csv && gannet import csv own.csv --metric "value minimize"'
is "with the parameters alone" "lr width opt" "$(parameters own.yaml | cut -d: -f1 | grep -v amp | xargs)"

printf '%s\n' 'hidden,lr,loss' '"[64, 64]",0.1,1' '"[128]",0.2,2' '"[64, 64]",0.3,3' '"[64",0.4,4' >listed.csv
claim "lists in a table" gannet import csv listed.csv
is "are lists" 'hidden: {values: [[64, 64], [128], "[64"]}' "$(parameters listed.yaml | grep ^hidden)"
claim "the file is a good one" gannet check listed.yaml

# --- files that are something else ---
refuse "a tool that is none" 2 "did you mean 'optuna'" gannet import optun x
printf '\0\1\2' >nonsense
printf '%s' '[[[[' >open
mkdir directory
for tool in optuna wandb katib nni csv; do
    for file in nothing-here nonsense open directory /dev/null; do
        refuse "$tool: $file is refused with a sentence" 2 '^gannet: ' gannet import $tool $file -o never.yaml
    done
done
is "nothing was written of them" no "$([ -e never.yaml ] && echo yes || echo no)"
finish
