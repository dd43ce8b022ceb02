#!/bin/bash
# without memory no part of a search crashes or loses anything (memory.sh, some rounds), and no reader shows less than there is
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
case $GANNET_BUILD in */address* | */thread* | */undefined*) skip_all "a sanitizer has its own memory" ;; esac
synth synth.yaml 5
claim "a search ends" gannet run synth.yaml --dir r --quiet

# starved POINT ARGUMENT...: the command, whose process has too little memory there.
starved() {
    rm -rf points && mkdir points && echo "$1" >"points/gannet-$2.1"
    shift
    GANNET_TEST_POINTS=$PWD/points LD_PRELOAD=$GANNET_BUILD/tests/no_memory.so gannet "$@"
}

# answers_or_says COMMAND...: with any one allocation missing, of which thirty are tried and each of the last thirty, it shows what it
# shows with all of them, or ends with a sentence.
answers_or_says() {
    starved count "$@" >whole
    total=$(sed -n 's/.* allocated \([0-9]*\) times$/\1/p' points/fired)
    [ "$total" -gt 1000 ] || return 1
    for at in $(seq 7 $((total / 30)) "$total") $(seq $((total - 30)) "$total"); do
        { starved "$at 1" "$@" >shown 2>said; } 2>/dev/null
        answer_status=$?
        [ $answer_status -eq 0 ] && cmp -s shown whole && continue
        [ $answer_status -eq 0 ] && echo "at $at it shows something else:" && diff whole shown && return 1
        [ -s said ] || echo "at $at it ends with status $answer_status without a word"
        [ -s said ] && { [ $answer_status -lt 128 ] || grep -Eiq 'out of memory|bad_alloc' said; } || return 1
    done
}
claim "gannet status says so, or shows all" answers_or_says status r --json
claim "gannet trials says so, or shows all" answers_or_says trials r --csv

# rounds: what memory.sh finds with numbers that are always the same.
rounds() { "$SOURCE/tests/e2e/memory.sh" 8 1; }
claim "memory runs out in some searches" rounds
claim "nothing is left running" none_left
finish
