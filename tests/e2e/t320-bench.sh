#!/bin/bash
# whole searches in one process: strategies are compared on tables and functions
# valgrind
. "$(dirname "$0")/lib.sh"
scratch

# without_times FILE: the columns that are the same in every run.
without_times() { cut -d, -f1-7 "$1"; }

claim "strategies are compared on a table and a function" \
    gannet bench "$EXAMPLES/table.yaml" "$EXAMPLES/synth.yaml" --strategy random,sobol --seeds 3 --trials 30 --workers 4
matches "ranks, regrets and pairs are shown" "Mean rank.*|Pairs at 30 trials" \
    "$(gannet bench "$EXAMPLES/synth.yaml" --strategy random,sobol --seeds 3 --trials 30)"

gannet bench "$EXAMPLES/synth.yaml" --strategy random,sobol --seeds 4 --trials 30 -w 8 --jobs 1 --csv >one.csv
gannet bench "$EXAMPLES/synth.yaml" --strategy random,sobol --seeds 4 --trials 30 -w 8 --jobs 3 --csv >three.csv
is "the columns of the CSV" "table,strategy,seed,workers,trials,best,regret,ask_ms_p50,ask_ms_p99" "$(head -1 one.csv)"
is "a row for each search and count of trials" 24 "$(grep -c '^synth,' one.csv)"
is "the result does not depend on the number of jobs" "$(without_times one.csv)" "$(without_times three.csv)"

gannet bench "$EXAMPLES/synth.yaml" --strategy grid:levels=5 --seeds 4 --trials 20 -w 8 --with one.csv --json >all.json 2>said
matches "earlier results are compared with" '"strategy": "random", "against": "grid:levels=5"' "$(cat all.json)"
matches "the scale is said" '"tables": \[\{"table": "synth", "optimum": 0.39788' "$(cat all.json)"

cat >prog <<'END'
n=0
while read -r line; do
    case $line in
    '{"ask"'*)
        n=$((n + 1))
        echo "{\"params\": {\"x1\": $((n % 10)), \"x2\": 2}}"
        ;;
    esac
done
END
claim "an outside program is a strategy" gannet bench "$EXAMPLES/synth.yaml" --strategy "exec:sh prog" --seeds 2 --trials 12
refuse "one that breaks down ends its searches" 1 "exec:false on synth, seed 1" \
    gannet bench "$EXAMPLES/synth.yaml" --strategy exec:false --seeds 2 --trials 12
claim "a plug-in is a strategy" gannet bench "$EXAMPLES/synth.yaml" --seeds 1 --trials 12 \
    --strategy "$GANNET_BUILD/plugins/hello.so,random"

sed 's/steps: [0-9]*/steps: 9/; s/{function: branin}/{function: branin, steps: 9, curve: 30}/' "$EXAMPLES/synth.yaml" >curve.yaml
claim "trials are stopped early" gannet bench curve.yaml --strategy random --early-stop none,asha --seeds 2 --trials 12
matches "and called so" "^curve,random\+asha,2,1,12," \
    "$(gannet bench curve.yaml --strategy random --early-stop none,asha --seeds 2 --trials 12 --csv)"

refuse "an unknown strategy" 2 "there is no strategy 'rndom' \(did you mean 'random'\?\)" \
    gannet bench "$EXAMPLES/synth.yaml" --strategy rndom
refuse "another kernel" 2 "only the kernels table and synth" gannet bench "$EXAMPLES/digits.yaml"
refuse "an option that would kill" 2 "the option 'crash' can't be used" \
    gannet bench "$EXAMPLES/synth.yaml" --set trial.options.crash=1
refuse "no file" 2 "gannet bench needs FILE" gannet bench
refuse "no results" 2 "nowhere.csv" gannet bench "$EXAMPLES/synth.yaml" --with nowhere.csv
refuse "the same table twice" 2 "has the name 'synth' too" gannet bench "$EXAMPLES/synth.yaml" "$EXAMPLES/synth.yaml"

# A program that answers three seeds and then never again: what is complete by then is shown.
cat >sleeper <<'END'
mkdir -p seen
read -r line
case $line in *'"seed":4'*) touch seen/four ;; esac
[ -e seen/four ] && while read -r line; do :; done
while read -r line; do case $line in '{"ask"'*) echo '{"params": {"x1": 1, "x2": 2}}' ;; esac done
END
(exec gannet bench "$EXAMPLES/synth.yaml" --strategy "exec:sh sleeper" --seeds 9 --trials 12 --jobs 1 --csv >partly 2>messages) &
until_true test -e seen/four
kill -INT $!
wait $!
is "Ctrl-C is said by the status" 130 $?
is "what is complete is shown" 6 "$(grep -c '^synth,' partly)"
claim "nothing is left running" none_left
finish
