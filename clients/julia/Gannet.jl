# SPDX-License-Identifier: 0BSD
"""
A trial of gannet in a Julia program: its parameters, metrics, phases, checkpoints, and whether to stop. One file to copy, for
Julia 1.0 and later, the standard library alone; docs/trial.md has the protocol.

    include("Gannet.jl")
    trial = Gannet.trial(lr = 0.1, epochs = 30)             # the parameters; what is given here is for runs by hand
    state = Gannet.restore(trial, (epoch = 0, weights = randn(10)))
    for epoch in state.epoch+1:trial.params["epochs"]
        ...
        stop = Gannet.metric(trial, "loss" => loss; step = epoch)
        Gannet.save(trial, (epoch = epoch, weights = weights); step = epoch)       # with trial.checkpoint: true
        stop && break
    end

Without gannet the same program takes its parameters from the command line (--lr=0.01), prints what it measures and goes on.
No function fails because the worker is gone. A trial is for one task at a time.
"""
module Gannet

import Serialization, Sockets
import Random

const VERSION = 1 # of the protocol
const PATIENCE = 10.0 # seconds for an answer; a worker takes milliseconds
const RETRY = 5.0 # seconds after a failure until the worker is tried again
const FLUSH = 1.0 # phases are told so often

"""
The trial that this program was started for, or one by hand.

    params            the parameters by name
    number, attempt   of the trial; nothing by hand. experiment: its name, or nothing
    dir               a directory for its files
    seed              for its random numbers
    deadline          when the time of the job is up, seconds since 1970, or nothing
    restore_path      a checkpoint to go on from; checkpoint_path: where to save one; or nothing
    max_steps, until  the step at which it is complete; the step after which it is to save and end; or nothing
    stop_reason       why it is to stop, once that is known; stop_detail: the same in a sentence; or nothing
"""
mutable struct Trial
    params::Dict{String,Any}
    number::Union{Int,Nothing}
    attempt::Union{Int,Nothing}
    experiment::Union{String,Nothing}
    dir::String
    seed::UInt64
    deadline::Union{Int,Nothing}
    restore_path::Union{String,Nothing}
    checkpoint_path::Union{String,Nothing}
    max_steps::Union{Int,Nothing}
    until::Union{Int,Nothing}
    rank::Int # of several processes; only what the first one (0) says counts
    stop_reason::Union{String,Nothing}
    stop_detail::Union{String,Nothing}
    socket::Union{Sockets.PipeEndpoint,Nothing} # to the worker
    retry_at::Float64 # when a worker that could not be reached is tried again
    told_at::Float64 # when phases were told last
    phases::Dict{String,Tuple{Float64,Int}} # what has not been told: seconds and count
    inner::Float64 # seconds in phases inside the present one
end

warn(sentence) = println(stderr, "gannet: ", sentence)
variable(name) = get(ENV, name, "") == "" ? nothing : ENV[name]
number(name) = tryparse(Int, get(ENV, name, ""))
is_alone(trial) = trial.number === nothing

# --- JSON ---

function quoted(text)
    out = IOBuffer()
    for letter in text
        if letter in ('"', '\\')
            print(out, '\\', letter)
        elseif letter < ' '
            print(out, "\\u", lpad(string(UInt32(letter), base = 16), 4, '0'))
        else
            print(out, letter)
        end
    end
    return "\"" * String(take!(out)) * "\""
end

