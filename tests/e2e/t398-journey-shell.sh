#!/bin/bash
# a person with a shell script comes to its best configuration, with early stopping
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/journeys/lib.sh"
journey shell.sh
values() { sed -n 's/^.* energy=\([-0-9.e]*\) .*$/\1/p'; }

claim "init reads the script's help" person gannet init --from shell.sh --metric 'energy minimize' --param temperature=1e-3..10:log -p -sweeps
is "it says what it searches" "temperature cooling" "$(sed -n '/It searches/,/^Not/s/^  \([a-z]*\) .*/\1/p' "$lib_output" | xargs)"
# --sweeps is no name for how long a program trains, so the person adds early stopping.
printf 'early_stop: {name: asha, max_steps: 9}\n' >>shell.yaml
claim "check has no objection" person gannet check shell.yaml
interrupted shell shell.yaml 30
below "the best is near the least energy, -1.515; the defaults come to -0.52" "$(best_value shell)" -1.0
is "its arguments run the script by hand to the same value" "$(best_value shell)" \
    "$(shell './shell.sh $(gannet best shell --as args)' | value_at "$(step_of_best shell)")"
arrived shell
finish
