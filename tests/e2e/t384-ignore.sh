#!/bin/bash
# trials that a person takes out of the count are gone for the search that goes on, stay recorded, and replay knows of it
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch

best_of() {
    gannet best "$1" | sed 's/^trial \([0-9]*\) .*/\1/'
}

# Every strategy goes on without the best trials, and is asked as one that never heard of them.
for strategy in random sobol grid tpe forest gp cmaes evolution auto; do
    synth "$strategy.yaml" 16 0 "$strategy"
    claim "$strategy: a search" gannet run "$strategy.yaml" --dir "$strategy" --quiet --workers 2
    best=$(best_of "$strategy")
    claim "$strategy: its best and three others are ignored" gannet ignore "$strategy" "$best" 2 3 5 11
    is "$strategy: another one is the best" yes "$([ "$(best_of "$strategy")" = "$best" ] && echo no || echo yes)"
    claim "$strategy: the record holds" gannet replay "$strategy"
    claim "$strategy: it goes on" gannet run "$PWD/$strategy" --resume --quiet --workers 2
    matches "$strategy: with as many others" '^trials: 16/16 ' "$(gannet status "$strategy")"
    claim "$strategy: one counts again" gannet ignore "$strategy" 3 --undo
    claim "$strategy: and more trials are wanted" gannet run "$PWD/$strategy" --resume --quiet --set limits.max_trials=24
    claim "$strategy: what it did can be replayed" gannet replay "$strategy"
done
is "what is ignored is not proposed with other words" 1 "$(gannet trials random --json | grep -c '"trial": 2,')"
is "it is shown as ignored" true "$(gannet trials random --csv --columns trial,ignored | tr -d '\r' | sed -n 's/^2,//p')"
is "the table shows it where it is so" "1 - 2 yes" "$(gannet trials random -n 2 --columns trial,ignored | tail -n +2 | xargs)"
matches "in words, too" '^Trial 2: completed.*; it is ignored$' "$(gannet show random 2)"
matches "importance has fewer trials" '"trials": 24,' "$(gannet importance random --json)"
refuse "a trial that never was" 5 'there is no trial 999' gannet ignore random 999
refuse "what is no number" 2 "'best' is no trial" gannet ignore random best
refuse "no experiment" 5 '' gannet ignore nowhere 1

# Early stopping: strategies observe trials at rungs.
cat >asha.yaml <<'END'
version: 1
name: asha
seed: 7
trial: {kernel: synth, options: {function: branin, steps: 9, curve: 50}}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -5.0, max: 10.0}
  x2: {min: 0.0, max: 15.0}
strategy: tpe
early_stop: {name: asha, min_steps: 1, max_steps: 9, eta: 3}
limits: {max_trials: 20}
END
claim "a search with early stopping" gannet run asha.yaml --dir asha --quiet
claim "trials that were observed are ignored" gannet ignore asha 1 2 "$(best_of asha)"
claim "it goes on" gannet run "$PWD/asha" --resume --quiet --set limits.max_trials=30
claim "and can be replayed" gannet replay asha

# The strategy goes on as if the trial had been cancelled.
for strategy in tpe gp forest; do
    for what in ignored cancelled kept; do
        synth own.yaml 40 0 "$strategy"
        mkdir "$what-$strategy" && cd "$what-$strategy" || exit 1
        gannet ask ../own.yaml --dir own -n 15 >/dev/null
        for trial in $(seq 14); do gannet tell own "$trial" --value "$((trial * 7 % 15))"; done
        if [ $what = cancelled ]; then gannet tell own 15 --failed cancelled; else gannet tell own 15 --value -9; fi
        [ $what != ignored ] || gannet ignore own 15 2>/dev/null
        gannet ask own >next
        cd .. || exit 1
    done
    is "$strategy: what is ignored was never told" "$(cat "cancelled-$strategy/next")" "$(cat "ignored-$strategy/next")"
    is "$strategy: which makes a difference" yes "$(cmp -s "kept-$strategy/next" "ignored-$strategy/next" && echo no || echo yes)"
done

# Who starts from it learns nothing of them.
synth heir.yaml 2 0 random
claim "another search learns from it" gannet run heir.yaml --dir heir --quiet --set 'start_from=[random]'
if command -v sqlite3 >/dev/null; then
    is "but not from what is ignored" 24 "$(sqlite3 heir/gannet.db 'SELECT count(*) FROM earlier')"
else
    skip "but not from what is ignored" "sqlite3 is not here"
fi

finish
