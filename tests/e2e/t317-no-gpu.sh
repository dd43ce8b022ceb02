#!/bin/bash
# an experiment whose trials want a GPU says so on a machine without any: before it runs, and when a worker comes that has none
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
export CUDA_VISIBLE_DEVICES= # this machine may have some
cat >gpu.yaml <<'YAML'
version: 1
trial: {command: "echo loss=1 ${args}"}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
resources: {gpus: 1, bind: none}
limits: {max_trials: 2}
YAML
claim "check says what this machine would run" gannet check gpu.yaml
matches "nothing, and why" 'run 0 trials at a time: a trial wants 1 GPU, this node has none' "$(gannet check gpu.yaml)"
refuse "run is refused at the place in the file" 2 'gpu.yaml:6:1: error: a trial wants 1 GPU, this node has none' gannet run gpu.yaml
claim "and makes nothing" [ ! -e runs ]

# A search of another machine, which a worker of this one joins.
printf '0 numa:0 NVIDIA H100\n' >gpus.txt
machine=$SOURCE/tests/worker/topologies/one-socket.xml,gpus=gpus.txt
claim "a search that ran where there is a GPU" gannet run gpu.yaml --dir r --topology "$machine" --quiet
sed -i 's/max_trials: 2$/max_trials: 3/' r/experiment.yaml
coordinator r
until_true grep -q "workers connect" r/logs/coordinator.log
refuse "a worker without one says why it leaves" 1 'a trial wants 1 GPU, this node has none' gannet-worker --rundir r
says_why() { gannet status r | grep -q 'no worker could run a trial; the last was on .*: a trial wants 1 GPU, this node has none'; }
claim "status says so, too" until_true says_why
matches "also for programs" '"no_slots": *".*a trial wants 1 GPU' "$(gannet status r --json)"
matches "and it is recorded" 'worker_gone .*a trial wants 1 GPU' "$(gannet explain r)"
claim "a worker that has one runs the rest" gannet-worker --rundir r --topology "$machine"
is "all trials are done" 3 "$(gannet trials r --csv --columns state | grep -c completed)"
finish
