#!/bin/bash
# gannet check shows what an experiment file means, and everything that is wrong with one, and starts nothing
# valgrind
. "$(dirname "$0")/lib.sh"
scratch

cat >good.yaml <<'YAML'
version: 1
seed: 7
trial: {kernel: synth, options: {function: branin}}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -5.0, max: 10.0}
  x2: {min: 0.0, max: 15.0}
constraints: ["x1 + x2 <= 10"]
strategy: random
limits: {max_trials: 5}
YAML
claim "a good file is fine" gannet check good.yaml
gannet check good.yaml >out
claim "the name is the file's" grep -q '^name: good' out
claim "the space is measured" grep -q 'infinitely many configurations' out
claim "the share that constraints forbid is measured" grep -Eq '1 constraint, which forbids [0-9.]+ % of 1000' out
is "three trials are shown with their commands" 3 "$(grep -c 'gannet-trainer --run synth' out)"
claim "what it prints is a valid experiment file again" sh -c 'gannet check good.yaml >again.yaml && gannet check again.yaml'
gannet check again.yaml | sed -n '/^#/q;p' >twice.yaml
sed -n '/^#/q;p' again.yaml >once.yaml
claim "and means the same" diff once.yaml twice.yaml
claim "the first trials are those of the run" sh -c '
    gannet run good.yaml --dir r -q &&
    gannet trials r --columns x1 --csv | sed -n "2p" | tr -d "\r" >run &&
    gannet check good.yaml --json | sed -n "s/.*\"trial\": 1, \"params\": {\"x1\": \([^,]*\),.*/\1/p" >check && diff run check'

cat >bad.yaml <<'YAML'
version: 1
trial: {kernel: synht}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: 5.0, max: 1.0}
limits: {max_trails: 5}
YAML
refuse "a bad file says where" 2 "^bad.yaml:5:.*error" gannet check bad.yaml
refuse "and what was meant" 2 "did you mean 'max_trials'" gannet check bad.yaml
refuse "run starts nothing then" 2 "nothing was started" gannet run bad.yaml
claim "no run directory is left" test ! -e runs
refuse "a trial that no machine like this can hold is refused at once" 2 \
    "^--set resources.cpus=10000: error: a trial wants 10000 cores, this node has" gannet run good.yaml --set resources.cpus=10000
claim "no run directory is left then either" test ! -e runs
claim "check only says so" sh -c \
    'gannet check good.yaml --set resources.cpus=10000 | grep -q "0 trials at a time: a trial wants 10000 cores"'
refuse "a missing file is named" 2 "missing.yaml" gannet check missing.yaml

cat >data.yaml <<'YAML'
version: 1
trial: {kernel: logreg, options: {data: train-there.csv, validation_data: test}}
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {min: 0.1, max: 1.0}
limits: {max_trials: 1}
YAML
printf '%s\n' a,y 1,0 2,1 | tee train-there.csv >test-there.csv
claim "a kernel's data that are there are fine" gannet check data.yaml
sed -i 's/there.csv/where.csv/' data.yaml
refuse "a kernel's file that is not there is refused at its place" 2 \
    "^data.yaml:2:[0-9]+: error: can't open .*/train-where.csv: No such file" gannet check data.yaml
refuse "and what was expected is said" 2 "it is to be: a file, CIFAR's directory" gannet check data.yaml
refuse "also before a run" 2 "nothing was started" gannet run data.yaml
mkfifo train-where.csv
refuse "a pipe is no file of data, and is not waited for" 2 "neither a file nor a directory" gannet check data.yaml
rm train-where.csv
claim "what is made needs no file" gannet check data.yaml --set trial.options='{data: generate:spirals}'

sed 's/synth,/synht,/' good.yaml >kernel.yaml
refuse "an unknown kernel points at its place and suggests" 2 "^kernel.yaml:3:17: error: there is no kernel 'synht'" \
    gannet check kernel.yaml
