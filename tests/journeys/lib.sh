# What the journeys share: each is a person with a program, in an empty directory, whose shell has nothing in its
# environment that tests set. To be sourced by bash behind tests/e2e/lib.sh:
#
#     journey argparse_net.py              an empty directory with these of tests/journeys/programs in it
#     person gannet init --from ...        a command of that person
#
# GANNET_CORE_LOCKS is the one variable of tests/run that is kept: side by side, no journey waits for another's cores.

JOURNEYS=$SOURCE/tests/journeys

person() { "${person_env[@]}" "$@"; }

# shell COMMAND: a line that the person pastes into a shell.
shell() { person bash -c "$1"; }

journey() {
    scratch
    person_path=$(dirname "$(command -v gannet)"):/usr/bin:/bin
    PATH=$person_path command -v python3 >/dev/null || person_path=$person_path:$(dirname "$(command -v python3)")
    person_env=(env -i HOME="$SCRATCH/home" PATH="$person_path" TMPDIR="$TMPDIR" GANNET_TEST_SCRATCH="$SCRATCH"
        GANNET_CORE_LOCKS="$GANNET_CORE_LOCKS")
    mkdir home work && cd work || exit 1
    local file
    for file; do cp -r "$JOURNEYS/programs/$file" .; done
}

# switch_on FILE.yaml: takes the "# " from the early stopping that init has put there.
switch_on() {
    claim "early stopping stands in the file, to be switched on" grep -q '^# early_stop: {name: asha' "$1"
    sed -i 's/^# early_stop:/early_stop:/' "$1"
}

# best_value EXP, best_trial EXP: of the best trial.
best_value() { person gannet best "$1" --json | sed -n 's/^.*"value": \([-0-9.e]*\),.*$/\1/p' | head -1 | numbers; }
best_trial() { person gannet best "$1" | sed -n 's/^trial \([0-9]*\) .*$/\1/p'; }

# ended EXP STATE: how many trials are in that state.
ended() { person gannet trials "$1" --json | grep -c "\"state\": \"$2\""; }

has_ended() { person gannet trials "$1" --json 2>/dev/null | grep -c '"ended": "'; }

# below WORDS NUMBER LIMIT, above WORDS NUMBER LIMIT
below() { is "$1: $2, at most $3" yes "$(awk -v a="$2" -v b="$3" 'BEGIN { print (a != "" && a + 0 <= b + 0) ? "yes" : "no" }')"; }
above() { is "$1: $2, at least $3" yes "$(awk -v a="$2" -v b="$3" 'BEGIN { print (a != "" && a + 0 >= b + 0) ? "yes" : "no" }')"; }

# interrupted EXP FILE MORE: a search that the person ends by Ctrl-C after some trials, and goes on with for MORE of them.
interrupted() {
    "${person_env[@]}" gannet run "$2" >../first.log 2>&1 &
    local search=$! before
    until_true eval "[ \$(has_ended $1) -ge 4 ] || process_dead $search"
    kill -INT $search
    wait $search
    is "Ctrl-C ends it, with the status of that" 130 $? || diag <../first.log
    matches "and it is said how it goes on" "gannet run $1 --resume" "$(cat ../first.log)"
    before=$(has_ended "$1")
    claim "it goes on where it was" person gannet run "$1" --resume --max-trials "$3" --quiet
    is "what had been tried stays" $((before + $3)) "$(has_ended "$1")"
}

# step_of_best EXP, value_at STEP: where the best value came; that step's value in what the program printed.
step_of_best() { person gannet best "$1" --json | sed -n 's/^.*"step": \([0-9]*\).*$/\1/p'; }
value_at() { values | sed -n "$1p" | numbers; }
numbers() { awk '{ print $1 + 0 }'; } # 0.0 and 0 are the same

# arrived EXP: what everybody sees at the end.
arrived() {
    local trial again
    # On a machine that has much else to do a short program may be at its end before it is stopped; more trials come to that.
    for _ in 1 2 3 4 5; do
        [ "$(ended "$1" stopped)" -gt 0 ] || person gannet run "$1" --resume --max-trials 10 --quiet
    done
    trial=$(best_trial "$1")
    above "early stopping stopped some trials" "$(ended "$1" stopped)" 1
    person gannet show "$1" best >../show.log
    matches "gannet show has the best one" "^Trial $trial: (completed, ran to its end|stopped, was stopped before its end)" "$(cat ../show.log)"
    is "of one that was stopped it is said that the command goes on" "$(grep -c ': stopped' ../show.log)" \
        "$(grep -c 'It was stopped early, at step [0-9]*; the command trains to the end' ../show.log)"
    again=$(sed -n '/^Train it again/{n;s/^  //;p}' ../show.log)
    shell "cd / && $again" >../again.log 2>&1 || diag <../again.log
    is "the command to train it again comes to the same value" "$(best_value "$1")" "$(value_at "$(step_of_best "$1")" <../again.log)"
    claim "nothing is left running" none_left
}

# values: the metric's values, a line each, in what a program printed; a journey whose program prints otherwise has its own.
values() { sed -n 's/^.*loss[=: ]*\([-0-9.e]*\).*$/\1/p'; }
