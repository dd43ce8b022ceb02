#!/bin/bash
# trials that were measured elsewhere join a search: checked as its own, learned from, the best if they are, and replay knows of them
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch

# Every strategy goes on with them, and limits.max_trials is for what gannet runs.
for strategy in random sobol grid tpe forest gp cmaes evolution auto; do
    synth "$strategy.yaml" 12 0 "$strategy"
    gannet run "$strategy.yaml" --dir "$strategy" --quiet --workers 2
    is "$strategy: it has the next number" '{"first": 13, "added": 1}' "$(gannet add "$strategy" x1=1.5 x2=2 value=-7 --json)"
    matches "$strategy: it is the best" '^trial 13  value -7' "$(gannet best "$strategy")"
    claim "$strategy: a bad one" gannet add "$strategy" x1=9 x2=14 1e3
    claim "$strategy: the record holds" gannet replay "$strategy"
    claim "$strategy: it goes on" gannet run "$PWD/$strategy" --resume --quiet --workers 2 --set limits.max_trials=20
    matches "$strategy: with all that it may run" '^trials: 20/20  22 completed  2 of them added' "$(gannet status "$strategy")"
    claim "$strategy: the best is ignored" gannet ignore "$strategy" 13
    claim "$strategy: it goes on with four more" gannet run "$PWD/$strategy" --resume --quiet --max-trials 4
    matches "$strategy: both are told" '^trials: 24/24  25 completed  1 of them added  1 ignored' "$(gannet status "$strategy")"
    claim "$strategy: what it did can be replayed" gannet replay "$strategy"
done

# What is said of it.
matches "it is shown as added" '^Trial 14: completed, measured elsewhere and added by hand$' "$(gannet show random 14)"
matches "with what was measured" '^  value  *1000$' "$(gannet show random 14)"
is "which the table has in its column" "$(gannet trials random --csv --columns trial,value | grep ^14,)" \
    "$(gannet trials random --csv --columns trial,metric.value | grep ^14,)"
matches "explain says where it is from" 'trial 14 is completed: it was measured elsewhere, and added by hand' "$(gannet explain random 14)"
is "in CSV" 14,true "$(gannet trials random --csv --columns trial,added | tr -d '\r' | grep ,true | tail -1)"
matches "in JSON it has no worker and no time" '"seconds": null, "node": null, .*"added": true' \
    "$(gannet trials random --json | tr -d '\n' | sed 's/{"trial": /\n&/g' | grep '^{"trial": 14,')"
is "status counts it" "1 1" "$(gannet status random --json | tr ',' '\n' | sed -n 's/.*"\(added\|ignored\)": \([0-9]*\).*/\2/p' | xargs)"

# The strategy learns: it is as if the trial had been its own.
synth own.yaml 40 0 tpe
synth heir.yaml 2 0 tpe
for what in added left; do
    mkdir $what && cd $what || exit 1
    gannet ask ../own.yaml --dir own -n 14 >/dev/null
    for trial in $(seq 14); do gannet tell own "$trial" --value "$((trial * 7 % 15))"; done
    [ $what = left ] || gannet add own x1=3.1 x2=2.2 value=-20 2>/dev/null
    gannet ask own -n 3 | sed 's/^[0-9]* //' >next
    cd .. || exit 1
done
is "it learns from what is added" yes "$(cmp -s added/next left/next && echo no || echo yes)"
claim "of a loop of one's own, too, replay knows" gannet replay added/own

# A space with everything.
cat >space.yaml <<'END'
version: 1
name: space
seed: 3
trial: {command: "echo ${args} loss=0.5 latency=3"}
metric: [{name: loss, goal: minimize}, {name: latency, max: 10}]
parameters:
  lr: {min: 1.0e-5, max: 0.1, log: true}
  layers: {min: 1, max: 8}
  opt: {values: [adam, sgd]}
  momentum: {min: 0.0, max: 0.99, when: {opt: sgd}}
  fixed: 3
