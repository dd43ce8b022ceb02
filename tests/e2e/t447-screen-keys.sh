#!/bin/bash
# every key of the table does on every screen, in tmux, what gannet frame draws behind it, in four sizes and two locales
#
# GANNET_EVERY_KEY=1: with every spelling, each screen in all sizes and locales; that takes minutes
. "$(dirname "$0")/lib.sh"
needs tmux
needs python3
scratch

cat >train.sh <<'END'
case $2 in
lamb) printf '\033[31mthis cannot do lamb\033[0m\n' >&2; exit 3 ;;
*) awk -v lr="$1" 'BEGIN { for (step = 1; step <= 3; step++) print "loss=" lr * 10 / step " step=" step }' ;;
esac
END
cat >other.yaml <<'END'
version: 1
trial: {command: [sh, train.sh, "${params.lr}", "${params.opt}"], retries: 0}
metric: {name: loss, goal: minimize}
parameters:
  lr: {values: [0.001, 0.01, 0.1, 0.2, 0.3]}
  opt: [sgd, adam, lamb]
strategy: grid
limits: {max_trials: 15, max_failures: 20}
END
cp other.yaml seen.yaml
claim "two searches are there" sh -c 'gannet run other.yaml --quiet && gannet run seen.yaml --quiet'

clean_mux() { tmux -S "$SCRATCH/tmux" kill-server 2>/dev/null; lib_clean; }
trap clean_mux EXIT
python3 "$SOURCE/tests/e2e/screen_keys.py" seen ${GANNET_EVERY_KEY:+--every} >pressed 2>errors
status=$?
while IFS= read -r line; do
    case $line in
    ok*) tap_line 0 "${line#* - }" ;;
    not*) tap_line 1 "${line#* - }" ;;
    *) diag "${line#\# }" ;;
    esac
done <pressed
screens=$(gannet docs keys | grep -c '^| `[a-z]*` | \(`[0-9]`\|another\)')
is "every screen was looked at, and what is typed" $((screens + 1)) "$(grep -o ' - [a-z]* at ' pressed | sort -u | wc -l)"
diag <errors
is "none does anything else" 0 $status
claim "nothing is left running" none_left
finish
