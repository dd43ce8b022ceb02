#!/bin/bash
# early stopping pauses trials and takes them up again, and no kill -9 makes it lose or repeat a step
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch

# asha FILE TRIALS SECONDS TRIAL STRATEGY: an experiment of trials of 27 steps.
asha() {
    cat >"$1" <<END
version: 1
name: asha
seed: 7
trial: $4
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -5.0, max: 10.0}
  x2: {min: 0.0, max: 15.0}
strategy: $5
early_stop: {name: asha, min_steps: 1, max_steps: 27, eta: 3}
limits: {max_trials: $2}
END
}

synth="{kernel: synth, options: {function: branin, steps: 27, curve: 50, seconds: SECONDS}, grace: 1s}"

# steps_are_whole DIR: every trial's steps that count are 1 2 3 ... up to some number, each of them once.
steps_are_whole() {
    for trial in $(gannet trials "$1" --csv --columns trial | tail -n +2 | tr -d '\r'); do
        gannet show "$1" "$trial" --json
    done | awk '
        function look(    curve, step) {
            curve = match(text, /"curve":\[[^]]*\]/) ? substr(text, RSTART, RLENGTH) : ""
            for (step = 0; match(curve, /"step":[0-9]+/); curve = substr(curve, RSTART + RLENGTH)) {
                steps++
                if (substr(curve, RSTART + 7, RLENGTH - 7) + 0 == ++step) continue
                print text
                broken = 1
                return
            }
        }
        /^{/ { look(); text = "" }
        { gsub(/ /, ""); text = text $0 }
        END { look(); exit broken || !steps }'
}

# some_completed DIR: at least one trial took all of its steps.
some_completed() {
    [ "$(gannet trials "$1" --state completed --csv --columns trial | tail -n +2 | wc -l)" -gt 0 ] && return
    gannet trials "$1" --columns trial,state,reason,attempts,step,value
    return 1
}

# saves_steps DIR: a good part of the steps of full training was not taken.
saves_steps() {
    percent=$(gannet status "$1" --plain | sed -n 's/^steps: \([0-9]*\) %.*/\1/p')
    [ "$percent" -gt 0 ] && [ "$percent" -lt 75 ]
}

no_checkpoint_left() {
    [ -z "$(find "$1/trials" -name 'checkpoint*' 2>/dev/null)" ]
}

check_search() {
    is "$1: all trials have ended" 40 "$(ended_count "$1")"
    claim "$1: some were trained in full" some_completed "$1"
    claim "$1: no step counts twice or is missing" steps_are_whole "$1"
    claim "$1: steps were saved" saves_steps "$1"
    claim "$1: no checkpoint is left" no_checkpoint_left "$1"
    claim "$1: every proposal can be made anew" gannet replay "$1"
}

asha quick.yaml 40 0 "${synth/SECONDS/0.001}" tpe
claim "a search with asha runs to its end" gannet run quick.yaml --dir quick --quiet --workers 2
check_search quick
matches "show says why" 'rung 1 \(step 1\): .* is number' "$(gannet show quick best)"
matches "and with what it was compared" '"cut_off": [0-9]' "$(gannet show quick best --json)"
matches "so does the page of a trial" 'the bar: its cut-off there' "$(gannet frame quick --size 80x24 --keys '2 G Enter Tab')"
matches "the learning curves show the last cut-offs" '"cut_off": [0-9]' "$(gannet plot quick curves --json)"
matches "so does explain" '^early stopping paused it: rung 1 \(step 1\): .* is number' "$(gannet explain quick best)"
matches "and why it went on" '^early stopping took it up again: rung 1 \(step 1\): .* is now number' "$(gannet explain quick best)"

# Everything that can be killed is, while trials are paused; then the search goes on.
asha slow.yaml 40 0 "${synth/SECONDS/0.02}" random
for victim in coordinator worker trainer run; do
    gannet run slow.yaml --dir "killed-$victim" --quiet >"$victim.log" 2>&1 &
    search=$!
    until gannet status "killed-$victim" --plain 2>/dev/null | grep -q '[0-9] paused'; do
        kill -0 "$search" 2>/dev/null || break
        sleep 0.05
    done
    kill -KILL $(pid_of "$victim") 2>/dev/null
    wait "$search" 2>/dev/null || gannet run slow.yaml --dir "killed-$victim" --resume --quiet >>"$victim.log" 2>&1
    check_search "killed-$victim"
