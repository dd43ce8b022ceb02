#!/bin/bash
# a trial of several processes begins, ends and is told of as one, however one of them ends
. "$(dirname "$0")/lib.sh"
scratch

# experiment NAME [KEYS OF trial [RESOURCES [LIMITS]]]: one trial of two processes; standard input is their program.
experiment() {
    { echo '#!/bin/bash' && cat; } >"$1.sh"
    chmod +x "$1.sh"
    cat >"$1.yaml" <<YAML
version: 1
trial: {command: [./$1.sh, "\${params.x}"]${2:-, grace: 2s}}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
resources: {ranks: 2, bind: none${3:-, cpus: 2}}
limits: {max_trials: 1${4:-}}
YAML
}
trial_of() { gannet trials "$1" --csv --columns "$2" | sed -n 2p | tr -d '\r'; }
# ends WORDS NAME REASON PATTERN: its trial has ended so, gannet show says why, and nothing of it is left.
ends() {
    gannet run "$2.yaml" --dir "$2" --quiet >"$2.out" 2>&1
    is "$1: $3" "$3" "$(trial_of "$2" reason)"
    matches "$1: with the sentence" "$4" "$(gannet show "$2" 1 | head -n 1)"
    claim "$1: nothing is left" none_left
}
# rank_says NAME [.rank1]: what it printed, in whichever attempt: on a busy machine the first may have gone back unbegun.
rank_says() { cat "$1/trials/000001/stdout$2" "$1/trials/000001/stdout$2".[0-9] 2>/dev/null; }

cores=$(env -u OMP_NUM_THREADS nproc)
if [ "$cores" -lt 2 ]; then skip_all "a trial of two processes needs two cores"; fi

# --- what each is told ---

experiment told <<'SH'
echo "$RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $GROUP_RANK $MASTER_ADDR"
echo "ours $GANNET_RANK $GANNET_RANKS $GANNET_LOCAL_RANKS $GANNET_NODE $GANNET_NODES $GANNET_HOSTS"
echo "threads $OMP_NUM_THREADS port $MASTER_PORT"
sed -n 's/^Cpus_allowed_list:\t/cpus /p' /proc/self/status
echo "loss=0.$((RANK + 1)) step=1"
SH
sed -i 's/bind: none/bind: core/' told.yaml
ends "both end well" told completed "^Trial 1: completed, ran to its end$"
is "the first is told that it is the first" "0 0 2 2 0 127.0.0.1" "$(rank_says told | sed -n 1p)"
is "the second that it is the second" "1 1 2 2 0 127.0.0.1" "$(rank_says told .rank1 | sed -n 1p)"
is "the same in our own words" "ours 1 2 2 0 1 localhost" "$(rank_says told .rank1 | sed -n 2p)"
is "both are told the same port" "$(rank_says told | grep threads)" "$(rank_says told .rank1 | grep threads)"
matches "each has threads for its part of the cores" "^threads 1 port [1-9][0-9]*$" "$(rank_says told | grep threads)"
[ "$(rank_says told | grep cpus)" != "$(rank_says told .rank1 | grep cpus)" ]
tap_line $? "each has cores of its own"
is "what the second prints is no value of the trial" 0.1 "$(trial_of told value)"

again=$(gannet show told 1 | sed -n '/^Train it again/{n;p}')
matches "the line that trains it again starts both" 'for RANK in \$\(seq 0 1\); do .* WORLD_SIZE=2 .* & done; wait' "$again"
is "and can be typed" "0 0 2 2|1 1 2 2|" "$(bash -c "$again" | sed -n 's/^\(. . . .\) .*127.*/\1/p' | sort | tr '\n' '|')"
matches "its attempts are said to be of two processes" "^Attempts, of 2 processes$" "$(gannet show told 1)"
matches "and gannet check says it of all trials" "trials? at a time, each of 2 processes" "$(gannet check told.yaml)"

experiment one <<'SH'
echo "rank ${RANK-none} ${WORLD_SIZE-none} ${GANNET_RANKS-none} ${MASTER_PORT-none}"
echo loss=1
SH
sed -i 's/ranks: 2/ranks: 1/' one.yaml
ends "a trial of one process" one completed "^Trial 1: completed, ran to its end$"
is "is told nothing of ranks" "rank none none none none" "$(rank_says one | head -n 1)"

# --- how they end ---

experiment second-fails <<'SH'
echo "loss=0.$((RANK + 1))"
if [ "$RANK" = 1 ]; then echo "bad batch" >&2; exit 3; fi
sleep 1000
SH
ends "the second fails" second-fails exited "rank 1: exit status 3: bad batch"
matches "its last words are those of the trial" "bad batch" "$(gannet show second-fails 1 | sed -n '/last words/,$p')"

experiment first-crashes <<'SH'
echo "loss=0.$((RANK + 1))"
if [ "$RANK" = 0 ]; then until [ -e ready ]; do sleep 0.05; done; kill -SEGV $$; fi
trap 'echo was asked; exit 0' TERM
touch ready
while :; do sleep 0.05; done
SH
ends "the first crashes" first-crashes crashed "rank 0: killed by SIGSEGV"
matches "the other was asked to end" "was asked" "$(rank_says first-crashes .rank1)"

