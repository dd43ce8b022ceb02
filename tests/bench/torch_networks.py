"""The networks of gannet's kernels in PyTorch, with the kernels' parameters, and their optimizers: eager mode, as people
write them."""
import torch
from torch import nn


def mlp(shape, classes, width=128, depth=1, **_):
    inputs = 1
    for size in shape:
        inputs *= size
    sizes = [inputs] + [width] * depth + [classes]
    layers = [nn.Flatten()]
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def logreg(shape, classes, **_):
    return mlp(shape, classes, depth=0)


def cnn(shape, classes, layers="conv-pool-conv-pool", filters1=32, filters2=64, width=128, padding=0, dropout=0,
        dense_dropout=0, **_):
    made, size, channels = [], shape[0], shape[2]
    filters = iter((filters1, filters2))
    for word in layers.split("-"):
        if word == "conv":
            outputs = next(filters)
            made += [nn.Conv2d(channels, outputs, 3, padding=padding), nn.ReLU()]
            size, channels = size - 2 + 2 * padding, outputs
        else:
            made.append(nn.MaxPool2d(2))
            size //= 2
    made += [nn.Dropout(dropout)] * (dropout > 0)
    made += [nn.Flatten(), nn.Linear(channels * size * size, width), nn.ReLU()]
    made += [nn.Dropout(dense_dropout)] * (dense_dropout > 0)
    return nn.Sequential(*made, nn.Linear(width, classes))


class Block(nn.Module):
    """A residual block with option A of He et al. 2016: where the shape changes, every second pixel and zeros."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.stride, self.new = stride, outputs - inputs
        self.inner = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        way = nn.functional.pad(x[:, :, :: self.stride, :: self.stride], (0, 0, 0, 0, 0, self.new)) if self.new else x
        return torch.relu(self.inner(x) + way)


def resnet(shape, classes, depth=3, width=16, **_):
    made = [nn.Conv2d(shape[2], width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
    for stage in range(3):
        outputs = width << stage
        made += [Block(outputs // 2 if stage and not n else outputs, outputs, 2 if stage and not n else 1) for n in range(depth)]
    return nn.Sequential(*made, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(outputs, classes))


class Recurrent(nn.Module):
    """The class of a sequence [steps, features]: of what the last step leaves."""

    def __init__(self, shape, classes, width=512, layers=1, **_):
        super().__init__()
        self.layers, self.head = nn.LSTM(shape[1], width, layers, batch_first=True), nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.layers(x)[0][:, -1])


class Transformer(nn.Module):
    """Bytes whose next one is learned ([steps]) or the class of a sequence ([steps, features]): PyTorch's encoder with the
    normalisations before, as gannet's."""

    def __init__(self, shape, classes, width=128, heads=4, layers=2, **_):
        super().__init__()
        steps, self.next = shape[0], len(shape) == 1
        self.enter = nn.Embedding(256, width) if self.next else nn.Linear(shape[1], width)
        self.positions = nn.Parameter(torch.zeros(steps, width))
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.head = nn.Linear(width, 256 if self.next else classes)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(steps) if self.next else None)

    def forward(self, x):
        y = self.encoder(self.enter(x) + self.positions, self.mask)
        return self.head(y).flatten(0, 1) if self.next else self.head(y.mean(1))


NETWORKS = {"logreg": logreg, "mlp": mlp, "cnn": cnn, "resnet": resnet, "lstm": Recurrent, "transformer": Transformer}


def begin_recurrent(lstm):
    """The weights of each gate as Glorot and Bengio 2010 draw them, biases 0 but those of the forget gate, which are 1."""
    for name, w in lstm.named_parameters():
        if name.startswith("weight"):
            for gate in w.chunk(4):
                nn.init.xavier_uniform_(gate)
        else:
            nn.init.zeros_(w)
            if name.startswith("bias_ih"):
                nn.init.ones_(w.chunk(4)[1])


def begin_as_gannet(model):
    """Weights of layers before a relu as He et al. 2015 draw them, of others as Glorot and Bengio 2010; biases 0. PyTorch's own
    beginnings are smaller. Of a transformer the positions alone, which PyTorch leaves to us."""
    if isinstance(model, Transformer):
        nn.init.xavier_uniform_(model.positions)
        return
    for m in (m for m in model.modules() if isinstance(m, nn.LSTM)):
        begin_recurrent(m)
    weighted = [m for m in model.modules() if isinstance(m, (nn.Linear, nn.Conv2d))]
    for m in weighted:
        last = m is weighted[-1]
        nn.init.xavier_uniform_(m.weight) if last else nn.init.kaiming_uniform_(m.weight, nonlinearity="relu")
        if m.bias is not None:
            nn.init.zeros_(m.bias)


def network(kernel, shape, classes, params):
    """shape: of an example as gannet has it, [I] or [H, W, channels]; input of convolutions is [B, channels, H, W]."""
    return NETWORKS[kernel](shape, classes, **params)


def as_input(kernel, x):
    """Examples [N, H, W, channels] in the order that PyTorch's convolutions want."""
    return x.permute(0, 3, 1, 2).contiguous() if kernel in ("cnn", "resnet") else x


def optimizer(model, params):
    name, lr = params.get("optimizer", "sgd"), params.get("lr", 0.01)
    if name == "sgd":
        return torch.optim.SGD(model.parameters(), lr=lr, momentum=params.get("momentum", 0))
    if name == "adam":
        return torch.optim.Adam(model.parameters(), lr=lr)
    return torch.optim.Adadelta(model.parameters(), lr=lr, rho=params.get("rho", 0.95), eps=params.get("epsilon", 1e-8))
