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
finish
