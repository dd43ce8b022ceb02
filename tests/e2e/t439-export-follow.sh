#!/bin/bash
# an export that is followed grows with the experiment, is whole at any time, and ends with it, or when it is told to
. "$(dirname "$0")/lib.sh"
scratch
needs sqlite3
needs python3

# A trial reports one value and goes on when its file is there.
cat >program.sh <<'SH'
echo "step=1 loss=$2"
until [ -e "go-$1" ] || [ -e go-all ]; do sleep 0.05; done
echo "step=2 loss=0.$1"
[ "$1" != 3 ] || echo "step=2 extra=7"
SH
cat >live.yaml <<'YAML'
version: 1
name: live
seed: 3
trial: {command: [bash, program.sh, "${trial.id}", "${params.x}"]}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
resources: {cpus: 1}
limits: {max_trials: 4}
YAML
command -v prlimit >/dev/null || skip_all "prlimit (util-linux) is needed to make a disk full"
gannet run live.yaml >run.log 2>&1 &
runs=$!
claim "a search runs" until_true sh -c 'gannet trials live --json 2>/dev/null | grep -q "\"loss\": "'

follow() { exec gannet export live --every 1 --follow "$@"; }
follow --format csv -o live.csv > >(cat >csv.log) 2>&1 & # their logs may grow
csv=$!
follow --format jsonl -o - >live.jsonl 2>jsonl.log &
jsonl=$!
follow --format optuna -o live.db >optuna.log 2>&1 &
optuna=$!
follow --format tensorboard -o board > >(cat >board.log) 2>&1 & # their logs may grow
board=$!
follow --format mlflow -o mlruns > >(cat >mlflow.log) 2>&1 & # their logs may grow
mlflow=$!

query() { sqlite3 "file:live.db?mode=ro" "$1" 2>/dev/null; }
records() { cat board/trial-*/events* 2>/dev/null | grep -ac session_end_info; }
running_one() { [ "$(query "SELECT count(*) FROM trials t JOIN trial_intermediate_values USING (trial_id) WHERE state = 'RUNNING' AND step = 1")" -ge 1 ]; }
claim "what runs is in the study, with its values so far" until_true running_one
claim "and has a curve" until_true sh -c 'ls board/trial-000001/events* >/dev/null 2>&1'
claim "and is a run" until_true sh -c 'grep -qs "^status: 1" mlruns/*/*1/meta.yaml'
claim "the table has its head, and what has ended alone" until_true test -e live.csv
is "which is nothing yet" 1 "$(wc -l <live.csv)"
touch go-1
claim "a trial that ends is in the table" until_true grep -q '^1,completed,' live.csv
claim "in the lines" until_true grep -q '"trial": 1, "state": "completed"' live.jsonl
claim "in the study" until_true sh -c "sqlite3 'file:live.db?mode=ro' 'SELECT state FROM trials WHERE trial_id = 1' | grep -q COMPLETE"
ended_one() { [ "$(records)" -ge 1 ]; }
claim "in the records" until_true ended_one
claim "in the files" until_true sh -c 'grep -qs "^status: 3" mlruns/*/*1/meta.yaml'

kill -TERM $jsonl
wait $jsonl
is "one that is told to end does so" 0 $?
is "with whole lines" same "$(python3 -c 'import json
[json.loads(line) for line in open("live.jsonl")]
print("same")')"

gannet ignore live 1 >/dev/null 2>&1
claim "a trial that is ignored later is one in the study" until_true sh -c "sqlite3 'file:live.db?mode=ro' 'SELECT state FROM trials WHERE trial_id = 1' | grep -q FAIL"
ignored() { python3 -c 'import csv
rows = {row["trial"]: row for row in csv.DictReader(open("live.csv"))}
assert rows["1"]["ignored"] == "true"' 2>/dev/null; }
claim "and in the table" until_true ignored

# The files of the second trial, which runs, must not grow by more than 5 bytes.
size() { stat -c %s $1; }
shown() { grep -aq 'loss' board/trial-000002/events* && grep -qs "^status: 1" mlruns/*/*2/meta.yaml; }
claim "the second trial runs" until_true shown
is "there is no room any more" "0 0 0" "$(for one in "$csv $(($(size live.csv) + 5))" "$board $(($(size 'board/trial-000002/events*') + 5))" "$mlflow 5"; do
    prlimit --pid ${one% *} --fsize=${one#* }:unlimited; echo $?; done | paste -sd' ')"
before=$(cksum live.csv board/trial-000002/* mlruns/*/*2/meta.yaml mlruns/*/*2/metrics/*)
touch go-2
for one in csv board mlflow; do
    claim "who follows says so, and what to do ($one)" until_true grep -q "File too large; what was at .* before is as it was: make room there" $one.log
done
is "and what was written is as it was" "$before" "$(cksum live.csv board/trial-000002/* mlruns/*/*2/meta.yaml mlruns/*/*2/metrics/*)"
claim "there is room again" sh -c "for one in $csv $board $mlflow; do prlimit --pid \$one --fsize=unlimited; done"
touch go-all
wait $runs
for one in $csv $optuna $board $mlflow; do wait $one; echo $?; done >ends
is "all end with the experiment" "0 0 0 0" "$(paste -sd' ' ends)"
ended=$(gannet trials live --json | grep -c '"trial"')
is "the table has every trial once, with the column that came late" "$ended" "$(python3 -c 'import csv
rows = list(csv.DictReader(open("live.csv")))
assert len({row["trial"] for row in rows}) == len(rows)
assert [row for row in rows if row["trial"] == "3"][0]["metric.extra"] == "7.0", rows
print(len(rows))')"
gannet export live --format optuna -o once.db >/dev/null
dump() { sqlite3 "$1" "SELECT t.*, param_name, param_value FROM trials t LEFT JOIN trial_params p USING (trial_id) ORDER BY 1, 7;
    SELECT trial_id, step, intermediate_value FROM trial_intermediate_values ORDER BY 1, 2; SELECT trial_id, key, value_json FROM trial_user_attributes ORDER BY 1, 2"; }
diff <(dump live.db) <(dump once.db) | diag
is "the study is what it would be if it were written now" "$(dump once.db | cksum)" "$(dump live.db | cksum)"
is "no journal is left" "" "$(ls | grep -- '-journal$')"
is "nothing half-written lies about" "" "$(ls -a | grep -E '\.[A-Za-z0-9]{6}$')"
gannet export live --format tensorboard -o once >/dev/null
is "so are the records" "$(cd once && cat trial-*/events* | wc -c)" "$(cd board && cat trial-*/events* | wc -c)"
is "and the files" "$(gannet export live --format mlflow -o other >/dev/null; cd other && find . -type f | sort | grep -v '^./.gannet' | xargs cat | sed 's/other/mlruns/' | cksum)" \
    "$(cd mlruns && find . -type f | sort | xargs cat | cksum)"
claim "what has ended is written, and followed no longer" gannet export live --format trace --follow -o trace.json
finish
