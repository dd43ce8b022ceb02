# SPDX-License-Identifier: 0BSD
# Gradient descent on a line with noise, 9 epochs; the search minimizes loss over lr.
#
#     julia example.jl --lr=0.05
include("Gannet.jl")
using Random

trial = Gannet.trial(lr = 0.1)
Random.seed!(trial.seed)
xs = range(-1, 1; length = 64)
ys = 3 .* xs .+ 1
state = Gannet.restore(trial, (epoch = 0, slope = randn(), base = 0.0))
while state.epoch < 9
    rows = Gannet.phase(() -> rand(1:64, 16), trial, "data")
    wrong = state.slope .* xs[rows] .+ state.base .- ys[rows]
    slope = state.slope - trial.params["lr"] * sum(2 .* wrong .* xs[rows]) / 16
    base = state.base - trial.params["lr"] * sum(2 .* wrong) / 16
    global state = (epoch = state.epoch + 1, slope = slope, base = base)
    loss = sum((slope .* xs .+ base .- ys) .^ 2) / 64
    stop = Gannet.metric(trial, "loss" => loss; step = state.epoch)
    Gannet.save(trial, state; step = state.epoch)
    if stop
        println("stops: ", trial.stop_reason)
        break
    end
end
