#!/bin/bash
# Stops each process of a search for a while (SIGSTOP, then SIGCONT): the search has to end as if nothing had been.
#
#     tests/e2e/stops.sh SECONDS [VICTIM...]     default: coordinator, worker, trainer, program, reaper, run. Needs the built
#                                                programs in PATH. Beyond 60 s a silent worker is given up, beyond 90 s it is killed
#                                                and replaced, and beyond two minutes a worker without a coordinator leaves.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
. "$(dirname "$0")/record.sh"
seconds=${1:?how many seconds}
shift
victims=(coordinator worker trainer program reaper run)
[ $# -gt 0 ] && victims=("$@")
scratch
cat >stopped.sh <<'END'
#!/bin/sh
echo "$GANNET_TRIAL $GANNET_ATTEMPT" >>"$STARTED"
echo $$ >>"$STARTED.pids"
sleep "$EACH"
echo "value=$GANNET_PARAM_x1"
END
chmod +x stopped.sh
synth program.yaml 16
sed -i 's|^trial:.*|trial: {command: [./stopped.sh], retries: 0, grace: 1s}|' program.yaml

pids_of() {
    case $1 in
    reaper) left | sed -n 's/^\([0-9]*\) [^ ]*gannet-reaper .*/\1/p' ;;
    program) tail -n 1 "$dir.started.pids" 2>/dev/null ;; # it may end while others are looked for
    *) pid_of "$1" ;;
    esac
}

# stop VICTIM: one such process, which may have ended since it was looked for, is stopped; it is in $stopped.
stop() {
    stopped=$(pids_of "$1" | head -n 1)
    [ -n "$stopped" ] && kill -STOP "$stopped" 2>/dev/null &&
        until_true stopped_or_dead "$stopped" && is_stopped "$stopped"
}
is_stopped() { sed -n 's/^State:.//p' "/proc/$1/status" 2>/dev/null | grep -q '^T'; }
stopped_or_dead() { is_stopped "$1" || process_dead "$1"; }

# begin_and_stop VICTIM: a search is begun in $dir, and a process of it stopped; anew, with longer trials, when it had ended before that came to be.
begin_and_stop() {
    for each in 0.2 0.4 0.8 1.6 3.2; do
        synth kernel.yaml 16 $each
        rm -rf "$dir" "$dir.started" "$dir.started.pids"
        EACH=$each STARTED=$SCRATCH/$dir.started gannet run $kind.yaml --dir "$dir" --quiet >"$dir.log" 2>&1 &
        run=$!
        while process_lives $run; do
            has_ended "$dir" 1 2>/dev/null && stop "$1" && return 0
        done
        wait $run
    done
    return 1
}

is_as_if_nothing_had_been() {
    sort "$dir.started" 2>/dev/null | uniq -d | sed 's/^/begun twice: /' >twice
    cat twice
    [ ! -s twice ] && [ "$(ended "$dir" | grep -c completed)" = 16 ] && is_whole "$dir" 16
}

for victim in "${victims[@]}"; do
    [ "$victim" = trainer ] && kind=kernel || kind=program
    dir=$victim-$seconds
    claim "$victim: one is stopped for $seconds s" begin_and_stop "$victim"
    sleep "$seconds"
    kill -CONT "$stopped" 2>/dev/null # a worker that had been silent too long is no more
    wait $run
    is "$victim: the search comes to its end" 0 $? || tail -n 5 "$dir.log" "$dir/logs/"* | diag
    claim "$victim: every trial was completed once, and none begun twice" is_as_if_nothing_had_been
    claim "$victim: nothing is left running" none_left
done
finish
