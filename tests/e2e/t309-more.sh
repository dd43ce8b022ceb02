#!/bin/bash
# a trial that ran out of memory or time is tried again with more, and what it was given stands with each attempt
. "$(dirname "$0")/lib.sh"
scratch

# Its first attempt holds what it has until it is ended.
cat >memory.sh <<'SH'
held=$(head -c 150000000 /dev/zero | tr '\0' a)
[ "$GANNET_ATTEMPT" -gt 1 ] || sleep 1000
sleep 2
echo "loss=${#held}"
SH
experiment() { # experiment NAME COMMAND LIMITS RESOURCES
    cat >"$1.yaml" <<YAML
version: 1
trial: {command: $2, env: {P: "\${params.x}"}, retries: 2, grace: 1s}
metric: {name: loss, goal: minimize}
parameters: {x: [1]}
strategy: grid
limits: {max_trials: 1$3}
resources: {$4}
YAML
}
experiment memory '[bash, memory.sh]' '' 'memory: 100M, on_oom: x4'
claim "a trial that ran out of memory completes with more" gannet run memory.yaml
gannet show memory/1 >shown
claim "show has what each attempt was given" sh -c 'grep -Eq "^ +1 +out_of_memory .* 100 MiB" shown && grep -Eq "^ +2 +completed .* 400 MiB" shown'
is "so has the JSON" "104857600 419430400" "$(echo $(gannet show memory/1 --json | grep -o '"memory_limit": [0-9]*' | grep -o '[0-9]*$'))"
claim "explain says that it got more" sh -c 'gannet explain memory/1 | grep -q "tried again with 400 MiB of memory"'

experiment most '[bash, memory.sh]' '' 'memory: 50M, on_oom: x1.5, memory_max: 60M'
sed -i 's/-gt 1/-gt 9/' memory.sh
gannet run most.yaml >out 2>err
is "one that had the most fails" 1 $?
claim "with a sentence" sh -c 'gannet show most/1 | grep -q "60 MiB is the most that resources.memory_max allows"'
is "after the attempt with the most" 2 "$(gannet show most/1 --json | grep -o '"attempt":' | wc -l | tr -d " ")"

experiment time '[sh, -c, "[ $GANNET_ATTEMPT -gt 1 ] || sleep 1000; echo loss=1"]' ', trial_time: 1s, on_timeout: x100' 'cpus: 1'
claim "a trial that ran out of time completes with more" gannet run time.yaml
claim "show has the time that each attempt was given" sh -c 'gannet show time/1 | grep -Eq "^ +2 +completed .* 1m40s"'
claim "replay has the same trials" gannet replay time
claim "nothing is left running" none_left
finish
