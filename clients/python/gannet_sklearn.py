# SPDX-License-Identifier: 0BSD
"""scikit-learn, whose estimators have no callbacks: every fold of a cross-validation is a step of the trial, so that
early stopping can give up a configuration after its first folds; and so is every pass of partial_fit.

    gannet_sklearn.cross_validate(estimator, x, y, cv=5, scoring="neg_log_loss")
    gannet_sklearn.partial_fit(SGDClassifier(), x, y, x_valid, y_valid, passes=30, classes=[0, 1])
"""

import gannet
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv


def _rows(table, which):
    """Of an array, of pandas, or of a list."""
    if hasattr(table, "iloc"):
        return table.iloc[which]
    return [table[i] for i in which] if isinstance(table, list) else table[which]


def cross_validate(estimator, x, y, cv=5, metric="score", trial=None, scoring=None, groups=None):
    """Tells the mean score of the folds so far; that of all folds, or of those before it was stopped. `scoring` and
    `groups` are scikit-learn's."""
    trial = trial or gannet.trial()
    folds, scores = check_cv(cv, y, classifier=is_classifier(estimator)), []
    score = check_scoring(estimator, scoring=scoring)
    for step, (train, test) in enumerate(folds.split(x, y, groups), 1):
        with trial.phase("forward"):
            model = clone(estimator).fit(_rows(x, train), _rows(y, train))
        with trial.phase("evaluation"):
            scores.append(score(model, _rows(x, test), _rows(y, test)))
        if trial.metric({metric: sum(scores) / len(scores)}, step=step):
            break
    return sum(scores) / len(scores)


def partial_fit(estimator, x, y, x_valid, y_valid, passes, metric="score", trial=None, **named):
    """Passes over the data; `named` goes to partial_fit. The estimator, trained until the end or until it was stopped."""
    trial = trial or gannet.trial()
    for step in range(1, passes + 1):
        with trial.phase("forward"):
            estimator.partial_fit(x, y, **named)
        with trial.phase("evaluation"):
            score = estimator.score(x_valid, y_valid)
        if trial.metric({metric: score}, step=step):
            break
    return estimator
