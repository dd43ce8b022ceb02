#!/bin/bash
# trainers of a node have one copy of their data, results are the same bits with and without, and nothing of it is left
# whatever is killed
. "$(dirname "$0")/lib.sh"
scratch
chmod 700 "$TMPDIR"

# 3,000 examples of 100 inputs: 1.2 MB as floats
awk 'BEGIN { srand(4); for (i = 1; i <= 100; i++) printf "x%d,", i; print "class"
    for (n = 0; n < 3000; n++) { c = n % 5; for (i = 1; i <= 100; i++) printf "%.4f,", rand() + (i % 5 == c); print c } }' >data.csv
# experiment NAME STAGE [KEY=VALUE]
experiment() {
    cat >"$1.yaml" <<YAML
version: 1
seed: 5
trial: {kernel: mlp, options: {data: $PWD/data.csv, stage: $2, epochs: ${3:-2}, width: 16, batch: 100, dropout: 0.2}, retries: 5}
metric: {name: val_loss, goal: minimize}
parameters: {lr: {min: 0.01, max: 0.2, log: true}}
strategy: random
resources: {cpus: 1, bind: none}
limits: {max_trials: ${4:-4}, max_concurrent: 4}
YAML
}
wide=(--topology "$SOURCE/tests/worker/topologies/128-cores.xml")
values() { gannet trials "$1" --csv --columns trial,val_loss,train_loss --sort trial; }
staged() { ls -A "$TMPDIR/gannet-data-$(id -u)" 2>/dev/null; }
trainers() { left | sed -n 's/^\([0-9]*\) [^ ]*gannet-trainer.*/\1/p'; }
# maps WHERE: the inodes of staged data that trainers have mapped, a line for each trainer
maps() { for p in $(trainers); do sed -n "s|^[^ ]* r--s [^ ]* [^ ]* \([0-9]*\) *$1/gannet-data-.*|\1|p" "/proc/$p/maps" 2>/dev/null | head -n 1; done; }
four_map() { [ "$(maps "$1" | wc -l)" -eq 4 ]; }

# --- the same bits ---

for stage in none shm local auto; do
    experiment $stage $stage
    claim "a search with stage: $stage" gannet run $stage.yaml --dir $stage --quiet "${wide[@]}"
done
is "comes to the same losses in memory" "$(values none)" "$(values shm)"
is "on the disk" "$(values none)" "$(values local)"
is "and where gannet chooses" "$(values none)" "$(values auto)"
is "all trials completed" 4 "$(gannet trials none --csv --columns state | grep -c completed)"
is "nothing is left on the disk" "" "$(staged)"
trial() { gannet-trainer --run mlp --options "{\"data\": \"data.csv\", \"stage\": \"$1\", \"epochs\": 2}" --ranks 2 --json | grep -o '"val_loss": *[^,]*'; }
is "two ranks come to the same bits with it" "$(trial none)" "$(trial local)"
matches "and have some" '[0-9]' "$(trial shm)"
is "nothing is left" "" "$(staged)"

# --- one copy ---

experiment long local 100000 4
begin() { name=$1; gannet run long.yaml --dir "$1" --quiet "${wide[@]}" "${@:2}" >"$1.log" 2>&1 & run=$!; }
begin disk
claim "four trainers map their data" until_true four_map "$TMPDIR"
is "which is one file" 1 "$(maps "$TMPDIR" | sort -u | wc -l)"
is "in a directory of this user alone" "$(id -u) 700" "$(stat -c '%u %a' "$TMPDIR/gannet-data-$(id -u)")"
is "that nobody else can read" "$(id -u) 600" "$(stat -c '%u %a' "$TMPDIR/gannet-data-$(id -u)"/*)"
claim "a person ends it" gannet stop "$name" --now
wait "$run"
claim "all has ended" until_true none_left
is "and nothing is left" "" "$(staged)"

