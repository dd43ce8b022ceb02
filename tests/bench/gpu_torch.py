"""Training steps in PyTorch on a GPU, for tests/bench/gpu.

    gpu_torch.py JOB       JSON: kernel, params, shape of an example, batch, batches, precision (fp32, tf32, bf16), compiled

Prints its version; then, for each line that it reads, trains so many batches in a shuffled order, all of it on the GPU, and
prints their time. Compiled is torch.compile with CUDA graphs (reduce-overhead). bf16 is autocast, as people write it.

    gpu_torch.py peak      a large product and a large copy: what the card can do, as JSON"""
import json
import sys
import time

import torch


def seconds(work, rounds):
    work()
    torch.cuda.synchronize()
    begun = time.perf_counter()
    for _ in range(rounds):
        work()
    torch.cuda.synchronize()
    return (time.perf_counter() - begun) / rounds


def peak():
    n, said = 8192, {"name": torch.cuda.get_device_name(), "torch": torch.__version__}
    for name, kind, coarse in (("fp32", torch.float32, False), ("tf32", torch.float32, True), ("bf16", torch.bfloat16, False)):
        torch.backends.cuda.matmul.allow_tf32 = coarse
        a, b = torch.randn(2, n, n, device="cuda").to(kind)
        said[name] = 2 * n**3 / seconds(lambda: a @ b, 5) / 1e12
    x = torch.randn(1 << 28, device="cuda")
    y = torch.empty_like(x)
    said["copy"] = 2 * x.numel() * 4 / seconds(lambda: y.copy_(x), 10) / 1e9
    print(json.dumps(said))


def trainer(job, networks):
    """The function that trains on one batch."""
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = job["precision"] == "tf32"
    torch.backends.cudnn.benchmark = True
    model = networks.network(job["kernel"], job["shape"], 10, job["params"]).cuda()
    if job["kernel"] in ("cnn", "resnet"):
        model = model.to(memory_format=torch.channels_last)
    optimizer = networks.optimizer(model, job["params"])
    loss_of = torch.nn.CrossEntropyLoss()

    def lose(x, labels):
        with torch.autocast("cuda", torch.bfloat16, enabled=job["precision"] == "bf16"):
            return loss_of(model(x), labels.flatten())

    loss = torch.compile(lose, mode="reduce-overhead") if job["compiled"] else lose

    def train(x, labels):
        optimizer.zero_grad()
        loss(x, labels).backward()
        optimizer.step()

    return train


def main(job):
    import torch_networks as networks
    batch, batches = job["batch"], job["batches"]
    train = trainer(job, networks)
    if job["kernel"] == "transformer":  # the next byte
        x, labels = torch.randint(0, 256, (2, batches * batch, *job["shape"]), device="cuda")
    else:
        x = networks.as_input(job["kernel"], torch.randn(batches * batch, *job["shape"])).cuda()
        labels = torch.randint(0, 10, (batches * batch,), device="cuda")
    print("PyTorch " + torch.__version__, flush=True)
    for _ in sys.stdin:
        torch.cuda.synchronize()
        begun = time.perf_counter()
        for rows in torch.randperm(len(x), device="cuda").split(batch):
            train(x[rows], labels[rows])
        torch.cuda.synchronize()
        print(json.dumps({"steps": batches, "wall": time.perf_counter() - begun}), flush=True)


if sys.argv[1] == "peak":
    peak()
else:
    main(json.loads(sys.argv[1]))
