#!/bin/bash
# a coordinator and a worker on two ends of a network that loses, delays, reorders and resets do every trial once
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
. "$(dirname "$0")/record.sh"
. "$(dirname "$0")/net.sh"
scratch
net_begin
claim "an experiment is prepared" net_search r 60
net_coordinator r
net_workers r
claim "trials end" net_progress r 3
matches "what they say goes over the network" 'wire0: *[0-9]{4}' "$(in_a cat /proc/net/dev)"

for trouble in "loss 30 30" "loss 0 60" "delay 20 80"; do
    claim "$trouble" wire "$trouble"
    claim "$trouble: trials end all the same" net_progress r 4
    wire loss 0 0 && wire delay 0 0
done
for time in 1 2 3; do
    wire reset 300
    claim "connections are reset: trials end all the same" net_progress r 3
done
for cut in "100 100" "100 0" "0 100"; do
    wire loss $cut
    sleep 3
    wire loss 0 0
    claim "packets get through again after $cut: trials end" net_progress r 3
done
wait $net_coordinator
is "the search comes to its end" 0 $?
wait $net_workers
claim "with every trial completed once, and none begun twice" net_is_whole r 60
net_close
claim "nothing is left running" none_left
finish
