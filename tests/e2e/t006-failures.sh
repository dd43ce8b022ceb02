#!/bin/bash
# trials that fail are counted by reason, and a search in which none completes is no success
# valgrind
. "$(dirname "$0")/lib.sh"
scratch

experiment() { # experiment NAME OPTIONS [LIMITS]
    cat >"$1.yaml" <<YAML
version: 1
seed: 3
trial: {kernel: synth, options: {function: sphere, $2}, retries: 0}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -1.0, max: 1.0}
strategy: random
limits: {max_trials: 6${3:+, $3}}
YAML
}
experiment diverge "diverge: [2, 4]"
gannet run diverge.yaml >out 2>err
is "two failures of six are no failure of the search" 0 $?
claim "they are named with their reason" grep -q '2 diverged: its metric became NaN or infinite (trials 2, 4)' out
is "and can be listed" "2 4" "$(echo $(gannet trials --state failed --columns trial | sed 1d))"
claim "the reason stands with them" sh -c 'gannet trials --state failed | grep -q diverged'

experiment crash "crash: [3]"
gannet run crash.yaml >out 2>err
claim "a crash is one trial's" grep -q '1 crashed: its process was killed by a signal (trial 3)' out
claim "show tells the signal" sh -c 'gannet show 3 | grep -q SIGSEGV'

experiment all "diverge: 1"
gannet run all.yaml >out 2>err
is "when no trial completes the status is 1" 1 $?
claim "and that is said" grep -q '^No trial has a value' out
refuse "there is no best trial, and it is said how many failed" 5 "no trial has a value yet, and [0-9]+ failed; .gannet explain. says of what" gannet best

experiment many "diverge: 1" "max_failures: 2"
gannet run many.yaml >out 2>err
is "too many failures end it with status 1" 1 $?
claim "with the reason" grep -q 'more trials failed than limits.max_failures allows' out

cat >program.yaml <<'YAML'
version: 1
trial: {command: [sh, -c, "echo trying; $GANNET --version; echo loss=${params.x}; echo oops >&2; exit ${params.code}"], retries: 0}
metric: {name: loss, goal: minimize}
parameters:
  x: [1, 2]
  code: [0, 3]
strategy: grid
limits: {max_trials: 4}
YAML
gannet run program.yaml >out 2>err
is "a person's own program is run" 0 $?
claim "with the command line itself to train again" grep -q "sh -c 'echo trying" out
trial=$(gannet trials --state failed --columns trial | sed -n '2s/ //gp')
claim "it finds the gannet that runs it" sh -c "gannet logs program/$trial | grep -qx \"$(gannet --version)\""
claim "what it wrote is kept" sh -c "gannet logs program/$trial | grep -q trying && gannet logs program/$trial | grep -q oops"
claim "show tells its processor time and memory" sh -c "gannet show program/$trial | grep -Eq 'cpu +memory .*node'"
claim "and its exit status" sh -c "gannet show program/$trial | grep -q 'ended with a non-zero status'"

# A program that finds its parameters and its seed in the environment, one parameter on its command line.
cat >environment.yaml <<'YAML'
version: 1
trial: {command: "echo loss=$GANNET_PARAM_x$(echo $GANNET_SEED | cut -c1-3)${params.y}"}
metric: {name: loss, goal: minimize}
parameters:
  x: [1, 2]
  y: [3, 4]
strategy: grid
limits: {max_trials: 4}
YAML
gannet run environment.yaml >out 2>err
value=$(gannet best environment --json | tr -d '\n' | grep -o '"value": *[0-9]*' | grep -o '[0-9]*$')
again=$(sed -n 's/^  \(cd .*\)/\1/p' out)
is "the command to train again gives the program the same" "loss=$value" "$(env -u GANNET_SEED sh -c "$again" 2>&1)"
is "and does not say twice what stands on its command line" "" "$(echo "$again" | grep -o 'GANNET_PARAM_y')"
printf 'version: 1\nname: both\ntrial: {command: [sh, both.sh, "${args}"]}\nmetric: {name: loss, goal: minimize}\nparameters: {y: [[3, 4]]}\nlimits: {max_trials: 1}\n' >both.yaml
echo 'echo "$# $1 $GANNET_PARAM_y $(tr -d "\n" <"$GANNET_PARAMS_FILE")"; echo loss=1' >both.sh
gannet run both.yaml >out 2>/dev/null
again=$(sed -n 's/^  \(cd .*\)/\1/p' out)
is "a program that reads its parameters in several ways finds all of them again" "$(cat runs/both/trials/000001/stdout)" \
    "$(env -i PATH=/usr/bin:/bin sh -c "$again" 2>&1)"
