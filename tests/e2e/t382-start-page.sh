#!/bin/bash
# every file and command of docs/start.md does what the page says
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/page.sh"
needs python3
scratch
page=$SOURCE/docs/start.md

split_page "$SOURCE/docs/start.md"

# The page's program for PyTorch speaks of checkpoints with gannet, which can be tried without PyTorch: with this in its place.
stand_in() {
    mkdir -p "$1" && cat >"$1/torch.py" <<'PY'
import pickle
from types import SimpleNamespace

class Tensor:
    def unsqueeze(self, dimension): return self
    def __rmul__(self, other): return self
    def __add__(self, other): return self

class Linear:
    def __init__(self, *shape): self.w, self.gradient = 0.0, 0.0
    def __call__(self, x): return self
    def parameters(self): return self
    def state_dict(self): return {"w": self.w}
    def load_state_dict(self, state): self.w = state["w"]

class Adam:
    def __init__(self, model, lr): self.model, self.lr = model, lr
    def zero_grad(self): self.model.gradient = 0.0
    def step(self): self.model.w -= self.lr * self.model.gradient
    def state_dict(self): return {}
    def load_state_dict(self, state): pass

class Loss:
    def __init__(self, model, y): self.model = model
    def backward(self): self.model.gradient = self.model.w - 3
    def item(self): return (self.model.w - 3) ** 2

def linspace(*range): return Tensor()
def manual_seed(seed): pass
def save(state, path): pickle.dump(state, open(path, "wb"))
def load(path): return pickle.load(open(path, "rb"))
nn = SimpleNamespace(Linear=Linear, functional=SimpleNamespace(mse_loss=Loss))
optim = SimpleNamespace(Adam=Adam)
PY
}

run_page
cd work || exit 1
stand_in "$SCRATCH/in-place"
claim "the program for PyTorch runs on something in its place" \
    env PYTHONPATH="$SCRATCH/in-place" gannet run torch.yaml --dir in-place --set limits.max_trials=9
is "every trial ended with a value" 9 "$(gannet trials in-place --csv --columns trial,state,value | grep -cE '(completed|stopped),[0-9]')"
printf '%s\n' 'import pickle' 'pickle.dump({"model": {"w": 2.5}, "optimizer": {}, "epoch": 7}, open("seven", "wb"))' | python3 -
is "it goes on with the epoch behind that of its checkpoint" "epoch=8" \
    "$(PYTHONPATH=$SCRATCH/in-place GANNET_CHECKPOINT=seven GANNET_CHECKPOINT_OUT=eight GANNET_UNTIL=8 python3 train_torch.py | cut -d' ' -f1)"
claim "and saves where it stopped" sh -c 'python3 -c "import pickle; assert pickle.load(open(\"eight\", \"rb\"))[\"epoch\"] == 8"'
is "what init found is what the page says" "$(sed -n '/^train.yaml is written/,/^Look first/p' "$page")" \
    "$(gannet init --from train.py --force | sed -n '1,/^Look first/p')"
is "the search that was gone on with has all its trials" 24 "$(gannet trials train --json | grep -c '"state": "completed"')"
is "the loop told all of its trials" 20 "$(gannet trials own --json | grep -c '"state": "completed"')"
is "every trial of the trainable has a value" 20 "$(gannet trials tune --json | grep -c '"value": 0\.\|"value": [1-9]')"
is "W&B's sweep ran" 10 "$(gannet trials wide --json | grep -c '"state": "completed"')"
matches "an old table is learned from" "3 trials of" "$(gannet check results.yaml)"
cd ..
claim "nothing is left running" none_left
finish