refuse "and suggests" 2 "did you mean 'synth'" gannet check kernel.yaml
sed 's/function:/funktion:/' good.yaml >option.yaml
refuse "an option that the kernel has not points at its place" 2 \
    "^option.yaml:3:[0-9]+: error: the kernel 'synth' has no option 'funktion'" gannet check option.yaml
sed 's/x2:/y2:/; s/x2 </y2 </' good.yaml >param.yaml
refuse "a parameter that the kernel has not points at its place" 2 \
    "^param.yaml:7:3: error: the kernel 'synth' has no parameter 'y2'" gannet check param.yaml
sed 's/name: value/name: loss/' good.yaml >metric.yaml
refuse "a metric that the kernel does not report is refused" 2 "the kernel 'synth' does not report 'loss'" \
    gannet check metric.yaml

cat >program.yaml <<'YAML'
version: 1
trial: {command: [./train, "${args}"]}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
limits: {max_trials: 1}
YAML
refuse "a program that is not here points at its place" 2 \
    "^program.yaml:2:19: error: '$PWD/./train' can't be run here: No such file" gannet check program.yaml
refuse "run starts nothing without it" 2 "nothing was started" gannet run program.yaml
sed 's|./train|trian|' program.yaml >path.yaml
sed 's|./train|sh, -u, trian.sh|' program.yaml >script.yaml
sed 's|"${args}"]|"${args}"], workdir: gone|' program.yaml >workdir.yaml
sed 's|, "${args}"||' program.yaml >no-use.yaml
sed 's|"${args}"|"--x={x}"|' program.yaml >braces.yaml
touch train.sh
refuse "a program that is not in PATH is named" 2 "^path.yaml:2:19: error: there is no program 'trian' in PATH" \
    gannet run path.yaml
refuse "a script that is not there is named" 2 "^script.yaml:2:27: error: there is no file '$PWD/trian.sh'" \
    gannet run script.yaml
refuse "with the one that is" 2 "did you mean 'train.sh'" gannet check script.yaml
refuse "a directory that is not there is named" 2 "^workdir.yaml:2:[0-9]+: error: trials can't start in '$PWD/gone'" \
    gannet run workdir.yaml
refuse "a command without a parameter is refused" 2 "^no-use.yaml:2:18: error: the command uses no parameter" \
    gannet run no-use.yaml
refuse "braces without a dollar point at their place" 2 "^braces.yaml:2:33: error: '[{]x[}]' is not filled in" \
    gannet run braces.yaml
claim "no run directory is left of any" test ! -e runs
claim "trials of other nodes are only warned of" sh -c '
    sed "s/^limits/slurm: {}\nlimits/" program.yaml >nodes.yaml && gannet check nodes.yaml 2>&1 | grep -q "warning: .*train"'
claim "a loop of one's own runs no command" gannet ask no-use.yaml
claim "nor is the command of an experiment that is there already looked at again" gannet show no-use/1
rm -r runs
printf '#!/bin/sh\necho loss=1\n' >train
chmod +x train
is "and none of one that is" "" "$(gannet check program.yaml 2>&1 >out)"

# A program's source says what its options are: parser.add_argument("--bn", action="store_true")
cat >options.yaml <<'YAML'
version: 1
trial: {command: [sh, options.sh, "${args}", "${args.m}", "m=${params.m:-none}"]}
metric: {name: loss, goal: minimize}
parameters:
  bn: [true, false]
  opt: [sgd, adam]
  m: {values: [1, 2], when: {opt: sgd}, arg: -m}
strategy: grid
limits: {max_trials: 4}
YAML
printf 'echo "$@"\necho loss=1\n: \047add_argument("--bn", action="store_true")\047\n' >options.sh
claim "a search with flags runs" gannet run options.yaml --dir o --quiet
is "a switch is a flag or nothing, and what a trial does not have vanishes" \
    "--bn --opt=adam m=none,--bn --opt=sgd -m 1 -m 1 m=1,--bn --opt=sgd -m 2 -m 2 m=2,--opt=sgd -m 1 -m 1 m=1" \
    "$(cat o/trials/*/stdout | grep opt= | sort | paste -sd,)"