done

# Broken checkpoints cost steps and nothing else.
gannet run slow.yaml --dir broken --quiet >broken.log 2>&1 &
search=$!
until gannet status broken --plain 2>/dev/null | grep -q '[0-9] paused'; do
    kill -0 "$search" 2>/dev/null || break
    sleep 0.05
done
kill -INT "$search"
wait "$search" 2>/dev/null
for checkpoint in broken/trials/*/checkpoint; do
    echo nonsense >"$checkpoint"
done
claim "a search with broken checkpoints goes on" gannet run broken --resume --quiet
check_search broken
claim "a trial says that it began anew" sh -c '
    for trial in $(gannet trials broken --csv --columns trial | tail -n +2 | tr -d "\r"); do
        gannet show broken "$trial" --json | grep -q "it began anew" && exit 0
    done
    exit 1'

# (A stop arrives some 0.2 s after the step that it judges: steps that are much shorter are taken meanwhile, and count.)
asha stops.yaml 40 0 "${synth/SECONDS/0.03}" random
sed -i 's/kernel: synth,/kernel: synth, checkpoint: false,/' stops.yaml
claim "without checkpoints asha stops trials" gannet run stops.yaml --dir stops --quiet
check_search stops
is "and none of them pauses" 0 "$(gannet show stops best --json | grep -c '"paused"')"

# A program of one's own: its checkpoint is the number of steps that it took.
cat >program.sh <<'END'
#!/bin/sh
step=0
[ -n "$GANNET_CHECKPOINT" ] && step=$(cat "$GANNET_CHECKPOINT")
while [ "$step" -lt 27 ]; do
    step=$((step + 1))
    awk -v x="$GANNET_PARAM_x1" -v s="$step" 'BEGIN { printf "value=%.6f step=%d\n", (x - 2) ^ 2 + 50 / s, s }'
    echo "$step" >"$GANNET_CHECKPOINT_OUT.new" && mv "$GANNET_CHECKPOINT_OUT.new" "$GANNET_CHECKPOINT_OUT"
    if [ "$step" = "$GANNET_UNTIL" ]; then exit 0; fi
done
END
chmod +x program.sh
asha program.yaml 40 0 "{command: [./program.sh], checkpoint: true, grace: 1s}" random
claim "a program of one's own pauses and goes on" gannet run program.yaml --dir program --quiet --workers 2
check_search program

# --- a best trial that was stopped early: of a metric that grows worse with training it is always one --------------------
sed 's|50 / s|50 * s|' program.sh >worse.sh
chmod +x worse.sh
asha worse.yaml 12 0 "{command: [./worse.sh], checkpoint: true, grace: 1s}" random
claim "a search whose metric grows worse ends" gannet run worse.yaml --dir worse --quiet --workers 2
gannet run worse.yaml --dir worse2 --json --workers 1 >worse.json 2>/dev/null
completed=$(gannet trials worse --state completed --sort value --csv --columns trial | sed -n '2p' | tr -d '\r')
matches "best says that it was stopped early, and where" '^trial [0-9]+  value .*[(]stopped early, at step [139][)]$' "$(gannet best worse)"
matches "and which trial is the best of those trained to their end" "^  Of those .* is trial $completed  value .*[(]--completed[)]$" "$(gannet best worse)"
matches "and what trains it to its end" "gannet show worse best" "$(gannet best worse)"
matches "which can be asked for" "^trial $completed  value [^(]*$" "$(gannet best worse --completed)"
is "parameters alone stay alone" 1 "$(gannet best worse --as args | wc -l)"
matches "a line of several says it, too" 'stopped early, at step' "$(gannet best worse -n 2 | tail -n 1)"
matches "the summary says it" '^Best  value .*[(]trial [0-9]+: stopped early, at step' "$(gannet run worse.yaml --dir worse3 --plain --workers 1 2>/dev/null)"
matches "so does its JSON" '"best_completed": [{]"trial": ' "$(tr -d '\n' <worse.json)"
refuse "a front has no such part" 2 "leave --completed out" gannet best worse --front --completed
refuse "a misspelt name is answered with what was meant" 2 "did you mean 'asha'" \
    gannet check quick.yaml --set early_stop=ahsa
claim "nothing is left running" none_left
finish
