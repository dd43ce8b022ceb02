#!/bin/bash
# a living search forgets what is ignored, tries failed trials again and learns what is added: nothing acknowledged is lost, replay knows
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch

best_of() {
    gannet best "$1" | sed 's/^trial \([0-9]*\) .*/\1/'
}
runs() { # runs NAME: a trial of it does
    gannet status "$1" | grep -q ' 1 running'
}
begun() { # begun NAME STRATEGY [LINE]: a search that goes on in the background and of which 8 trials have ended; its process in $run
    synth "$1.yaml" 100000 0.05 "$2"
    echo "${3:-}" >>"$1.yaml"
    gannet run "$1.yaml" --dir "$1" --quiet --workers 2 >"$1.log" 2>&1 &
    run=$!
    until_true has_ended "$1" 8
}

for strategy in random tpe auto; do # t384 has the others, of searches that have stopped
    begun "$strategy" "$strategy"
    best=$(best_of "$strategy")
    others=$(seq 5 | grep -vx "$best" | head -3)
    one=$(head -1 <<<"$others")
    # shellcheck disable=SC2086
    claim "$strategy: what has ended is ignored" gannet ignore "$strategy" "$best" $others
    is "$strategy: it is so when that is said" 1 "$(gannet trials "$strategy" --csv --columns trial,ignored | tr -d '\r' | grep -c "^$best,true")"
    claim "$strategy: a measured point is added" gannet add "$strategy" x1=1.5 x2=2.5 value=-9
    is "$strategy: it is the best" -9 "$(gannet best "$strategy" --json | sed -n 's/.*"value": \(-*[0-9]*\).*/\1/p' | head -1)"
    claim "$strategy: and ignored" gannet ignore "$strategy" "$(best_of "$strategy")"
    claim "$strategy: one counts again" gannet ignore "$strategy" "$one" --undo
    matches "$strategy: status tells" '  4 ignored$' "$(gannet status "$strategy" | grep ^trials:)"
    until_true has_ended "$strategy" 20
    gannet stop "$strategy" --now >/dev/null 2>&1
    wait $run
    claim "$strategy: replay knows of all that" gannet replay "$strategy"
done

# What is refused, in the same words as at rest.
begun slow tpe
refuse "a trial that never was" 5 'there is no trial 99999' gannet ignore slow 99999
synth long.yaml 1 100000
gannet run long.yaml --dir long --quiet >/dev/null 2>&1 &
long=$!
until_true runs long
refuse "one that runs" 2 'trial 1 is running; only a trial that has ended can be ignored' gannet ignore long 1
refuse "nor is it tried again" 2 'trial 1 is running; only a trial that has failed' gannet retry long 1
claim "a search of which all runs takes a point" gannet add long x1=1 x2=1 value=1
gannet stop long --now >/dev/null 2>&1
wait $long
refuse "one that has not failed" 2 'trial 1 is completed; only a trial that has failed' gannet retry slow 1
matches "none has failed" 'none has failed' "$(gannet retry slow --failed 2>&1)"
refuse "a point outside the space" 2 'x1' gannet add slow x1=99 x2=0 value=1
{ echo x1,x2,value && seq 1001 | awk '{ printf "%g,%g,%d\n", $1 / 1000, $1 / 1000, $1 }'; } >many.csv
refuse "very many points" 2 'from 1 to 1000 trials can be added at once while the search runs' gannet add slow --from many.csv
head -1001 many.csv >some.csv
claim "as many as may be" gannet add slow --from some.csv
matches "are there" ' 1000 of them added' "$(gannet status slow)"

# Who has not the operator's key commands nothing.
cp -r slow/keys kept
rm slow/keys/operator.key
gannet ignore slow 1 >/dev/null 2>&1
cp slow/keys/worker.key slow/keys/operator.key
refuse "a worker's key is none to ignore with" 69 'refused the key in .*slow/keys/operator.key' gannet ignore slow 1
refuse "nor to add with" 69 'refused the key in .*slow/keys/operator.key' gannet add slow x1=1 x2=1 value=1
cp kept/operator.key slow/keys/operator.key
is "a stranger changes nothing" "1000 0" "$(gannet status slow --json | tr ',' '\n' | sed -n 's/.*"\(added\|ignored\)": \([0-9]*\).*/\2/p' | head -2 | xargs)"

# Two operators at once.
operate() { # operate TRIAL...: each is ignored, counts again, is ignored; a point is added each time
    for trial; do
        gannet ignore slow "$trial" && gannet ignore slow "$trial" --undo && gannet ignore slow "$trial" &&
            gannet add slow "x1=$trial" x2=1 value=3 || return 1
    done
}
operate 1 2 3 >one.log 2>&1 &
one=$!
operate 3 4 5 >two.log 2>&1 &
two=$!
claim "one operator is served" wait $one
claim "so is the other" wait $two
is "what both said holds" "1006 5" "$(gannet status slow --json | tr ',' '\n' | sed -n 's/.*"\(added\|ignored\)": \([0-9]*\).*/\2/p' | head -2 | xargs)"

# Killed right behind each answer, it is started again and has forgotten nothing. One that dies again and again while no
# trial ends would be given up.
for trial in 6 7 8; do
    until_true gannet ignore slow "$trial"
    kill -9 "$(pid_of coordinator)" 2>/dev/null
    until_true gannet add slow "x1=$trial" x2=2 value=4
    ended=$(ended_count slow) # with what was added
    claim "trials end in between" until_true has_ended slow $((ended + 1))
    kill -9 "$(pid_of coordinator)" 2>/dev/null
