#!/bin/bash
# profile says where the time of a trial, and of all trials, went; and compares two
. "$(dirname "$0")/lib.sh"
scratch
needs sqlite3

cat >net.yaml <<YAML
version: 1
name: net
seed: 3
trial: {kernel: mlp, options: {data: "generate:shapes", epochs: 3}}
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {min: 0.001, max: 0.1, log: true}
strategy: random
limits: {max_trials: 3}
YAML
claim "a search over a network runs" gannet run net.yaml --dir r --quiet

matches "the experiment: its name" '^All trials of net$' "$(gannet profile r)"
matches "the experiment: its phases" '^  backward +[0-9.a-z]+ +[0-9]+ %' "$(gannet profile r)"
matches "a trial: how it stands" '^Trial 2 of net: completed after .* on .*$' "$(gannet profile r/2)"
matches "the number may stand apart" '^Trial 2 of net: completed' "$(gannet profile r 2)"
matches "the best one has a name" '^Trial [123] of net: completed' "$(gannet profile r/best)"

gannet profile r/2 --json >page
claim "for programs it is an object" grep -q '^{"schema": "gannet.profile/1",$' page
claim "with phases, and the share of each" grep -q '{"phase": "forward", .*"share": 0\.' page
claim "waiting for a slot is no share of a run" grep -q '{"phase": "queue",[^}]*"share": null}' page

matches "two trials: whose values are which" '^parameter +trial 1 +trial 3$' "$(gannet profile r --compare 1 3)"
matches "two trials: in what they differ" '^lr +[0-9.]+ +[0-9.]+$' "$(gannet profile r --compare 1 3)"
matches "two trials: each phase of both" '^forward +[0-9.a-z]+ +[0-9.a-z]+ +[-+]?[0-9.a-z]+ +[0-9.]+$' \
    "$(gannet profile r --compare 1 3)"
matches "for programs both" '^ \{"schema": "gannet.profile/1", .*"trial": 3, ' "$(gannet profile r --compare 1 3 --json)"

is "the first of two may stand behind a slash" "$(gannet profile r --compare 2 3)" "$(gannet profile r/2 --compare 3)"
is "or be the best one" "$(gannet profile r "$(sqlite3 r/gannet.db 'SELECT best_trial FROM progress')" --compare 3)" \
    "$(gannet profile r/best --compare 3)"

matches "a trial's steps are a table, with what each reported" '^ *2 +[0-9.a-z]+ +[0-9.a-z]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+$' \
    "$(gannet profile r/2)"
matches "under their names, the objective first" '^ *step +at +took +val_loss +train_loss +train_accuracy +val_accuracy$' "$(gannet profile r/2)"
claim "two trials of which none was timed: no table of operations" sh -c '! gannet profile r --compare 1 3 | grep -q "^operation"'
matches "two trials: what bounded each" '^trial 3: [0-9]+ % ' "$(gannet profile r --compare 1 3)"
matches "what bounded a trial stands below" "^What bounded it" "$(gannet profile r/2)"
matches "and of all runs how many" '^[a-z]+ +[123] +[0-9.]+' "$(gannet profile r)"
claim "with a sentence for programs" grep -q '"verdict": {"verdict": "[a-z]*", *"figure": [0-9.]*, *"sentence": "[0-9]* % of ' page
gannet status r --json >page
claim "the status for programs has them, with advice" grep -q '"verdicts": \[{"verdict": "[a-z]*", .*"advice": "' page
sentence=$(gannet profile r/2 --json | sed -n 's/.*"verdict": {.*"sentence": "\([^"]*\)".*/\1/p')
claim "a trial is shown with the same sentence" grep -qxF "  $sentence" <(gannet show r/2)
claim "a trainer opens its data in its first run, which is a phase" \
    [ "$(sqlite3 r/gannet.db "SELECT count(*) > 0 AND min(seconds) > 0 AND max(count) = 1 FROM v_profiles WHERE phase = 'stage'")" = 1 ]
claim "phases sum to the time of each run" [ "$(sqlite3 r/gannet.db "SELECT count(*) FROM runs r WHERE abs(seconds -
    (SELECT sum(seconds) FROM v_profiles p WHERE p.trial = r.trial AND phase <> 'queue')) > 0.02 * seconds")" = 0 ]

# Operations.
matches "how it is timed is said" 'or gannet rerun EXP/TRIAL --operations$' "$(gannet profile r/2 --operations)"
matches "what was not timed is counted" '^ *[0-9]+ +[0-9.]+ +[0-9.]+ +gemm$' "$(gannet profile r/2 --operations)"
lacks() { ! gannet profile "$1" | grep -q Operations; }
claim "and no part of the page" lacks r/2
sed -e 's/^name: net/name: timed/' -e '$aprofile: {operations: true, steps: 2-3}' net.yaml >timed.yaml
claim "a search that times them runs" gannet run timed.yaml --dir t --quiet
gannet profile t/2 --json >page
claim "calls are those of all steps, and timed ones those of two of three" \
    grep -Eq '"operation": "gemm", "calls": ([0-9]*[0-9]), .*"timed": [1-9]' page
