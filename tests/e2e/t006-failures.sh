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
refuse "there is no best trial" 5 "no trial has a value yet" gannet best

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