begin memory --set trial.options.stage=shm
claim "four trainers map what is in memory" until_true four_map /dev/shm
file=$(maps /dev/shm | sort -u)
is "which is one file" 1 "$(wc -l <<<"$file")"
gone() { [ -z "$(find "/dev/shm/gannet-data-$(id -u)" -inum "$file" 2>/dev/null)" ]; }
kill -KILL "$run" # its coordinator and workers are told to end
claim "all processes of a killed run end" until_true none_left
claim "its data is gone" gone

# --- whoever is killed ---

begin worker
claim "four trainers map their data" until_true four_map "$TMPDIR"
kill -STOP "$run" # it starts no other worker
worker=$(left | sed -n 's/^\([0-9]*\) [^ ]*gannet-worker.*/\1/p')
kill -STOP $(trainers) # they can't clear up after themselves
exec 7<"$(echo "$TMPDIR/gannet-data-$(id -u)"/*)"
flock -s 7 # as by one of their threads, which may end later
free=$TMPDIR/gannet-data-$(id -u)/$(printf %016d 0)
touch "$free"
kill -KILL "$worker"
no_trainers() { [ -z "$(trainers)" ]; }
claim "trainers of a killed worker end" until_true no_trainers
claim "what nobody uses is cleared up by the reaper" until_true test ! -e "$free"
exec 7<&-
cleared() { [ -z "$(staged)" ]; }
claim "their data is, when the last user is gone" until_true cleared
kill -CONT "$run"
claim "the next worker's trainers pack it again" until_true four_map "$TMPDIR"
kill -KILL $(trainers | head -n 2)
claim "others take the place of killed trainers" until_true four_map "$TMPDIR"
is "with the same copy" 1 "$(maps "$TMPDIR" | sort -u | wc -l)"
claim "a person ends it" gannet stop "$name" --now
wait "$run"
claim "all has ended" until_true none_left
is "and nothing is left" "" "$(staged)"

# --- by hand ---

for signal in TERM INT HUP; do
    env --default-signal=INT gannet-trainer --run mlp --options "{\"data\": \"data.csv\", \"stage\": \"local\", \"epochs\": 100000}" >steps 2>&1 &
    hand=$!
    claim "a trial by hand takes steps" until_true test -s steps
    kill -$signal "$hand"
    wait "$hand"
    is "nothing is left when SIG$signal ends it" "" "$(staged)"
    rm steps
done

# --- another user, and no room ---

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    owner=61001 stranger=61002
    as() { setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"; }
    chmod 711 "$SCRATCH"
    chmod 1777 "$TMPDIR"
    chmod 644 data.csv
    by_hand() { as "$owner" gannet-trainer --run mlp --options "{\"data\": \"$PWD/data.csv\", \"stage\": \"$1\", \"epochs\": 1}"; }
    if as "$owner" test -x "$(command -v gannet-trainer)"; then
        claim "a user stages data" by_hand local
        as "$stranger" mkdir -m 777 "$TMPDIR/gannet-data-$owner"
        as "$stranger" ln -s /etc/passwd "$TMPDIR/gannet-data-$owner/$(printf %016d 0)"
        refuse "not where somebody else has made the directory" 2 "belongs to user $stranger, not to this one" by_hand local
        as "$stranger" rm -r "$TMPDIR/gannet-data-$owner"
        as "$stranger" ln -s "$HOME" "$TMPDIR/gannet-data-$owner"
        refuse "nor through a link" 2 "is a symbolic link" by_hand local
    else
        skip "a second user" "other users can't read the programs under test"
    fi
else
    skip "a second user" "only root can be two users"
fi

# small STAGE: where /dev/shm has 1 MiB
small() {
    unshare -m sh -c 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec gannet-trainer --run mlp --options "$1"' sh \
        "{\"data\": \"data.csv\", \"stage\": \"$1\", \"epochs\": 1}"
}
if unshare -m mount -t tmpfs tmpfs /dev/shm 2>/dev/null; then
    refuse "without room in memory, the size is said" 2 'the data takes 1.2 MiB in /dev/shm/.*where 1.0 MiB are free; make room' small shm
    claim "who has not asked for it trains without" small auto
    matches "and is told" 'each trainer holds the data for itself: the data takes' "$(small auto 2>&1)"
else
    skip "no room" "a filesystem can't be mounted here"
fi
finish
