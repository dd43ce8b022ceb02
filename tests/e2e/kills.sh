#!/bin/bash
# Kills the parts of a run at random moments, over and over, and looks whether the record is exact.
#
#     tests/e2e/kills.sh [ROUNDS]     default: 50. Needs the built programs in PATH.
#
# A round is a search of 200 trials in which the coordinator, the worker, trainers or everything at once are killed
# (kill -9) three to six times; then it runs to its end, with --resume if need be. KILLS_SEED repeats the choices of an
# earlier call (the moments depend on the machine).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
rounds=${1:-50}
KILLS_SEED=${KILLS_SEED:-$$}
RANDOM=$KILLS_SEED
diag "KILLS_SEED=$KILLS_SEED"
synth synth.yaml 200 0.01

# strike VICTIM: kills one process of that kind, if there is one now. Everything at once goes with `gannet run`.
strike() {
    strike_pid=$(pid_of "$1" | shuf -n 1 --random-source=<(echo $RANDOM$RANDOM$RANDOM$RANDOM$RANDOM$RANDOM))
    [ -n "$strike_pid" ] && kill -KILL "$strike_pid" 2>/dev/null && killed="$killed $1"
}

# What was reported as ended once has to stay so.
remember() {
    [ -e "$dir/gannet.db" ] && ended "$dir" >>reported 2>/dev/null
}

is_kept() {
    sort -u reported >was
    ended "$dir" | sort -u >is
    comm -23 was is | diag
    [ -z "$(comm -23 was is)" ]
}

victims=(coordinator worker trainer run coordinator worker trainer)
for round in $(seq "$rounds"); do
    dir=r$round killed=
    : >reported
    gannet run synth.yaml --dir "$dir" --quiet >"$dir.log" 2>&1 &
    run=$!
    for strikes in $(seq $((3 + RANDOM % 4))); do
        sleep "0.$((5 + RANDOM % 45))"
        remember
        kill -0 "$run" 2>/dev/null || break
        strike "${victims[RANDOM % ${#victims[@]}]}"
    done
    wait "$run" 2>/dev/null
    status=$?
    for try in 1 2 3; do
        [ "$status" -eq 0 ] && break
        gannet run synth.yaml --dir "$dir" --resume --quiet >>"$dir.log" 2>&1
        status=$?
        [ "$status" -eq 5 ] || continue # it was killed before there was anything to resume
        gannet run synth.yaml --dir "$dir" --quiet >>"$dir.log" 2>&1
        status=$?
    done
    is "round $round: it came to its end (killed:$killed)" 0 "$status" || tail -20 "$dir.log" | diag
    is "round $round: exactly 200 trials have ended, none twice" 200 "$(ended_count "$dir")"
    claim "round $round: none is lost that was reported as ended" is_kept
    claim "round $round: no process is left" none_left
    claim "round $round: every proposal can be made anew" gannet replay "$dir"
    rm -rf "$dir"
done
finish
