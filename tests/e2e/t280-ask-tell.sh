#!/bin/bash
# people who own the loop ask for trials and tell what came of them: the same search, recorded like any other
. "$(dirname "$0")/lib.sh"
scratch

cat >own.yaml <<'YAML'
version: 1
trial: {command: ["true"]}
metric: [{name: loss, goal: minimize}, {name: memory, max: 8}]
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
limits: {max_trials: 6}
seed: 3
YAML

refuse "nothing can be told before anything was asked for" 5 "gannet ask own.yaml makes it" \
    gannet tell own.yaml 1 loss=0.5
is "and nothing is made" no "$([ -e runs/own ] && echo yes || echo no)"
is "a trial is a number and arguments" "1 --x=0" "$(gannet ask own.yaml | cut -c 1-7)"
is "several as JSON" 2 "$(gannet ask own -n 2 --json | grep -c '"params"')"
claim "values are told by name" gannet tell own.yaml 1 loss=0.5 memory=7
claim "a trial that breaks a limit is told like any other" gannet tell own 2 --value 0.1 memory=9
claim "so is a failure" gannet tell own 3 --failed "the robot fell over"
refuse "a trial is told once" 5 "trial 1 has ended already" gannet tell own 1 loss=1
refuse "only what was asked for can be told" 5 "there is no trial 9; 3 were asked for" gannet tell own 9 loss=1
gannet ask own >first.txt
refuse "a metric that is not there is refused with what was meant" 2 "did you mean 'loss'" gannet tell own 4 lost=1
refuse "a trial without a value needs a reason" 2 "say why it failed" gannet tell own 4 memory=3
is "what was refused has changed nothing" running "$(gannet trials own --json | grep '"trial": 4' | grep -o 'running')"
claim "an ending may be named" gannet tell own 4 --failed diverged
is "status knows that a loop asks and tells" 1 "$(gannet status own | grep -c 'a loop of its own')"
is "the best keeps the limit" "trial 1" "$(gannet best own | grep -o '^trial [0-9]*')"

printf '%s\n' '{"ask": 9}' '{"tell": {"trial": 5, "values": {"loss": 0.25, "memory": 1}}, "ask": 1}' 'nonsense' \
    '{"tell": {"trial": 6, "value": "nan", "values": {"memory": 1}}}' '{"best": true}' |
    gannet ask own --serve >answers.txt
is "lines of JSON are answered by lines" 5 "$(wc -l <answers.txt)"
is "no more trials than the limit" 1 "$(sed -n 1p answers.txt | grep -c '"trial": 5.*"trial": 6.*"no_more": true')"
is "a line tells and asks" 1 "$(sed -n 2p answers.txt | grep -c '"told": 5.*"no_more": true')"
is "nonsense is an error and no end" 1 "$(sed -n 3p answers.txt | grep -c 'error')"
is "the best is of this moment" 1 "$(sed -n 5p answers.txt | grep -c '"best": {"trial": 5,')"
refuse "when all are asked for there is nothing more" 5 "all 6 trials" gannet ask own
is "the search has ended" 1 "$(gannet status own | grep -c 'all trials of limits.max_trials have ended')"
claim "every proposal can be made anew" gannet replay own

cp "$EXAMPLES"/own-loop.* .
for loop in 1 2 3; do sh own-loop.sh own-loop.yaml >"loop-$loop.txt" 2>&1 & done
wait
is "three loops share the example's twenty trials" 20 "$(gannet trials own-loop --json | grep -c '"state": "completed"')"
claim "and what they did can be replayed" gannet replay own-loop

# Root may write everywhere, so a directory in the lock's place is what can't be opened for writing.
mkdir -m 700 runs/locked
cp runs/own/experiment.yaml runs/own/gannet.db runs/locked
mkdir runs/locked/coordinator.lock
refuse "a lock that can't be opened is no other loop" 1 "can't open the lock file" gannet ask runs/locked
refuse "nor for telling" 1 "can't open the lock file" gannet tell runs/locked 1 loss=1
finish
