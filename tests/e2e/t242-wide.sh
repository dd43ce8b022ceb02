#!/bin/bash
# with 64 slots at once, killed and resumed, every strategy that learns proposes what it would have undisturbed
. "$(dirname "$0")/lib.sh"
needs sqlite3
. "$(dirname "$0")/experiments.sh"
scratch
wide=(--topology "$SOURCE/tests/worker/topologies/128-cores.xml" --set resources.cpus=2 --set resources.bind=none)

# in_flight DIR: how many trials were proposed and not told when the strategy was asked, at most.
in_flight() {
    sqlite3 -readonly "$1/gannet.db" 'SELECT max(trial - 1 - told_before) FROM trials'
}

# Coordinator and run at once, since looking for processes takes a while; then what they left.
kill_all() {
    kill -KILL $! $(grep -o '"pid": *[0-9]*' "$1/coordinator.json" | grep -o '[0-9]*$')
    kill -KILL $(pid_of worker) $(pid_of trainer)
    wait $!
} 2>/dev/null

cut_short=0
# A replay asks a new strategy, which was never interrupted, for every trial, and tells it what was told.
for strategy in auto tpe forest cmaes evolution; do
    synth "$strategy.yaml" 200 0.05 "$strategy"
    claim "$strategy: a search with 64 slots" gannet run "$strategy.yaml" --dir "$strategy" --quiet "${wide[@]}"
    is "$strategy: at times 64 trials ran" yes "$([ "$(in_flight "$strategy")" -ge 63 ] && echo yes)"
    claim "$strategy: every proposal can be made anew" gannet replay "$strategy"
    synth "$strategy.yaml" 200 0.6 "$strategy"
    gannet run "$strategy.yaml" --dir "$strategy-killed" --quiet "${wide[@]}" >"$strategy.log" 2>&1 &
    claim "$strategy: another one is on its way" until_true has_ended "$strategy-killed" 40
    kill_all "$strategy-killed"
    [ "$(ended_count "$strategy-killed")" -eq 200 ] || cut_short=$((cut_short + 1))
    claim "$strategy: and goes on" gannet run "$strategy.yaml" --dir "$strategy-killed" --resume --quiet "${wide[@]}"
    is "$strategy: to its end" 200 "$(ended_count "$strategy-killed")"
    claim "$strategy: it proposed what an uninterrupted one does" gannet replay "$strategy-killed"
done
matches "those that were killed had not all come to their end" '^[1-5]$' "$cut_short"
finish
