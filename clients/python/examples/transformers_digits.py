# SPDX-License-Identifier: 0BSD
"""A network with dropout on handwritten digits, 9 epochs by the Trainer of transformers; the search minimizes eval_loss over
lr and width."""
import logging
import os

import gannet
import gannet_transformers
import torch
import transformers

trial = gannet.trial(lr=0.01, width=32, data=os.path.join(os.path.dirname(__file__), "../../../examples/data/digits.csv"))
with open(trial.params.data) as file:
    rows = torch.tensor([[float(cell) for cell in line.split(",")] for line in file.read().split("\n")[1:] if line])
digits = [{"images": row[:64] / 16, "labels": row[64].long()} for row in rows]


class Network(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(64, width), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(width, 10)
        )

    def forward(self, images, labels):
        scores = self.layers(images)
        return {"loss": torch.nn.functional.cross_entropy(scores, labels), "logits": scores}


torch.set_num_threads(1)
transformers.set_seed(trial.seed % 2**32)
logging.getLogger("transformers").setLevel(logging.ERROR)
evaluation = "eval_strategy" if hasattr(transformers.TrainingArguments, "eval_strategy") else "evaluation_strategy"
trainer = transformers.Trainer(
    Network(trial.params.width),
    transformers.TrainingArguments(
        output_dir=os.path.join(trial.dir, "output"),
        num_train_epochs=9,
        learning_rate=trial.params.lr,
        per_device_train_batch_size=50,
        per_device_eval_batch_size=300,
        logging_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,
        seed=trial.seed % 2**32,
        disable_tqdm=True,
        report_to=[],
        **{evaluation: "epoch"},
    ),
    train_dataset=digits[:1500],
    eval_dataset=digits[1500:],
    callbacks=[gannet_transformers.Callback(by="epoch")],
)
trainer.train(resume_from_checkpoint=gannet_transformers.restored())
