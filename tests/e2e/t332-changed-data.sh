#!/bin/bash
# data that changed since a search began is told when it goes on, and so are classes that are never trained on
. "$(dirname "$0")/lib.sh"
scratch

# table FIRST LAST [SHIFT]: rows of two classes
table() { awk -v a="$1" -v b="$2" -v s="${3:-0}" 'BEGIN { print "x,y,class"; for (n = a; n <= b; n++) printf "%g,%g,%s\n", n % 7 + s, n % 5, n % 2 ? "odd" : "even" }'; }
table 1 200 >table.csv
cp table.csv before.csv

# experiment NAME OPTIONS
experiment() {
    cat >"$1.yaml" <<YAML
version: 1
trial: {kernel: logreg, options: {$2, epochs: 1}}
metric: {name: val_loss, goal: minimize}
parameters: {lr: {min: 0.01, max: 0.2, log: true}}
strategy: random
resources: {bind: none}
limits: {max_trials: 2}
YAML
}
experiment e 'data: table.csv'
claim "a search runs" gannet run e.yaml --quiet
# resumed: what going on for one more trial says
resumed() { gannet run e --resume --max-trials 1 --quiet 2>&1; }
changed="warning: .*/table.csv has changed since the search began: trials from here on would be of other data"
is "with the same data nothing is said" "" "$(resumed | grep table.csv)"
touch -d '2001-01-01' table.csv
cp table.csv copy.csv && mv copy.csv table.csv
is "nor with a copy of it" "" "$(resumed | grep table.csv)"
table 1 200 0.5 >table.csv
said=$(resumed)
matches "other data of the same file is said" "$changed" "$said"
matches "with what to do" "put back what was there, or begin a new search with --dir" "$said"
is "and the search goes on, if that is what is wanted" 5 "$(gannet trials e --csv --columns state | grep -c completed)"
cp before.csv table.csv
is "of what was put back nothing is said" "" "$(resumed | grep table.csv)"
rm table.csv
matches "data that is gone is said" "warning: .*/table.csv can't be read any more" "$(resumed)"

# --- what is kept ---

cp before.csv table.csv
claim "what the data holds is kept with the search" test -s runs/e/data.json
is "each file with its size" "$(wc -c <before.csv)" "$(sed -n 's/.*"bytes": \([0-9]*\).*/\1/p' runs/e/data.json)"

# --- a test part that no option names ---

table 1 60 >train.csv
table 61 90 >test.csv
experiment part 'data: train.csv, validation_data: test'
claim "a search with a test part beside its file runs" gannet run part.yaml --quiet
is "both files are kept" "test.csv train.csv" "$(sed -n 's/.*"path": ".*\/\([a-z.]*\)".*/\1/p' runs/part/data.json | sort | xargs)"
table 61 90 2 >test.csv
matches "other data in the test part is said" "warning: .*/test.csv has changed since the search began" \
    "$(gannet run part --resume --max-trials 1 --quiet 2>&1)"

# --- in a job of Slurm, which begins days later, and again when it was requeued ---

job() { gannet job --rundir runs/e 2>&1; }
is "a job with the same data says nothing of it" "" "$(job | grep 'has changed since')"
table 1 200 0.5 >table.csv
matches "one with other data does" "/table.csv has changed since the search began: trials from here on would be of other data" "$(job)"
cp before.csv table.csv

# --- classes ---

{ table 1 60; for n in 1 2 3 4 5; do echo "1,$n,other"; done; } >more.csv
experiment v 'data: table.csv, validation_data: more.csv'
matches "a class that only the validation data has is said" \
    "warning: 1 of the 3 classes occurs in the validation data alone \(5 of its 65 examples\), and can't be learned" "$(gannet check v.yaml 2>&1)"
claim "and is no error" gannet check v.yaml
experiment v 'data: more.csv, validation_data: table.csv'
is "one that only the training data has is not" "" "$(gannet check v.yaml 2>&1 | grep warning)"
claim "nothing is left" none_left
finish