claim "with the rates that follow" grep -Eq '"operation": "gemm", .*"gflops_per_second": [0-9.]+, "gbytes_per_second": [0-9.]+' page
matches "the steps as a whole are known" '"steps": \{"operation": "steps", "calls": 2, .*"timed": 2' "$(cat page)"
matches "a table, the slowest first" '^ *[0-9.]+ % +[0-9.]+[mun]s +[0-9]+ .* gemm backward weights$' "$(gannet profile t/2)"
claim "the store has a view of them" [ "$(sqlite3 t/gannet.db "SELECT count(*) FROM v_operations WHERE operation = 'gemm' \
    AND trial = 2 AND calls = timed / 2 * 3 AND flops > 0 AND seconds >= max")" = 1 ]
claim "what a trial keeps of them is short" [ "$(sqlite3 t/gannet.db 'SELECT max(length(operations)) < 1200 FROM runs')" = 1 ]
sed -e 's/true, steps: 2-3/gem*, steps: 3-2/' timed.yaml >bad.yaml
refuse "steps that end before they begin are refused" 2 "write 10-20" gannet check bad.yaml
sed -e 's/true, steps: 2-3/[gemn]/' timed.yaml >bad.yaml
refuse "and an operation that there is not" 2 "did you mean 'gemm'?" gannet check bad.yaml

# A trial once more, for programs.
gannet rerun r/2 --json >again
matches "a trial run again says its steps to programs" \
    '^\{"step":1,"seconds":[0-9.e-]+,"data_seconds":[0-9.e-]+,"data_share":[0-9.e-]+,"samples":[0-9]+,"samples_per_second":[0-9.e+-]+,"metrics":\{' "$(head -n 1 again)"
matches "and its end" '^\{"ending":"completed",.*"phases":\{' "$(tail -n 1 again)"
matches "with its operations where they are asked for" '"operations":\{.*"gemm":\{' "$(gannet rerun r/2 --json --operations | tail -n 1)"
claim "under the other name of that, too" sh -c 'gannet rerun r/2 --profile operations | grep -q "gemm "'

# Very many trials: those of the store, again and again.
multiply() { # TRIALS
    cp -r r many
    sqlite3 many/gannet.db "CREATE TEMP TABLE t AS SELECT * FROM trials WHERE trial = 2; CREATE TEMP TABLE r AS SELECT * FROM runs WHERE trial = 2;
        DELETE FROM trials; DELETE FROM runs; CREATE TEMP TABLE n AS WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < $1)
        SELECT n FROM n; CREATE TEMP TRIGGER put AFTER DELETE ON n BEGIN UPDATE t SET trial = old.n, told = old.n; UPDATE r SET trial = old.n;
        INSERT INTO trials SELECT * FROM t; INSERT INTO runs SELECT * FROM r; END; DELETE FROM n"
}
claim "a store of 50,000 trials is made" multiply 50000
matches "its profile is that of a sample, which is said" \
    '^All trials of net, from a sample: 2[45][0-9]{3} of 50000 trials \(--all reads every one\)$' "$(gannet profile many)"
gannet profile many --json >page
claim "for programs, too" grep -Eq '"sample": \{"trials": 2[45][0-9]{3}, "of": 50000\}' page
matches "all are read when one wants it" '^All trials of net$' "$(gannet profile many --all)"
matches "explain says so, too" '^what bounded attempts is told by a sample: 2[45][0-9]{3} of 50000 trials$' "$(gannet explain many)"
matches "and the status for programs" '"sample": \{"trials": 2[45][0-9]{3}, "of": 50000\}' "$(gannet status many --json)"
matches "of a small store it reads all" '"sample": null' "$(gannet status r --json)"
claim "and so is a small store" grep -q '"sample": null' <(gannet profile r --json)

refuse "a comparison with one trial is refused" 2 "--compare takes the numbers of two trials" gannet profile r --compare 1
refuse "also with one behind a slash" 2 "--compare takes the numbers of two trials" gannet profile r/2 --compare
refuse "and with what is no trial" 2 "--compare takes the numbers of two trials" gannet profile r --compare 1 x
refuse "a file and a page are two things" 2 "--trace writes a file and no page: it goes without --json" gannet profile r --trace x.json --json
refuse "so are two files" 2 "--flame writes a file and no page: it goes without --trace" gannet profile r/1 --trace x.json --flame x.svg
refuse "and seconds alone are for nothing" 2 "it goes with --flame FILE" gannet profile r --seconds 3
refuse "a trial that is not there is refused" 5 "r has no trial 99" gannet profile r/99
refuse "in a comparison, too" 5 "r has no trial 99" gannet profile r --compare 1 99
finish
