#!/bin/bash
# failed trials are tried again with the same parameters when what they failed of is mended, and replay knows of it
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch

# A program that fails in a part of the space until the file `mended` is there.
cat >train.sh <<'END'
#!/bin/sh
x=${1#--x=}
case $x in 0.[0-3]*) [ -e "$MENDED" ] || exit 3 ;; esac
gannet metric loss="$x"
END
chmod +x train.sh
searched() { # searched FILE STRATEGY [LINE]: an experiment of it
    cat >"$1" <<END
version: 1
name: mend
seed: 7
trial: {command: [$PWD/train.sh, "--x=\${params.x}"], env: {MENDED: $PWD/mended}}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.05, max: 1.0}, y: {min: 0.0, max: 1.0}}
strategy: $2
$3
limits: {max_trials: 16, same_failures: 1000}
END
}
count() { # count DIR STATE: trials in that state
    gannet trials "$1" --state "$2" --csv --columns trial | tail -n +2 | wc -l
}
params() {
    gannet trials "$1" --csv --columns trial,param.x,param.y | head -17
}

for strategy in random tpe gp cmaes evolution; do
    rm -f mended
    searched "$strategy.yaml" "$strategy"
    gannet run "$strategy.yaml" --dir "$strategy" --quiet --workers 2 >/dev/null 2>&1
    broken=$(count "$strategy" failed)
    claim "$strategy: some trials failed" [ "$broken" -gt 0 ]
    first=$(gannet trials "$strategy" --state failed --csv --columns trial | sed -n 2p | tr -d '\r')
    before=$(params "$strategy")
    touch mended
    matches "$strategy: one is to be tried again" "by .gannet run .*$strategy --resume" "$(gannet retry "$strategy" "$first" 2>&1)"
    matches "$strategy: it waits for that" 'waits: the experiment has ended: .*--resume. goes on with it' "$(gannet explain "$strategy" "$first")"
    is "$strategy: it waits" 1 "$(count "$strategy" waiting)"
    claim "$strategy: the record holds" gannet replay "$strategy"
    claim "$strategy: it goes on" gannet run "$PWD/$strategy" --resume --quiet
    is "$strategy: all others are as they were" "$((broken - 1))" "$(count "$strategy" failed)"
    claim "$strategy: so are the others" gannet retry "$strategy" --failed
    claim "$strategy: with more trials behind them" gannet run "$PWD/$strategy" --resume --quiet --set limits.max_trials=24
    is "$strategy: none has failed" "0 24" "$(count "$strategy" failed) $(count "$strategy" completed)"
    is "$strategy: the parameters are the same" "$before" "$(params "$strategy")"
    is "$strategy: there is an attempt more" "$first,2" "$(gannet trials "$strategy" --csv --columns trial,attempts | tr -d '\r' | grep "^$first,")"
    claim "$strategy: what it did can be replayed" gannet replay "$strategy"
done
matches "it is told" 'reopened .* a person wants it tried once more' "$(gannet explain random)"
refuse "a completed trial is not tried again" 2 "trial $first is completed; only a trial that has failed" gannet retry evolution "$first"
refuse "nor one that never was" 5 'there is no trial 99' gannet retry random 99
refuse "which ones has to be said" 2 'say which trials, or --failed' gannet retry random
refuse "and only once" 2 'say which trials, or --failed' gannet retry random 1 --failed
claim "none has failed any more" gannet retry random --failed

# With early stopping, which heard that they ended, and ignored ones beside them.
rm -f mended
searched asha.yaml tpe 'early_stop: {name: asha, min_steps: 1, max_steps: 9, eta: 3}'
gannet run asha.yaml --dir asha --quiet >/dev/null 2>&1
first=$(gannet trials asha --state failed --csv --columns trial | sed -n 2p | tr -d '\r')
touch mended
claim "a failed trial is ignored" gannet ignore asha "$first"
refuse "then it is not tried again" 2 "trial $first is ignored" gannet retry asha "$first"
claim "it counts again" gannet ignore asha "$first" --undo
claim "all failed ones are tried again" gannet retry asha --failed
claim "early stopping goes on with them" gannet run "$PWD/asha" --resume --quiet --set limits.max_trials=24
is "none failed" 0 "$(count asha failed)"
claim "and all of it can be replayed" gannet replay asha

# A loop of one's own.
searched own.yaml tpe
gannet ask own.yaml -n 3 >/dev/null
gannet tell mend 1 --failed "it fell over"
gannet tell mend 2 loss=0.5
matches "a loop's trial is opened again" 'then .gannet tell mend TRIAL' "$(gannet retry mend 1 2>&1)"
matches "and waits to be told" 'trial 1 waits to be told' "$(gannet explain mend 1)"
refuse "one that runs is not" 2 'trial 3 is running' gannet retry mend 3
claim "and told anew" gannet tell mend 1 loss=0.25
claim "others are asked for" gannet ask mend -n 2
is "it has its value" "trial 1" "$(gannet best mend | grep -o '^trial [0-9]*')"
claim "that, too, can be replayed" gannet replay mend
finish
