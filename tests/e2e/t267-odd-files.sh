#!/bin/bash
# what is no file in a run directory, a key that can't be read, a limit of file sizes: nothing waits or dies without a word
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
synth synth.yaml 4
claim "a search runs" gannet run synth.yaml --dir runs/r --quiet

# Logs and trials may be removed for room, and a copy may lack the keys.
rm -r runs/r/logs runs/r/trials runs/r/keys
claim "without its logs, trials and keys it goes on" gannet run r --resume --quiet --set limits.max_trials=5

# A pipe that nobody writes to.
claim "its identity is a pipe: it goes on" bash -c \
    'rm runs/r/identity && mkfifo runs/r/identity && timeout 300 gannet run r --resume --quiet --set limits.max_trials=6'
rm runs/r/experiment.yaml && mkfifo runs/r/experiment.yaml
refuse "its experiment is a pipe: status does not wait for it" 5 "no experiment" timeout 300 gannet status runs/r
refuse "resume, too" 5 "no experiment" timeout 300 gannet run runs/r --resume
claim "the list of experiments leaves it out" timeout 300 gannet ls

# A key that others may read is used by no worker: one that is started again says that, and gets through when it is closed.
synth many.yaml 100000 0.05
gannet run many.yaml --dir runs/key >key.out 2>&1 &
run=$!
claim "key: trials end" until_true has_ended runs/key 2
chmod 644 runs/key/keys/worker.key
kill -KILL "$(pid_of worker)"
claim "key: the worker's log says what is wrong" until_true grep -q "can't connect .*can be read by others" runs/key/logs/worker-1.log
ended=$(ended_count runs/key)
chmod 600 runs/key/keys/worker.key
claim "key: closed again, trials end again" until_true has_ended runs/key $((ended + 3))
claim "key: it can be stopped" gannet stop runs/key
wait $run
is "key: it ends as one that was stopped" 4 $?

# Files may not grow: the store can't either.
(ulimit -f 20 && exec gannet run synth.yaml --dir runs/limit) >limit.out 2>&1
claim "limit of file sizes: the run ends by itself" test $? -lt 100
matches "limit of file sizes: it says that the store can't be written" 'gannet\.db' "$(cat limit.out)"
claim "no process is left" none_left
finish
