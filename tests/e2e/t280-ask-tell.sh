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
is "show has no command to train it again where there is none" "" "$(gannet show own/1 | grep 'Train it again')"
gannet ask own >first.txt
refuse "a metric that is not there is refused with what was meant" 2 "did you mean 'loss'" gannet tell own 4 lost=1
refuse "a trial without a value needs a reason" 2 "say why it failed" gannet tell own 4 memory=3
is "what was refused has changed nothing" running "$(gannet trials own --json | grep '"trial": 4' | grep -o 'running')"
claim "an ending may be named" gannet tell own 4 --failed diverged
says() { # says WORDS PATTERN ARGUMENTS...: what gannet explain says matches the pattern
    matches "$1" "$2" "$(gannet explain "${@:3}")"
}
says "what happened begins with the loop" 'experiment +- +- +it begins, without a coordinator$' own
says "and where it asks" 'worker_joined .* joined: a loop of its own \(gannet ask, gannet tell\)$' own
says "explain repeats what was told of a failure" '^trial 3 failed after .*: whoever ran it said that it failed: the robot fell over$' own 3
says "and does not repeat it of its attempt" '^attempt 1 .* ended after .* as reported$' own 3
refuse "--set makes no other search of an experiment that is there" 2 'runs/own is there already, and would be another search: parameters.x' \
    gannet ask own --set parameters.x.max=0.5
refuse "nor by its file" 2 'seed \(3 became 4\), strategy.name \(random became sobol\)' gannet ask own.yaml --set seed=4 --set strategy=sobol
refuse "a key that is none is said" 2 "max_trails" gannet ask own --set limits.max_trails=7
is "what was refused has asked for nothing" 4 "$(gannet trials own --json | grep -c '"trial"')"
claim "a loop may repeat what it was made with" gannet ask own.yaml --dir again --set limits.max_trials=2 --set 'start=[{x: 0.5}]'
claim "again and again" gannet ask own.yaml --dir again --set limits.max_trials=2 --set 'start=[{x: 0.5}]'
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

gannet ask own.yaml --dir late --set 'metric={name: loss, goal: minimize, target: 0.2}' --set limits.max_failures=1 -n 5 >/dev/null
gannet tell late 1 loss=0.1
matches "the end leaves trials that are not told yet" '^note: 4 trials that were asked for are not told; gannet tell still takes them$' \
    "$(gannet status late)"
is "they are counted as that" "trials: 1/6  4 not told  1 completed" "$(gannet status late | grep '^trials')"
says "each is shown as that" '^trial 3 was asked for and is not told yet on .*, since 2' late/3
ended=$(gannet explain late --json | grep -c '"text": "ended: ')
claim "a result is still taken" gannet tell late 3 loss=0.05
claim "and a failure" gannet tell late 2 --failed diverged
claim "and one more" gannet tell late 4 --failed diverged
is "the reason of the end stays" "state: ended: the metric reached its target" "$(gannet status late | grep -o '^state: .*target')"
is "it ended once" "1 $ended" "1 $(gannet explain late --json | grep -c '"text": "ended: ')"
is "the best may be a late one" "trial 3" "$(gannet best late | grep -o '^trial [0-9]*')"
matches "one is still open" '^note: 1 trial that was asked for is not told; gannet tell still takes it$' "$(gannet status late)"
claim "all of it can be made anew" gannet replay late

cp "$EXAMPLES"/own-loop.* .
for loop in 1 2 3; do sh own-loop.sh own-loop.yaml >"loop-$loop.txt" 2>&1 & done
wait
is "three loops share the example's twenty trials" 20 "$(gannet trials own-loop --json | grep -c '"state": "completed"')"
claim "and what they did can be replayed" gannet replay own-loop

# Who comes first makes the experiment; the others hear nothing of that.
for loop in 1 2 3 4 5 6; do gannet ask own.yaml --dir together >"first-$loop.txt" 2>&1 & done
wait
is "six that ask at once get a trial each, and no complaint" "1 2 3 4 5 6" "$(sort first-?.txt | cut -d' ' -f1 | paste -sd' ')"

