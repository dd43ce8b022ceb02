#!/bin/bash
# gannet importance says which parameters matter, for people and for programs
# valgrind
. "$(dirname "$0")/lib.sh"
scratch

cat >sum.yaml <<'YAML'
version: 1
seed: 7
trial:
  command: [awk, -v, "x=${params.x}", -v, "o=${params.opt}", 'BEGIN { print "value=" (x - 2) * (x - 2) + (o == "a" ? 0 : 30) }']
metric: {name: value, goal: minimize}
parameters:
  x: {min: -5.0, max: 10.0}
  idle: {min: 1.0e-5, max: 1.0, log: true}
  opt: [a, b]
  inner: {min: 0.0, max: 1.0, when: {opt: a}}
strategy: random
limits: {max_trials: 60}
YAML
claim "a search runs" gannet run sum.yaml --dir r -q
claim "it is explained" sh -c 'gannet importance r >text'
claim "the objective and its trials stand first" grep -q '^value (minimize): 60 trials with a value, 0 failed' text
# Over the ranges (x - 2)^2 has a variance of 300, and 30 times a choice of two one of 225.
claim "what matters most has a sentence" grep -Eq '^x matters most: 5[67] % of the variation over the space \([0-9]+ to [0-9]+ %\); good values lie between' text
claim "what matters next too" grep -Eq '^opt comes next: 4[23] % of the variation over the space \([0-9]+ to [0-9]+ %\); the best trials have a\.$' text
claim "and what does not matter" grep -q '^idle hardly matters\.$' text
claim "nobody is warned" sh -c '! grep -q chance text'
claim "programs get the same" sh -c 'gannet importance r --json | grep -q "\"metrics\": \[{\"metric\": \"value\", \"goal\": \"minimize\", \"trials\": 60"'
claim "and how sure it is" sh -c 'gannet importance r --json | grep -Eq "\"combined_between\": \[0\.[0-9]+, 0\.[0-9]+\].*\"sure\": true"'
claim "nothing is said among good trials" sh -c '! grep -q "among good" text'
claim "unless that is asked for" sh -c 'gannet importance r --among-good | grep -q "^parameter .* among good  good values"'
refuse "a metric that nobody reported is refused" 5 'no trial has a value of sizes' gannet importance r --metric sizes
refuse "an experiment that is not there too" 5 'there is no experiment' gannet importance nowhere

claim "a short search runs" gannet run sum.yaml --dir few -q --set limits.max_trials=5
claim "few trials come with a warning" sh -c 'gannet importance few | grep -q "^Only 5 trials have a value: with fewer than 30"'

cat >two.yaml <<'YAML'
version: 1
seed: 7
trial:
  command: [awk, -v, "x=${params.x}", -v, "y=${params.y}", 'BEGIN { print "loss=" x; print "speed=" y }']
metric:
  - {name: loss, goal: minimize}
  - {name: speed, goal: maximize}
parameters:
  x: {min: 0.0, max: 1.0}
  y: {min: 0.0, max: 1.0}
strategy: random
limits: {max_trials: 40}
YAML
claim "a search with two objectives runs" gannet run two.yaml --dir two -q
gannet importance two >text
claim "each has its table" sh -c 'grep -q "^loss (minimize)" text && grep -q "^speed (maximize)" text'
claim "and its own answer" sh -c 'grep -q "^x matters most" text && grep -q "^y matters most" text'
gannet importance two --metric speed --goal minimize >text
claim "one can be chosen, and what is good of it" sh -c 'grep -q "^speed (minimize)" text && ! grep -q "^loss" text'
finish
