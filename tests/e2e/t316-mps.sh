#!/bin/bash
# trials that share a GPU do so through an MPS daemon: the node's, or one of the worker's own, which goes with it. The GPU, and
# nvidia-cuda-mps-control, are only pretended here
. "$(dirname "$0")/lib.sh"
scratch
printf '0 numa:0 memory:80G NVIDIA H100\n' >gpus.txt
machine=$SOURCE/tests/worker/topologies/one-socket.xml,gpus=gpus.txt

# The daemon writes its number beside its other files; asked, the program looks whether it lives.
mkdir with
cat >with/nvidia-cuda-mps-control <<'SH'
#!/bin/bash
pipes=${CUDA_MPS_PIPE_DIRECTORY:-/tmp/nvidia-mps}
if [ "$1" = -f ]; then
    echo $$ >"$pipes/nvidia-cuda-mps-control.pid"
    touch "$CUDA_MPS_LOG_DIRECTORY/control.log"
    echo "$pipes" >>"$DAEMONS"
    (exec -a pretended-mps-server sleep 1000) &
    trap 'kill $(jobs -p); exit 0' TERM
    while :; do sleep 1 & wait $!; done
fi
read -r question
[ "$question" = get_server_list ] || exit 3
kill -0 "$(cat "$pipes/nvidia-cuda-mps-control.pid")" && exit 0
echo "Cannot find MPS control daemon process" >&2
exit 1
SH
chmod +x with/nvidia-cuda-mps-control
export DAEMONS=$PWD/daemons

cat >mps.yaml <<'YAML'
version: 1
seed: 1
trial:
  command: |
    : ${args}
    echo "told: ${CUDA_MPS_PIPE_DIRECTORY-} ${CUDA_MPS_ACTIVE_THREAD_PERCENTAGE-} ${CUDA_MPS_PINNED_DEVICE_MEM_LIMIT-}"
    [ -z "${HOLD-}" ] || { touch held; sleep 1000; }
    echo loss=1
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
strategy: random
resources: {gpus: 0.25, bind: none}
limits: {max_trials: 4}
YAML
told() {
    sed -n 's/^told: //p' "runs/$1"/trials/*/stdout | sort -u
}

export CUDA_MPS_PIPE_DIRECTORY=$PWD/node
claim "without a daemon a search runs" gannet run mps.yaml --topology "$machine" --dir runs/none
is "and its trials are told of none" "$PWD/node  " "$(told none)"
mkdir node
PATH=$PWD/with:$PATH
claim "where a daemon has died a search runs" gannet run mps.yaml --topology "$machine" --dir runs/dead
is "and its trials are told of none" "$PWD/node  " "$(told dead)"
CUDA_MPS_LOG_DIRECTORY=$PWD/node nvidia-cuda-mps-control -f &
node_daemon=$!
until_true [ -s node/nvidia-cuda-mps-control.pid ]
claim "where one runs, a search uses it" gannet run mps.yaml --topology "$machine" --dir runs/node
is "its trials have a quarter of the processors and of the memory" "$PWD/node 25 0=20480M" "$(told node)"
claim "mps: false does not look for it" gannet run mps.yaml --topology "$machine" --dir runs/off --set resources.mps=false
is "and says nothing of it" "$PWD/node  " "$(told off)"
claim "whole GPUs are not shared through it" gannet run mps.yaml --topology "$machine" --dir runs/whole --set resources.gpus=1
is "nor are trials told of it" "$PWD/node  " "$(told whole)"
if [ "$(id -u)" = 0 ]; then # a daemon of another user's, as anybody may start one in /tmp
    mode=$(stat -c %a .)
    chmod 1777 .
    chown 65534 node
    claim "where only another user has one, a search runs" gannet run mps.yaml --topology "$machine" --dir runs/theirs
    is "and its trials are told of none" "$PWD/node  " "$(told theirs)"
    chown 0 node
    chmod "$mode" .
fi
kill "$node_daemon"
wait "$node_daemon"
unset CUDA_MPS_PIPE_DIRECTORY
: >daemons

claim "mps: true starts a daemon of the worker's own" gannet run mps.yaml --topology "$machine" --dir runs/own --set resources.mps=true
own=$(cat daemons)
is "whose directory its trials are told" "$own 25 0=20480M" "$(told own)"
claim "and which is gone with the search" [ ! -e "$own" ]
claim "with the directory around it" [ ! -e "${own%/*}" ]

: >daemons
HOLD=1 gannet run mps.yaml --topology "$machine" --dir runs/killed --set resources.mps=true --plain >killed.log 2>&1 &
run=$!
until_true [ -e held ]
own=$(cat daemons)
daemon=$(cat "$own/nvidia-cuda-mps-control.pid")
kill -9 "$run"
wait "$run" 2>/dev/null
until_true process_dead "$daemon"
tap_line $? "the daemon of a run that was killed ends, too"
claim "nothing is left running" none_left
PATH=${PATH#"$PWD/with:"}
refuse "where there is no such program, mps: true is refused with a sentence" 1 'resources.mps wants an MPS daemon' \
    gannet run mps.yaml --topology "$machine" --dir runs/refused --set resources.mps=true
finish
