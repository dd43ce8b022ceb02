# SPDX-License-Identifier: 0BSD
"""Nine folds of a random forest on two rings; the search maximizes score over depth and leaf."""
import gannet
import gannet_sklearn
import numpy
from sklearn.ensemble import RandomForestClassifier

trial = gannet.trial(depth=3, leaf=5)
random = numpy.random.default_rng(1)
points = random.normal(size=(400, 2))
rings = (numpy.hypot(*points.T) + random.normal(scale=0.2, size=400) > 1.2).astype(int)
forest = RandomForestClassifier(20, max_depth=trial.params.depth, min_samples_leaf=trial.params.leaf, random_state=1)
gannet_sklearn.cross_validate(forest, points, rings, cv=9)
