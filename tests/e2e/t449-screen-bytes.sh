#!/bin/bash
# the screen writes little to a terminal, answers a question by nothing that was typed before it was seen, and ends when it is told to
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
needs python3
scratch

bowl bowl.yaml 100000000 0.03
export LC_ALL=C.UTF-8
gannet run bowl.yaml --quiet >said 2>&1 &
claim "a search runs" until_true sh -c 'gannet status bowl --once | grep -q "[1-9][0-9]* completed"'
# One piece: the answer is there before the question is.
claim "a question asks" python3 "$SOURCE/tests/e2e/screen_bytes.py" type bowl Xy 'Cancel the search|asking'
claim "and is not answered by what was typed before it was seen" sh -c 'gannet status bowl --once | grep -q "^state: running"'
claim "a terminal that takes nothing keeps nobody from ending it" python3 "$SOURCE/tests/e2e/screen_bytes.py" stall bowl
# Of a young search whole curves are drawn anew, as their axes grow.
grown() { [ "$(gannet status bowl --json | sed -n 's/.*"completed": *\([0-9]*\).*/\1/p' | head -n 1)" -ge 1000 ]; }
claim "it has a thousand trials, and dozens more between two frames" until_true grown
# A frame of 80x24 is 2 to 5 KB. Two of them a second, of what has changed, were at most 650 bytes at 30,000 trials a second.
python3 "$SOURCE/tests/e2e/screen_bytes.py" bytes bowl 80x24 3 2048 >small 2>&1 &
small=$!
claim "at 200x50 no screen writes more than 2,048 bytes a second" python3 "$SOURCE/tests/e2e/screen_bytes.py" bytes bowl 200x50 3 2048
diag <"$lib_output"
claim "nor at 80x24" wait $small
diag <small
claim "it is cancelled by who has read it" gannet cancel bowl
wait
claim "nothing is left running" none_left
finish
