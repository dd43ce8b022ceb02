#!/bin/bash
# two searches on one machine never have a core in common: the second one takes what is free, waits, says so, and ends
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
mkdir locks && chmod 1777 locks
export GANNET_CORE_LOCKS=$SCRATCH/locks

# Each program makes a directory for its core, which fails when another one has it, and removes it at its end.
cat >busy.sh <<'SH'
core=$(sed -n 's/^Cpus_allowed_list:\s*//p' /proc/self/status)
mkdir "$1/on-$core" || echo "$core" >>"$1/collisions"
sleep 0.2
rmdir "$1/on-$core"
echo loss=0.5
SH
cat >busy.yaml <<YAML
version: 1
seed: 1
trial: {command: "sh $SCRATCH/busy.sh $SCRATCH # \${params.x}"}
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
strategy: random
resources: {cpus: 1}
limits: {max_trials: 24}
YAML

# --- both at once ---
gannet run busy.yaml --dir one --quiet >one.out 2>&1 &
one=$!
gannet run busy.yaml --dir other --quiet >other.out 2>&1 &
other=$!
wait $one
is "the first of two searches ends" 0 $?
wait $other
is "the second one ends, too" 0 $?
is "no core ran two trials at once" "" "$(cat collisions 2>/dev/null)"
for search in one other; do
    is "every trial of '$search' is there" 24 "$(gannet trials $search --csv --columns state | grep -c completed)"
    is "no attempt of '$search' failed" 0 "$(gannet logs $search --events | grep -c 'tried again')"
done

# --- one waits ---
sed "s/max_trials: 24/max_concurrent: 64/; s/sleep 0.2/sleep 1/" busy.yaml >long.yaml
gannet run long.yaml --dir long >long.out 2>&1 &
long=$!
claim "a search has all cores" until_true has_ended long 2
gannet run busy.yaml --dir waits --set limits.max_trials=2 >waits.out 2>&1 &
waiting=$!
waits() { gannet status waits | grep -Eq "slots? of .* waits?: core [0-9]+ is in use by your search 'long' \(process [0-9]+\)"; }
claim "another one waits, and its status says for whom" until_true waits
claim "so does its progress" until_true grep -q "waiting: core [0-9]* is in use by your search 'long'" waits.out
claim "gannet doctor shows who has what" sh -c "gannet doctor | grep -q \"core 0.* by your search 'long'\""
claim "so does gannet-worker" sh -c "gannet-worker --show-slots | grep -q \"core 0 is in use by your search 'long'\""
claim "a search that shares does not wait" timeout 300 gannet run busy.yaml --dir shares --share --set limits.max_trials=2
claim "nor does one that a trial runs" env GANNET_TRIAL=1 timeout 300 gannet run busy.yaml --dir inner --set limits.max_trials=2
claim "it still waits" waits
claim "the first one is stopped" gannet stop long
wait $long
wait $waiting
is "then the other one goes on by itself" 0 $?
is "with all its trials" 2 "$(gannet trials waits --csv --columns state | grep -c completed)"

# --- what is not used is free ---
if [ "$(env -u OMP_NUM_THREADS nproc)" -lt 2 ]; then
    skip "a second core is free" "this machine has one core"
else
    core=$(sed -n 's/^Cpus_allowed_list:\s*//p' /proc/self/status | grep -oE '^[0-9]+')
    gannet run long.yaml --dir narrow --cores "$core" --quiet >narrow.out 2>&1 &
    narrow=$!
    claim "a search on one core runs" until_true has_ended narrow 1
    claim "another one has the rest" timeout 300 gannet run busy.yaml --dir rest --set limits.max_trials=4
    is "and that core was not among it" 0 "$(gannet trials rest --csv --columns cpus | grep -cx "$core")"
    gannet stop narrow >/dev/null
    wait $narrow
fi
refuse "a core that is not there is found before the start" 2 'no core.*99999' gannet run busy.yaml --dir bad --cores 99999
refuse "so is what is no list" 2 "'all'" gannet run busy.yaml --dir bad --cores all
refuse "and a GPU that is not there" 2 "no GPU '77'" gannet run busy.yaml --dir bad --gpus 77
is "nothing was made for them" "" "$(ls -d bad 2>/dev/null)"

# --- another user's ---
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$SCRATCH/nobody" "$@"; }
if [ "$(id -u)" -ne 0 ]; then
    skip "another user's search is named" "only root can be two users"
elif ! as_nobody test -x "$(command -v gannet)"; then
    skip "another user's search is named" "other users can't read the programs under test in $(command -v gannet)"
else
    gannet run long.yaml --dir long2 --quiet >long2.out 2>&1 &
    long=$!
    claim "root's search has all cores" until_true has_ended long2 1
    mkdir nobody && chown 65534 nobody && chmod 755 "$SCRATCH"
    as_nobody gannet run busy.yaml --dir nobody/run --set limits.max_trials=1 >nobody.out 2>&1 &
    theirs=$!
    claim "another user's search waits for it" until_true grep -q "in use by the search 'long2' of root" nobody.out
    gannet stop long2 >/dev/null
    wait $long
    wait $theirs
    is "and goes on after it" 0 $?
fi
finish
