# SPDX-License-Identifier: 0BSD
# The module as a package of its own: pip install ./clients/python
from setuptools import setup

setup(
    name="gannet",
    version="0.1.0",
    description="Trials, searches and results of gannet, a hyperparameter search for clusters",
    py_modules=["gannet", "gannet_keras", "gannet_sklearn", "gannet_torch", "gannet_xgboost"],
    python_requires=">=3.6",
    license="0BSD",
)