experiment both-fail <<'SH'
echo "loss=0.$((RANK + 1))"
if [ "$RANK" = 1 ]; then echo "out of data" >&2; touch gone; sleep 0.3; exit 1; fi
until [ -e gone ]; do sleep 0.01; done
sleep 0.1
echo "the other is gone" >&2
sleep 0.15
exit 1
SH
ends "of two that fail at about the same time" both-fail exited "rank [01]: exit status 1: (out of data|the other is gone)"

experiment stays <<'SH'
if [ "$RANK" = 0 ]; then echo loss=0.1; exit 0; fi
trap '' TERM
while :; do sleep 0.05; done
SH
ends "the second stays when the first has ended" stays completed "rank 1 did not end within 2.0s of rank 0 \(trial.grace\) and had to be ended"

experiment late ', grace: 60s' <<'SH'
if [ "$RANK" = 0 ]; then echo loss=0.1; exit 0; fi
sleep 0.5; echo "late end"
SH
ends "the second ends a little later" late completed "^Trial 1: completed, ran to its end$"
is "and has had the time to" "late end" "$(rank_says late .rank1)"

experiment late-failure ', grace: 60s' <<'SH'
if [ "$RANK" = 0 ]; then echo loss=0.1; exit 0; fi
sleep 0.3; echo "could not close" >&2; exit 4
SH
ends "the second fails after the first has ended" late-failure exited "rank 1: exit status 4: could not close"

experiment stubborn ', grace: 1s' '' ', trial_time: 1s' <<'SH'
trap '' TERM
echo "loss=0.$((RANK + 1))"
while :; do sleep 0.05; done
SH
ends "all ignore SIGTERM" stubborn timed_out "it ran longer than 1.0s, its limits.trial_time"

experiment leaves <<'SH'
echo "loss=0.$((RANK + 1))"
setsid sh -c 'echo $$ >>daemons; exec sleep 1000' &
until [ "$(wc -l <daemons 2>/dev/null)" = 2 ]; do sleep 0.02; done
SH
ends "each leaves a process behind" leaves completed "^Trial 1: completed"

experiment twice ', grace: 1s, retries: 1' <<'SH'
echo "attempt $GANNET_ATTEMPT"
if [ "$GANNET_ATTEMPT" = 1 ] && [ "$RANK" = 1 ]; then exit 1; fi
echo "loss=0.$((RANK + 1))"
SH
ends "a second attempt" twice completed "^Trial 1: completed"
is "has files of its own" "attempt 2" "$(rank_says twice .rank1.2 | head -n 1)"

experiment nothing <<'SH'
if [ "$RANK" = 1 ]; then echo loss=0.5; fi
SH
ends "only the second prints the metric" nothing no_value "it printed no value of 'loss'"

# --- what is counted ---

if command -v python3 >/dev/null; then
    experiment hungry ', grace: 1s' ', cpus: 2, memory: 130M' <<'SH'
exec python3 -c 'import time; x = b"x" * (80 << 20); print("loss=1", flush=True); time.sleep(1000)'
SH
    ends "the memory of all counts together" hungry out_of_memory "it used .* of memory, more than the .* of resources.memory"
else
    skip "the memory of all counts together" "there is no python3 here"
fi

# --- a program that starts its processes by itself ---

experiment launcher ', launch: first' <<'SH'
echo "lead ${RANK-none} ${WORLD_SIZE-none} $GANNET_RANKS $GANNET_LOCAL_RANKS $GANNET_NODES $GANNET_HOSTS $GANNET_LAUNCH threads $OMP_NUM_THREADS"
cat "$GANNET_HOSTFILE"
for rank in 1 0; do
    RANK=$rank "$GANNET" metric "loss=0.$((rank + 1))" --step 1
done
SH
ends "a launcher" launcher completed "^Trial 1: completed, ran to its end$"
is "is started once, and told how many to start" "lead none none 2 2 1 localhost first threads 1" "$(rank_says launcher | head -n 1)"
is "and where" "localhost slots=2" "$(rank_says launcher | sed -n 2p)"
is "of those the first alone reports" 0.1 "$(trial_of launcher value)"
is "they have no files of their own" "" "$(ls launcher/trials/000001 | grep rank)"

# --- the worker dies ---

experiment orphaned <<'SH'
echo $$ >>pids
until [ -e go ]; do sleep 0.05; done
echo "loss=$RANK"
SH
gannet run orphaned.yaml --dir orphaned >orphaned.out 2>&1 &
run=$!
claim "both run" until_true sh -c '[ "$(wc -l <pids)" = 2 ]'
first=$(sed -n 1p pids) second=$(sed -n 2p pids)
kill -KILL "$(left | sed -n 's/^\([0-9]*\) [^ ]*gannet-worker .*/\1/p')"
claim "one ends with the killed worker" until_true process_dead "$first"
claim "and so does the other" until_true process_dead "$second"
touch go
wait $run
is "the search ends all the same" 0 $?
is "with the trial completed" completed "$(trial_of orphaned state)"
claim "nothing is left of it" none_left

# --- what is refused ---

sed 's/cpus: 2/cpus: 1/' told.yaml >few.yaml
refuse "more processes than cores are refused" 2 "2 processes can't share 1 core.*" gannet check few.yaml
matches "with the mend" "write cpus: 2, or fewer ranks" "$(gannet check few.yaml 2>&1)"
sed 's/^trial:.*/trial: {kernel: synth}/; s/, bind: none, cpus: 2//' late.yaml >kernel.yaml
refuse "a kernel that trains in one process says so" 2 "this kernel trains in one process" gannet check kernel.yaml
finish
