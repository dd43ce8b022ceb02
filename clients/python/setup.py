# SPDX-License-Identifier: 0BSD
# The module as a package of its own: pip install ./clients/python
import atexit
import shutil
import tempfile

from setuptools import setup

MODULES = ["keras", "lightning", "sklearn", "torch", "transformers", "xgboost"]

# What the build makes lies elsewhere: an installed directory is one that not everybody may write.
elsewhere = tempfile.mkdtemp(prefix="gannet-python-")
atexit.register(shutil.rmtree, elsewhere, ignore_errors=True)

setup(
    name="gannet",
    version="0.1.0",
    description="Trials, searches and results of gannet, a hyperparameter search for clusters",
    py_modules=["gannet"] + ["gannet_" + one for one in MODULES],
    python_requires=">=3.6",
    license="0BSD",
    options={"build": {"build_base": elsewhere}, "egg_info": {"egg_base": elsewhere}},
)
