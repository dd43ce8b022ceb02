#!/bin/bash
# a kernel trains in several processes as in one, and nothing of them is left however one of them ends
. "$(dirname "$0")/lib.sh"
scratch

# experiment NAME RESOURCES [EPOCHS [LIMITS]]
experiment() {
    cat >"$1.yaml" <<YAML
version: 1
trial: {kernel: mlp, options: {data: $SOURCE/examples/data/digits.csv, epochs: ${3:-3}, batch: 100, dropout: 0.25}}
metric: {name: val_loss, goal: minimize}
parameters: {lr: {min: 0.01, max: 0.2, log: true}}
strategy: random
seed: 7
resources: {$2}
limits: {max_trials: ${4:-2}}
YAML
}
trial_of() { gannet trials "$1" --csv --columns "$2" | tr -d '\r' | sed 1d; }

cores=$(env -u OMP_NUM_THREADS nproc)
if [ "$cores" -lt 2 ]; then skip_all "a trial of two processes needs two cores"; fi

# --- as one ---

experiment alone "cpus: 1"
experiment both "cpus: 2, ranks: 2"
claim "one process trains" gannet run alone.yaml --dir alone --quiet
claim "two ranks train" gannet run both.yaml --dir both --quiet
is "all trials complete" "completed completed" "$(trial_of both state | xargs)"
alike() {
    paste -d' ' <(trial_of alone value) <(trial_of both value) |
        awk '{ d = ($1 - $2) / $1; if (d < -1e-3 || d > 1e-3) exit 1 } END { exit NR != 2 }'
}
claim "to the same losses" alike
matches "the time that averaging takes is said" "allreduce" "$(gannet show both 1)"
matches "gannet check says of how many processes a trial is" "each of 2 processes" "$(gannet check both.yaml)"
claim "nothing is left" none_left
again=$(gannet show both 1 | sed -n '/^Train it again/{n;p}')
matches "the line that trains it again has both" "--ranks 2" "$again"
claim "and can be typed" sh -c "$again | grep -q '^completed'"

experiment sockets "sockets: 2"
matches "a trial on two sockets has a process on each" "^ *ranks: 2" "$(gannet check sockets.yaml)"
sed 's/sockets: 2/sockets: 2, ranks: 1/' sockets.yaml >one.yaml
matches "unless the file says one" "^ *ranks: 1" "$(gannet check one.yaml)"
sed 's/cpus: 2/cpus: 1/' both.yaml >few.yaml
refuse "more ranks than cores are refused" 2 "2 processes can't share 1 core.*" gannet check few.yaml

# --- a rank dies ---

# ranks: the processes of the trainer beside its first, which are forks of it.
ranks() { left | sed -n 's/^\([0-9]*\) [^ ]*gannet-trainer.*/\1/p'; }
second() {
    for pid in $(ranks); do
        case " $(ranks | xargs) " in *" $(awk '{ print $4 }' /proc/"$pid"/stat 2>/dev/null) "*) echo "$pid" && return ;; esac
    done
    return 1
}
trains() { second >rank && [ "$(gannet trials dies --csv --columns step 2>/dev/null | tail -n 1 | tr -dc 0-9)" -gt 1 ]; }
experiment dies "cpus: 2, ranks: 2" 1000000 1
sed -i 's/^trial: {/trial: {retries: 0, /' dies.yaml
gannet run dies.yaml --dir dies --quiet >dies.out 2>&1 &
run=$!
claim "both ranks run" until_true trains
kill -KILL "$(cat rank)"
wait $run
is "the run crashed" crashed "$(trial_of dies reason)"
matches "its sentence says by what, and which rank" "killed by SIGKILL; rank 1 of 2 was killed by signal 9" "$(gannet show dies 1 | head -n 1)"
matches "and its error output says which rank" "rank 1 of 2 was killed by signal 9" "$(cat dies/trials/000001/stderr*)"
claim "nothing of it is left" none_left
finish
