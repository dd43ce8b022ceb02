"""A task's parameters as a ConfigSpace, for the tools that read one: they know conditions."""

import ConfigSpace

import bench


def hyperparameter(parameter):
    name = parameter["name"]
    if bench.is_nominal(parameter):
        return ConfigSpace.CategoricalHyperparameter(name, list(range(len(parameter["values"]))))
    (low, high, log, whole), _ = bench.as_range(parameter)
    kind = ConfigSpace.UniformIntegerHyperparameter if whole else ConfigSpace.UniformFloatHyperparameter
    return kind(name, low, high, log=log)


def condition(task, made, parameter, when):
    """`parameter` is active when its parent has one of the values; parents are lists of choices."""
    parent = next(p for p in task.parameters if p["name"] == when["parent"])
    places = [parent["values"].index(value) for value in when["values"]]
    return ConfigSpace.InCondition(made[parameter["name"]], made[parent["name"]], places)


def config_space(task, seed):
    made = {p["name"]: hyperparameter(p) for p in task.parameters}
    space = ConfigSpace.ConfigurationSpace(seed=seed)
    space.add(*made.values())
    for parameter in task.parameters:
        conditions = [condition(task, made, parameter, when) for when in parameter["when"]]
        if conditions:
            space.add(conditions[0] if len(conditions) == 1 else ConfigSpace.AndConjunction(*conditions))
    return space
