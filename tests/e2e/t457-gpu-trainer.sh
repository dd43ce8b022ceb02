#!/bin/bash
# kernels in slots with GPUs are run by gannet-trainer-cuda where it is installed; a trial too large for its GPU is refused before it starts
. "$(dirname "$0")/lib.sh"
scratch
unset CUDA_VISIBLE_DEVICES
printf '0 numa:0 memory:1G Imagined\n' >gpus.txt
machine=$SOURCE/tests/worker/topologies/one-socket.xml,gpus=gpus.txt

# An installation of its own. What trains on GPUs is a stand-in: it notes that it was called, and is gannet-trainer then.
from=$(dirname "$(command -v gannet)")
mkdir bin
cp "$from"/gannet "$from"/gannet-worker "$from"/gannet-trainer "$from"/gannet-reaper bin
install_trainer() {
    printf '#!/bin/sh\necho "$CUDA_VISIBLE_DEVICES" >>%s\nexec %s "$@"\n' "$SCRATCH/called" "$SCRATCH/bin/gannet-trainer" >bin/gannet-trainer-cuda
    chmod +x bin/gannet-trainer-cuda
}

# search NAME RESOURCES [OPTIONS]: two trials of mlp.
search() {
    cat >"$1.yaml" <<YAML
version: 1
name: $1
trial: {kernel: mlp, options: {data: {generate: spirals}, epochs: 1${3:+, $3}}}
metric: {name: val_loss, goal: minimize}
parameters: {lr: {min: 0.001, max: 0.1, log: true}}
strategy: random
resources: $2
limits: {max_trials: 2}
YAML
    bin/gannet run "$1.yaml" --dir "$1" --quiet --topology "$machine"
}
completed() { bin/gannet trials "$1" --json | grep -c '"reason": *"completed"'; }

claim "without it a kernel trains in a slot with a GPU" search without '{gpus: 1, bind: none}'
is "on processors" 2 "$(completed without)"
matches "which the log says" 'kernel mlp trains on processors .*gannet-trainer-cuda is not installed' "$(cat without/*.log without/logs/* 2>/dev/null)"

install_trainer
claim "where it is installed it trains" search with '{gpus: 1, bind: none}'
is "all trials" 2 "$(completed with)"
matches "with the GPU of its slot" '^0' "$(head -1 called)"
rm called
claim "a slot without GPUs" search plain '{cpus: 1, bind: none}'
claim "has the trainer of processors" test ! -e called

# Weights of 256 MiB and as much again for their gradients.
refuse "a trial that takes more than it has of its GPU is refused" 2 'a trial takes .* of its GPU for weights, activations and data, and has 64 MiB' \
    search large '{gpu_memory: 64M, bind: none}' 'width: 4096, depth: 5'
claim "one that fits is not" bin/gannet check with.yaml
claim "nor one that fits alone" search alone '{gpu_memory: 64M, bind: none}' 'width: 512, depth: 5'
refuse "which four together do not" 2 '4 trials together take .* of their GPU for weights, activations and data, and have 64 MiB' \
    search four '{gpu_memory: 64M, fuse: 4, bind: none}' 'width: 512, depth: 5'
rm called
claim "trials that train together on a GPU" search together '{gpus: 1, fuse: 2, bind: none}'
is "all end" 2 "$(completed together)"
is "in one trainer" 1 "$(wc -l <called)"
matches "beside each other" 'GPU 0, with 1 other' "$(cat together/*.log together/logs/* 2>/dev/null)"
refuse "more than one GPU is not for them" 2 "'resources.fuse' and more than one of 'resources.gpus' exclude" search two '{gpus: 2, fuse: 2}'
matches "doctor sees what is no such trainer" 'problem +GPU kernels +gannet-trainer-cuda has no backend cuda' "$(bin/gannet doctor)"
rm bin/gannet-trainer-cuda
matches "and that there is none" 'GPU kernels +gannet-trainer-cuda is not installed' "$(bin/gannet doctor)"
finish
