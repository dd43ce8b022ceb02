#!/bin/bash
# the examples of callbacks run as searches with early stopping, and by hand; with the packages that an interpreter has
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
python=$(command -v "${GANNET_CALLBACKS_PYTHON:-python3}") || skip_all "${GANNET_CALLBACKS_PYTHON:-python3} is not here"
scratch
export PYTHONDONTWRITEBYTECODE=1 KERAS_BACKEND=jax CUDA_VISIBLE_DEVICES= OMP_NUM_THREADS=1

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

# told PROGRAM [NAME=VALUE...]: what it measures by hand.
told() {
    program=$1
    shift
    env PYTHONPATH="$SOURCE/clients/python" "$@" "$python" "$program" 2>said | grep 'val_loss=.*step='
}

# goes_on PACKAGE NAME: a program that is killed behind its fourth checkpoint, and one that pauses behind its fifth epoch,
# go on from there and measure to the last bit what one in a single piece measures.
goes_on() {
    "$python" -c "import $1" 2>/dev/null || return
    program=$SOURCE/clients/python/examples/$2.py
    cat >killed.py <<'END'
import os, runpy, sys, gannet

tell, saved = gannet.Trial._tell_saved, []
def tell_and_die(self, step):
    saved.append(step)
    tell(self, step)
    if len(saved) == 4:
        os.kill(os.getpid(), 9)
gannet.Trial._tell_saved = tell_and_die
program = os.environ["PROGRAM"]
sys.path.insert(0, os.path.dirname(program))
runpy.run_path(program, run_name="__main__")
END
    told "$program" >whole
    claim "$1: its epochs are told" test "$(wc -l <whole)" -gt 5
    rm -rf checkpoint checkpoint.*
    (told killed.py GANNET_CHECKPOINT_OUT="$PWD/checkpoint" PROGRAM="$program") >killed 2>/dev/null
    is "$1: it was killed behind its fourth checkpoint" "$(head -n 4 whole)" "$(cat killed)"
    told "$program" GANNET_CHECKPOINT="$PWD/checkpoint" GANNET_CHECKPOINT_OUT="$PWD/other" >rest
    is "$1: it goes on behind its fourth checkpoint, to the last bit" "$(tail -n +5 whole)" "$(cat rest)"
    rm -rf checkpoint other
    told "$program" GANNET_TRIAL=1 GANNET_UNTIL=5 GANNET_CHECKPOINT_OUT="$PWD/checkpoint" >first
    is "$1: it pauses behind its fifth epoch" "$(head -n 5 whole)" "$(cat first)"
    told "$program" GANNET_CHECKPOINT="$PWD/checkpoint" >rest
    is "$1: it goes on behind its pause, to the last bit" "$(tail -n +6 whole)" "$(cat rest)"
}

try_example sklearn sklearn_folds score maximize 9 false '{depth: {min: 1, max: 6, type: int}, leaf: {min: 1, max: 20, type: int}}'
cat >tables.py <<'END'
import gannet, gannet_sklearn
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_score

class Table:  # as pandas has it
    def __init__(self, rows): self.rows, self.shape = rows, rows.shape
    def __len__(self): return len(self.rows)
    def __getitem__(self, name): raise KeyError(name)
    @property
    def iloc(self): return self.rows

x, y = load_iris(return_X_y=True)
model, groups = LogisticRegression(max_iter=1000), [i % 4 for i in range(len(y))]
for table, labels in ((x, y), (x.tolist(), y.tolist()), (Table(x), y)):
    for cv in (3, GroupKFold(4)):
        named = {"cv": cv, "scoring": "neg_log_loss", "groups": groups}
        ours, theirs = gannet_sklearn.cross_validate(model, table, labels, **named), cross_val_score(model, x, y, **named).mean()
        assert abs(ours - theirs) < 1e-9, (ours, theirs)
END
if "$python" -c "import sklearn" 2>/dev/null; then
    claim "sklearn: lists and tables, scores and groups of one's own are scikit-learn's" env PYTHONPATH="$SOURCE/clients/python" "$python" tables.py
fi
try_example xgboost xgboost_rounds valid-logloss minimize 40 true '{eta: {min: 0.01, max: 1.0, log: true}, max_depth: {min: 1, max: 6, type: int}}'
try_example keras keras_epochs val_loss minimize 9 true '{lr: {min: 0.001, max: 0.3, log: true}, width: {min: 2, max: 32, type: int}}'
try_example torch torch_digits val_loss minimize 9 true '{lr: {min: 0.0001, max: 0.1, log: true}, width: {min: 4, max: 64, type: int}}'
goes_on torch torch_digits

