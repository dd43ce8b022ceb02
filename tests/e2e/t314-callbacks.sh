#!/bin/bash
# the examples of callbacks run as searches with early stopping, and by hand; with the packages that an interpreter has
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
python=$GANNET_CALLBACKS_PYTHON
[ -n "$python" ] || skip_all "GANNET_CALLBACKS_PYTHON names no interpreter with scikit-learn, xgboost or keras and jax"
scratch
export PYTHONDONTWRITEBYTECODE=1 KERAS_BACKEND=jax CUDA_VISIBLE_DEVICES=

# try_example PACKAGE NAME METRIC GOAL STEPS CHECKPOINT PARAMETERS
try_example() {
    program=$SOURCE/clients/python/examples/$2.py
    if ! "$python" -c "import $1" 2>/dev/null; then
        skip "the example of $1 runs" "$1 is not in $python"
        return
    fi
    cat >"$1.yaml" <<END
version: 1
seed: 3
trial: {command: [$python, $program], checkpoint: $6}
metric: {name: $3, goal: $4}
parameters: $7
strategy: random
early_stop: {name: asha, min_steps: 1, max_steps: $5, eta: 3}
limits: {max_trials: 6}
END
    claim "the example of $1 runs by hand" env PYTHONPATH="$SOURCE/clients/python" "$python" "$program"
    claim "a search of the example of $1 runs" gannet run "$1.yaml" --dir "$1" --quiet --workers 2
    is "$1: all trials have ended" 6 "$(ended_count "$1")"
    is "$1: none has failed" 0 "$(gannet trials "$1" --csv --columns state | grep -c failed)"
    matches "$1: some were stopped" '[1-9]' "$(gannet trials "$1" --csv --columns state | grep -c stopped)"
    matches "$1: one was trained in full" "[1-9]" "$(gannet trials "$1" --csv --columns state | grep -c completed)"
}

try_example sklearn sklearn_folds score maximize 9 false '{depth: {min: 1, max: 6, type: int}, leaf: {min: 1, max: 20, type: int}}'
try_example xgboost xgboost_rounds valid-logloss minimize 40 true '{eta: {min: 0.01, max: 1.0, log: true}, max_depth: {min: 1, max: 6, type: int}}'
try_example keras keras_epochs val_loss minimize 9 true '{lr: {min: 0.001, max: 0.3, log: true}, width: {min: 2, max: 32, type: int}}'
claim "nothing is left running" none_left
finish