cat >calls.sh <<'SH'
"$GANNET" metric loss=$GANNET_PARAM_y
SH
printf 'version: 1\nname: calls\ntrial: {command: [sh, calls.sh]}\nmetric: {name: loss, goal: minimize}\nparameters: {y: [3]}\nlimits: {max_trials: 1}\n' >calls.yaml
gannet run calls.yaml >out 2>/dev/null
again=$(sed -n 's/^  \(cd .*\)/\1/p' out)
is "a script that calls gannet finds it then, too" "loss=3" "$(env -i PATH=/usr/bin:/bin sh -c "$again" 2>&1)"
# What a trial wrote stays as it is when it is trained again.
cat >writes.yaml <<'YAML'
version: 1
trial: {command: [sh, writes.sh, "${params.x}", "${trial.dir}", "${config.yaml}"], env: {MODE: quick}}
metric: {name: loss, goal: minimize}
parameters: {x: [3]}
strategy: grid
YAML
echo 'echo "loss=$1 $MODE $OMP_NUM_THREADS $GANNET_TRIAL $GANNET_SEED $(cat "$3")"; echo "$GANNET_TRIAL_DIR $2" >>"$2/model"' >writes.sh
gannet run writes.yaml >out 2>err
again=$(sed -n 's/^  \(cd .*\)/\1/p' out)
claim "a trial is trained again" sh -c "env -i PATH=\$PATH sh -c '$again' >second"
claim "with what it was told the first time" diff second runs/writes/trials/000001/stdout
is "what it wrote is as it was" "$PWD/runs/writes/trials/000001 $PWD/runs/writes/trials/000001" \
    "$(cat runs/writes/trials/000001/model)"
is "it writes into a directory of its own" "$PWD/runs/writes/trials/000001/again $PWD/runs/writes/trials/000001/again" \
    "$(cat runs/writes/trials/000001/again/model)"

# A program that can't work is found out by its first trials.
cat >broken.yaml <<'YAML'
version: 1
trial: {command: "echo trial $GANNET_TRIAL: no module named torch in $GANNET_TRIAL_DIR >&2; [ -e mended ] && echo loss=${params.x}"}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
limits: {max_trials: 40}
YAML
gannet run broken.yaml >out 2>err
is "failures that are alike pause a search with status 1" 1 $?
claim "with the words of the last" grep -q '^[0-9]* trials in a row ended with: trial [0-9]*: no module named torch in /' out
claim "and with how it goes on" grep -q '^  gannet run broken --resume$' out
claim "status has the words" sh -c 'gannet status broken | grep -q "[0-9]* trials in a row ended with: trial"'
claim "explain has them" sh -c 'gannet explain broken | grep -q "[0-9]* trials in a row ended with: trial"'
claim "few were tried, each once" sh -c 'test "$(gannet trials broken --csv --columns trial | wc -l)" -le 20 &&
    ! gannet logs broken --events | grep -q retried'
gannet run broken --resume >out 2>err
is "going on without a mend pauses it again" 1 $?
touch mended
gannet run broken --resume >out 2>err
is "mended, it goes on to its end" 0 $?
claim "with all of its trials" grep -q 'all trials of limits.max_trials have ended' out
# The mend may be in the file.
sed 's/\[ -e mended \] &&/false \&\&/; s/^limits.*/limits: {max_trials: 30}/' broken.yaml >file.yaml
gannet run file.yaml >out 2>err
is "a command that can't work pauses a search" 1 $?
sed -i 's/false &&/true \&\&/; s/^trial: {/trial: {retries: 2, /' file.yaml
claim "and it goes on with the command that works" gannet run file.yaml --resume --quiet
claim "and with the retries that it has now" grep -q 'retries: 2' runs/file/experiment.yaml
refuse "a search over another space names the way out" 2 'start_from: \[.*runs/file\]' \
    gannet run file.yaml --resume --set parameters.x.max=2.0
gannet run file.yaml --dir many --set limits.max_trials=3 -q
is "the best trials are a list in YAML" 3 "$(gannet best many -n 3 --as yaml | grep -c '^- x: [0-9.e-]*$')"
mkdir alone && cp many/gannet.db alone/many.db
for command in status trials best explain importance wait replay 'show best'; do
    claim "a store alone is enough for gannet $command" sh -c "set -- $command; gannet \$1 alone/many.db \$2"
done
claim "nothing is left running" none_left

cat >files.yaml <<'YAML'
version: 1
trial: {command: [sh, -c, "echo $GANNET_PARAM_x >$GANNET_TRIAL_DIR/model && echo loss=1"]}
metric: {name: loss, goal: minimize}
parameters: {x: [7]}
strategy: grid
limits: {max_trials: 1}
YAML
gannet run files.yaml >out 2>err
echo kept >runs/files/trials/000001/model
gannet show files/1 | sed -n '/^Train it again/{n;p}' >again.sh
claim "the line to train again runs as it is printed" env -i PATH="$PATH" sh again.sh
is "what it writes is beside what the trial left" "7 kept" "$(cat runs/files/trials/000001/again/model) $(cat runs/files/trials/000001/model)"
finish
