"""Training steps in PyTorch, for tests/bench/kernels.

    kernels_torch.py JOB      JSON: kernel, params, shape of an example, batch, batches, threads

Prints its version; then, for each line that it reads, trains so many batches in a shuffled order and prints their time."""
import json
import resource
import sys
import time

import torch
import torch_networks as networks

job = json.loads(sys.argv[1])
batch, batches = job["batch"], job["batches"]
torch.set_num_threads(job["threads"])
torch.manual_seed(1)
model = networks.network(job["kernel"], job["shape"], 10, job["params"])
optimizer = networks.optimizer(model, job["params"])
loss_of = torch.nn.CrossEntropyLoss()
if job["kernel"] == "transformer":  # the next byte
    x, labels = torch.randint(0, 256, (2, batches * batch, *job["shape"]))
else:
    x = networks.as_input(job["kernel"], torch.randn(batches * batch, *job["shape"]))
    labels = torch.randint(0, 10, (batches * batch,))


def stretch():
    for rows in torch.randperm(len(x)).split(batch):
        optimizer.zero_grad()
        loss_of(model(x[rows]), labels[rows].flatten()).backward()
        optimizer.step()


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


print("PyTorch " + torch.__version__, flush=True)
for _ in sys.stdin:
    used, begun = processor_seconds(), time.perf_counter()
    stretch()
    print(json.dumps({"steps": batches, "wall": time.perf_counter() - begun, "cpu": processor_seconds() - used}),
          flush=True)
