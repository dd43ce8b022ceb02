#!/bin/sh
# A search whose loop is this script: it asks gannet for a trial, runs it, and tells what came of it.
#
#     sh own-loop.sh own-loop.yaml
#
# Several of these may run at once on the same file, on any number of machines that see the directory.
file=${1:-own-loop.yaml}

loss() { # what there is to minimize: a valley with its lowest point at x = 0.3, y = -0.2
    awk -v x="$1" -v y="$2" 'BEGIN { print (x - 0.3) ^ 2 + 5 * (y + 0.2) ^ 2 }'
}

while line=$(gannet ask "$file"); do # "7 --x=0.25 --y=-0.5"
    set -- $line
    trial=$1 x=${2#--x=} y=${3#--y=}
    if value=$(loss "$x" "$y"); then
        gannet tell "$file" "$trial" --value "$value"
    else
        gannet tell "$file" "$trial" --failed "awk ended with status $?"
    fi
done # ask fails when limits.max_trials is reached
gannet best "$(basename "$file" .yaml)"
