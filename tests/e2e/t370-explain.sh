#!/bin/bash
# explain says why things are as they are: of an experiment, a trial, a node and a worker
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch

# says WORDS PATTERN ARGUMENT...: a line of what explain says of this matches.
says() {
    says_words=$1 says_pattern=$2
    shift 2
    matches "$says_words" "$says_pattern" "$(gannet explain "$@" 2>&1)"
}

cat >faulty.yaml <<YAML
version: 1
name: faulty
seed: 3
trial: {kernel: synth, options: {function: sphere, crash: [3]}, retries: 1}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -1.0, max: 1.0}
strategy: random
limits: {max_trials: 6}
YAML
claim "a search with a trial that always crashes runs to its end" gannet run faulty.yaml --dir r --quiet
node=$(gannet trials r --columns node --csv | tr -d '\r' | sed -n 2p)
worker=$(gannet explain r --json | grep -o '"worker": "[0-9a-f]*"' | cut -d'"' -f4)

says "the experiment: why it ended" '^ended: all trials of limits.max_trials have ended$' r
says "what became of its worker" "^1 worker is gone; the last on $node: the experiment has ended$" r
says "how its attempts failed" '^2 attempts \(.*\) ended as crashed: its process was killed by a signal$' r
says "how much time was not kept" '^[0-9.]+ % of the time of all attempts was not kept: ' r
says "and what happened" 'worker_joined +- +'"$node" r

says "a trial: how it ended" '^trial 3 failed after .*: its process was killed by a signal: killed by SIGSEGV$' r/3
says "where its first attempt ran, and how it ended" "^attempt 1 on $node, slot [0-9]+, ended after .* as crashed; its last words: " r 3
says "and the second one, whose reason is not said again" "^attempt 2 on $node, slot [0-9]+, ended after .* as crashed; its last words: " r 3
is "nothing is told that happened to others" "3 3" \
    "$(gannet explain r 3 | sed '1,/^time/d' | awk '{ print $3 }' | xargs)"
says "the best one, too" '^trial [0-9]+ is completed after ' r best
says "a trial that did well" '^attempt 1 .* as completed: ran to its end$' r 1

said="^worker $worker on $node joined at .* and was given 7 attempts; it went at .*: the experiment has ended$"
says "a node: which workers it had" "$said" r "$node"
says "a worker by its number" "$said" r "$worker"

for subject in "" 3 "$node"; do
    gannet explain r $subject --json >json
    claim "for programs it is an object: '$subject'" grep -q '^{"schema": "gannet.explain/1"' json
    claim "with sentences" grep -q '"sentences": \["' json
    claim "the state" grep -q '"state": "ended"' json
    claim "and the faults" grep -q '"endings": \[{"reason": "completed", "attempts": 5' json
done

refuse "a trial that is not there is refused" 5 'r has no trial 99' gannet explain r 99
refuse "and a node" 5 "no worker of this experiment is called 'n99'" gannet explain r n99
refuse "and what is no trial" 2 "'-3' is no trial" gannet explain r -- -3
refuse "and an experiment" 5 "there is no experiment 'nowhere'" gannet explain nowhere

# One that lives, without any worker.
synth synth.yaml 4
claim "a search is prepared" prepared w synth.yaml 4
sed -i 's/seconds: [0-9.]*/seconds: 30/' w/experiment.yaml
coordinator w
claim "its coordinator runs" until_true sh -c 'gannet explain w | grep -qx running'
claim "trials are proposed" until_true gannet show w 2
says "why nothing runs" 'no worker' w
says "why a trial waits" '^trial 2 waits: .*no worker' w 2
gannet explain w 2 --json >json
claim "what is expected of it" grep -q '"prospect": {"fits": true' json
gannet-worker --rundir w --topology "$SOURCE/tests/worker/topologies/plain.xml" --share 1/4 >worker.log 2>&1 &
claim "with a worker it runs" until_true sh -c 'gannet explain w 2 | grep -q "^trial 2 runs on .*, slot 0, since "'
says "its attempt, too" '^attempt 1 on .* runs$' w 2
says "and the next one waits for a slot" '^trial 3 waits: all 1 slots are busy$' w 3
claim "it can be stopped" gannet stop w --now
wait
says "a trial that was taken off says so" '^trial 2 is cancelled ' w 2
says "the experiment that it was stopped" '^ended: it was stopped$' w
claim "nothing is left running" none_left
finish
