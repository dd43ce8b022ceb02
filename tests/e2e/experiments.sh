# What scripts share, those of t2xx above all: experiments on the kernel synth, and what is known of a run directory. To be
# sourced after lib.sh.

# synth FILE TRIALS [SECONDS [STRATEGY]]: writes an experiment of so many trials of so many seconds.
synth() {
    cat >"$1" <<END
version: 1
name: synth
seed: 7
trial: {kernel: synth, options: {function: branin, seconds: ${3:-0}}, grace: 1s}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -5.0, max: 10.0}
  x2: {min: 0.0, max: 15.0}
strategy: ${4:-random}
limits: {max_trials: $2}
END
}

# bowl FILE TRIALS [SECONDS]: the same with a plain bowl between -1 and 1, for scripts that look at what is shown of it.
bowl() {
    cat >"$1" <<END
version: 1
seed: 3
trial: {kernel: synth, options: {function: sphere, seconds: ${3:-0}}}
metric: {name: value, goal: minimize}
parameters: {x1: {min: -1.0, max: 1.0}, x2: {min: -1.0, max: 1.0}}
strategy: random
limits: {max_trials: $2}
END
}

# ended DIR: the trials that have ended, a line each: number, state, value.
ended() {
    gannet trials "$1" --csv --columns trial,state,value | awk -F, '
        $1 ~ /^[0-9]+$/ && $2 ~ /^(completed|stopped|failed|cancelled)$/ { sub(/\r$/, ""); print }'
}

# ended_count DIR: how many different trials have ended; twice the same one is no number at all.
ended_count() {
    ended "$1" | awk -F, 'seen[$1]++ { twice = 1 } END { if (!twice) print NR; exit twice || !NR }'
}

# has_ended DIR N: at least so many trials have ended.
has_ended() {
    [ "$(ended_count "$1")" -ge "$2" ]
}

# pid_of coordinator|worker|trainer|run: the processes of this script, by what they are.
pid_of() {
    case $1 in
    coordinator) left | grep ' gannet coordinator \|/gannet coordinator ' ;;
    worker) left | grep '/gannet-worker ' ;;
    trainer) left | grep '/gannet-trainer' ;;
    run) left | grep '^[0-9]* [^ ]*gannet run ' ;;
    esac | cut -d' ' -f1
}

# coordinator DIR [ARGUMENT...]: a coordinator of its own in the background, its log in DIR/logs; its process in $!.
coordinator() {
    coordinator_dir=$1
    shift
    gannet coordinator --rundir "$coordinator_dir" "$@" >>"$coordinator_dir/logs/coordinator.log" 2>&1 &
}

# prepared DIR FILE TRIALS: a run directory as `gannet run` leaves it, with that many trials still to do.
prepared() {
    gannet run "$2" --dir "$1" --quiet --set limits.max_trials=1 &&
        sed -i "s/max_trials: 1\$/max_trials: $(($3 + 1))/" "$1/experiment.yaml"
}

# seen_from_afar DIR: a copy of a run directory, as another host sees it: the coordinator is on a host that is not this.
seen_from_afar() {
    sed -i -E 's/"(node|host)": "[^"]*"/"\1": "faraway"/' "$1/coordinator.json"
    sed -i 's/ on node .*/ on node faraway/' "$1/coordinator.lock"
}
