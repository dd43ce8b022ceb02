"""What a network of torch_networks.py learns, for tests/bench/learning.

    learning_torch.py JOB      JSON: kernel, params, shape of an example, classes, training (examples), directory, seeds,
                               own: whether weights begin as PyTorch's own do

Reads the examples that dataset_export wrote, trains once a seed and prints the accuracy on the validation part after the last
epoch, a line a seed."""
import json
import sys

import numpy
import torch
import torch_networks as networks

job = json.loads(sys.argv[1])
params, training = job["params"], job["training"]
torch.set_num_threads(1)
x = torch.from_numpy(numpy.fromfile(job["directory"] + "/x", dtype="f4")).reshape(-1, *job["shape"])
x = networks.as_input(job["kernel"], x)
labels = torch.from_numpy(numpy.fromfile(job["directory"] + "/y", dtype="i4").astype("i8"))
loss_of = torch.nn.CrossEntropyLoss()


def train(seed):
    torch.manual_seed(seed)
    model = networks.network(job["kernel"], job["shape"], job["classes"], params)
    if not job["own"]:
        networks.begin_as_gannet(model)
    optimizer = networks.optimizer(model, params)
    for _ in range(params["epochs"]):
        for rows in torch.randperm(training).split(params["batch"]):
            optimizer.zero_grad()
            loss_of(model(x[rows]), labels[rows]).backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        return (model(x[training:]).argmax(1) == labels[training:]).double().mean().item()


for seed in job["seeds"]:
    print(train(seed), flush=True)
