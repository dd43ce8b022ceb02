#!/bin/bash
# who has not asked for a shared copy of the data trains without one, where it can't be had
. "$(dirname "$0")/lib.sh"
scratch
unshare -m mount -t tmpfs tmpfs /dev/shm 2>/dev/null || skip_all "a filesystem can't be mounted here"

# 3,000 examples of 100 inputs: 1.2 MB as floats
awk 'BEGIN { srand(4); for (i = 1; i <= 100; i++) printf "x%d,", i; print "class"
    for (n = 0; n < 3000; n++) { c = n % 5; for (i = 1; i <= 100; i++) printf "%.4f,", rand() + (i % 5 == c); print c } }' >data.csv
cat >auto.yaml <<YAML
version: 1
trial: {kernel: mlp, options: {data: $PWD/data.csv, epochs: 1, width: 16, batch: 100}}
metric: {name: val_loss, goal: minimize}
parameters: {lr: {min: 0.01, max: 0.2, log: true}}
limits: {max_trials: 3, max_concurrent: 1}
YAML
# search NAME WHAT: a search where /dev/shm is another one, in which WHAT was done first
search() {
    unshare -m sh -c 'mount -t tmpfs -o mode=1777 tmpfs /dev/shm && eval "$1" && exec gannet run auto.yaml --dir "$2" --quiet $3' \
        sh "$2" "$1" "$3"
}
others=/dev/shm/gannet-data-$(id -u)
claim "where memory is small a search runs" search small 'mount -o remount,size=1m /dev/shm'
claim "where somebody else has the directory it runs" search taken "mkdir $others && chown 61002 $others"
claim "and where it is open to everybody" search open "mkdir $others && chmod 777 $others"
for name in small taken open; do
    is "all trials of '$name' completed" 3 "$(gannet trials $name --csv --columns state | grep -c completed)"
    matches "and say why they hold the data themselves" 'each trainer holds the data for itself: ' "$(gannet logs $name 1)"
done
refuse "who asked for it gets the error before anything starts, with what is free" 2 \
    'takes 1.2 MiB in /dev/shm/.*where 1.0 MiB are free' \
    search shm 'mount -o remount,size=1m /dev/shm' '--set trial.options.stage=shm'
finish
