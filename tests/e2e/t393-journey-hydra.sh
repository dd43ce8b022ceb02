#!/bin/bash
# a person whose program is configured by Hydra (name=value) comes to its best configuration, with early stopping
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/journeys/lib.sh"
needs python3
journey hydra_app.py conf
# Hydra itself, in the interpreter that GANNET_HYDRA_PYTHON names; else what has its command line.
if [ -n "$GANNET_HYDRA_PYTHON" ]; then
    mkdir ../bin && printf '#!/bin/sh\nexec "%s" "$@"\n' "$GANNET_HYDRA_PYTHON" >../bin/python3 && chmod +x ../bin/python3
    person_env+=(PATH="$SCRATCH/bin:$person_path")
elif ! person python3 -c 'import hydra' 2>/dev/null; then
    could_not "Hydra itself: python3 has no module hydra (pip install hydra-core; GANNET_HYDRA_PYTHON names a python)"
    cp "$JOURNEYS"/stand_in/*.py ../home
    person_env+=(PYTHONPATH="$SCRATCH/home")
fi

claim "init reads the program's configuration" person gannet init --from hydra_app.py --param optimizer.lr=1e-3..0.5:log -p -trainer.seconds
is "it says what it searches" "optimizer.lr optimizer.momentum model.width" \
    "$(sed -n '/It searches/,/^Not/s/^  \([a-z.]*\) .*/\1/p' "$lib_output" | xargs)"
matches "and what it does not" "^#   trainer.epochs \(9\): how long a trial trains" "$(cat hydra_app.yaml)"
switch_on hydra_app.yaml
claim "check has no objection" person gannet check hydra_app.yaml
matches "parameters are given as Hydra takes them" "hydra_app.py hydra.run.dir=.* optimizer.lr=0.001 optimizer.momentum=0.0 model.width=8" \
    "$(cat "$lib_output")"
interrupted hydra_app hydra_app.yaml 20
below "the best is near 0, with a width near 16; the defaults come to 0.61" "$(best_value hydra_app)" 0.3
trial=$(printf 'runs/hydra_app/trials/%06d' "$(best_trial hydra_app)")
claim "what Hydra writes is with the trial" test -e "$trial/hydra_app.log"
arrived hydra_app
is "and nowhere else" "conf hydra_app.py hydra_app.yaml runs" "$(ls | grep -v __pycache__ | xargs)"
finish
