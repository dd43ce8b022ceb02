# SPDX-License-Identifier: 0BSD
# The module as a package of its own: pip install ./clients/python
from setuptools import setup

MODULES = ["keras", "lightning", "sklearn", "torch", "transformers", "xgboost"]

setup(
    name="gannet",
    version="0.1.0",
    description="Trials, searches and results of gannet, a hyperparameter search for clusters",
    py_modules=["gannet"] + ["gannet_" + one for one in MODULES],
    python_requires=">=3.6",
    license="0BSD",
)
