#!/bin/bash
# the same seed proposes the same, and what many slots did in any order can be replayed
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
hello=$GANNET_BUILD/plugins/hello.so

params() {
    gannet trials "$1" --json | tr -d '\n' | grep -o '"params": *{[^}]*}'
}

for strategy in random sobol "{name: hello, plugin: $hello}"; do
    name=${strategy//[^a-z]/}
    case $strategy in *plugin*) [ -e "$hello" ] || continue && name=hello ;; esac
    synth "$name.yaml" 40 0 "$strategy"
    for run in 1 2; do
        claim "$name: a search with one trial at a time, time $run" \
            gannet run "$name.yaml" --dir "$name-$run" --quiet --set limits.max_concurrent=1
    done
    is "$name: both propose the same" "$(params "$name-1")" "$(params "$name-2")"
    synth "$name.yaml" 200 0.002 "$strategy"
    claim "$name: a search with many slots" gannet run "$name.yaml" --dir "$name-many" --quiet --workers 6
    claim "$name: every proposal can be made anew" gannet replay "$name-many"
done
finish
