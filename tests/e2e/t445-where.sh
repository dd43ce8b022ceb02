#!/bin/bash
# gannet trials --where lists the trials of which an expression over their columns is true, in every form and order
. "$(dirname "$0")/lib.sh"
scratch

cat > train.sh <<'END'
case $2 in
lamb) echo "this can't do lamb" >&2; exit 3 ;;
*) awk -v lr="$1" 'BEGIN { for (step = 1; step <= 3; step++) print "loss=" lr * 10 / step " step=" step }' ;;
esac
END
cat > named.yaml <<'END'
version: 1
name: named
trial: {command: [sh, train.sh, "${params.lr}", "${params.opt}"], retries: 0}
metric: {name: loss, goal: minimize}
parameters:
  lr: {values: [0.001, 0.01, 0.1]}
  opt: [sgd, adam, lamb]
strategy: grid
limits: {max_trials: 9, max_failures: 20}
END
claim "a search in which a third of the trials fails" gannet run named.yaml --quiet --workers 2

where() { # EXPR: how many trials there are of which it is true
    gannet trials named --where "$1" --json | grep -c '"trial":'
}

is "a state alone" 3 "$(where failed)"
is "an ending alone" 3 "$(where exited)"
is "texts" 3 "$(where "opt == 'adam'")"
is "numbers" 6 "$(where 'lr > 0.002')"
is "both" 2 "$(where "lr > 0.002 and opt == 'sgd'")"
is "a metric, where its name is no other's" 2 "$(where 'metric.loss < 0.004')"
is "no value" 3 "$(where 'value == null')"
is "nothing" '[]' "$(gannet trials named --where 'seconds > 1e9' --json)"
is "as CSV" "param.opt adam adam adam" "$(gannet trials named --where "opt == 'adam'" --csv -c opt | tr -d '\r' | xargs)"
is "in an order" "lr 0.1 0.01 0.001" "$(gannet trials named --where "opt == 'adam'" --sort lr -r -c lr | xargs)"
is "the first of them" "lr 0.001 0.001" "$(gannet trials named --where completed --sort lr -n 2 -c lr | xargs)"
is "with a state" 0 "$(gannet trials named --where "opt == 'lamb'" --state completed --json | grep -c '"trial":')"
is "the best of them" 1 "$(gannet trials named --where "lr > 0.05" --sort value -n 1 --json | grep -c '"lr": 0.1,')"

refuse "a name that is none" 2 "character 12: there is no column 'lrr'; did you mean 'lr'?" \
    gannet trials named --where 'failed and lrr > 1'
refuse "a value that never is" 2 "character 8: 'opt' is never 'adm'; did you mean 'adam'?" \
    gannet trials named --where "opt == 'adm'"
refuse "what is no question" 2 'a filter must be true or false' gannet trials named --where loss

finish
