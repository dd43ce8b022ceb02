#!/bin/bash
# an R program with gannet.R runs by hand and as a trial, pauses and goes on, and never fails because the worker is gone
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
needs Rscript r-base-core
scratch
client=$SOURCE/clients/r
example="Rscript $client/example.R"

# --- by hand -----------------------------------------------------------------------------------------------------------
is "by hand it prints what it measures" 9 "$($example | grep -c '^loss=[0-9.]* step=[1-9]$')"
is "a parameter comes from the command line or the environment" "$($example --lr=0.05)" "$(GANNET_PARAM_lr=0.05 $example)"
cat >odd.R <<'END'
source(Sys.getenv("CLIENT"))
trial <- gannet_trial("top-k" = 1, name = "a", deep = TRUE)
cat(trial$params[["top-k"]], trial$params$name, trial$params$deep, is.na(trial$number), trial$seed, "\n")
stopifnot(!trial$metric("val/acc" = Inf, other = NaN), !trial$metric(loss = "low", other = NULL, third = sum), !trial$should_stop(3))
stopifnot(!trial$metric(a = 0.5, "b c" = 1, step = 2))
stopifnot(trial$phase("data", 1 + 1) == 2, trial$checkpoint("a.rds"), trial$save(1), identical(trial$restore("new"), "new"))
stopifnot(inherits(try(trial$phase("data", stop("mine")), silent = TRUE), "try-error"))
END
by_hand() { CLIENT=$client/gannet.R "$@" 2>said; }
is "it takes all shapes of arguments" "2 b FALSE TRUE 0 " "$(by_hand Rscript odd.R --top-k 2 name=b --deep=false --unknown=1 | head -n 1)"
is "what it says is printed" "val/acc=inf other=nan|a=0.5 b c=1 step=2|checkpoint a.rds|" "$(by_hand Rscript odd.R | tail -n +2 | tr '\n' '|')"
matches "what is no number is said" "the value of 'loss', 'other', 'third' is no number" "$(cat said)"
printf '%s' '{"top-k": -2.5e-1, "name": "a\u00e9 \"q\" \\n", "list": [1, 2, 3], "none": [], "map": {"on": true}}' >params.json
cat >json.R <<'END'
source(Sys.getenv("CLIENT"))
trial <- gannet_trial()
cat(trial$params[["top-k"]], trial$params$name, trial$params$list, length(trial$params$none), trial$params$map$on, trial$seed, "\n")
END
is "parameters are read from JSON" '-0.25 aé "q" \n 1 2 3 0 TRUE 4 ' \
    "$(by_hand env GANNET_PARAMS_FILE=params.json GANNET_TRIAL=1 GANNET_SEED=18446744065119617028 Rscript json.R)"

# --- to the last bit ---------------------------------------------------------------------------------------------------
$example >whole
GANNET_CHECKPOINT_OUT=$PWD/kept GANNET_TRIAL=1 GANNET_UNTIL=4 $example 2>/dev/null | grep step= >first
GANNET_CHECKPOINT=$PWD/kept $example >rest
is "it pauses behind its fourth step" "$(head -n 4 whole)" "$(cat first)"
is "and goes on to the last bit" "$(tail -n 5 whole)" "$(cat rest)"
echo nothing >broken
is "a checkpoint that can't be read costs its steps" "$(cat whole)" "$(GANNET_CHECKPOINT=$PWD/broken $example 2>said)"
matches "which it says" "can't be gone on from" "$(cat said)"
is "a place that is not there stops nothing" "$(cat whole)" "$(GANNET_CHECKPOINT_OUT=/nowhere/kept $example 2>said)"
matches "which it says, too" "could not be saved" "$(cat said)"

# --- as trials ---------------------------------------------------------------------------------------------------------
cat >r.yaml <<END
version: 1
seed: 3
trial: {command: [Rscript, $client/example.R], checkpoint: true}
metric: {name: loss, goal: minimize}
parameters:
  lr: {min: 0.0, max: 0.5}
strategy: random
early_stop: {name: asha, min_steps: 1, max_steps: 9, eta: 3}
limits: {max_trials: 12}
END
claim "a search of it runs, with early stopping" gannet run r.yaml --dir r --quiet --workers 2
is "all trials have ended" 12 "$(ended_count r)"
is "none has failed" 0 "$(gannet trials r --csv --columns state | grep -c failed)"
is "with nothing to complain of" "" "$(cat r/trials/*/stderr*)"
matches "they were told why to stop" 'stops: ' "$(cat r/trials/*/stdout*)"
is "what was told is not printed" 0 "$(cat r/trials/*/stdout* | grep -c loss=)"
matches "its phases are shown" '"checkpoint"' "$(gannet show r 1 --json)"
sed 's/, checkpoint: true/, env: {GANNET_SOCKET: \/nowhere}/; /early_stop/d; s/12/1/' r.yaml >gone.yaml
claim "it goes on without a worker" gannet run gone.yaml --dir gone --quiet
is "what it measured is read from what it prints" 9 "$(gannet show gone 1 --json | tr -d '\n ' | grep -o '"metric":"loss"' | wc -l)"
sed 's/GANNET_SOCKET: \/nowhere/GANNET: ""/' gone.yaml >alone.yaml
claim "and without the program gannet" gannet run alone.yaml --dir alone --quiet
is "with the same" 9 "$(gannet show alone 1 --json | tr -d '\n ' | grep -o '"metric":"loss"' | wc -l)"
claim "nothing is left running" none_left
finish
