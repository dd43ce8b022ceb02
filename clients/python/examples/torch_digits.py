# SPDX-License-Identifier: 0BSD
"""A network with dropout on handwritten digits, 9 epochs; the search minimizes val_loss over lr and width."""
import os

import gannet
import gannet_torch
import torch

trial = gannet.trial(lr=0.01, width=32, data=os.path.join(os.path.dirname(__file__), "../../../examples/data/digits.csv"))
torch.manual_seed(trial.seed)
torch.set_num_threads(1)
with open(trial.params.data) as file:
    rows = torch.tensor([[float(cell) for cell in line.split(",")] for line in file.read().split("\n")[1:] if line])
images, labels = rows[:, :64] / 16, rows[:, 64].long()
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(images[:1500], labels[:1500]), 50, shuffle=True)

model = torch.nn.Sequential(
    torch.nn.Linear(64, trial.params.width), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(trial.params.width, 10)
)
optimizer = torch.optim.Adam(model.parameters(), lr=trial.params.lr)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.5)
measure = torch.nn.functional.cross_entropy

for epoch in gannet_torch.epochs(trial, 9, model=model, optimizer=optimizer, schedule=schedule):
    model.train()
    for x, y in gannet_torch.batches(trial, loader):
        optimizer.zero_grad()
        with trial.phase("forward"):
            loss = measure(model(x), y)
        with trial.phase("backward"):
            loss.backward()
        with trial.phase("update"):
            optimizer.step()
    schedule.step()
    model.eval()
    with trial.phase("evaluation"), torch.no_grad():
        scores = model(images[1500:])
        right = (scores.argmax(1) == labels[1500:]).float().mean().item()
        trial.metric(val_loss=measure(scores, labels[1500:]).item(), accuracy=right, step=epoch)