# Proposals are answered before they are on disk: they get there without another request, and none is lost with the loop.
sed 's/max_trials: 6/max_trials: 2/' own.yaml >grown.yaml
gannet ask grown.yaml --dir grown -n 2 >/dev/null && gannet tell grown 1 loss=1 memory=1 && gannet tell grown 2 loss=1 memory=1
refuse "at a limit there is nothing more" 5 "all 2 trials of limits.max_trials" gannet ask grown.yaml --dir grown
sed -i 's/max_trials: 2/max_trials: 3/' grown.yaml
is "a limit that the file has raised since holds" 3 "$(gannet ask grown.yaml --dir grown | cut -d ' ' -f 1)"
sed -i 's/max: 1.0/max: 2.0/' grown.yaml
refuse "a file that would be another search now is refused" 2 \
    'was made with another file, and would be another search now: parameters.x \(\{.*max: 1.0.*\} became \{.*max: 2.0.*\}\)\. .*start_from' gannet ask grown.yaml --dir grown
claim "and nothing else of it is" gannet replay grown
sed 's/max_trials: 6/max_trials: 2/' own.yaml >said.yaml
gannet ask said.yaml --dir said --set limits.max_trials=3 -n 2 >/dev/null
echo '# a word more' >>said.yaml
is "a comment changes nothing: what --set said when it was made holds" 1 "$(gannet ask said.yaml --dir said | grep -c .)"
limit() { sed -n 's/^ *max_trials: //p' "$1/experiment.yaml"; }
refuse "--set can't make another search of it" 2 'would be another search: parameters.x .*Limits may change so; .*start_from: \[' \
    gannet ask said.yaml --dir said --set parameters.x.max=2.0
refuse "though it changes a limit as well" 2 'would be another search: strategy.name .random became sobol.\.' \
    gannet ask said.yaml --dir said --set strategy=sobol --set limits.max_trials=9
is "nothing of that is taken" 3 "$(limit said)"
is "it changes a limit" "4 9" "$(gannet ask said.yaml --dir said --set limits.max_trials=9 | cut -d ' ' -f 1) $(limit said)"
is "which stays" "5 9" "$(gannet ask said.yaml --dir said | cut -d ' ' -f 1) $(limit said)"
sed -i 's/max_trials: 2/max_trials: 8/' said.yaml
is "beside a file with another limit, too" "6 20" "$(gannet ask said.yaml --dir said --set limits.max_trials=20 | cut -d ' ' -f 1) $(limit said)"
is "which stays as well" "7 20" "$(gannet ask said.yaml --dir said | cut -d ' ' -f 1) $(limit said)"
sed -i 's/max_trials: 8/max_trials: 10/' said.yaml
is "until the file changes again" "8 10" "$(gannet ask said.yaml --dir said | cut -d ' ' -f 1) $(limit said)"
recorded() { gannet trials "$1" --csv --columns trial 2>/dev/null | grep -c '^[0-9]'; }
mkfifo requests
gannet ask own.yaml --dir soon --set limits.max_trials=50 --serve <requests >answers &
serving=$!
exec 8>requests
echo '{"ask": 2}' >&8
claim "proposals are answered" until_true grep -q '"trial": *2' answers
claim "and are on disk though nobody asks or tells more" until_true eval '[ "$(recorded soon)" -eq 2 ]'
echo '{"ask": 1}' >&8
until_true grep -q '"trial": *3' answers
kill -9 $serving
wait $serving 2>/dev/null
exec 8>&-
again=$(gannet ask soon -n 2 --json)
claim "a loop that is killed right after an answer has its trial on disk, or it is proposed again" \
    eval '[ "$(recorded soon)" -eq 5 ] || grep -qF "$(grep -o "\"x\": *[0-9.e-]*" <<<"$again" | head -n 1)" <(tail -n 1 answers)'
claim "either way the search can be replayed" gannet replay soon

# Root may write everywhere, so a directory in the lock's place is what can't be opened for writing.
mkdir -m 700 runs/locked
cp runs/own/experiment.yaml runs/own/gannet.db runs/locked
mkdir runs/locked/coordinator.lock
refuse "a lock that can't be opened is no other loop" 1 "can't open the lock file" gannet ask runs/locked
refuse "nor for telling" 1 "can't open the lock file" gannet tell runs/locked 1 loss=1
finish
