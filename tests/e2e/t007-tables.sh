#!/bin/bash
# a search on a table finds what another reader of the table finds for the same configurations
. "$(dirname "$0")/lib.sh"
scratch
claim "every table of tests/data/tables" "$SOURCE/tests/bench/tables" "$SOURCE/tests/data/tables" 60
claim "nothing is left running" none_left
finish
