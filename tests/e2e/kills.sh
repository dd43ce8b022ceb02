#!/bin/bash
# Kills the parts of small searches at drawn moments, over and over, and looks whether the record is exact.
#
#     tests/e2e/kills.sh [ROUNDS [FIRST]]     rounds FIRST (default: drawn) to FIRST + ROUNDS - 1 (default: 50); needs the
#                                             built programs in PATH. For long runs there is tests/kills.
#
# A round is a search, drawn from its number: built-in kernels or programs of one's own, with retries, early stopping and
# checkpoints, on one to three workers. Coordinator, worker, trainer, reaper, a trial's program and the run itself are killed
# (kill -9) in two ways: at drawn moments, and right before or after the N-th commit, write or message of a process
# (tests/preload/failpoints.c), of trainers as they save the N-th checkpoint. Then it goes on with --resume until it has come to its
# end. The choices follow from the number of the round; what a process was doing when it was struck depends on the machine.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
. "$(dirname "$0")/record.sh"
scratch
rounds=${1:-50}
first=${2:-$$}
points=$GANNET_BUILD/tests/failpoints.so
case $GANNET_BUILD in */address* | */thread* | */undefined*) points= ;; esac # a sanitizer wants to be preloaded first

# --- what is searched ------------------------------------------------------------------------------------------------

# A program of one's own: a line in `started` for each start, a process that hides from its group, a step at a time with
# a checkpoint, a failure in every attempt of each seventh trial and in the first of each fifth. Its last value is x.
cat >program.sh <<'END'
#!/bin/sh
echo "$GANNET_TRIAL $GANNET_ATTEMPT" >>"$STARTED"
[ $((GANNET_TRIAL % 4)) -ne 0 ] || setsid sleep 1000 </dev/null >/dev/null 2>&1 &
[ $((GANNET_TRIAL % 7)) -ne 0 ] || exit 3
[ $((GANNET_TRIAL % 5)) -ne 0 ] || [ "$GANNET_ATTEMPT" -gt 1 ] || exit 4
[ $((GANNET_TRIAL % 6)) -ne 2 ] || sleep 0.3 # long enough to be struck
step=0
[ -z "$GANNET_CHECKPOINT" ] || step=$(cat "$GANNET_CHECKPOINT")
while [ "$step" -lt 9 ]; do
    step=$((step + 1))
    [ $((step % 3)) -ne 0 ] || sleep 0.01
    echo "value=$GANNET_PARAM_x1 step=$step"
    [ -z "$GANNET_CHECKPOINT_OUT" ] || { echo "$step" >"$GANNET_CHECKPOINT_OUT.new" && mv "$GANNET_CHECKPOINT_OUT.new" "$GANNET_CHECKPOINT_OUT"; }
    [ "$step" != "$GANNET_UNTIL" ] || exit 0
done
END
chmod +x program.sh

# experiment FILE: draws one; how many trials it has is in $trials, of what kind it is in $kind.
experiment() {
    local asha="early_stop: {name: asha, min_steps: 1, max_steps: 9, eta: 3}"
    one_of kernel slow asha program program flaky flaky pausing && kind=$drawn
    one_of random random sobol tpe cmaes && strategy=$drawn
    trials=$((20 + RANDOM % 60))
    synth "$1" "$trials" 0 "$strategy"
    case $kind in
    slow) sed -i 's/seconds: 0/seconds: 0.02/' "$1" ;;
    asha) sed -i 's/seconds: 0/seconds: 0.002, steps: 9, curve: 20/; s/grace: 1s/grace: 1s, retries: 2/' "$1" && echo "$asha" >>"$1" ;;
    program) sed -i 's|^trial:.*|trial: {command: [./program.sh], retries: 0, grace: 1s}|' "$1" ;;
    flaky) sed -i 's|^trial:.*|trial: {command: [./program.sh], retries: 2, grace: 1s}|' "$1" ;;
    pausing)
        sed -i 's|^trial:.*|trial: {command: [./program.sh], checkpoint: true, retries: 2, grace: 1s}|' "$1"
        echo "$asha" >>"$1"
        ;;
    esac
}

# --- who is killed ---------------------------------------------------------------------------------------------------

# logarithmic MOST: a number from 1 to there, in $drawn; small ones as often as large ones.
logarithmic() {
    local bits=1
    while [ $((1 << bits)) -lt "$1" ]; do bits=$((bits + 1)); done
    drawn=$((1 << RANDOM % (bits + 1)))
    drawn=$((drawn + RANDOM % drawn))
}

# A few deaths at commits, writes and messages, in the files that failpoints.c reads.
draw_points() {
    local number role most roles=(gannet-coordinator gannet-coordinator gannet-coordinator gannet-worker gannet-worker gannet-trainer gannet-run)
    rm -rf points && mkdir points && : >points/fired
    [ -n "$points" ] || return 0
    for number in $(seq $((RANDOM % 6))); do
        one_of "${roles[@]}" && role=$drawn most=300
        case $role in
        gannet-coordinator) one_of sync sync write send send ;;
        gannet-worker) one_of write send send ;;
        gannet-trainer) one_of make rename rename && number=any most=20 ;; # the first of them only looks at the configuration
        *) one_of write ;;
        esac
        kind_of_call=$drawn
        one_of before after && when=$drawn
        logarithmic "$most"
        echo "$when $kind_of_call $drawn" >"points/$role.$number"
    done
}

