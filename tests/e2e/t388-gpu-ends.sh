#!/bin/bash
# a run that its GPU ended has an ending of its own: one that lacked the GPU's memory says so, and one whose GPU failed is tried
# again without a retry. The GPUs are made up, and so are the programs' last words
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gpus.sh"
scratch
needs sqlite3
GIB=$((1 << 30))
gpus <<END
gpu GPU-a name=Imagined_A memory=$((80 * GIB))
END
# Each trial finds in a file what it is to say, and ends with 1; without one it is fine.
cat >work.yaml <<'YAML'
version: 1
name: work
trial:
  command: |
    : ${args}
    words=$WORDS/words-$GANNET_ATTEMPT
    [ ! -e "$words" ] || { cat "$words" >&2; exit 1; }
    echo loss=1
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
resources: {gpus: 1, bind: none}
limits: {max_trials: 1}
YAML
export WORDS=$PWD
ended() { gannet show "$1" 1 --json | grep -m1 '"reason"' | sed 's/.*: "\(.*\)".*/\1/'; }
cat >words-1 <<'END'
Traceback (most recent call last):
  File "train.py", line 12, in <module>
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.
END
gannet run work.yaml --dir full >full.log 2>&1
is "a program that lacked its GPU's memory ends so" gpu_out_of_memory "$(ended full)"
matches "with what it said" 'its GPU had no memory left: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.*exit status 1' \
    "$(gannet show full 1)"
matches "explain says it, too" 'needed more memory than its GPU had' "$(gannet explain full/1)"
gannet run work.yaml --dir free --set resources.gpus=0 >free.log 2>&1
is "without a GPU those are words like others" exited "$(ended free)"
claim "where trial.retries allows it, it is tried again" gannet run work.yaml --dir again --set trial.retries=1
is "and ends well" completed "$(ended again)"

echo 'RuntimeError: CUDA error: uncorrectable ECC error encountered' >words-1
claim "one whose GPU failed is tried again without a retry" gannet run work.yaml --dir broken
is "and ends well" completed "$(ended broken)"
is "the attempt before is recorded with its reason" "gpu_failed|its GPU failed: RuntimeError: CUDA error: uncorrectable ECC error encountered; exit status 1" \
    "$(sqlite3 -readonly broken/gannet.db 'SELECT e.name, r.detail FROM runs r JOIN endings e USING (ending) WHERE attempt = 1')"
for attempt in 2 3 4 5 6; do cp words-1 words-$attempt; done
gannet run work.yaml --dir always >always.log 2>&1
is "which does not go on for ever" "gpu_failed 3" "$(ended always) $(sqlite3 -readonly always/gannet.db 'SELECT count(*) FROM runs')"
matches "and says so" 'its GPU failed or its worker was lost three times' "$(gannet explain always/1)"

# --- what the driver says ---
# Each trial says that it runs, and waits until it may go on, or is ended.
rm -f words-*
cat >wait.yaml <<'YAML'
version: 1
name: wait
trial:
  command: |
    : ${args}
    echo "$CUDA_VISIBLE_DEVICES" >"$WORDS/runs-$GANNET_TRIAL-$GANNET_ATTEMPT"
    until [ -e "$WORDS/go" ]; do sleep 0.1; done
    [ ! -e "$WORDS/fail-$GANNET_TRIAL-$GANNET_ATTEMPT" ] || exit 1
    echo loss=1
  grace: 1s
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
resources: {gpus: 1, bind: none}
limits: {max_trials: 1}
YAML
first() { # first NUMBER FILE: the row of a run
    sqlite3 -readonly "$2/gannet.db" "SELECT e.name || '|' || r.detail FROM runs r JOIN endings e USING (ending) WHERE attempt = $1"
}
gpus <<END
gpu GPU-a name=Imagined_A memory=$((80 * GIB)) ecc=5
END
gannet run wait.yaml --dir aside --plain >aside.log 2>&1 &
search=$!
claim "a search runs on a GPU" until_true [ -e runs-1-1 ]
gpus <<END
gpu GPU-a name=Imagined_A memory=$((80 * GIB)) ecc=5 xid=62
END
says() { gannet status "$1" | grep -Eq "$2"; }
logs() { grep -Eq "$2" "$1"/logs/worker*.log; }
set_aside='GPU 0 \(Imagined A, GPU-a\) has halted: its own controller stopped \(Xid 62\); it is set aside until it was reset'
claim "one that halts is set aside, and status says why" until_true says aside "$set_aside"
claim "so does the worker's log" until_true logs aside "$set_aside"
claim "nothing more has begun there" [ ! -e runs-1-2 ]
gpus <<END
gpu GPU-a name=Imagined_A memory=$((80 * GIB)) ecc=0
END
claim "when it was reset, which its counter of errors shows, the trial is tried again there" until_true [ -e runs-1-2 ]
touch go
wait "$search"
is "and the search ends well" "0 completed" "$? $(ended aside)"
matches "the attempt before cost no retry, and has its reason" '^gpu_failed\|GPU 0 .*has halted.*Xid 62' "$(first 1 aside)"
matches "explain says it" 'gpu_failed: GPU 0 \(Imagined A, GPU-a\) has halted' "$(gannet explain aside/1)"

rm -f go runs-*
gannet run wait.yaml --dir lost --plain >lost.log 2>&1 &
search=$!
until_true [ -e runs-1-1 ]
gpus <<END
gpu GPU-b name=Imagined_B
END
claim "one that falls off the bus is set aside, too" until_true says lost 'GPU 0 \(Imagined A, GPU-a\) (has fallen off the bus|is not among those)'
gpus <<END
gpu GPU-a name=Imagined_A memory=$((80 * GIB))
END
claim "and used again when it is back" until_true [ -e runs-1-2 ]
touch go
wait "$search"
is "so that the search ends well" "0 completed" "$? $(ended lost)"

rm -f go runs-*
touch fail-1-1
gannet run wait.yaml --dir hit --plain >hit.log 2>&1 &
search=$!
until_true [ -e runs-1-1 ]
gpus <<END
gpu GPU-a name=Imagined_A memory=$((80 * GIB)) ecc=0 xid=94
END
claim "an error that hit one program alone is in the worker's log" until_true logs hit 'GPU 0 .*hit one program alone.*Xid 94'
touch go
wait "$search"
is "it does not set the GPU aside" "0 completed" "$? $(ended hit)"
matches "and the program that failed then is not to blame" '^gpu_failed\|GPU 0 .*hit one program alone.*Xid 94.*exit status 1' "$(first 1 hit)"
finish
