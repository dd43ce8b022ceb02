#!/bin/bash
# elastic workers do not come from a node that was set aside for what fails there alone
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/elastic.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
slurm_cluster NODES=3 GPUS=0
export GANNET_SLURM_PACE=0.02 # the 10 s between two questions become 0.2 s

# Once trials have run on two nodes, the next one's node has lost its data.
cat >trial.sh <<'END'
touch "$1/node.$SLURMD_NODENAME"
if [ ! -e "$1/bad" ]; then
    set -- "$1" "$1"/node.*
    [ $# -gt 2 ] && ln -s "$SLURMD_NODENAME" "$1/bad" 2>/dev/null
fi
if [ "$(readlink "$1/bad")" = "$SLURMD_NODENAME" ]; then
    echo "the data file is not there" >&2
    exit 3
fi
sleep 0.2
echo value=1
END

# Trials have run on so many nodes.
nodes_are() {
    [ "$(ls -d node.* 2>/dev/null | wc -l)" -ge "$1" ]
}

search a.yaml elastic 0 0 "workers: 2" "exclusive: true" "idle_time: 10m" "coordinator: here"
sed -i -e "s|^trial:.*|trial: {command: [sh, $SCRATCH/trial.sh, $SCRATCH]}|" \
    -e 's/max_trials: 0/max_trials: 100000/' a.yaml
timeout 900 gannet submit a.yaml --dir a >a.log 2>&1 &
here=$!
claim "there are two workers on two nodes, and then one is bad" until_true test -L bad
bad=$(readlink bad)
claim "it is set aside, and another worker comes from a third node" until_true nodes_are 3
is "no other worker came from the bad one" 1 "$(books a | grep -c "^worker [a-z]* $bad\$")"
claim "the other nodes' trials end well" until_true has_ended a 20
gannet stop a >/dev/null
wait $here
refuse "status says which node it was, and what to do" 0 "$bad was set aside: trials fail on this node alone.*the data file is not there; mend that there" \
    gannet status a
claim "nothing is left in the queue" until_true no_jobs_left
finish
