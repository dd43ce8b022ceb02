# SPDX-License-Identifier: 0BSD
"""DistributedDataParallel of PyTorch over the processes of a trial, on GPUs or processors: gannet starts them.

    trial: {command: [python3, ddp_line.py]}
    metric: {name: loss, goal: minimize}
    parameters: {lr: {min: 1e-3, max: 1.0, log: true}}
    resources: {ranks: 2}

By hand: python3 ddp_line.py --lr=0.1, or torchrun --nproc-per-node 2 ddp_line.py --lr=0.1
"""

import os

import gannet
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

trial = gannet.trial(lr=0.1, epochs=20)
cuda = torch.cuda.is_available()
device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0))) if cuda else torch.device("cpu")
if trial.ranks > 1:
    dist.init_process_group("nccl" if cuda else "gloo")  # RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT say the rest

# The same data and the same model everywhere; each process trains on its part of the data.
torch.manual_seed(trial.seed)
x = torch.rand(512, 1)
y = 3 * x - 1 + 0.01 * torch.randn(512, 1)
x, y = x[trial.rank :: trial.ranks].to(device), y[trial.rank :: trial.ranks].to(device)
model = torch.nn.Linear(1, 1).to(device)
if trial.ranks > 1:
    model = DistributedDataParallel(model, device_ids=[device] if cuda else None)
optimizer = torch.optim.SGD(model.parameters(), lr=trial.params.lr)

for epoch in range(1, trial.params.epochs + 1):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    mean = loss.detach()
    if trial.ranks > 1:
        dist.all_reduce(mean)
    # All of them say it: what the first says counts, and all hear the same answer.
    if trial.metric(loss=mean.item() / trial.ranks, step=epoch):
        break
if trial.ranks > 1:
    dist.destroy_process_group()
