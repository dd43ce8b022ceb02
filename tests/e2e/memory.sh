#!/bin/bash
# Lets memory run out at drawn allocations, over and over: no part of a search may crash, and nothing may be lost.
#
#     tests/e2e/memory.sh [ROUNDS [FIRST]]     rounds FIRST (default: drawn) to FIRST + ROUNDS - 1 (default: 50); needs the
#                                              built programs in PATH
#
# A round is a small search, begun or resumed, in which one allocation of one process fails, or some in a row, or all from
# there on (tests/preload/no_memory.c); which, follows from its number. What is ours may go on, or end with a sentence (common/mem.h:
# `out of memory`, by SIGABRT). libzmq and the C++ library end the process with words of their own, which is told apart. A crash by
# another signal is a bug. Then the search goes on, with memory, and has to come to its end with an exact record.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
. "$(dirname "$0")/record.sh"
scratch
case $GANNET_BUILD in */address* | */thread* | */undefined*) skip_all "a sanitizer has its own memory" ;; esac
rounds=${1:-50}
first=${2:-$$}
library=$GANNET_BUILD/tests/no_memory.so
roles=(gannet-coordinator gannet-coordinator gannet-coordinator gannet-worker gannet-worker gannet-trainer gannet-run)
synth kernel.yaml 5
synth program.yaml 5
sed -i 's|^trial:.*|trial: {command: "echo value=${params.x1}"}|' program.yaml

# starved ARGUMENT...: gannet with too little memory where the files of `points` say so; what it says is in the file `said`.
starved() {
    GANNET_TEST_POINTS=$PWD/points LD_PRELOAD=$library gannet "$@" --quiet >>said 2>&1
}

# begin DIR, or resume DIR: the search of a round, which resumes a search of two trials.
begin() { starved run "$kind.yaml" --dir "$1"; }
resume() { starved run "$1" --resume; }
search() {
    if [ $way = resume ]; then
        cp -r "$kind-begun" "$1" && sed -i 's/max_trials: 2$/max_trials: 5/' "$1/experiment.yaml"
    fi
    $way "$1"
}

# How often each process allocates in each kind of search, in the files KIND-WAY.
count_allocations() {
    for kind in kernel program; do
        gannet run $kind.yaml --dir $kind-begun --quiet --set limits.max_trials=2 || return 1
        for way in begin resume; do
            rm -rf points && mkdir points
            for role in "${roles[@]}"; do echo count >"points/$role.1"; done
            echo count >points/gannet-trainer.2
            search counted || return 1
            sed -n 's/^\([a-z-]*\) allocated \([0-9]*\) times$/\1 \2/p' points/fired >$kind-$way
            rm -rf counted
        done
    done
    grep -q '^gannet-coordinator [0-9]' kernel-begin
}

# What a process died of that was killed by a signal other than by abort(), or that aborted without a word.
crashes() {
    cat said "$dir"/logs/*.log 2>/dev/null >all
    grep -E 'killed by signal (4|7|8|11) ' all
    [ "$status" -le 128 ] || [ "$status" -eq 134 ] || echo "gannet run was killed by signal $((status - 128))"
    ! grep -q 'killed by signal 6 ' all && [ "$status" -ne 134 ] ||
        grep -Eiq "out of memory|bad_alloc|Cannot allocate memory \(|Assertion" all || echo "it aborted without a word"
}

# Who asked in vain, and what came of it: goes on, says so, or aborts by words that are ours or a library's.
outcome() {
    sed -n 's/.* no memory at .* times, for //p' points/fired | sort -u | paste -sd' '
    case $status in 0) echo "went on" ;; *) echo "ended with status $status" ;; esac
    grep -Eio 'gannet: out of memory|FATAL ERROR: OUT OF MEMORY|bad_alloc|Cannot allocate memory \([^ )]*|Assertion failed: .*' all | cut -c1-60 | sort -u | paste -sd' '
}

check_round() {
    crashes >crashed
    cat crashed
    [ ! -s crashed ] || return 1
    [ "$status" -eq 0 ] || [ -s said ] || { echo "it ended with status $status without a word" && return 1; }
    if [ "$status" -ne 0 ]; then
        gannet run "$dir" --resume --quiet >again 2>&1 || gannet run "$kind.yaml" --dir "$dir" --quiet >>again 2>&1
    fi
    is_whole "$dir" 5 || { cat again 2>/dev/null && return 1; }
}

claim "it is counted how often each process allocates" count_allocations || finish
for round in $(seq "$first" $((first + rounds - 1))); do
    RANDOM=$round && one_of 1 && one_of 1 # the first draws of neighbouring seeds are alike
    dir=r$round
    one_of kernel program && kind=$drawn
    one_of begin begin resume && way=$drawn
    one_of "${roles[@]}" && role=$drawn
    total=$(sed -n "s/^$role //p" $kind-$way | tail -n 1)
    [ -n "$total" ] || role=gannet-coordinator total=$(sed -n "s/^gannet-coordinator //p" $kind-$way) # programs need no trainer
    at=$((1 + (RANDOM * 32768 + RANDOM) % total))
    one_of 1 1 1 20 1000000000 && many=$drawn
    rm -rf points said again && mkdir points && : >said && : >points/fired
    echo "$at $many" >"points/$role.1"
    # The first trainer only says which kernels there are; every second time it is the next one that lacks memory.
    [ $role$((round % 2)) != gannet-trainer1 ] || { echo count >points/$role.1 && echo "$at $many" >points/$role.2; }
    search "$dir"
    status=$?
    claim "round $round: $way $kind; $(paste -sd, points/fired)" check_round ||
        tail -n 20 said again "$dir"/logs/*.log 2>/dev/null | diag
    diag "round $round: $role $(outcome | paste -sd';')"
    rm -rf "$dir"
done
finish
