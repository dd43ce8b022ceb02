#!/bin/bash
# a trace has what was measured, in the form that viewers of traces read
. "$(dirname "$0")/lib.sh"
scratch
needs sqlite3
needs python3

cat >net.yaml <<YAML
version: 1
name: net
seed: 3
trial: {kernel: mlp, options: {data: "generate:shapes", epochs: 3}}
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {min: 0.001, max: 0.1, log: true}
strategy: random
limits: {max_trials: 6}
YAML

# keeps FILE...: the rules of those that read traces (trace_schema.py).
keeps() { python3 "$SOURCE/tests/e2e/trace_schema.py" "$@"; }

# check FILE STORE TRIAL: attempts lie on the ground of their tracks, all else within them, and their lengths are the store's
# numbers (TRIAL 0: of all).
cat >check.py <<'PY'
import collections, json, sqlite3, sys
path, store, trial = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(path, encoding="utf-8") as file:
    trace = json.load(file)
tracks, curves = collections.defaultdict(list), collections.defaultdict(list)
for event in trace["traceEvents"]:
    if event["ph"] == "X":
        tracks[event["pid"], event["tid"]].append(event)
    if event["ph"] == "C":
        curves[event["pid"], event["name"]].append(event)
assert trace["otherData"]["schema"] == "gannet.trace/1" and tracks and curves
for (pid, tid), spans in tracks.items():
    around = []
    for span in sorted(spans, key=lambda span: (span["ts"], -span["dur"])):
        while around and around[-1]["ts"] + around[-1]["dur"] <= span["ts"]:
            around.pop()
        assert bool(around) != span["name"].startswith(("trial ", "rank ")), (span, around)
        around.append(span)
# Spans touch exactly: viewers drop those that overlap.
total = lambda start: sum(s["dur"] for spans in tracks.values() for s in spans if s["name"].startswith(start)) / 1e6
row = lambda sql: sqlite3.connect(store).execute(sql + (f" AND trial = {trial}" if trial else "")).fetchone()[0] or 0
runs, launch = row("SELECT sum(seconds) FROM runs WHERE started > 0"), row("SELECT sum(seconds) FROM v_profiles WHERE phase = 'launch'")
assert abs(total("trial ") - runs) < 1e-5 * (1 + runs), (total("trial "), runs)
assert abs(total("launch") - launch) < 1e-5 * (1 + launch), (total("launch"), launch)
used = row("SELECT sum(cpu_seconds) FROM runs WHERE started > 0")
cores = sum(a["args"]["value"] * (b["ts"] - a["ts"]) for (pid, name), values in curves.items() if name.endswith(" cores")
            for a, b in zip(values[::2], values[1::2])) / 1e6
assert abs(cores - used) < 1e-3 * (1 + used), (cores, used)
if trial:
    steps = sorted((s for spans in tracks.values() for s in spans if s["name"].startswith("step ")), key=lambda s: s["ts"])
    print(len(steps), "steps,", ",".join(sorted(name for _, name in curves)))
    for one, two in zip(steps, steps[1:]):
        assert one["ts"] + one["dur"] == two["ts"], (one, two)
else:
    print(sum(s["name"].startswith("trial ") for spans in tracks.values() for s in spans), "trials")
PY
check() { python3 check.py "$@" 2>&1 || true; }

claim "a search over a network runs" gannet run net.yaml --dir r --quiet
claim "its trace is written" gannet profile r --trace all.json
is "it is a trace, and its sums are those of the store" "6 trials" "$(check all.json r/gannet.db 0)"
matches "so is one of a trial" '^one.json: 1 attempt that ended, ' "$(gannet profile r/2 --trace one.json 2>&1)"
claim "both keep the rules of those that read traces" keeps all.json one.json
claim "each of which finds a trace that breaks it" keeps --break one.json
is "with its steps, and a curve of each metric" \
    "3 steps,slot S cores,train_accuracy,train_loss,val_accuracy,val_loss" \
    "$(check one.json r/gannet.db 2 | sed 's/ slot [0-9]* /slot S /')"
