#!/bin/bash
# the screens workers, timeline and search show what runs where, why a slot is idle, where time went, and what was learned
. "$(dirname "$0")/lib.sh"
scratch
export TZ=UTC LC_ALL=C

cat >train.sh <<'END'
case $2 in
lamb) echo "this can't do lamb" >&2; exit 3 ;;
*) awk -v lr="$1" 'BEGIN { for (step = 1; step <= 9; step++) print "loss=" lr * 10 / step " step=" step }' ;;
esac
END
cat >ended.yaml <<'END'
version: 1
name: ended
seed: 1
trial: {command: [sh, train.sh, "${params.lr}", "${params.opt}"], retries: 0}
metric: {name: loss, goal: minimize}
parameters:
  lr: {min: 0.001, max: 0.1, log: true}
  opt: [sgd, adam, lamb]
strategy: {name: tpe, options: {startup_trials: 6}}
early_stop: {name: asha, min_steps: 1, max_steps: 9}
limits: {max_trials: 18, max_failures: 20}
END

# shows SCREEN WORDS PATTERN [KEYS [SIZE [EXP]]]: a frame has a line that matches.
shows() {
    gannet frame "${6:-ended}" --screen "$1" --keys "${4:-}" --size "${5:-80x24}" >frame 2>frame.err && grep -Eq -e "$3" frame
    tap_line $? "$2" || diag <frame
}

# eventually SCREEN WORDS PATTERN [KEYS [SIZE [EXP]]]: such a frame comes.
eventually() {
    local end=$((SECONDS + 120))
    until gannet frame "${6:-ended}" --screen "$1" --keys "${4:-}" --size "${5:-80x24}" >frame 2>frame.err && grep -Eq -e "$3" frame; do
        [ $SECONDS -lt $end ] || { tap_line 1 "$2"; diag <frame; return; }
        sleep 0.2
    done
    tap_line 0 "$2"
}

claim "a search in which trials fail and are stopped early" gannet run ended.yaml --quiet --workers 2
failed_trials=$(gannet trials ended --state failed --json | grep -c '"trial":')

shows workers "workers that are gone are said to be" '2 gone'
shows workers "what failed on a node is counted" ' [1-9][0-9]* failed' 'Space'
shows timeline "the timeline has a row a slot" '^[^ ].*\.0 +.*[CSF]'
shows timeline "it adds up where the time went" 'Of [0-9.a-z]+ of slots [0-9]+ % in use'
shows timeline "and says which time that is" 'to the end'
eventually search "what matters is worked out" '(lr|opt) +[#.]+ +[0-9]+ %'
eventually search "few trials are little to go by" 'with fewer than 30'
shows search "a parameter is drawn against the metric" \
    "(lr|opt \(3 values\)) against loss \(low is good\): 18 trials, $failed_trials failed, best trial" Tab 120x30
shows search "and the next one" '(lr|opt \(3 values\)) against loss' ']'
shows search "rungs are shown" '^ +1 +[0-9]+ +[0-9]+' 'Tab Tab Tab'
shows search "with the reason of the last decision there" 'trial [0-9]+: .*(rung|step)' 'Tab Tab Tab'
shows search "the strategy says what it does" 'the model proposes: the initial design of 6 trials' 'Tab Tab Tab Tab'
shows search "and when it last improved" 'improvement: [1-9][0-9]* so far; the last by trial' 'Tab Tab Tab Tab'
for size in 80x24 120x40 40x12 200x50; do
    for screen in workers timeline search; do
        rows=$(gannet frame ended --screen $screen --size $size | awk -v most="${size%x*}" 'length($0) > most { exit 1 } END { print NR }')
        is "$screen fills $size and no more" "${size#*x}" "$rows"
    done
done
is "in ASCII there is nothing else" 0 "$(gannet frame ended --screen timeline | LC_ALL=C grep -c '[^ -~]')"

cat >lives.yaml <<'END'
version: 1
name: lives
trial: {kernel: synth, options: {function: branin, seconds: 1000}, grace: 1s}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -5.0, max: 10.0}
  x2: {min: 0.0, max: 15.0}
strategy: random
limits: {max_trials: 1}
resources: {cpus: 1}
END
gannet run lives.yaml --quiet --workers 2 >lives.log 2>&1 </dev/null &
run=$!
eventually workers "a slot shows the trial that runs there" 'cores [0-9]+ +1 +[0-9]' '' 80x24 lives
eventually workers "an idle one says why" 'idle: all trials of limits.max_trials are given out' '' 80x24 lives
eventually timeline "what runs is a bar up to now" '\.[0-9]+ .*R1-*' '' 80x24 lives
# either slot may have been given it: the way there is as many Downs as rows of slots stand above
way=$(gannet frame lives --screen timeline | awk '/:[0-9]+\.[0-9]+ / { if (/R1/) exit; printf "Down " }')
eventually timeline "Enter opens the trial" 'rial 1' "${way}Enter" 80x24 lives
claim "it is cancelled" gannet cancel lives
wait $run
claim "nothing is left running" none_left
finish
