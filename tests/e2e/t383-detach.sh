#!/bin/bash
# a run may leave the terminal, be looked at again, and go on for so many trials more
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch

# --- so many trials ---
synth few.yaml 100
claim "a run ends after so many trials" gannet run few.yaml --dir few --max-trials 3 --quiet
is "these are all" 3 "$(ended_count few)"
claim "it goes on for so many more" gannet run few --resume -n 4 --quiet
is "and has the sum of both" 7 "$(ended_count few)"
claim "by its file, too" gannet run few.yaml --dir few --resume --max-trials 2 --quiet
is "as many more" 9 "$(ended_count few)"
refuse "of what is not there nothing more can be run" 5 "no experiment to resume" gannet run few.yaml --dir none --resume -n 3

# --- in the background ---
# The trials wait until they may end.
cat >gate.sh <<'SH'
#!/bin/sh
while [ ! -e "$1" ]; do sleep 0.05; done
echo "value=1"
SH
chmod +x gate.sh
cat >long.yaml <<YAML
version: 1
trial: {command: [$SCRATCH/gate.sh, "$SCRATCH/open", "\${params.x}"], grace: 1s}
metric: {name: value, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
limits: {max_trials: 3}
YAML
refuse "what is wrong with a file is said as ever" 2 "there is no such|unknown key 'limit'" gannet run long.yaml --detach --set limit=3
is "and nothing was started" "no" "$([ -e runs ] && echo yes || echo no)"
claim "a run goes on in the background" gannet run long.yaml --detach
matches "and says how to see it" "gannet attach long" "$(cat "$lib_output")"
claim "it runs" until_true sh -c 'gannet status long | grep -q "^state: running"'
run=$(left | grep ' run long.yaml' | cut -d' ' -f1)
is "its process is the leader of a session without a terminal" "$run 0" "$(cut -d' ' -f6,7 "/proc/$run/stat")"
is "it holds no file of the person's" "" "$(ls -l /proc/"$run"/fd | grep -E ' (0|1|2) -> ' | grep -vE '/dev/null|memfd:messages')"
refuse "a second one is refused" 2 "long runs already; gannet attach shows" gannet run long.yaml --detach

gannet attach long >attached.out 2>attached.err &
attached=$!
claim "another command shows how it goes" until_true grep -q 'done=0/3' attached.err
kill -INT $attached
wait $attached
is "Ctrl-C ends that one" 130 $?
matches "and says that the run goes on" "long goes on; see it with .*gannet status long, end it with .*gannet stop long" "$(cat attached.err)"
claim "so it does" process_lives "$run"
gannet attach long >attached.out 2>attached.err &
attached=$!
until_true grep -q 'done=0/3' attached.err
touch open
wait $attached
is "one that stays has the run's own status" 0 $?
matches "and shows what came of it" "^Best  value 1" "$(cat attached.out)"
claim "the run ends by itself" until_true process_dead "$run"
is "with all its trials" 3 "$(ended_count runs/long)"
refuse "there is nothing to attach to then" 69 "long does not run: it has ended, all trials .*--resume --max-trials 100 makes 100 more" gannet attach long
cat >same.yaml <<'END'
version: 1
trial: {command: [sh, -c, "echo no data: ${params.x} >&2; exit 3"], retries: 0}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
END
gannet run same.yaml --quiet >/dev/null 2>&1
refuse "nor to what its failures ended, and it is said what they were" 69 \
    "same does not run: it has ended, [0-9]+ trials in a row ended with: no data.*; when that is mended, gannet run same --resume" gannet attach same
refuse "nor to what is not there" 5 "no experiment 'lang'" gannet attach lang

rm open
claim "one may be resumed in the background" gannet run long --resume --max-trials 2 --detach
run=$(left | grep ' run long --resume' | cut -d' ' -f1)
claim "stop ends it" gannet stop long --now
claim "it is gone" until_true process_dead "$run"
touch open
claim "a run that ends at once shows its end" gannet run long.yaml --dir short --detach
claim "it came to its end" until_true has_ended short 3
if command -v script >/dev/null; then
    sed "s|$SCRATCH/open|$SCRATCH/open-\${trial.id}|" long.yaml >seen.yaml
    claim "another one runs" gannet run seen.yaml --dir seen --detach
    TERM=xterm LC_ALL=C.UTF-8 script -qec "stty cols 100 rows 24; gannet attach seen" /dev/null </dev/null >screen &
    claim "on a terminal it is one line, as of a run" until_true grep -q '0/3 done' screen
    touch open-1
    claim "above which each new best stays" until_true grep -Eq 'trial 1  value 1  x=' screen
    touch open-2 open-3
    wait $!
    matches "and at last what came of it" "Best.*value" "$(cat screen)"
else
    skip "what a terminal shows" "script(1) is not there (Debian: bsdutils)"
fi
refuse "inside a job of Slurm it is of no use" 2 "of no use inside a job" \
    env SLURM_JOB_ID=7 SLURM_JOB_NODELIST=n1 SLURM_NNODES=1 SLURM_JOB_NUM_NODES=1 SLURM_NODEID=0 SLURM_PROCID=0 gannet run long.yaml --dir job --detach
claim "nothing is left running" until_true none_left
finish