sed -e 's/^name: net/name: ranks/' -e '$aresources: {cpus: 2, ranks: 2}' -e 's/max_trials: 6/max_trials: 2/' net.yaml >ranks.yaml
if [ "$(nproc)" -ge 2 ]; then
    claim "a search of trials of two processes runs" gannet run ranks.yaml --dir ranks --quiet --share
    claim "so does its trace" gannet profile ranks --trace ranks.json
    is "the second process has a track of its own, and sums are those of the store" "2 trials" "$(check ranks.json ranks/gannet.db 0)"
    claim "it keeps the rules" keeps ranks.json
    claim "with a span for each trial" [ "$(grep -c '"name": "rank 1 of trial [12]"' ranks.json)" = 2 ]
    claim "on a track that says so" grep -q '"slot 0, process 1"' ranks.json
    cat >named.yaml <<YAML
version: 1
name: named
trial: {command: [sh, -c, 'echo loss=\$GANNET_PARAM_ranks; sleep 0.2']}
metric: {name: loss, goal: minimize}
parameters: {ranks: [8, 4]}
strategy: random
resources: {cpus: 2, ranks: 2}
limits: {max_trials: 1}
YAML
    claim "a parameter may be called ranks" gannet run named.yaml --dir named --quiet --share
    claim "its trace is written" gannet profile named --trace named.json
    is "and has the processes of resources.ranks" 1 "$(grep -c '"name": "rank [0-9]* of trial 1"' named.json)"
else
    echo "# trials of two processes are not traced: this machine has one core"
fi
claim "to the standard output, too" sh -c 'gannet profile r --trace - >out.json 2>said && cmp out.json all.json'
matches "and what to do with it is said aside" "^the trace: 6 attempts that ended, .*ui.perfetto.dev" "$(cat said)"
claim "the file has the mode of files" [ "$(stat -c %a all.json)" = "$(printf %o $((0666 & ~$(umask))))" ]
claim "phases come to their sums in the arguments" grep -Eq '"name": "trial 2".*"operations": \[.*"profile": \{"queue": ' one.json

# Slots of one number at two workers.
cp -r r two
sqlite3 two/gannet.db "UPDATE runs SET worker = worker + trial % 2, slot = slot + 1"
claim "the trace of two workers is written" gannet profile two --trace two.json
claim "it keeps the rules: no thread of one has the number of another's" keeps two.json
is "and both workers have their names" 2 "$(grep -c '"process_name"' two.json)"

# Files that can't be written, and stores with nonsense.
refuse "a directory that is not there is said" 1 "can't write 'nowhere/x.json'" gannet profile r --trace nowhere/x.json
refuse "so is a full disk" 1 "can't write '/dev/full': No space" gannet profile r --trace /dev/full
cp -r r forged
sqlite3 forged/gannet.db "UPDATE runs SET started = 9e999 WHERE trial = 1; UPDATE runs SET seconds = -5 WHERE trial = 2;
UPDATE runs SET cpu_seconds = 9e999, profile = '[[1,1e999,1,[[[' WHERE trial = 3;
UPDATE runs SET profile = NULL, started = NULL WHERE trial = 4; UPDATE samples SET time = 9e999, value = -9e999 WHERE trial = 5;
UPDATE runs SET seconds = 1e305 WHERE trial = 6"
for trial in 1 2 3 4 5; do gannet profile "forged/$trial" --trace "$trial.json"; done >/dev/null 2>&1
claim "a damaged store gives JSON all the same" sh -c 'gannet profile forged --trace forged.json &&
    for file in 3 4 5 forged; do
        python3 -c "import json, sys; json.load(open(sys.argv[1]), parse_constant=sys.exit)" "$file.json" || exit
    done'
claim "which keeps the rules" keeps 3.json 4.json 5.json forged.json
claim "without what makes no sense" sh -c '! grep -Eq "\"trial [1246]\"" forged.json'
sqlite3 forged/gannet.db "UPDATE runs SET started = -1e305 WHERE trial = 6"
claim "a time long before all others moves none" sh -c 'gannet profile forged --trace forged.json >/dev/null && grep -q "\"trial 3\"" forged.json'
claim "no half of a file is left" sh -c '! ls | grep "json\.."'
finish