constraints: ["layers * lr <= 0.2"]
start: [{lr: 0.01, layers: 2, opt: adam}]
strategy: random
limits: {max_trials: 3}
END
gannet run space.yaml --dir space --quiet
claim "a whole point" gannet add space lr=0.001 layers=4 opt=adam loss=0.25 latency=10
no_latency() { gannet add space lr=0.01 layers=2 opt=adam loss=1; }
refuse "a metric that has a limit is needed, too" 2 "the metric 'latency' is missing" no_latency
claim "with what is active" gannet add space lr=0.001 layers=4 opt=sgd momentum=0.9 fixed=3 metric.loss=0.2 latency=30
matches "what breaks a limit is not the best" '^trial 4  loss 0.25' "$(gannet best space)"
before=$(gannet trials space --csv | md5sum)
no() { # no WORDS PATTERN [ARGUMENT...]
    refuse "$1" 2 "$2" gannet add space "${@:3}"
}
no "a name that is near another" "'layer' is no parameter and no metric of this experiment; did you mean 'layers'" lr=0.01 layer=2 opt=adam loss=1
no "what is missing" "'layers' is missing" lr=0.01 opt=adam loss=1
no "what is missing under its condition" "'momentum' is missing" lr=0.01 layers=2 opt=sgd loss=1
no "out of range" "lr" lr=0.5 layers=2 opt=adam loss=1
no "no whole number" "layers" lr=0.01 layers=2.5 opt=adam loss=1
no "none of the list" "opt" lr=0.01 layers=2 opt=adma loss=1
no "against a constraint" "violates the constraint 'layers \* lr <= 0.2'" lr=0.1 layers=8 opt=adam loss=1
no "no value" "the metric 'loss' is missing" lr=0.01 layers=2 opt=adam latency=1
no "no number" "'nan' is no number that 'loss' can have" lr=0.01 layers=2 opt=adam loss=nan
no "beyond all numbers" "'1e999' is no number" lr=0.01 layers=2 opt=adam loss=1e999
no "a unit" "'12ms' is no number" lr=0.01 layers=2 opt=adam loss=1 latency=12ms
no "a decimal comma" "decimals are written with a point" lr=0,01 layers=2 opt=adam loss=1
no "twice" "'lr' is given twice" lr=0.01 lr=0.02 layers=2 opt=adam loss=1
no "nothing" "say what was measured" --json
no "no value at all" "'lr' is no NAME=VALUE" lr
no "another constant" "fixed" lr=0.01 layers=2 opt=adam loss=1 fixed=4
no "a very long name" "is no parameter and no metric" "$(head -c 100000 /dev/zero | tr '\0' x)=1"
no "a very long value" "opt" lr=0.01 layers=2 loss=1 "opt=$(head -c 100000 /dev/zero | tr '\0' x)"
no "a file and words" "say what was measured" lr=0.01 --from x.csv
refuse "no experiment" 5 '' gannet add nowhere x=1

# Files: as spreadsheets write them; all lines or none.
printf '\xef\xbb\xbfparam.lr,layers,opt,momentum,loss,latency\r\n0.001,1,adam,,0.5,1\r\n0.002,2,"sgd",0.5,0.4,2\r\n' >good.csv
is "a file with a byte order mark and line ends of Windows" '{"first": 6, "added": 2}' "$(gannet add space --from good.csv --json)"
sed -n 2,3p good.csv | tr -d '\r' >lines
file() { # file WORDS PATTERN: bad.csv is refused so
    refuse "$1" 2 "$2" gannet add space --from bad.csv
}
{ echo lr,layers,opt,momentum,loss,latency && cat lines && echo '0.001,1,adam,,NaN,1'; } >bad.csv
file "a line that is wrong, by its number" "bad.csv:4: 'NaN' is no number"
{ echo lr,layers,opt,momentum,loss,latency && cat lines && echo '"0,001",1,adam,,1,1'; } >bad.csv
file "a decimal comma in a file" "bad.csv:4: '0,001' is no number .*written with a point"
echo lr,layers,opt,momentum,loss,note >bad.csv
file "a column that is nothing" "bad.csv:1: 'note' is no parameter.*take other columns out of the file"
tr ',' ';' <good.csv >bad.csv
file "separators of a German spreadsheet" "columns are separated by commas"
echo lr,layers,opt,lr,loss >bad.csv
file "a column twice" "bad.csv:1: two columns are 'lr'"
echo lr,layers,opt,loss >bad.csv
file "no line" "has no line"
printf 'lr,layers,opt,loss\n0.1,\0,adam,1\n' >bad.csv
file "a zero byte" "bad.csv:2: holds a zero byte"
printf 'lr,layers,opt,loss\n0.1,1,adam\n' >bad.csv
file "a line that is short" "bad.csv:2: has 3 cells"
: >bad.csv
file "an empty file" "is empty"
rm bad.csv
file "no file" "can't open bad.csv"
is "nothing was added by all that" 2 "$(gannet trials space --csv --columns trial | tr -d '\r' | awk '$1 > 5' | grep -c '[0-9]')"
is "but by the file that is right" no "$([ "$before" = "$(gannet trials space --csv | md5sum)" ] && echo yes || echo no)"
{
    echo x1,x2,value
    seq 100000 | awk '{ printf "%.6f,%.6f,%d\n", -5 + $1 * 14e-5, $1 * 14e-5, $1 }'
} >many.csv
is "a hundred thousand lines" '{"first": 27, "added": 100000}' "$(gannet add random --from many.csv --json)"
matches "are there" '^trials: 24/24  100025 completed  100001 of them added' "$(gannet status random)"

# Someone who may read it adds nothing.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$PWD" && chmod -R a+rX space
    refuse "another user" 1 '' setpriv --reuid 65534 --clear-groups "$(command -v gannet)" add "$PWD/space" lr=0.001 layers=4 opt=adam loss=1 latency=1
    chmod -R go= space
else
    skip "another user" "this needs root and setpriv"
fi
claim "another search learns of them" gannet run heir.yaml --dir heir --quiet --set 'start_from=[added/own]'
claim "the record of all that holds" gannet replay space
finish
