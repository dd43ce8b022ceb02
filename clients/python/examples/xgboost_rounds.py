# SPDX-License-Identifier: 0BSD
"""Boosted trees on two rings, 40 rounds; the search minimizes valid-logloss over eta and max_depth."""
import gannet
import gannet_xgboost
import numpy
import xgboost

ROUNDS = 40
trial = gannet.trial(eta=0.3, max_depth=3)
random = numpy.random.default_rng(1)
points = random.normal(size=(600, 2))
rings = (numpy.hypot(*points.T) + random.normal(scale=0.2, size=600) > 1.2).astype(int)
train, valid = xgboost.DMatrix(points[:400], rings[:400]), xgboost.DMatrix(points[400:], rings[400:])
before = gannet_xgboost.restored()
xgboost.train(
    {"eta": trial.params.eta, "max_depth": trial.params.max_depth, "objective": "binary:logistic", "nthread": 1},
    train,
    num_boost_round=ROUNDS - (before.num_boosted_rounds() if before else 0),
    evals=[(valid, "valid")],
    xgb_model=before,
    callbacks=[gannet_xgboost.Callback(save_every=1)],
    verbose_eval=False,
)