done
goes_on() {
    gannet status slow | grep -q '^state: running'
}
until_true goes_on
is "what was answered is kept" true "$(gannet show slow 8 --json | sed -n 's/.*"ignored": \([a-z]*\).*/\1/p')"
matches "all of it" '1009 of them added  8 ignored$' "$(gannet status slow | grep ^trials:)"
gannet stop slow --now >/dev/null 2>&1
wait $run
claim "the record of all that holds" gannet replay slow
claim "it can go on" gannet run "$PWD/slow" --resume --quiet --set limits.max_trials=60
claim "and then be replayed" gannet replay slow

# Failed trials, when what they failed of is mended.
cat >train.sh <<'END'
#!/bin/sh
x=${1#--x=}
case $x in 0.[0-3]*) [ -e "$MENDED" ] || exit 3 ;; esac
sleep 0.05
gannet metric loss="$x"
END
chmod +x train.sh
for strategy in random tpe; do
    rm -f mended
    cat >"mend-$strategy.yaml" <<END
version: 1
name: mend
seed: 7
trial: {command: [$PWD/train.sh, "--x=\${params.x}"], env: {MENDED: $PWD/mended}, retries: 0}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.05, max: 1.0}, y: {min: 0.0, max: 1.0}}
strategy: $strategy
limits: {max_trials: 100000, same_failures: 100000}
END
    gannet run "mend-$strategy.yaml" --dir "mend-$strategy" --quiet --workers 2 >/dev/null 2>&1 &
    run=$!
    failed() {
        [ "$(gannet trials "mend-$strategy" --state failed --csv --columns trial | tail -n +2 | wc -l)" -ge "$1" ]
    }
    until_true failed 3
    first=$(gannet trials "mend-$strategy" --state failed --csv --columns trial | sed -n 2p | tr -d '\r')
    touch mended
    matches "$strategy: one is tried again" 'back in the queue' "$(gannet retry "mend-$strategy" "$first" 2>&1)"
    claim "$strategy: so are the others" gannet retry "mend-$strategy" --failed
    claim "$strategy: it can be stopped" gannet stop "mend-$strategy"
    wait $run
    gannet retry "mend-$strategy" --failed >/dev/null 2>&1 # one may have failed while the file came
    most=$(($(gannet trials "mend-$strategy" --csv --columns trial | tail -n +2 | wc -l) + 10))
    gannet run "$PWD/mend-$strategy" --resume --quiet --set limits.max_trials=$most >/dev/null 2>&1
    matches "$strategy: all have completed" "^trials: $most/$most  $most completed" "$(gannet status "mend-$strategy")"
    is "$strategy: it has another attempt" 2 "$(gannet trials "mend-$strategy" --csv --columns trial,attempts | tr -d '\r' | sed -n "s/^$first,//p")"
    claim "$strategy: what it did can be replayed" gannet replay "mend-$strategy"
done

# With early stopping, too.
begun asha tpe 'early_stop: {name: asha, min_steps: 1, max_steps: 9, eta: 3}'
claim "trials that were compared are ignored" gannet ignore asha 1 2
gannet stop asha --now >/dev/null 2>&1
wait $run
claim "and that can be replayed" gannet replay asha

# It has compared others with what failed; what is tried again is another one to it, looked at from its first step on.
cat >steps.sh <<'END'
#!/bin/sh
x=${1#--x=}
for step in 1 2 3; do
    case $step$x in 20.[0-3]*) [ -e "$MENDED" ] || exit 3 ;; esac
    gannet metric loss="$x" --step $step
done
END
chmod +x steps.sh
rm -f mended
sed "s/train.sh/steps.sh/" mend-tpe.yaml >judged.yaml
echo 'early_stop: {name: asha, min_steps: 1, max_steps: 3, eta: 3}' >>judged.yaml
gannet run judged.yaml --dir judged --quiet --workers 2 >judged.log 2>&1 &
run=$!
failed_of() {
    gannet trials "$1" --state failed --csv --columns trial | tail -n +2 | wc -l
}
has_failures() { [ "$(failed_of judged)" -ge 3 ]; }
until_true has_failures
first=$(gannet trials judged --state failed --csv --columns trial | sed -n 2p | tr -d '\r')
touch mended
claim "with early stopping, too, a failed trial is tried again" gannet retry judged "$first"
claim "so are the others" gannet retry judged --failed
ends_again() { gannet trials judged --csv --columns trial,attempts,state | tr -d '\r' | grep -Eq "^$first,2,(completed|stopped)$"; }
until_true ends_again
is "early stopping looks at its first step twice" 2 "$(gannet show judged "$first" --json | tr -d ' \n' | grep -o '"decision":"[a-z_]*","step":1,' | wc -l)"
kill -9 "$(pid_of coordinator)" 2>/dev/null
count_ended() { gannet trials judged --csv --columns state | grep -Ec 'completed|stopped'; }
before=$(count_ended)
goes_further() { [ "$(count_ended)" -gt $((before + 5)) ]; }
until_true goes_further
gannet stop judged --now >/dev/null 2>&1
wait $run
claim "a killed coordinator knows of it, and so does a replay" gannet replay judged
gannet retry judged --failed >/dev/null 2>&1 # one may have failed while the file came
tried=$(gannet trials judged --csv --columns trial | tail -n +2 | wc -l)
claim "between sessions they are tried again as well" gannet run "$PWD/judged" --resume --quiet --set limits.max_trials="$tried"
is "none has failed any more" 0 "$(failed_of judged)"
claim "and that can be replayed, too" gannet replay judged
finish