json(value::Real) = isfinite(value) ? string(value isa Integer ? value : Float64(value)) : quoted(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf")
json(value::Bool) = string(value)
json(value::AbstractString) = quoted(value)
json(pairs::AbstractVector{<:Pair}) = "{" * join((quoted(string(name)) * ":" * json(value) for (name, value) in pairs), ",") * "}"

"A JSON text as Dict, Vector, String, number, Bool or nothing."
function read_json(text)
    value, at = json_value(text, skip_blanks(text, 1))
    skip_blanks(text, at) > lastindex(text) || error("there is more behind the end")
    return value
end

function skip_blanks(text, at)
    while at <= lastindex(text) && isspace(text[at])
        at = nextind(text, at)
    end
    return at
end

function json_value(text, at)
    at <= lastindex(text) || error("the text ends early")
    text[at] == '{' && return json_series(text, at, '}', Dict{String,Any}())
    text[at] == '[' && return json_series(text, at, ']', Any[])
    text[at] == '"' && return json_string(text, at)
    found = match(r"[-+.\w]+", text, at)
    found === nothing && error("a value was expected")
    words = Dict("true" => true, "false" => false, "null" => nothing)
    word = found.match
    value = haskey(words, word) ? words[word] : something(tryparse(Int, word), tryparse(Float64, word), Some(missing))
    value === missing && error("'$word' is no value")
    return value, at + ncodeunits(word)
end

function json_series(text, at, close, into)
    at = skip_blanks(text, at + 1)
    while at <= lastindex(text) && text[at] != close
        if into isa Dict
            name, at = json_string(text, at)
            at = skip_blanks(text, at)
            into[name], at = json_value(text, skip_blanks(text, at + 1))
        else
            value, at = json_value(text, at)
            push!(into, value)
        end
        at = skip_blanks(text, at)
        at <= lastindex(text) && text[at] == ',' && (at = skip_blanks(text, at + 1))
    end
    at <= lastindex(text) || error("the text ends early")
    return into, at + 1
end

function json_string(text, at)
    found = match(r"\G\"((?:[^\"\\]|\\.)*)\"", text, at)
    found === nothing && error("a string was expected")
    letters = Dict("\\n" => "\n", "\\t" => "\t", "\\r" => "\r", "\\b" => "\b", "\\f" => "\f")
    letter(code) = code[2] == 'u' ? string(Char(parse(UInt32, code[3:end], base = 16))) : get(letters, code, code[nextind(code, 1):end])
    return replace(found.captures[1], r"\\(u[0-9a-fA-F]{4}|.)" => letter), at + ncodeunits(found.match)
end

# --- parameters ---

"A parameter's value as it stands on a command line."
function plain_value(text)
    text in ("true", "false") && return text == "true"
    return something(tryparse(Int, text), tryparse(Float64, text), String(text))
end

"The parameters of --name=value, --name value and name=value; with defaults only those that they name."
function read_arguments!(params, arguments)
    known = Set(keys(params))
    function put(name, text)
        key = name in known ? name : replace(name, "-" => "_")
        (isempty(known) || key in known) && (params[key] = plain_value(text))
    end
    for (i, word) in enumerate(arguments)
        found = match(r"^(?:--)?([A-Za-z_][\w.-]*)=(.*)$"s, word)
        if found !== nothing
            put(found.captures...)
        elseif startswith(word, "--") && i < length(arguments) && !startswith(arguments[i+1], "--")
            put(word[3:end], arguments[i+1])
        end
    end
end

"Those of GANNET_PARAM_NAME: a command that gannet prints has them when a person runs it again."
function read_environment!(params)
    names = Dict(replace(name, r"[^A-Za-z0-9_]" => "_") => name for name in keys(params))
    for (key, text) in ENV
        startswith(key, "GANNET_PARAM_") || continue
        name = key[length("GANNET_PARAM_")+1:end]
        params[get(names, name, name)] = plain_value(text)
    end
end

function read_params!(trial)
    path = variable("GANNET_PARAMS_FILE")
    is_alone(trial) && read_environment!(trial.params)
    if path !== nothing && (isfile(path) || !is_alone(trial))
        try
            merge!(trial.params, read_json(read(path, String)))
        catch problem
            warn("the parameters can't be read: $(sprint(showerror, problem))")
        end
    end
    is_alone(trial) && read_arguments!(trial.params, ARGS)
end

"The rank among several processes, as torchrun and Open MPI name it."
rank() = something(number("RANK"), number("OMPI_COMM_WORLD_RANK"), 0)

"The trial, with defaults for parameters that the experiment does not have, and for runs by hand: trial(lr = 0.1)."
function trial(pairs::Pair...; named...)
    params = Dict{String,Any}(string(name) => value for (name, value) in pairs)
    merge!(params, Dict{String,Any}(string(name) => value for (name, value) in named))
    seed = something(tryparse(UInt64, get(ENV, "GANNET_SEED", "")), UInt64(0))
    new = Trial(params, number("GANNET_TRIAL"), number("GANNET_ATTEMPT"), variable("GANNET_EXPERIMENT"),
        something(variable("GANNET_TRIAL_DIR"), pwd()), seed, number("GANNET_DEADLINE"), variable("GANNET_CHECKPOINT"),
        variable("GANNET_CHECKPOINT_OUT"), number("GANNET_MAX_STEPS"), number("GANNET_UNTIL"), rank(),
        nothing, nothing, nothing, 0.0, time(), Dict{String,Tuple{Float64,Int}}(), 0.0)
    read_params!(new)
    atexit(() -> flush_phases(new))
    return new
end

# --- the stream: every function returns nothing when the worker can't be reached ---

function connect!(trial)
    trial.socket = Sockets.connect(ENV["GANNET_SOCKET"])
    hello = Pair{String,Any}["gannet"=>VERSION, "token"=>get(ENV, "GANNET_TOKEN", "")]
    trial.rank > 0 && push!(hello, "rank" => trial.rank)
    println(trial.socket, json(hello))
    answer = receive(trial)
    haskey(answer, "error") && error(answer["error"])
end

"A line of the worker; one that does not come in time ends the connection."
function receive(trial)
    socket = trial.socket
    guard = Timer(_ -> close(socket), PATIENCE)
    try
        line = readline(socket)
        isempty(line) && error("the worker has ended the connection")
        return read_json(line)
    finally
        close(guard)
    end
end

function hang_up!(trial)
    trial.socket === nothing || close(trial.socket)
    trial.socket = nothing
end

"Says a line; the answer if it asks, else an empty one."
function say(trial, line; asks = false)
    variable("GANNET_SOCKET") === nothing && return nothing
    trial.socket === nothing && time() < trial.retry_at && return nothing
    try
        trial.socket === nothing && connect!(trial)
        println(trial.socket, json(line))
        while asks
            answer = receive(trial) # mistakes in what was said before are answered first
            haskey(answer, "error") && warn("the worker says: $(answer["error"])")
            haskey(answer, "stop") && return answer
        end
        return Dict{String,Any}()
    catch problem
        problem isa InterruptException && rethrow()
        trial.retry_at == 0 &&
            warn("the trial's worker can't be reached ($(sprint(showerror, problem))); what is measured is printed")
        hang_up!(trial)
        trial.retry_at = time() + RETRY
        return nothing
    end
end

# --- metrics and stopping ---

"Tells values: metric(trial, \"loss\" => 0.3, \"val/acc\" => 0.9; step = 4). True: stop now."
function metric(trial::Trial, values::Pair...; step = nothing)
    numbers = Pair{String,Any}[string(name) => Float64(value) for (name, value) in values if value isa Real]
    for (name, value) in values
        value isa Real || warn("the value of '$name' is no number")
    end
    line = Pair{String,Any}["metric"=>numbers]
    step === nothing || push!(line, "step" => Int(step))
    if trial.rank == 0 && !isempty(numbers) && (is_alone(trial) || say(trial, line) === nothing)
        words = ["$name=$(strip(json(value), '"'))" for (name, value) in numbers]
        println(join(step === nothing ? words : [words; "step=$(Int(step))"], " "))
        flush(stdout)
    end
    return should_stop(trial; step = step)
end

"Whether to stop: `trial.stop_reason` and `stop_detail` say why. With `step`: which one is done."
function should_stop(trial::Trial; step = nothing)
    (is_alone(trial) || trial.stop_reason !== nothing) && return trial.stop_reason !== nothing
    if trial.until !== nothing && step !== nothing && step >= trial.until
        trial.stop_reason, trial.stop_detail = "paused", "it has come to the step after which it is to pause"
        return true
    end
    flush_phases(trial)
    line = Pair{String,Any}["should_stop"=>true]
    step === nothing || push!(line, "step" => Int(step))
    answer = something(say(trial, line; asks = true), Dict{String,Any}())
    if get(answer, "stop", false) === true
        trial.stop_reason, trial.stop_detail = get(answer, "reason", "stopped_early"), get(answer, "detail", "")
    end
    return trial.stop_reason !== nothing
end

# --- phases ---

"phase(trial, \"data\") do ... end: the time spent in there; what an inner phase takes is that one's alone."
function phase(work, trial::Trial, name)
    begun, outer = time(), trial.inner
    trial.inner = 0.0
    try
        return work()
    finally
        whole = time() - begun
        key = first(replace(string(name), r"[^A-Za-z0-9_./-]" => "_"), 40)
        seconds, count = get(trial.phases, key, (0.0, 0))
        trial.phases[key] = (seconds + max(0.0, whole - trial.inner), count + 1)
        trial.inner = outer + whole
        time() - trial.told_at >= FLUSH && flush_phases(trial)
    end
end

function flush_phases(trial)
    told, trial.phases, trial.told_at = trial.phases, Dict{String,Tuple{Float64,Int}}(), time()
    (is_alone(trial) || trial.rank > 0) && return
    for (name, (seconds, count)) in told
        say(trial, Pair{String,Any}["phase"=>name, "seconds"=>seconds, "count"=>count])
    end
end

# --- checkpoints ---

"checkpoint(trial; step = 4) do path ... end: what is saved to the path takes the place of the trial's checkpoint. False: it could not."
function checkpoint(work, trial::Trial; step = nothing)
    (trial.checkpoint_path === nothing || trial.rank > 0) && return is_alone(trial) || trial.rank > 0
    beside = trial.checkpoint_path * ".new"
    try
        phase(() -> work(beside), trial, "checkpoint")
        mv(beside, trial.checkpoint_path; force = true)
    catch problem
        problem isa InterruptException && rethrow()
        warn("the checkpoint could not be saved: $(sprint(showerror, problem))")
        return false
    end
    flush_phases(trial)
    line = Pair{String,Any}["checkpoint"=>true]
    step === nothing || push!(line, "step" => Int(step))
    is_alone(trial) || say(trial, line)
    return true
end

"Saves a value (by Serialization), with the state of the random numbers, as the trial's checkpoint."
save(trial::Trial, value; step = nothing) =
    checkpoint(path -> Serialization.serialize(path, (value = value, random = copy(generator()))), trial; step = step)

"The value of the checkpoint to go on from, or `otherwise`."
function restore(trial::Trial, otherwise = nothing)
    trial.restore_path === nothing && return otherwise
    try
        saved = Serialization.deserialize(trial.restore_path)
        value, random = saved.value, saved.random
        copy!(generator(), random)
        return value
    catch problem
        warn("the checkpoint can't be gone on from ($(sprint(showerror, problem))); the trial begins at its beginning")
        return otherwise
    end
end

"The default generator of random numbers: one of the task, or of the thread before Julia 1.7."
generator() = Random.default_rng()

end
