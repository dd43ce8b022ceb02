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

# What a gannet with schema version 4 wrote: readers name the command that brings it up to date, which starts nothing new.
mkdir runs
synth old.yaml 5 0 random
claim "a search that ends" gannet run old.yaml --dir runs/old --quiet
sqlite3 runs/old/gannet.db "DROP TABLE older; DROP TABLE ends; ALTER TABLE progress DROP COLUMN recent;
    CREATE INDEX live ON trials (trial) WHERE ending IS NULL;
    ALTER TABLE trials DROP COLUMN energy; DROP VIEW v_verdicts; DROP TABLE verdicts; ALTER TABLE runs DROP COLUMN verdict;
    ALTER TABLE runs DROP COLUMN figure; DROP VIEW v_trials; DROP VIEW v_runs; ALTER TABLE trials DROP COLUMN memory_limit;
    ALTER TABLE progress DROP COLUMN ignored; ALTER TABLE trials DROP COLUMN ignored; DROP TABLE ignored; DROP TABLE reopened; DROP TABLE parts;
    DROP VIEW v_counters; DROP VIEW v_uncounted; DROP TABLE counters; ALTER TABLE runs DROP COLUMN counters;
    ALTER TABLE workers DROP COLUMN uncounted;
    DROP VIEW v_operations; DROP TABLE operations; ALTER TABLE runs DROP COLUMN operations;
    ALTER TABLE progress DROP COLUMN added; ALTER TABLE trials DROP COLUMN added;
    ALTER TABLE trials DROP COLUMN time_limit; ALTER TABLE runs DROP COLUMN memory_limit;
    ALTER TABLE runs DROP COLUMN time_limit; DROP VIEW v_profiles; DROP VIEW v_decisions;
    ALTER TABLE decisions DROP COLUMN cut_off; ALTER TABLE decisions DROP COLUMN bracket;
    ALTER TABLE decisions RENAME COLUMN decision TO verdict; ALTER TABLE decisions RENAME TO judgements;
    DROP INDEX decided; CREATE INDEX judged ON judgements (trial);
    DROP TABLE processors; ALTER TABLE runs DROP COLUMN profile; ALTER TABLE experiment DROP COLUMN identity;
    CREATE TABLE profiles (trial INTEGER NOT NULL, attempt INTEGER NOT NULL, phase INTEGER NOT NULL,
        seconds REAL NOT NULL, count INTEGER NOT NULL, min REAL, max REAL, PRIMARY KEY (trial, attempt, phase))
        WITHOUT ROWID;
    PRAGMA user_version = 4"
# shellcheck disable=SC2016
older='runs/old/gannet.db: its store has schema version 4; bring it up to date with `gannet run [^ ]*runs/old --resume`$'
for command in "status old" "trials old" "best old" "replay old" ls; do
    # shellcheck disable=SC2086
    refuse "schema version 4: gannet $command names the command" 1 "$older" gannet $command
done
claim "the command brings it up to date" gannet run "$PWD/runs/old" --resume --quiet
is "and starts nothing new" 5 "$(gannet trials old --json | grep -c '"state": "completed"')"
matches "a replay says what is not recorded" 'the processor that 5 were proposed on is not recorded' "$(gannet replay old)"
finish
