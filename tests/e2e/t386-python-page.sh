#!/bin/bash
# every file and command of docs/python.md does what the page says
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/page.sh"
needs python3
scratch
PYTHONPATH=$(realpath "$(dirname "$(command -v gannet)")/../share/gannet/clients/python")
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 CUDA_VISIBLE_DEVICES=

split_page "$SOURCE/docs/python.md"
run_page
cd work || exit 1
for name in train own serve study tune wide; do
    matches "trials of $name have values" '^[0-9]+$' "$(gannet trials "$name" --csv --columns trial,value | grep -cE '^[0-9]+,[0-9-]')"
    is "and none has failed" 0 "$(gannet trials "$name" --csv --columns state | grep -c failed)"
done
matches "some of the first were stopped early" "[1-9]" "$(gannet trials train --csv --columns state | grep -c stopped)"
cd ..
claim "nothing is left running" none_left
finish
