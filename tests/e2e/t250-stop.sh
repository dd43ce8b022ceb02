#!/bin/bash
# what is interrupted goes on later, and what was running then runs again
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
synth synth.yaml 60
# Later trials wait, so that the signal comes before the end on any machine.
cat >hold.sh <<END
#!/bin/sh
while [ "\$GANNET_TRIAL" -gt 20 ] && [ ! -e "$SCRATCH/go" ]; do sleep 0.05; done
echo value=\$GANNET_TRIAL
END
chmod +x hold.sh
sed -i "s|^trial:.*|trial: {command: [$SCRATCH/hold.sh, \"\${args}\"], grace: 1s}|" synth.yaml

gannet run synth.yaml --dir r --quiet &
run=$!
claim "a search runs" until_true has_ended r 5
kill -TERM "$(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' r/coordinator.json)"
wait "$run"
claim "a signal to the coordinator ends it in order" grep -q 'interrupted' r/logs/coordinator.log
claim "no process is left" none_left
claim "it ended before its time" test "$(ended_count r)" -lt 60
is "no trial was cancelled by it" 0 "$(ended r | grep -c cancelled)"
touch go
claim "it goes on" gannet run r --resume --quiet
is "to exactly its end" 60 "$(ended_count r)"
is "with every trial completed" 60 "$(ended r | grep -c completed)"

# pause, of a search on this machine
rm go
gannet run synth.yaml --dir p --quiet &
run=$!
claim "another one runs" until_true has_ended p 5
refuse "pause says by which command it goes on" 0 "gannet run $PWD/p --resume goes on$" gannet pause p
wait "$run"
matches "so does status" "^state: paused: gannet run $PWD/p --resume goes on" "$(gannet status p)"
matches "and the screen" "^Paused  *gannet run " "$(gannet frame p --size 200x50)"
matches "and the list" "^p +paused .*/p$" "$(gannet ls --all)"
matches "and what explains it" '^paused: gannet run ' "$(gannet explain p)"
touch go
claim "that command goes on" gannet run "$PWD/p" --resume --quiet
is "with every trial completed again" 60 "$(ended p | grep -c completed)"
finish
