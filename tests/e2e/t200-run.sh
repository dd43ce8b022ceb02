#!/bin/bash
# a search runs to its end, once, and nothing is left of it but its run directory
# valgrind
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
synth synth.yaml 50

claim "a search of 50 trials runs to its end" gannet run synth.yaml --dir r --quiet
is "50 trials have ended" 50 "$(ended_count r)"
is "all of them are completed" 50 "$(ended r | grep -c completed)"
claim "no process is left" none_left
claim "no discovery file is left" test ! -e r/coordinator.json
is "no socket is left" "" "$(ls "$TMPDIR" | grep gannet-)"
is "the run directory is closed to others" "drwx------" "$(ls -ld r | cut -c1-10)"
is "so is everything in it" "" "$(find r -perm /077)"
refuse "a second run in the same place is refused" 2 'holds an experiment already, with 50 ended trials' \
    gannet run synth.yaml --dir r --quiet
claim "resuming what is complete is no error" gannet run synth.yaml --dir r --resume --quiet
is "it adds nothing" 50 "$(ended_count r)"
claim "with a higher limit it goes on" gannet run synth.yaml --dir r --resume --quiet --set limits.max_trials=80
is "up to the total" 80 "$(ended_count r)"
claim "every proposal can be made anew" gannet replay r
finish
