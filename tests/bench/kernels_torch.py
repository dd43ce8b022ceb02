"""The networks of tests/bench/kernels in PyTorch: eager mode, as people run it.

    kernels_torch.py CASE BATCH STEPS THREADS

Prints its version; then, for each line that it reads, trains so many steps on shuffled batches and prints their time."""
import json
import resource
import sys
import time

import torch
from torch import nn

case, batch, steps, threads = sys.argv[1], *map(int, sys.argv[2:5])
torch.set_num_threads(threads)
torch.manual_seed(1)


def perceptron(inputs, width, depth):
    sizes = [inputs] + [width] * depth + [10]
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def conv_pool():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(1600, 128), nn.ReLU(), nn.Linear(128, 10))


def conv():
    return nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Flatten(), nn.Linear(21632, 128), nn.ReLU(),
                         nn.Linear(128, 10))


def conv_conv():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25),
        nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10))


class Transformer(nn.Module):
    """The next byte of 128: PyTorch's encoder with normalisations before, as gannet's."""

    def __init__(self, width=128, heads=4, layers=2, steps=128):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(256, width), nn.Parameter(torch.zeros(steps, width))
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, nn.LayerNorm(width))
        self.head = nn.Linear(width, 256)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(steps))

    def forward(self, tokens):
        return self.head(self.encoder(self.embedding(tokens) + self.positions, self.mask)).flatten(0, 1)


# The network, the shape of an example, the optimizer.
cases = {
    "mlp-small": (lambda: perceptron(784, 128, 1), (784,), lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9)),
    "mlp-large": (lambda: perceptron(784, 1024, 2), (784,), lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9)),
    "keras-conv": (conv, (1, 28, 28), lambda p: torch.optim.Adam(p, lr=0.001)),
    "torch-conv": (conv_pool, (1, 28, 28), lambda p: torch.optim.Adam(p, lr=0.001)),
    "keras-mnist": (conv_conv, (1, 28, 28), lambda p: torch.optim.Adadelta(p, lr=1.0, rho=0.95, eps=1e-7)),
    "transformer": (Transformer, None, lambda p: torch.optim.Adam(p, lr=0.001)),
}
make, shape, optimizer_of = cases[case]
model = make()
optimizer = optimizer_of(model.parameters())
loss_of = nn.CrossEntropyLoss()
if shape:
    x = torch.randn(steps * batch, *shape)
    labels = torch.randint(0, 10, (steps * batch,))
else:
    x, labels = torch.randint(0, 256, (2, steps * batch, 128))


def stretch():
    order = torch.randperm(len(x))
    for rows in order.split(batch):
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
    print(json.dumps({"steps": steps, "wall": time.perf_counter() - begun, "cpu": processor_seconds() - used}),
          flush=True)
