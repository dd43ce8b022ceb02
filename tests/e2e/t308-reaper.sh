#!/bin/bash
# nothing is left behind by a worker or a run that was killed, whatever its programs have done to hide
. "$(dirname "$0")/lib.sh"
scratch

# A trial leaves a process without our environment, in a session of its own, whose parents are gone, and waits for a file.
cat >daemon <<'SH'
#!/bin/sh
env -i setsid sh -c '(sh -c "echo \$\$ >>pids; exec sleep 1000" </dev/null >/dev/null 2>&1 &)'
SH
chmod +x daemon
cat >hiding.yaml <<'YAML'
version: 1
seed: 1
trial:
  command: |
    : ${args}
    ./daemon
    sleep 0.1 # where it does not wait, more of them
    while [ ! -e go ]; do sleep 0.05; done
    echo loss=1
  grace: 1s
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
strategy: random
limits: {max_trials: 4, max_concurrent: 2}
YAML
all_dead() { for p in $(cat pids); do process_dead "$p" || return 1; done; }
of() { left | sed -n "s/^\([0-9]*\) [^ ]*$1 .*/\1/p"; }
reapers_are_new() { [ "$(of gannet-reaper | grep -vcx "$old")" -eq 2 ] && [ "$(of gannet-reaper | wc -l)" -eq 2 ]; }
daemons() { [ -s pids ] && [ "$(wc -l <pids)" -ge "$1" ]; }
begin() { rm -f pids go; gannet run hiding.yaml --dir "$1" --quiet >"$1.log" 2>&1 & run=$!; }

# What has hidden itself is not found by lib_clean either.
clean_all() {
    for p in $(cat pids 2>/dev/null); do [ "$(cat "/proc/$p/comm" 2>/dev/null)" = sleep ] && kill -KILL "$p"; done
    lib_clean
}
trap clean_all EXIT

begin killed
claim "a trial runs whose process has hidden itself" until_true daemons 1
# A run that is stopped starts no other worker, which would sweep.
kill -STOP "$run"
kill -KILL "$(of gannet-worker)"
claim "the reaper of a killed worker ends what has hidden itself" until_true all_dead
kill -CONT "$run"
touch go
wait "$run"
is "the search ends all the same" 0 $?
claim "nothing is left" until_true none_left

begin reaper
claim "another search runs" until_true daemons 1
old=$(of gannet-reaper)
is "with a reaper for the run and one for the worker" 2 "$(wc -l <<<"$old")"
kill -KILL $old
claim "when they are killed, others are started" until_true reapers_are_new
kill -STOP "$run"
kill -KILL "$(of gannet-worker)"
claim "and end what has hidden itself as well" until_true all_dead
kill -CONT "$run"
touch go
wait "$run"
is "the search ends all the same" 0 $?
claim "nothing is left" until_true none_left

begin gone
claim "a third search runs" until_true daemons 1
sockets() { ls "$TMPDIR" | grep -c '^gannet-'; }
is "with directories for its sockets, those of the coordinator and of the worker" 2 "$(sockets)"
kill -KILL "$run"
claim "all processes of a killed run end" until_true none_left
claim "those that have hidden themselves, too" until_true all_dead
is "its sockets are gone" 0 "$(sockets)"
refuse "gannet attach says what ended it, and nothing of a job" 69 'it has ended, what ran it was killed; gannet run' gannet attach gone
matches "how to go on is said, and nothing of a job" 'what ran it was killed; gannet run .*gone --resume goes on' "$(gannet status gone)"
touch go
claim "the search goes on with --resume" gannet run gone --resume --quiet
is "with all trials completed" 4 "$(gannet trials gone --csv --columns state | grep -c completed)"
claim "nothing is left" until_true none_left

# Whoever is killed first can't clean up behind those that are killed after it, and the reapers are killed, too. What
# nobody was left to end is ended by the next worker.
KILLS_SEED=${KILLS_SEED:-$$}
RANDOM=$KILLS_SEED
diag "KILLS_SEED=$KILLS_SEED"
ours() { left | sed -n 's/^\([0-9]*\) [^ ]*gannet.*/\1/p'; }
for round in $(seq 20); do
    begin "all$round"
    until_true daemons 1
    for pid in $(ours | shuf --random-source=<(echo $RANDOM$RANDOM$RANDOM$RANDOM$RANDOM$RANDOM$RANDOM$RANDOM)); do
        kill -KILL "$pid" 2>/dev/null # a child may have gone with its parent
    done
    wait "$run" 2>/dev/null
    touch go
    claim "round $round: the search goes on after everything was killed" gannet run "all$round" --resume --quiet
    claim "round $round: what had hidden itself is gone" until_true all_dead
    claim "round $round: nothing is left" until_true none_left
done
finish