# What can't be gone on from costs its epochs and nothing else; a checkpoint of a trial with another learning rate, as pbt
# hands them on, keeps the place and not the rate.
cat >odd.py <<'END'
import os, gannet, gannet_torch, torch

def parts(lr, width=2):
    torch.manual_seed(1)
    model = torch.nn.Linear(width, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    return {"model": model, "optimizer": optimizer, "schedule": torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)}

def went_on(path, n, **parts):
    trial.restore_path = path
    epochs = []
    for epoch in gannet_torch.epochs(trial, n, **parts):
        parts["optimizer"].step()
        parts["schedule"].step()
        epochs.append(epoch)
    return epochs

trial = gannet.trial()
trial.checkpoint_path = "kept"
assert went_on(None, 3, **parts(0.5)) == [1, 2, 3]
other = parts(0.125)
assert went_on("kept", 3, **other) == [] and other["optimizer"].param_groups[0]["lr"] == 0.0625
other = parts(0.125)
trial.checkpoint_path = "later"
assert went_on("kept", 4, **other) == [4] and other["optimizer"].param_groups[0]["lr"] == 0.03125
open("half", "wb").write(open("kept", "rb").read()[:500])
torch.save([1], "foreign")
for path, changed in (("half", {}), ("foreign", {}), ("nowhere", {}), ("kept", {"width": 3})):
    whole = parts(0.5, **changed)
    weight = whole["model"].weight.tolist()
    assert went_on(path, 0, **whole) == []
    assert whole["model"].weight.tolist() == weight and whole["optimizer"].param_groups[0]["lr"] == 0.5
one = parts(0.5)
assert went_on("kept", 0, model=one["model"], optimizer=one["optimizer"], schedule=one["schedule"], generator=torch.Generator()) == []
trial.checkpoint_path = "/nowhere/kept"
assert went_on(None, 2, **parts(0.5)) == [1, 2]
END
cat >rank.py <<'END'
import os, gannet, gannet_torch, torch
meeting = "file://" + os.path.abspath("meeting")
torch.distributed.init_process_group("gloo", init_method=meeting, rank=int(os.environ["RANK"]), world_size=2)
trial = gannet.trial()
trial.checkpoint_path = "kept-by-%d" % trial.rank
if trial.rank == 0:
    trial.should_stop = lambda step: step == 3
for epoch in gannet_torch.epochs(trial, 9, model=torch.nn.Linear(2, 1)):
    torch.distributed.all_reduce(torch.ones(1))
assert epoch == 3 and os.path.exists(trial.checkpoint_path) == (trial.rank == 0), epoch
torch.distributed.barrier() # else the first ends with the connections that the other still has
torch.distributed.destroy_process_group()
END
both_end() {
    export PYTHONPATH="$SOURCE/clients/python"
    RANK=1 "$python" rank.py &
    RANK=0 "$python" rank.py && wait $!
    set -- $?
    unset PYTHONPATH
    return "$1"
}
if "$python" -c "import torch" 2>/dev/null; then
    claim "torch: checkpoints that do not fit are no harm" env PYTHONPATH="$SOURCE/clients/python" "$python" odd.py
    is "torch: it says so of each" 5 "$(grep -c "can't be gone on from" "$lib_output")"
    is "torch: and of those that could not be saved" 2 "$(grep -c "could not be saved" "$lib_output")"
    claim "torch: of two processes both end where the first is told to" both_end
fi

lightning=$("$python" -c "import pytorch_lightning" 2>/dev/null && echo pytorch_lightning || echo lightning)
try_example "$lightning" lightning_digits val_loss minimize 9 true '{lr: {min: 0.0001, max: 0.1, log: true}, width: {min: 4, max: 64, type: int}}'
goes_on "$lightning" lightning_digits
if "$python" -c "import transformers" 2>/dev/null && ! "$python" -c "import accelerate" 2>/dev/null; then
    skip "the example of transformers runs" "accelerate, which its Trainer takes, is not in $python"
else
    try_example transformers transformers_digits eval_loss minimize 9 true '{lr: {min: 0.0001, max: 0.1, log: true}, width: {min: 4, max: 64, type: int}}'
    goes_on transformers transformers_digits
fi
claim "nothing is left running" none_left
finish