# strike VICTIM: kills one process of that kind, if there is one now. Everything at once goes with `gannet run`.
strike() {
    case $1 in
    reaper) left | sed -n 's/^\([0-9]*\) [^ ]*gannet-reaper .*/\1/p' >struck ;;
    program) left | sed -n 's/^\([0-9]*\) .*program.sh.*/\1/p' >struck ;;
    *) pid_of "$1" >struck ;;
    esac
    drawn=$RANDOM
    [ -s struck ] && one_of $(cat struck) && kill -KILL "$drawn" 2>/dev/null && killed="$killed $1"
}

# searching ARGUMENT...: gannet run, with deaths preloaded.
searching() {
    env STARTED="$SCRATCH/$dir.started" GANNET_TEST_POINTS="$SCRATCH/points" LD_PRELOAD="$points" gannet run "$@" --quiet >>"$dir.log" 2>&1
} 2>/dev/null # the shell's word that it was killed

# What was reported as ended once has to stay so.
remember() {
    [ -e "$dir/gannet.db" ] && ended "$dir" >>reported 2>/dev/null
}

run_and_strike() {
    local run strikes victims=(coordinator worker trainer program reaper run coordinator worker)
    searching kills.yaml --dir "$dir" --workers "$workers" &
    run=$!
    for strikes in $(seq $((RANDOM % 5))); do
        sleep "0.$((10 + RANDOM % 35))"
        kill -0 "$run" 2>/dev/null || break
        remember
        one_of "${victims[@]}"
        strike "$drawn"
    done
    wait "$run" 2>/dev/null
    status=$?
}

# A run that was killed before there was anything to resume is begun anew; one whose processes are about to end is waited for.
resume_to_the_end() {
    local try
    for try in $(seq 20); do
        [ "$status" -ne 0 ] || return 0
        remember
        resumed=yes
        searching "$dir" --resume
        status=$?
        [ "$status" -ne 5 ] || searching kills.yaml --dir "$dir" --workers "$workers"
        [ "$status" -eq 0 ] || sleep 0.2
    done
}

# --- whether the record is exact -------------------------------------------------------------------------------------

is_kept() {
    sort -u reported >was
    ended "$dir" | sort -u >is
    comm -23 was is
    [ -z "$(comm -23 was is)" ]
}

# Further lines. A kernel's checkpoint carries the samples that its worker did not deliver, so that no step is missing. Of programs is
# known what they wrote themselves: an attempt is begun once, a value is the program's, retries are as many as given.
wrong_in_trials() {
    local retries=2
    [ "$kind" != program ] || retries=0
    [ -e "$dir.started" ] || {
        sqlite3 -readonly "$dir/gannet.db" "
            SELECT 'trial ' || trial || ' has ' || count(*) || ' steps, the last is ' || max(step) FROM v_metrics
                WHERE counts AND step IS NOT NULL GROUP BY trial HAVING count(*) <> max(step);"
        return
    }
    sort "$dir.started" | uniq -d | sed 's/^/begun twice: /'
    sqlite3 -readonly "$dir/gannet.db" "
        SELECT 'trial ' || trial || ' has the value ' || value FROM trials
            WHERE value IS NOT NULL AND abs(value - json_extract(params, '\$.x1')) > 1e-9;
        SELECT 'trial ' || r.trial || ' failed ' || count(*) || ' times' FROM v_runs r JOIN v_trials t USING (trial)
            WHERE r.reason IN ('exited', 'crashed') AND t.reason IN ('exited', 'crashed') GROUP BY r.trial
            HAVING count(*) <> $retries + 1;"
}

# Where coordinators alone were killed, and the supervisor started others, no run that had begun was lost: what was acknowledged is there,
# and what was not, its worker still has.
lost_with_coordinators() {
    [ -s "$dir.started" ] && [ -z "$resumed" ] || return 0
    ! grep -qv '^gannet-coordinator ' points/fired && [[ ! $killed =~ (worker|trainer|program|reaper|run) ]] || return 0
    sqlite3 -readonly "$dir/gannet.db" "
        SELECT 'lost, though no worker was killed: trial ' || trial || ', attempt ' || attempt FROM v_runs WHERE reason = 'lost'
            AND (trial, attempt) IN (VALUES $(sed 's/ /,/; s/.*/(&)/' "$dir.started" | paste -sd,));"
}

# All of it in one claim: TAP of a thousand rounds is read by nobody.
check_round() {
    [ "$status" -eq 0 ] || { echo "it ended with status $status" && return 1; }
    wrong_in_trials >wrong && lost_with_coordinators >>wrong || return 1
    cat wrong
    [ ! -s wrong ] && is_kept && is_whole "$dir" "$trials"
}

for round in $(seq "$first" $((first + rounds - 1))); do
    RANDOM=$round && one_of 1 && one_of 1 # the first draws of neighbouring seeds are alike
    dir=r$round killed= resumed=
    : >reported
    experiment kills.yaml
    workers=$((1 + RANDOM % 3))
    draw_points
    run_and_strike
    resume_to_the_end
    words="round $round: $kind, $strategy, $trials trials on $workers workers; killed:${killed:- nobody}; $(paste -sd, points/fired)"
    claim "$words" check_round || tail -n 20 "$dir.log" "$dir/logs/"*.log | diag
    [ -z "$KILLS_KEEP" ] || cp -r "$dir" "$dir.log" "$KILLS_KEEP"
    rm -rf "$dir" "$dir.started" "$dir.log"
done
finish
