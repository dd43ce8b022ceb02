#!/bin/bash
# a strategy of one's own, made as plugins/README.md says, is listed, checked, run, resumed and replayed
. "$(dirname "$0")/lib.sh"
scratch
command -v cc >/dev/null || skip_all "building a plug-in needs a C compiler: apt-get install gcc"

# The compile line of the README, with the header where the sources have it.
sed 's/\.name = "hello"/.name = "mine"/' "$SOURCE/plugins/hello.c" >mine.c
line=$(sed -n 's/^ *\(cc -shared.*\)$/\1/p' "$SOURCE/plugins/README.md" | sed "s#PREFIX/include/gannet#$SOURCE/search#")
claim "the compile line of the README works" sh -c "$line"
claim "the strategy is listed with its options" sh -c 'gannet strategies ./mine.so | grep -q step'

cat >climb.yaml <<'YAML'
version: 1
seed: 3
trial: {kernel: synth, options: {function: branin}}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -5.0, max: 10.0}
  x2: {min: 0.0, max: 15.0}
start: [{x1: 0.0, x2: 7.5}]
strategy: {name: mine, plugin: ./mine.so, options: {step: 0.2}}
limits: {max_trials: 30}
YAML
claim "an experiment that names it is fine" gannet check climb.yaml
claim "it runs" gannet run climb.yaml --dir r -q
claim "it goes on" gannet run climb.yaml --dir r -q --resume --set limits.max_trials=60
is "with as many trials as were asked for" 60 "$(gannet trials r --json | grep -c '"trial"')"
claim "and every proposal can be made again from the record" gannet replay r
claim "it climbed" sh -c 'gannet best r --json | grep -Eq "\"value\": [0-9]\."'

# A crash: the process can't be saved, but the person is told whom to blame, and the search is not lost.
sed 's/double step = /if (ask->trial > 7 \&\& !getenv("MENDED")) raise(SIGILL); double step = /' mine.c >faulty.c
sed -i '1i #include <signal.h>' faulty.c
claim "a faulty strategy is built like any other" sh -c "$(sed 's/mine/faulty/g' <<<"$line")"
refuse "a search whose strategy crashes ends, and the plug-in is named" 1 "plug-in $PWD/faulty.so crashed .SIGILL" \
    gannet run climb.yaml --dir f --set strategy.plugin=./faulty.so
claim "the trials before the crash are recorded" sh -c 'gannet trials f --state completed | grep -q "^ *3 "'
claim "mended, it goes on" env MENDED=1 gannet run f -q --resume
is "to the last trial" 30 "$(gannet trials f --json | grep -c '"state": "completed"')"

refuse "another name is refused with the right one" 2 "holds the strategy 'mine', not 'mein'" \
    gannet check climb.yaml --set strategy.name=mein
refuse "an unknown option is refused with the list" 2 "no option 'stepp'.*it has: step" \
    gannet check climb.yaml --set strategy.options.stepp=1
chmod 666 mine.so
refuse "a file that anyone may write to is not loaded" 2 "any user can write to the plug-in" gannet check climb.yaml
finish
