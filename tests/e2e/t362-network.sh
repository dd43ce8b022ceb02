#!/bin/bash
# a coordinator listens on the interface and the ports that the keys, the site or --listen say; what can't be had starts nothing
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
export HOME=$SCRATCH/home GANNET_SITE_FILE=$SCRATCH/cluster.yaml
unset XDG_CONFIG_HOME "${!SLURM_@}"
mkdir -p "$HOME/.config/gannet"
umask 022
synth x.yaml 4
synth long.yaml 100000 0.05
: >cluster.yaml

# port_of DIRECTORY workers|control, address_of DIRECTORY workers|control: where the living coordinator of one listens.
port_of() {
    sed -n "s/.*\"$2\": *\"tcp:[^\"]*:\([0-9]*\)\".*/\1/p" "$1/coordinator.json"
}
address_of() {
    sed -n "s/.*\"$2\": *\"tcp:\/\/\([^\"]*\):[0-9]*\".*/\1/p" "$1/coordinator.json"
}

# --- what the keys say ---
gannet run long.yaml --dir r --quiet --listen 'tcp://0.0.0.0:*' --set network.interface=lo --set network.ports=21000-21199 &
run=$!
claim "a search with an interface and a range runs" until_true has_ended r 1
is "workers come over that interface" 127.0.0.1 "$(address_of r workers)"
is "and commands" 127.0.0.1 "$(address_of r control)"
workers=$(port_of r workers) control=$(port_of r control)
claim "both ports are in the range" test "$workers" -ge 21000 -a "$workers" -lt 21200 -a "$control" -ge 21000 -a "$control" -lt 21200
claim "commands reach it there" gannet status r
matches "the frozen experiment has them" 'ports: 21000-21199' "$(cat r/experiment.yaml)"

# --- what can't be had ---
refuse "a port that another process has is named, with what to do" 2 \
    "can't listen at 'tcp://127.0.0.1:$workers': that port is in use by another process .*give another one, or \*" \
    gannet run x.yaml --dir taken --listen "tcp://127.0.0.1:$workers"
refuse "a range without a free port, too" 2 "network.ports is $workers-$control, and none of these is left at 127.0.0.1: all are taken" \
    gannet run x.yaml --dir taken --listen 'tcp://127.0.0.1:*' --set "network.ports=$workers-$control"
refuse "an interface that is not there brings those that are" 2 "network.interface is 'nosuch0', .* It has: .*lo \(127.0.0.1\)" \
    gannet run x.yaml --dir taken --listen 'tcp://0.0.0.0:*' --set network.interface=nosuch0
refuse "so does a subnet that it has no address in" 2 "network.interface is '198.51.100.0/24'" \
    gannet run x.yaml --dir taken --listen 'tcp://*:*' --set network.interface=198.51.100.0/24
refuse "an address that is not this machine's" 2 'this machine has no such address' \
    gannet run x.yaml --dir taken --listen 'tcp://198.51.100.7:*'
claim "nothing is left of these" test ! -e taken
refuse "a search that runs is told as that, and not as its own port" 2 'already runs' \
    gannet run r --resume --quiet --listen "tcp://127.0.0.1:$workers"
kill -TERM "$run"
wait "$run"
claim "the port of before is free at once" gannet run r --resume --quiet --listen "tcp://127.0.0.1:$workers" --set limits.max_trials=1
claim "a search without workers elsewhere asks for no interface" gannet run x.yaml --dir local --quiet --set network.interface=nosuch0

# --- the site ---
echo 'network: {interface: nosuch0, ports: 21200-21399}' >cluster.yaml
refuse "the cluster's file holds for gannet run --listen" 2 "network.interface is 'nosuch0'" \
    gannet run x.yaml --dir s --quiet --listen 'tcp://0.0.0.0:*'
echo 'network: {interface: 127.0.0.0/8}' >"$HOME/.config/gannet/site.yaml"
claim "the person's own is over it, by a subnet" gannet run x.yaml --dir s --quiet --listen 'tcp://0.0.0.0:*'
matches "it listened there, in the cluster's range" 'workers connect to tcp://127.0.0.1:21[23]' "$(cat s/logs/coordinator.log)"
claim "an address that is given stays" gannet run x.yaml --dir given --quiet --listen 'tcp://127.0.0.1:*' --set network.interface=nosuch0
claim "a search of before" gannet run x.yaml --dir old --quiet
claim "goes on with them" gannet run old --resume --quiet --listen 'tcp://0.0.0.0:*' --set limits.max_trials=6
matches "there, too" 'workers connect to tcp://127.0.0.1:21[23]' "$(cat old/logs/coordinator.log)"
matches "check names the place" '#   network.ports is from .*cluster.yaml:1' "$(gannet check x.yaml)"
echo 'network: {interface: 127.0.0.0/8, ports: 40000}' >"$HOME/.config/gannet/site.yaml"
refuse "a mistake is shown at its place" 2 "site.yaml:1:.*'network.ports': '40000' is no range of ports" gannet check x.yaml
claim "which ends no search on one machine" gannet run x.yaml --dir alone --quiet
rm "$HOME/.config/gannet/site.yaml"

# --- jobs ---
[ -f "$GANNET_BUILD/tests/slurm_fake.so" ] || { skip "in a job" "tests/slurm_fake.so was not built"; finish; }
export GANNET_SLURM_MODULE="$GANNET_BUILD/tests/slurm_fake.so" GANNET_SLURM_FAKE="$SCRATCH/slurm"
mkdir slurm
claim "a job is submitted from a machine without the interface" gannet submit x.yaml --dir j
refuse "the job says what its node has before anything is started" 2 "network.interface is 'nosuch0', .*lo \(127.0.0.1\)" \
    env SLURM_JOB_ID=100 SLURM_JOB_NODELIST=n1 gannet job --rundir j
claim "nothing was started" test ! -e j/logs/coordinator.log
refuse "a coordinator that is to run here is not begun" 2 "network.interface is 'nosuch0'" \
    gannet submit x.yaml --dir here --set slurm.shape=elastic --set slurm.coordinator=here
claim "and leaves nothing" test ! -e here
finish
