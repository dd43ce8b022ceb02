#!/bin/bash
# a Julia program with Gannet.jl runs by hand and as a trial, pauses and goes on, and never fails because the worker is gone
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
julia=$(command -v "${GANNET_JULIA:-julia}") || skip_all "${GANNET_JULIA:-julia} is not here (GANNET_JULIA may name one)"
scratch
client=$SOURCE/clients/julia
run_julia() { "$julia" --startup-file=no "$@"; }
example() { run_julia "$client/example.jl" "$@"; }

# --- by hand -----------------------------------------------------------------------------------------------------------
example >whole
is "by hand it prints what it measures" 9 "$(grep -c '^loss=[0-9.e-]* step=[1-9]$' whole)"
is "a parameter comes from the command line or the environment" "$(example --lr=0.05)" "$(GANNET_PARAM_lr=0.05 run_julia "$client/example.jl")"
cat >odd.jl <<'END'
include(ENV["CLIENT"])
trial = Gannet.trial("top-k" => 1; name = "a", deep = true)
println(join((trial.params["top-k"], trial.params["name"], trial.params["deep"], trial.number, trial.seed), " "))
@assert !Gannet.metric(trial, "val/acc" => Inf, "other" => NaN) && !Gannet.metric(trial, "loss" => "low") && !Gannet.should_stop(trial; step = 3)
@assert Gannet.phase(() -> 1 + 1, trial, "data") == 2 && Gannet.save(trial, 1) && Gannet.restore(trial, "new") == "new"
@assert try Gannet.phase(() -> error("mine"), trial, "data") catch problem problem.msg end == "mine"
END
by_hand() { CLIENT=$client/Gannet.jl run_julia odd.jl "$@" 2>said; }
is "it takes all shapes of arguments" "2 b false nothing 0" "$(by_hand --top-k 2 name=b --deep=false --unknown=1 | head -n 1)"
is "what it says is printed" "val/acc=inf other=nan" "$(by_hand | tail -n +2)"
matches "what is no number is said" "the value of 'loss' is no number" "$(cat said)"
cat >json.jl <<'END'
include(ENV["CLIENT"])
trial = Gannet.trial()
println(join((trial.params[name] for name in ("top-k", "name", "list", "none", "flag", "big")), " "), " ", trial.params["map"]["on"], " ", trial.seed)
for broken in ("", "{", "{\"a\": }", "[1", "\"a", "{\"a\" 1}x", "tru", "{\"a\": 1} x")
    @assert try Gannet.read_json(broken); false catch problem problem isa ErrorException end broken
end
@assert Gannet.read_json(" [1, -2.5e3, \"\\u00e9\\\\n\\\"\", {}, []] ") == Any[1, -2500.0, "é\\n\"", Dict(), []]
@assert Gannet.read_json(Gannet.json(Pair{String,Any}["a\"\\\n\u1é" => 1, "b" => Inf, "c" => true])) == Dict("a\"\\\n\u1é" => 1, "b" => "inf", "c" => true)
END
printf '%s' '{"top-k": -2.5e-1, "name": "a\u00e9é \"q\" \\n", "list": [1, 2.5], "none": null, "flag": true, "big": 4, "map": {"on": true}}' >params.json
is "parameters are read from JSON" '-0.25 aéé "q" \n Any[1, 2.5] nothing true 4 true 18446744065119617028' \
    "$(CLIENT=$client/Gannet.jl GANNET_PARAMS_FILE=params.json GANNET_TRIAL=1 GANNET_SEED=18446744065119617028 run_julia json.jl)"

# --- to the last bit ---------------------------------------------------------------------------------------------------
GANNET_CHECKPOINT_OUT=$PWD/kept GANNET_TRIAL=1 GANNET_UNTIL=4 run_julia "$client/example.jl" | grep step= >first
GANNET_CHECKPOINT=$PWD/kept run_julia "$client/example.jl" >rest
is "it pauses behind its fourth step" "$(head -n 4 whole)" "$(cat first)"
is "and goes on to the last bit" "$(tail -n 5 whole)" "$(cat rest)"
echo nothing >broken
is "a checkpoint that can't be read costs its steps" "$(cat whole)" "$(GANNET_CHECKPOINT=$PWD/broken run_julia "$client/example.jl" 2>said)"
matches "which it says" "can't be gone on from" "$(cat said)"
is "a place that is not there stops nothing" "$(cat whole)" "$(GANNET_CHECKPOINT_OUT=/nowhere/kept run_julia "$client/example.jl" 2>said)"
matches "which it says, too" "could not be saved" "$(cat said)"

# --- as trials ---------------------------------------------------------------------------------------------------------
cat >julia.yaml <<END
version: 1
seed: 3
trial: {command: [$julia, --startup-file=no, $client/example.jl], checkpoint: true}
metric: {name: loss, goal: minimize}
parameters:
  lr: {min: 0.0, max: 0.5}
strategy: random
early_stop: {name: asha, min_steps: 1, max_steps: 9, eta: 3}
limits: {max_trials: 9}
END
claim "a search of it runs, with early stopping" gannet run julia.yaml --dir julia --quiet --workers 2
is "all trials have ended" 9 "$(ended_count julia)"
is "none has failed" 0 "$(gannet trials julia --csv --columns state | grep -c failed)"
is "the module complains of nothing" "" "$(grep -h '^gannet: ' julia/trials/*/stderr*)" # Julia itself does when it is ended
matches "they were told why to stop" 'stops: ' "$(cat julia/trials/*/stdout*)"
is "what was told is not printed" 0 "$(cat julia/trials/*/stdout* | grep -c loss=)"
matches "its phases are shown" '"checkpoint"' "$(gannet show julia 1 --json)"
sed 's/, checkpoint: true/, env: {GANNET_SOCKET: \/nowhere}/; /early_stop/d; s/max_trials: 9/max_trials: 1/' julia.yaml >gone.yaml
claim "it goes on without a worker" gannet run gone.yaml --dir gone --quiet
is "what it measured is read from what it prints" 9 "$(gannet show gone 1 --json | tr -d '\n ' | grep -o '"metric":"loss"' | wc -l)"
is "it says so once" 1 "$(grep -c "can't be reached" gone/trials/000001/stderr)"
claim "nothing is left running" none_left
finish