claim "how arguments are written may change when it goes on" gannet run options.yaml --dir o --resume --quiet \
    --set limits.max_trials=6 --set trial.args_style=space --set parameters.bn.arg=no-flag
is "and does" "--no-bn --opt adam m=none,--no-bn --opt sgd -m 2 -m 2 m=2" \
    "$(cat o/trials/*/stdout | grep no-bn | sort | paste -sd,)"

# A program that reads its settings from a file.
printf 'model: {depth: 3}\noptim:\n  lr: 0.1   # the usual\n  name: sgd\n' >base.yaml
cat >config.yaml <<'YAML'
version: 1
trial: {command: [sh, -c, 'cat "$0"; echo loss=1', "${config.yaml}"], config: base.yaml}
metric: {name: loss, goal: minimize}
parameters: {optim.lr: {values: [1e-5, 0.5]}, model.width: [8]}
strategy: grid
limits: {max_trials: 2}
YAML
claim "of a part that the configuration does not have there is a warning" sh -c \
    "gannet check config.yaml 2>&1 >out | grep -q \"^config.yaml:4:[0-9]*: warning: trial.config has no 'model.width'\""
claim "a search over parts of a configuration runs" gannet run config.yaml --dir c --quiet
rm base.yaml
claim "and goes on with the configuration that it began with" gannet run c --resume --quiet --set limits.max_trials=3
is "each trial has its values at their places" \
    'depth: 3, width: 8, lr: 0.5, name: sgd,depth: 3, width: 8, lr: 1.0e-05, name: sgd' \
    "$(for out in c/trials/*/stdout; do grep -v '[{}],*$\|loss' "$out" | tr -d ' ",' | sed 's/:/: /' | paste -sd, | sed 's/,/, /g'; done | sort | paste -sd,)"
refuse "a configuration that is not there points at its place" 2 "^config.yaml:2:[0-9]+: error: the configuration $PWD/base.yaml" \
    gannet check config.yaml

refuse "--set is checked as the file is" 2 "max_trails" gannet check good.yaml --set limits.max_trails=3
claim "--set changes the experiment" sh -c 'gannet check good.yaml --set limits.max_trials=33 | grep -q "max_trials: 33"'
sed 's/train/not-there/' program.yaml >absent.yaml
sed 's/^parameters/strategy: {name: mine, plugin: .\/mine.so}\nparameters/' program.yaml >plugin.yaml
refuse "a plug-in that is not there points at its place" 2 "^plugin.yaml:4:1: error: can't open the plug-in $PWD/mine.so" \
    gannet check plugin.yaml
for file in kernel param plugin absent; do
    code=$(gannet check $file.yaml --json 2>/dev/null | grep -o '"code": "[a-z_]*"' | head -1 | cut -d'"' -f4)
    claim "the documentation has the code of what is wrong with $file.yaml: $code" \
        grep -q "^| .${code:-none}. |" "$SOURCE/docs/experiment.md"
done
# The first two examples of the page are whole files.
mkdir page
awk '/^```yaml$/ { n++; inside = 1; next } /^```$/ { inside = 0 } inside && n <= 2 { print > ("page/" n ".yaml") }' "$SOURCE/docs/experiment.md"
cp -r "$EXAMPLES/data" page/
echo 'import argparse' >page/train.py
if command -v python3 >/dev/null; then
    claim "the shortest example of the page can be run" gannet check page/1.yaml
else
    skip "the shortest example of the page can be run" "there is no python3"
fi
claim "and so can the fuller one" gannet check page/2.yaml
claim "--json of a bad file is its problems" sh -c 'gannet check bad.yaml --json | grep -q "\"code\": "'
printf 'import torch\n\nclass Net(torch.nn.Module):\n    pass\n' >net.py
refuse "a program is no experiment file" 2 "this is a program, not an experiment file" gannet check net.py
refuse "and how to make one of it is said" 2 "gannet init --from net.py writes an experiment file" gannet run net.py
finish
