"""The same training step in PyTorch: what tests/bench/mlp_step puts beside the kernel mlp.

    mlp_step.py INPUTS WIDTH DEPTH BATCH MOMENTUM [compile]

Prints microseconds a step (forward, backward, update), and with gathering a shuffled batch: medians of 15 stretches."""
import statistics
import sys
import time

import torch

inputs, width, depth, batch = map(int, sys.argv[1:5])
momentum = float(sys.argv[5])
torch.set_num_threads(1)
torch.manual_seed(1)
sizes = [inputs] + [width] * depth + [10]
layers = []
for a, b in zip(sizes, sizes[1:]):
    layers += [torch.nn.Linear(a, b), torch.nn.ReLU()]
model = torch.nn.Sequential(*layers[:-1])
if "compile" in sys.argv[6:]:
    model = torch.compile(model)
loss_of = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=momentum)
x = torch.randn(7680, inputs)
labels = torch.randint(0, 10, (7680,))
batches = 7680 // batch


def step(x, labels):
    optimizer.zero_grad()
    loss_of(model(x), labels).backward()
    optimizer.step()


def stretch(with_data):
    order = torch.randperm(7680)
    begin = time.perf_counter()
    for i in range(batches):
        if with_data:
            rows = order[i * batch:(i + 1) * batch]
            step(x[rows], labels[rows])
        else:
            step(x[i * batch:(i + 1) * batch], labels[i * batch:(i + 1) * batch])
    return (time.perf_counter() - begin) / batches * 1e6


stretch(False)
print("%.1f %.1f" % tuple(statistics.median(stretch(d) for _ in range(15)) for d in (False, True)))
