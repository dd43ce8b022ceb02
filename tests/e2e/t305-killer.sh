#!/bin/bash
# a trial that kills its worker every time fails alone: the others, which it took with it, complete
# valgrind
. "$(dirname "$0")/lib.sh"
scratch
places=(--topology "$SOURCE/tests/worker/topologies/plain.xml" --set resources.bind=none --set limits.max_concurrent=4)

# experiment NAME KILL: 21 trials of a second, of which the eighth runs the command KILL at once.
experiment() {
    cat >"$1.yaml" <<YAML
version: 1
seed: 1
trial:
  command: |
    if [ \${params.x} = 8 ]; then $2; sleep 100; fi
    sleep 1
    echo loss=\${params.x}
  retries: 0
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 1, max: 21, type: int}
strategy: grid
limits: {max_trials: 21}
YAML
}

# The worker is not always the parent: a program may be started by a shell, or by a launcher.
walk='p=$$; while ! grep -q "^Name:.gannet-worker" /proc/$p/status; do p=$(sed -n "s/^PPid:.//p" /proc/$p/status); done; kill -9 $p'
for way in parent walk term; do
    case $way in
    parent) experiment $way 'kill -9 $PPID' ;;
    walk) experiment $way "sh -c '$walk'" ;;
    term) experiment $way 'kill -TERM $PPID' ;;
    esac
    gannet run $way.yaml "${places[@]}" >out 2>err
    is "$way: the search comes to its end" 0 $?
    is "$way: all good trials completed" 20 "$(gannet trials $way --csv --columns state | grep -c completed)"
    is "$way: the one that kills failed" 8 "$(gannet trials $way --state failed --csv --columns param.x | tr -d '\r' | tail -n 1)"
    guilty=$(gannet trials $way --state failed --csv --columns trial | tr -d '\r' | tail -n 1)
    matches "$way: with its reason" 'lost three times while this trial ran; the last time it ran alone' \
        "$(gannet show $way/$guilty | tr -s '\n ' ' ')"
    claim "$way: nothing is left running" none_left
done
experiment all 'kill -9 $PPID'
sed -i 's/= 8 /-gt 0 /' all.yaml
gannet run all.yaml "${places[@]}" >out 2>err
is "where no trial can run the run ends" 1 $?
matches "and says why" 'the machine may be at fault' "$(cat runs/all/logs/coordinator.log)"
matches "the summary says it, too" 'the machine may be at fault' "$(cat out)"
matches "and the status" 'note: .*the machine may be at fault' "$(gannet status all)"
claim "nothing is left running" none_left
finish
