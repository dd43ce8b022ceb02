#!/bin/bash
# an experiment is exported: tables, JSON Lines, a trace, a study of Optuna, records of TensorBoard, MLflow's files; nothing else is replaced
. "$(dirname "$0")/lib.sh"
scratch
needs sqlite3
needs python3

cat >program.sh <<'SH'
printf 'step=1 val/loss=%s acc=0.5\nstep=2 val/loss=%s acc=nan\n' "$1" "$1"
[ "$2" != 2 ] || { printf '\xff\xfe <b>bad\n' >&2; exit 3; }
gannet metric 'we"ird/../na
me=7' --step 3
printf 'step=3 val/loss=%s acc=0.%s lat=%s\n' "$1" "$2" "$2"
SH
cat >small.yaml <<'YAML'
version: 1
name: small
description: "it's \"odd\" <b>: x"
seed: 3
trial: {command: [bash, program.sh, "${params.x}", "${params.n}"]}
metric:
  - {name: val/loss, goal: minimize}
  - {name: acc, goal: maximize}
  - {name: lat, max: 2}
parameters:
  x: {min: 1e-4, max: 1.0, log: true}
  n: {min: 1, max: 3}
  s: {min: 0.0, max: 1.0, step: 0.3}
  mixed: {values: ["../x", "q\"'", "new\nline", null, true, 1, [1, "two"]]}
  noise: {mean: 0.0, stddev: 1.0}
  cond: {min: 0.0, max: 1.0, when: {n: [1]}}
  const: {value: [1, 2]}
strategy: random
limits: {max_trials: 8}
YAML
gannet run small.yaml >run.log 2>&1 || true
is "a search with failures has ended" 8 "$(gannet trials small --json | grep -c '"trial"')"
gannet ignore small 1 >/dev/null 2>&1

# --- tables ---
claim "a table is written" gannet export small --format csv
is "which is what gannet trials --csv says" "$(gannet trials small --csv | cksum)" "$(cksum <small.csv)"
claim "it is replaced by a newer one" gannet export small --format csv
cp -r runs/small runs/same && claim "another run of the same name" gannet export same --format csv
is "has a table of its own" "$(cksum <small.csv)" "$(cksum <same.csv)"
printf 'mine,data\n1,2\n' >mine.csv
refuse "what is no such export is not" 2 "mine.csv is there already and is no such export" gannet export small --format csv -o mine.csv
is "and stays" "mine,data 1,2" "$(paste -sd' ' mine.csv)"
claim "unless that is asked for" gannet export small --format csv -o mine.csv --force
printf 'trial,lr\n1,2\n' >ours.csv
refuse "nor a table of one's own that has trials" 2 "ours.csv is there already" gannet export small --format csv -o ours.csv
printf '{"trial": 1, "loss": 0.5}\n' >ours.jsonl
refuse "nor lines of them" 2 "ours.jsonl is there already" gannet export small --format jsonl -o ours.jsonl
refuse "nor is a directory a place for a file" 2 "runs is a directory" gannet export small --format csv -o runs --force
for format in jsonl trace "csv --metrics" "jsonl --metrics"; do
    claim "$format: a former one is replaced" gannet export small --format $format -o "again-${format// /}"
    claim "$format: by another" gannet export small --format $format -o "again-${format// /}"
done
is "then it is the table" "$(cksum <small.csv)" "$(cksum <mine.csv)"
is "metrics are a long table" "$(sqlite3 runs/small/gannet.db 'SELECT count(*) FROM v_metrics WHERE counts')" \
    "$(gannet export small --format csv --metrics -o - | python3 -c 'import csv, sys; print(len(list(csv.DictReader(sys.stdin))))')"
gannet trials small --json >trials.json
gannet export small --format jsonl -o - >trials.jsonl
is "JSON Lines are the trials of gannet trials --json" same "$(python3 -c 'import json
print("same" if [json.loads(line) for line in open("trials.jsonl")] == json.load(open("trials.json")) else "others")')"

# --- a trace ---
claim "a trace is written" gannet export small --format trace -o trace.json
claim "that keeps the rules of those that read traces" python3 "$SOURCE/tests/e2e/trace_schema.py" trace.json

