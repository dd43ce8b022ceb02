#!/bin/bash
# trials that ask for a part of a GPU share it, are told their part, and it is shown; two searches don't share. The GPUs are
# only pretended: a list in a file, on a machine that is described in another
. "$(dirname "$0")/lib.sh"
scratch
printf '0 numa:0 memory:80G NVIDIA H100\n1 numa:0 memory:80G NVIDIA H100\n' >gpus.txt
machine=$SOURCE/tests/worker/topologies/one-socket.xml,gpus=gpus.txt

cat >share.yaml <<'YAML'
version: 1
seed: 1
trial:
  command: |
    : ${args}
    echo "told: $CUDA_VISIBLE_DEVICES $GANNET_GPU_SHARE $GANNET_GPU_MEMORY $XLA_PYTHON_CLIENT_MEM_FRACTION"
    touch here-$GANNET_TRIAL
    n=0; until [ -e here-1 -a -e here-2 -a -e here-3 -a -e here-4 ] || [ $n = 3000 ]; do n=$((n + 1)); sleep 0.1; done
    echo loss=1
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
strategy: random
resources: {gpus: 0.5, bind: none}
limits: {max_trials: 4}
YAML
is "each GPU has two slots" "half of GPU 0;half of GPU 1;half of GPU 0;half of GPU 1;" \
    "$(gannet-worker --show-slots --topology "$machine" --gpus 0.5 | sed -n 's/^slot.*, \(half.*\)/\1/p' | tr '\n' ';')"
claim "four trials run at a time on two GPUs" gannet run share.yaml --topology "$machine"
is "all four finished" 4 "$(gannet trials share --csv --columns state | grep -c completed)"
is "each is told its half" "told: 0 0.5 42949672960 0.4938
told: 0 0.5 42949672960 0.4938
told: 1 0.5 42949672960 0.4938
told: 1 0.5 42949672960 0.4938" "$(cat runs/share/trials/*/stdout | grep told | sort)"
matches "a trial's page says so" 'half of [01]' "$(gannet show share 1)"
is "and for programs" 2 "$(gannet show share 1 --json | grep -o '"gpu_slots": *[0-9]*' | tr -dc 0-9)"

refuse "one and a half GPUs are refused with what is allowed" 2 '0.5 lets two trials share a GPU' \
    gannet check share.yaml --set resources.gpus=1.5
refuse "more of a GPU's memory than it has is said before anything starts" 2 'with 100 GiB of memory, this node has 0 such' \
    gannet run share.yaml --dir large --topology "$machine" --set resources.gpu_memory=100G
claim "nothing was made for it" [ ! -e large ]
finish
