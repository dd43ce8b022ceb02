"""A program of Hydra: its defaults stand in conf/config.yaml, and name=value on the command line changes them."""
import time

import hydra
from omegaconf import DictConfig

CURVATURE = (1.0, 10.0)


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig) -> None:
    """Least squares in two directions of different curvature, by gradient descent with momentum."""
    w, v = [1.0, 1.0], [0.0, 0.0]
    for epoch in range(1, cfg.trainer.epochs + 1):
        time.sleep(cfg.trainer.seconds)
        for _ in range(4):
            v = [cfg.optimizer.momentum * a - cfg.optimizer.lr * c * x for a, c, x in zip(v, CURVATURE, w)]
            w = [x + a for x, a in zip(w, v)]
        val_loss = 0.5 * sum(c * x * x for c, x in zip(CURVATURE, w)) + abs(cfg.model.width - 16) / 100
        print(f"epoch: {epoch}, val_loss: {val_loss:.8f}")


if __name__ == "__main__":
    main()
