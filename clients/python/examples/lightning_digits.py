# SPDX-License-Identifier: 0BSD
"""A network with dropout on handwritten digits, 9 epochs by Lightning; the search minimizes val_loss over lr and width."""
import logging
import os
import warnings

import gannet
import gannet_lightning
import torch

try:
    import lightning.pytorch as lightning
except ImportError:
    import pytorch_lightning as lightning

trial = gannet.trial(lr=0.01, width=32, data=os.path.join(os.path.dirname(__file__), "../../../examples/data/digits.csv"))
with open(trial.params.data) as file:
    rows = torch.tensor([[float(cell) for cell in line.split(",")] for line in file.read().split("\n")[1:] if line])
digits = torch.utils.data.TensorDataset(rows[:, :64] / 16, rows[:, 64].long())
train, held_back = torch.utils.data.Subset(digits, range(1500)), torch.utils.data.Subset(digits, range(1500, len(digits)))


class Network(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        width = trial.params.width
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(64, width), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(width, 10)
        )

    def training_step(self, batch, _):
        return torch.nn.functional.cross_entropy(self.layers(batch[0]), batch[1])

    def validation_step(self, batch, _):
        self.log("val_loss", torch.nn.functional.cross_entropy(self.layers(batch[0]), batch[1]))

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=trial.params.lr)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.5)]


warnings.filterwarnings("ignore", ".*num_workers|.*does not have many workers")
for name in ("lightning", "lightning.pytorch", "pytorch_lightning"):
    logging.getLogger(name).setLevel(logging.ERROR)
torch.set_num_threads(1)
lightning.seed_everything(trial.seed % 2**32)
trainer = lightning.Trainer(
    max_epochs=9,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    callbacks=[gannet_lightning.Callback()],
)
trainer.fit(
    Network(),
    torch.utils.data.DataLoader(train, 50, shuffle=True),
    torch.utils.data.DataLoader(held_back, 300),
    ckpt_path=gannet_lightning.restored(),
)
