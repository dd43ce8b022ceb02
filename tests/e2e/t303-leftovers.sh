#!/bin/bash
# nothing that a trial started outlives it, even when its worker is killed
. "$(dirname "$0")/lib.sh"
scratch

# Each trial puts a process in a session of its own, out of reach of its group, and waits for a file.
cat >daemons.yaml <<'YAML'
version: 1
seed: 1
trial:
  command: |
    : ${args}
    setsid sh -c 'echo $$ >>pids; sleep 1000' &
    while [ ! -s pids ] || [ ! -e go ]; do sleep 0.05; done
    echo loss=1
  grace: 1s
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
strategy: random
limits: {max_trials: 3, max_concurrent: 1}
YAML
worker_of() { for p in $(left | sed -n 's/^\([0-9]*\) [^ ]*gannet-worker .*/\1/p'); do echo "$p"; done; }

gannet run daemons.yaml >out 2>err &
run=$!
claim "a trial runs with its daemon" until_true [ -s pids ]
first=$(head -n 1 pids)
claim "the daemon lives while the trial does" process_lives "$first"
worker=$(worker_of)
kill -KILL "$worker"
claim "a new worker sweeps away what the killed one left" until_true process_dead "$first"
touch go
wait $run
is "the search ends all the same" 0 $?
is "with all trials completed" 3 "$(gannet trials daemons --csv --columns state | grep -c completed)"
for pid in $(cat pids); do
    claim "daemon $pid is gone" until_true process_dead "$pid"
done
claim "nothing is left" none_left
finish
