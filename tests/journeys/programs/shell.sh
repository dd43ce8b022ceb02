#!/bin/sh
# Simulated annealing of x^4 - 2x^2 + x/2 in awk. usage: shell.sh [--temperature T] [--cooling C] [--sweeps N]
temperature=0.01 cooling=0.99 sweeps=9
while [ $# -gt 0 ]; do
    case $1 in
    --help)
        echo "usage: shell.sh [--temperature T] [--cooling C] [--sweeps N]"
        echo "  --temperature T  to begin with (default: 0.01)"
        echo "  --cooling C      factor of each sweep (default: 0.99)"
        echo "  --sweeps N       how many (default: 9)"
        exit 0 ;;
    --temperature) temperature=$2; shift ;;
    --temperature=*) temperature=${1#*=} ;;
    --cooling) cooling=$2; shift ;;
    --cooling=*) cooling=${1#*=} ;;
    --sweeps) sweeps=$2; shift ;;
    --sweeps=*) sweeps=${1#*=} ;;
    *) echo "shell.sh: unknown option $1" >&2; exit 64 ;;
    esac
    shift
done
x=2 lowest=99
sweep=0
while [ "$sweep" -lt "$sweeps" ]; do
    sweep=$((sweep + 1))
    # The state of the walk goes from sweep to sweep through the shell, as it does.
    set -- $(awk -v x="$x" -v lowest="$lowest" -v t="$temperature" -v seed="$sweep" 'function f(x) { return x ^ 4 - 2 * x ^ 2 + x / 2 }
        BEGIN { srand(seed)
                for (i = 0; i < 3000; i++) {
                    y = x + (rand() - 0.5) / 2
                    d = f(y) - f(x)
                    if (d < 0 || (t > 0 && rand() < exp(-d / t))) x = y
                    if (f(x) < lowest) lowest = f(x)
                }
                print x, lowest }')
    sleep 0.04 # larger chains take their time
    x=$1 lowest=$2
    echo "step $sweep energy=$lowest x=$x"
    temperature=$(echo "$temperature $cooling" | awk '{ print $1 * $2 }')
done