# --- Optuna ---
claim "a study is written" gannet export small --format optuna -o study.db
cat >study.py <<'PY'
import json, sqlite3
trials = json.load(open("trials.json"))
file = sqlite3.connect("file:study.db?mode=ro", uri=True)
rows = lambda sql: file.execute(sql).fetchall()
number = lambda value: float(value) if isinstance(value, str) else value
assert rows("PRAGMA integrity_check") == [("ok",)] and rows("PRAGMA journal_mode") == [("delete",)]
assert rows("SELECT * FROM alembic_version") == [("v3.2.0.a",)] and rows("SELECT schema_version FROM version_info") == [(12,)]
tables = {name for name, in rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
assert tables >= {"studies", "study_directions", "trials", "trial_params", "trial_values", "trial_intermediate_values", "trial_heartbeats"}
assert rows("SELECT study_name FROM studies") == [("small",)]
assert rows("SELECT direction FROM study_directions ORDER BY objective") == [("MINIMIZE",), ("MAXIMIZE",)]
assert json.loads(rows("SELECT value_json FROM study_system_attributes WHERE key = 'study:metric_names'")[0][0]) == ["val/loss", "acc"]
kinds = {}
for trial in trials:
    id = trial["trial"]
    (place, state, start, end), = rows(f"SELECT number, state, datetime_start, datetime_complete FROM trials WHERE trial_id = {id}")
    wanted = "FAIL" if trial["ignored"] else {"completed": "COMPLETE", "failed": "FAIL"}[trial["state"]]
    assert place == id - 1 and state == wanted, (id, place, state, wanted)
    assert end.replace(" ", "T") == trial["ended"][:-1] + "000" and start.replace(" ", "T") == trial["started"][:-1] + "000", (start, end)
    params = {}
    for name, value, text in rows(f"SELECT param_name, param_value, distribution_json FROM trial_params WHERE trial_id = {id}"):
        distribution = json.loads(text)
        kinds.setdefault(name, set()).add(text)
        if distribution["name"] == "CategoricalDistribution":
            value = distribution["attributes"]["choices"][int(value)]
        else:
            assert distribution["attributes"]["low"] <= value <= distribution["attributes"]["high"], (name, value, text)
        params[name] = value
    plain = {name: json.dumps(value) if isinstance(value, list) else value for name, value in trial["params"].items()}
    assert params == plain and all(type(params[name]) in (type(value), float) for name, value in plain.items()), (params, plain)
    values = [value for value, in rows(f"SELECT value FROM trial_values WHERE trial_id = {id} ORDER BY objective")]
    assert values == ([number(trial["values"][name]) for name in ("val/loss", "acc")] if trial["values"] else []), (values, trial["values"])
    steps = rows(f"SELECT step, intermediate_value, intermediate_value_type FROM trial_intermediate_values WHERE trial_id = {id} ORDER BY step")
    assert [step for step, _, _ in steps] == ([1, 2, 3] if trial["state"] == "completed" else [1, 2]), steps
    told = dict(rows(f"SELECT key, value_json FROM trial_user_attributes WHERE trial_id = {id}"))
    assert json.loads(told["trial"]) == id and json.loads(told["node"]) == trial["node"], told
    limits = rows(f"SELECT value_json FROM trial_system_attributes WHERE trial_id = {id} AND key = 'constraints'")
    if trial["values"]:
        assert (json.loads(limits[0][0])[0] <= 0) == trial["feasible"], (limits, trial["feasible"])
assert all(len(texts) == 1 for texts in kinds.values()) and set(kinds) == {"x", "n", "s", "mixed", "noise", "cond", "const"}, kinds
attributes = {name: json.loads(min(texts))["attributes"] for name, texts in kinds.items()}
assert attributes["x"] == {"step": None, "low": 1e-4, "high": 1.0, "log": True}, attributes["x"]
assert attributes["n"] == {"log": False, "step": 1, "low": 1, "high": 3}, attributes["n"]
assert attributes["s"] == {"step": 0.3, "low": 0.0, "high": 0.9, "log": False}, attributes["s"]
assert attributes["noise"]["low"] == -5 and attributes["noise"]["high"] == 5, attributes["noise"]
print("agrees")
PY
is "with every trial, its parameters, values, steps and times" agrees "$(python3 study.py 2>&1)"
claim "gannet itself takes it over" gannet import optuna study.db -o back.yaml
is "with its trials" "$(gannet trials small --json | grep -c '"trial"')" "$(gannet trials runs/back-imported --json | grep -c '"trial"')"
claim "it is replaced by a newer one" gannet export small --format optuna -o study.db
sqlite3 theirs.db 'CREATE TABLE studies (study_id INTEGER PRIMARY KEY); CREATE TABLE study_user_attributes (study_id, key, value_json)'
refuse "a study that is no export of ours is not" 2 "theirs.db is there already" gannet export small --format optuna -o theirs.db

# --- TensorBoard ---
claim "records of TensorBoard are written" gannet export small --format tensorboard -o board
cat >board.py <<'PY'
import glob, json, struct, sys
table = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    table.append(byte)
def checked(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
assert checked(b"123456789") == ((0xE3069283 >> 15 | 0xE3069283 << 17) + 0xA282EAD8) & 0xFFFFFFFF
def records(path):
    data, at = open(path, "rb").read(), 0
    while at < len(data):
        (length,), (crc,) = struct.unpack_from("<Q", data, at), struct.unpack_from("<I", data, at + 8)
        assert crc == checked(data[at:at + 8]), path
        record = data[at + 12:at + 12 + length]
        assert struct.unpack_from("<I", data, at + 12 + length)[0] == checked(record), path
        at += length + 16
        yield record
def fields(data):
    at, out = 0, []
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            out.append((key >> 3, varint()))
        else:
            length = {1: 8, 5: 4}.get(key & 7) or varint()
            out.append((key >> 3, data[at:at + length]))
            at += length
    return out
def scalars(path):
    found = []
    for record in records(path):
        event = dict(fields(record))
        if 5 in event:
            value = dict(fields(dict(fields(event[5]))[1]))
            if 2 in value:
                found.append((value[1].decode(), event.get(2, 0), struct.unpack("<f", value[2])[0]))
            elif 9 in value:
                found.append((value[1].decode(), dict(fields(dict(fields(value[9]))[1]))[1].decode(), None))
    return found
name = lambda where: glob.glob(f"board{where}/events.out.tfevents.*")
assert scalars(*name("")) == [("_hparams_/experiment", "hparams", None)]
for trial in json.load(open("trials.json")):
    found = scalars(*name(f"/trial-{trial['trial']:06d}"))
    assert found[0][0] == "_hparams_/session_start_info" and found[-1][0] == "_hparams_/session_end_info", found
    curve = json.load(open(f"show-{trial['trial']}.json"))["curve"]
    wanted = [(s["metric"], s["step"], struct.unpack("<f", struct.pack("<f", float(s["value"])))[0]) for s in curve]
    assert repr(found[1:-1]) == repr(wanted), (found, wanted)
    first = next(r for r in records(*name(f"/trial-{trial['trial']:06d}")))
    assert dict(fields(first))[3] == b"brain.Event:2"
print("agrees")
PY
for trial in 1 2 3 4 5 6 7 8; do gannet show small $trial --json >show-$trial.json; done
is "every record has its checksums, every value its step" agrees "$(python3 board.py 2>&1)"
mkdir other && touch other/file
refuse "a directory of something else is left alone" 2 "other is there already" gannet export small --format tensorboard -o other

# --- MLflow ---
claim "MLflow's files are written" gannet export small --format mlflow
is "a run a trial" 8 "$(find mlruns -mindepth 3 -name meta.yaml | wc -l)"
is "its parameters are files" "$(gannet show small 3 --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["params"]))')" \
    "$(find mlruns/*/*3/params -type f | wc -l)"
is "a metric has its values, a name in a directory stays within it" 3 "$(cat mlruns/*/*3/metrics/val/loss | wc -l)"
is "a name that leads elsewhere leads nowhere" "" "$(find mlruns -path '*metrics/*' -type f | grep -vE '/metrics/(acc|lat|val/loss|_we_ird_[^/]*)$')"
sed 's/^name: small$/name: second/' small.yaml >second.yaml
gannet run second.yaml --set limits.max_trials=4 >run.log 2>&1
claim "a second experiment joins it" gannet export second --format mlflow
is "beside the first" 2 "$(ls mlruns | grep -cE '^[0-9]{18}$')"

# --- compared ---
claim "two searches for the same are compared" gannet compare small second
matches "of one seed each nothing is said" "too few seeds to say" "$(gannet compare small second)"
is "for programs, too" "val/loss mann_whitney 2 3" "$(gannet compare small one=second --json | python3 -c 'import json, sys
it = json.load(sys.stdin)
print(it["metric"], it["test"], len(it["contenders"]), len(it["efforts"]))')"
refuse "a pattern that nothing matches is said" 5 "no experiment below runs/ matches" gannet compare small 'x-*'
refuse "one alone is not compared" 2 "there is one contender, small" gannet compare small
refuse "an experiment is no seed twice" 2 "second is named twice, by 's\*' and by 'second'" gannet compare 's*' second
refuse "nor when it is written another way" 2 "is named twice" gannet compare small,./runs/../runs/small/gannet.db second
mkdir elsewhere
cp -a runs/second elsewhere/second
is "two of one name are told apart" "second elsewhere/second" "$(gannet compare second elsewhere/second --json | python3 -c 'import json, sys
print(*(one["name"] for one in json.load(sys.stdin)["contenders"]))')"

# --- the rest ---
refuse "what there is no library for is said" 2 "duckdb" gannet export small --format parquet
refuse "a format that there is not is refused with those that there are" 2 "csv, jsonl, trace, optuna, tensorboard, mlflow" gannet export small --format xlsx
refuse "so is none at all" 2 "needs a format" gannet export small
refuse "a directory has no way to the output" 2 "can't be written to the standard output" gannet export small --format optuna -o -
refuse "a disk that is full is said" 1 "No space left" gannet export small --format csv -o /dev/full

# --- a full disk: no file may be longer than 1 KiB, and the third trial has much to say ---
cat >long.yaml <<'YAML'
version: 1
name: long
seed: 3
trial: {command: [bash, -c, 'n=1; [ "$1" != 3 ] || n=200; for ((i = 1; i <= n; i++)); do echo "step=$i loss=0.$i"; done', bash, "${trial.id}", "${params.x}"]}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
limits: {max_trials: 4}
YAML
gannet run long.yaml >run.log 2>&1
gannet ignore long 4 >/dev/null 2>&1 # its end may leave a log of writes where somebody reads still, beside which readers need room
short_files() (ulimit -S -f 1 && "$@")
tree() { find . -path './long-*' | LC_ALL=C sort | xargs -d '\n' ls -ld --time-style=+ | cksum; find . -path './long-*' -type f -print0 | sort -z | xargs -0 -r cksum; }
export_long() { gannet export long --format "$1" $2 -o "long-$1"; }
for format in "csv --metrics" "jsonl --metrics" trace optuna tensorboard mlflow; do
    before=$(tree)
    refuse "${format% *}: no room is said with what to do" 1 "(File too large|No space left on device); what was at 'long-${format% *}' before is as it was: make room there, or choose another place with -o" \
        short_files export_long $format
    is "and nothing is there" "$before" "$(tree)"
    claim "with room it is written" export_long $format
done
gannet ignore long 1 >/dev/null 2>&1
for format in "csv --metrics" "jsonl --metrics" trace optuna tensorboard mlflow; do
    before=$(tree)
    refuse "${format% *}: no room for a newer one is said" 1 "make room there" short_files export_long $format
    is "and the former one is as it was" "$before" "$(tree)"
    claim "with room it is replaced" export_long $format
done
is "a run that was ignored meanwhile is one there" "true" "$(cat long-mlflow/*/*1/tags/gannet.ignored)"
is "the store is as it was" "$(cksum <trials.json)" "$(gannet trials small --json | cksum)"
is "nothing half-written lies about" "" "$(ls | grep -E '\.[A-Za-z0-9]{6}$')"
finish
