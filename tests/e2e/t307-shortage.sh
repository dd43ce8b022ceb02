#!/bin/bash
# a start that fails for want of descriptors or room costs a trial nothing: the slot waits, says why, and goes on by itself
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
command -v prlimit >/dev/null || skip_all "prlimit (util-linux) is needed to take descriptors away"

experiment() { # experiment NAME TRIALS: those after the fourth end once there is a file open-NAME
    cat >"$1.yaml" <<YAML
version: 1
seed: 1
trial: {command: "sleep 0.05; while [ \${trial.id} -gt 4 ] && [ ! -e $SCRATCH/open-$1 ]; do sleep 0.05; done; echo loss=\${params.x}", retries: 0}
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
strategy: random
limits: {max_trials: $2, max_concurrent: 2}
YAML
}
waits() { gannet status "$1" | grep -Eq "slots? of .* waits?: .*$2"; }
stated() { gannet status "$1" --json | tr -d ' \n' | grep -Eq '"waiting":[1-9][0-9]*,"why":"'; }
all_good() { # all_good WORDS DIR TRIALS
    is "$1: the search comes to its end" 0 "$4"
    is "$1: with every trial" "$3" "$(gannet trials "$2" --csv --columns state | grep -c completed)"
    is "$1: none was tried again" 0 "$(gannet logs "$2" --events | grep -c 'tried again')"
}

# The worker may open no more files than it has now.
experiment files 40
gannet run files.yaml --dir files >files.out 2>&1 &
run=$!
claim "descriptors: trials end" until_true has_ended files 3
worker=$(pid_of worker)
claim "descriptors: they are taken away" prlimit --pid "$worker" --nofile=8:
touch open-files
claim "descriptors: the status says what is missing" until_true waits files 'Too many open files'
claim "descriptors: to programs, too" until_true stated files
before=$(ended_count files)
claim "descriptors: the search lives" kill -0 $run
claim "descriptors: they are there again" prlimit --pid "$worker" --nofile=1024:
wait $run
all_good descriptors files 40 $?
claim "descriptors: what had ended before is there ($before)" test "$before" -lt 40
is "descriptors: no file is left of starts that failed" 40 \
    "$(find files/trials -name 'params.json*' | wc -l)"

# The trials' directory is a filesystem of its own that has room for a few files only.
experiment room 12
touch open-room
if [ "$(id -u)" -ne 0 ] || ! { mkdir -p room/trials && mount -t tmpfs -o size=1m,nr_inodes=20 none room/trials; } 2>/dev/null; then
    skip "room: a small disk" "only root can mount one"
else
    umount room/trials && rm -r room
    claim "room: an experiment is prepared" gannet run room.yaml --dir room --quiet --set limits.max_trials=1
    sed -i 's/max_trials: 1$/max_trials: 12/' room/experiment.yaml
    trap 'umount "$SCRATCH/room/trials" 2>/dev/null; lib_clean' EXIT
    rm -r room/trials && mkdir room/trials && mount -t tmpfs -o size=1m,nr_inodes=20,mode=700 none room/trials
    gannet run room --resume >room.out 2>&1 &
    run=$!
    claim "room: the status says what is missing" until_true waits room 'No space left on device'
    mount -o remount,nr_inodes=1000 room/trials
    wait $run
    all_good room room 12 $?
    umount room/trials
fi
claim "nothing is left running" none_left
finish
