#!/bin/bash
# PyTorch's DistributedDataParallel trains over the processes of a trial, and early stopping ends all of them after the same step
. "$(dirname "$0")/lib.sh"
scratch
unset PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1
python=/usr/bin/python3
"$python" -c 'import torch.distributed as d; assert d.is_available()' 2>/dev/null ||
    skip_all "$python has no torch with torch.distributed (apt-get install python3-torch)"
[ "$(env -u OMP_NUM_THREADS nproc)" -ge 2 ] || skip_all "a trial of two processes needs two cores"
program=$SOURCE/clients/python/examples/ddp_line.py

cat >line.yaml <<YAML
version: 1
seed: 5
trial: {command: [$python, $program]}
metric: {name: loss, goal: minimize}
parameters: {lr: {values: [0.1, 0.001]}, epochs: {values: [6]}}
strategy: grid
resources: {ranks: 2}
limits: {max_trials: 2, max_concurrent: 1}
YAML
claim "a search over two learning rates runs" gannet run line.yaml --dir line --quiet
is "both trials are completed" 2 "$(gannet trials line --csv --columns state | grep -c completed)"
seen=$(cd "$SCRATCH" && PYTHONPATH=$SOURCE/clients/python "$python" - <<'PY'
import json, subprocess
trial = json.loads(subprocess.run(["gannet", "show", "line", "1", "--json"], stdout=subprocess.PIPE, check=True).stdout)
print(len(trial["curve"]), trial["params"]["lr"], "%.6f" % trial["value"])
PY
)
is "with six values each, those of one process" 6 "${seen%% *}"
again=$(gannet show line 1 | sed -n '/^Train it again/{n;p}')
said=$(bash -c "$again" 2>/dev/null | sed -n 's/^loss=\([0-9.e-]*\) step=6$/\1/p')
is "the line that trains it again comes to the same" "${seen##* }" "$(printf '%.6f' "$said")"

# Each process writes the step after which it left the loop.
sed 's/^if trial.ranks > 1:$/&/; $a open("left.%d" % trial.rank, "w").write(str(epoch))' "$program" >stops.py
sed -i 's/    optimizer.zero_grad()/&\n    __import__("time").sleep(0.02)/; s/^    if trial.metric/    open("begun", "w").close()\n&/' stops.py
sed "s|$program|$SCRATCH/stops.py|; s/values: \[6\]/values: [100000]/; s/max_trials: 2/max_trials: 1/" line.yaml >stops.yaml
gannet run stops.yaml --dir stops >stops.out 2>&1 &
run=$!
claim "a long trial runs" until_true [ -e begun ]
claim "it is cancelled" gannet cancel stops 1
wait $run
is "both processes have left the loop" "left.0 left.1" "$(echo left.*)"
is "after the same step" "$(cat left.0)" "$(cat left.1)"
is "and ended by themselves" "" "$(cat stops/trials/000001/stderr*)"
claim "nothing is left running" none_left
finish
