#!/bin/bash
# a person with an Optuna objective keeps it, in gannet.search and in a loop that asks and tells, with pruning
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/journeys/lib.sh"
needs python3
journey optuna_study.py
# As docs/python.md says where the module is: in the source tree, or below where gannet was installed.
person_env+=(PYTHONPATH="$SOURCE/clients/python")

# What changes is what docs/python.md has in its table: the study, the exception, and the ranges, which stand in the experiment.
cat >space.yaml <<'YAML'
version: 1
name: valley
trial: {command: ["true"]}            # the program below runs the trials
metric: {name: loss, goal: minimize}
parameters:
  lr: {min: 1e-3, max: 1.0, log: true}
  momentum: {min: 0.0, max: 0.95}
  method: [heavy, nesterov]
early_stop: {name: asha, max_steps: 12}
limits: {max_trials: 60}
YAML
sed -e 's/^import optuna$/import gannet/' -e 's/optuna.TrialPruned/gannet.Pruned/' -e '/^study = /,$d' optuna_study.py >searched.py
cat >>searched.py <<'PY'
with gannet.search("space.yaml") as search:
    search.optimize(objective, n_trials=20, n_jobs=2)
    print("best", search.best["value"], search.best["params"]["lr"])
PY
claim "the objective runs in gannet.search" person python3 searched.py
first=$(sed -n 's/^best \([-0-9.e]*\) .*/\1/p' "$lib_output")
is "what was tried is recorded" 20 "$(has_ended valley)"
claim "the same call goes on where it was" person python3 searched.py
is "with as many more" 40 "$(has_ended valley)"
below "the best has not become worse" "$(sed -n 's/^best \([-0-9.e]*\) .*/\1/p' "$lib_output")" "$first"
below "it is near 0" "$(best_value valley)" 0.05
above "trials were pruned" "$(ended valley stopped)" 1

# The same as ask and tell.
sed -e '/^import optuna$/d' -e 's/raise optuna.TrialPruned()/return None/' -e '/^study = /,$d' optuna_study.py >loop.py
cat >>loop.py <<'PY'
import gannet

with gannet.search("space.yaml", dir="runs/told") as search:
    while (trial := search.ask()) is not None:
        value = objective(trial)
        search.tell(trial, pruned=True) if value is None else search.tell(trial, value)
        if trial.number >= 30:
            break
PY
claim "and in a loop that asks and tells" person python3 loop.py
below "it comes near 0, too" "$(best_value told)" 0.05
above "with trials that were pruned" "$(ended told stopped)" 1
matches "gannet looks at both: status" "valley" "$(person gannet status valley)"
matches "show" "^Trial [0-9]+: " "$(person gannet show valley best)"
claim "importance" person gannet importance valley
claim "and replay" person gannet replay valley

# A loop that is killed goes on.
sed 's/if trial.number >= 30/import os, signal; trial.number == 36 and os.kill(os.getpid(), signal.SIGKILL)\n        if trial.number >= 40/' loop.py >killed.py
refuse "a loop that dies" 137 "" person python3 killed.py
is "loses nothing that was told" 36 "$(has_ended told)"
claim "and goes on" person python3 killed.py
until_true no_reaper
claim "nothing is left running" none_left

# Optuna itself runs the file as it was.
optuna=${GANNET_OPTUNA_PYTHON:-python3}
if person "$optuna" -c 'import optuna' 2>/dev/null; then
    claim "the file as it was is Optuna's" person "$optuna" optuna_study.py
else
    could_not "the program as it was: python3 has no module optuna (pip install optuna; GANNET_OPTUNA_PYTHON names a python)"
fi
finish
