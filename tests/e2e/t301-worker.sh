#!/bin/bash
# the worker program explains itself, shows its slots, and says why it can't work
. "$(dirname "$0")/lib.sh"
scratch
topologies=$SOURCE/tests/worker/topologies
four_gpus="$topologies/two-sockets.xml,gpus=$topologies/two-sockets.gpus"

claim "--help explains every option" sh -c 'gannet-worker --help | grep -q -e "--give-up DURATION"'
claim "--version tells the version" sh -c 'gannet-worker --version | grep -Eq "^gannet-worker [0-9]"'
refuse "an unknown option is refused with the one that was meant" 2 'did you mean --rundir' gannet-worker --rundr x
refuse "without a place to look for the coordinator nothing is done" 2 'give --rundir' gannet-worker

claim "this machine's slots are shown" sh -c 'gannet-worker --show-slots | grep -Eq "^slot 0: 1 core, cpu [0-9]+"'
is "a GPU each comes with its cores" "slot 3: 4 cores, cpus 12-15, NUMA node 1, GPU 3" \
    "$(gannet-worker --show-slots --topology "$four_gpus" --gpus 1 | tail -n 1)"
is "a worker that is one of two shows its part" "slot 1: 4 cores, cpus 12-15, NUMA node 1, GPU 3" \
    "$(gannet-worker --show-slots --topology "$four_gpus" --gpus 1 --share 2/2 | tail -n 1)"
is "programs get JSON" 4 \
    "$(gannet-worker --show-slots --json --topology "$four_gpus" --gpus 1 | grep -c '"slot":')"
refuse "what does not fit is said" 1 'a trial wants 8 GPUs, this node has 4' \
    gannet-worker --show-slots --topology "$four_gpus" --gpus 8
refuse "a bad list of GPUs names its line" 1 'bad.gpus:1: .*near to' \
    sh -c "echo '0 here X' >bad.gpus; gannet-worker --show-slots --topology $topologies/two-sockets.xml,gpus=bad.gpus"

mkdir empty
refuse "without a coordinator it gives up" 69 'no coordinator for 1 s: no coordinator runs in' \
    gannet-worker --rundir empty --give-up 1s

gannet-worker --rundir empty --give-up 60s 2>log &
pid=$!
claim "it waits for one" until_true grep -q ' on .* core' log
kill -TERM $pid
wait $pid
is "a signal ends it" 143 $?

finish
