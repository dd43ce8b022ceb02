/* Names of other tools; see foreign.h. The first row of a name is the one that counts. */
#include "scheduler/spec/foreign.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define PARAMETER "parameters.*"

const struct foreign foreign_keys[] = {
    /* the search as a whole */
    {"", "W&B", "method", "strategy", NULL},
    {"", "Optuna", "sampler", "strategy", NULL},
    {"", "Ray Tune", "search_alg", "strategy", NULL},
    {"", "Katib", "algorithm", "strategy", NULL},
    {"", "Katib", "algorithmName", "strategy.name", NULL},
    {"", "NNI", "tuner", "strategy", NULL},
    {"", "Determined", "searcher", "strategy", NULL},
    {"", "Hydra", "sweeper", "strategy", NULL},
    {"", "Azure ML", "sampling_algorithm", "strategy", NULL},
    {"", "Polyaxon", "matrix", NULL, "'matrix' is three keys here: 'parameters', 'strategy' and 'limits'"},
    {"", "Guild AI", "optimizer", "strategy", NULL},
    {"", "Orion", "algorithms", "strategy", NULL},
    {"strategy", "W&B", "method", "strategy.name", NULL},
    {"strategy", "Azure ML", "type", "strategy.name", NULL},
    {"strategy", "Katib", "algorithmName", "strategy.name", NULL},
    {"strategy", "Katib", "algorithmSettings", "strategy.options", NULL},
    {"strategy", "NNI", "classArgs", "strategy.options", NULL},
    {"strategy", "Optuna", "n_startup_trials", NULL, "a strategy's own options go under 'options'"},
    {"strategy", "Determined", "metric", "metric.name", NULL},
    {"*", "Determined", "smaller_is_better", NULL, "say it as metric.goal: minimize or maximize"},
    {"", "W&B", "early_terminate", "early_stop", NULL},
    {"", "Katib", "earlyStopping", "early_stop", NULL},
    {"", "Azure ML", "early_termination", "early_stop", NULL},
    {"", "Optuna", "pruner", "early_stop", NULL},
    {"", "Ray Tune", "scheduler", "early_stop", NULL},
    {"", "NNI", "assessor", "early_stop", NULL},
    {"", "Optuna", "study_name", "name", NULL},
    {"", "NNI", "experimentName", "name", NULL},
    {"", "Slurm", "job_name", "name", NULL},
    {"", "W&B", "project", NULL, "there are no projects here; put it among the 'tags'"},
    {"", "W&B", "entity", NULL, "there are no accounts here; leave it out"},
    {"", "Determined", "workspace", NULL, "there are no workspaces here; put it among the 'tags'"},
    {"", "Katib", "apiVersion", NULL, "this is a Kubernetes file; an experiment begins with 'version: 1'"},
    {"", "Katib", "kind", NULL, "this is a Kubernetes file; leave it out"},
    {"", "Katib", "metadata", NULL, "this is a Kubernetes file; write metadata.name as 'name'"},
    {"", "Katib", "spec", NULL, "this is a Kubernetes file; its keys stand at the top here"},
    {"", "Vertex", "studySpec", NULL, "its keys stand at the top here"},
    {"", "Hydra", "hydra", NULL, "write hydra.sweeper.params as 'parameters'"},
    {"", "Hydra", "defaults", NULL, "an experiment is one file; there are no groups"},
    {"", "Determined", "reproducibility", "seed", NULL},
    {"", "Optuna", "storage", NULL, "the store is in the run directory: gannet run --dir DIR"},
    {"", "Ray Tune", "storage_path", NULL, "say where with gannet run --dir DIR"},
    {"", "Ray Tune", "local_dir", NULL, "say where with gannet run --dir DIR"},
    {"*", "HyperQueue", "workers", NULL, "say it on the command line: gannet run --workers N"},
    {"*", "SMAC", "n_workers", NULL,
     "say it on the command line: gannet run --workers N; or limit with limits.max_concurrent"},
    /* what is optimized */
    {"", "Optuna", "direction", "metric.goal", NULL},
    {"", "Optuna", "directions", NULL, "metric: a list of {name, goal}"},
    {"", "Ray Tune", "mode", "metric.goal", NULL},
    {"", "NNI", "optimize_mode", "metric.goal", NULL},
    {"", "Katib", "objective", "metric", NULL},
    {"", "Azure ML", "primary_metric", "metric.name", NULL},
    {"", "SigOpt", "metrics", "metric", NULL},
    {"", "Katib", "metricsCollectorSpec", "trial.metrics_from", NULL},
    {"metric", "Katib", "objectiveMetricName", "metric.name", NULL},
    {"metric", "Vertex", "metricId", "metric.name", NULL},
    {"metric", "Azure ML", "primary_metric", "metric.name", NULL},
    {"metric", "Katib", "type", "metric.goal", NULL},
    {"metric", "Ray Tune", "mode", "metric.goal", NULL},
    {"metric", "Optuna", "direction", "metric.goal", NULL},
    {"metric", "SigOpt", "objective", "metric.goal", NULL},
    {"metric", "SigOpt", "threshold", "metric.target", NULL},
    {"metric", "Vertex", "measurementSelectionType", "metric.use", NULL},
    /* parameters */
    {"", "NNI", "searchSpace", "parameters", NULL},
    {"", "Azure ML", "search_space", "parameters", NULL},
    {"", "Ray Tune", "param_space", "parameters", NULL},
    {"", "Determined", "hyperparameters", "parameters", NULL},
    {"", "Guild AI", "flags", "parameters", NULL},
    {"", "Orion", "priors", "parameters", NULL},
    {"", "Hydra", "params", "parameters", NULL},
    {"", "ConfigSpace", "conditions", NULL, "a condition stands with its parameter: when: {optimizer: sgd}"},
    {"", "ConfigSpace", "forbiddens", NULL, "say what must hold under 'constraints'"},
    {"", "SigOpt", "linear_constraints", "constraints", NULL},
    {"", "Ax", "parameter_constraints", "constraints", NULL},
    {"", "Ray Tune", "points_to_evaluate", "start", NULL},
    {PARAMETER, "Optuna", "low", "parameters.*.min", NULL},
    {PARAMETER, "Optuna", "high", "parameters.*.max", NULL},
    {PARAMETER, "ConfigSpace", "lower", "parameters.*.min", NULL},
    {PARAMETER, "ConfigSpace", "upper", "parameters.*.max", NULL},
    {PARAMETER, "Determined", "minval", "parameters.*.min", NULL},
    {PARAMETER, "Determined", "maxval", "parameters.*.max", NULL},
    {PARAMETER, "Vertex", "minValue", "parameters.*.min", NULL},
    {PARAMETER, "Vertex", "maxValue", "parameters.*.max", NULL},
    {PARAMETER, "SigOpt", "bounds", NULL, "write its two numbers as 'min' and 'max'"},
    {PARAMETER, "Katib", "feasibleSpace", NULL, "write what is in it directly into the parameter"},
    {PARAMETER, "Vertex", "doubleValueSpec", NULL, "write what is in it directly into the parameter, with type: float"},
    {PARAMETER, "Vertex", "integerValueSpec", NULL, "write what is in it directly into the parameter, with type: int"},
    {PARAMETER, "Katib", "parameterType", "parameters.*.type", NULL},
    {PARAMETER, "Katib", "list", "parameters.*.values", NULL},
    {PARAMETER, "Optuna", "choices", "parameters.*.values", NULL},
    {PARAMETER, "ConfigSpace", "sequence", NULL, "write 'values: [...]' with 'ordered: true'"},
    {PARAMETER, "Determined", "vals", "parameters.*.values", NULL},
    {PARAMETER, "SigOpt", "categorical_values", "parameters.*.values", NULL},
    {PARAMETER, "SigOpt", "grid", NULL, "write 'values: [...]' with 'ordered: true'"},
    {PARAMETER, "Ray Tune", "grid_search", NULL, "write 'values: [...]', and 'strategy: grid' for the experiment"},
    {PARAMETER, "Determined", "val", "parameters.*.value", NULL},
    {PARAMETER, "W&B", "probabilities", "parameters.*.weights", NULL},
    {PARAMETER, "W&B", "mu", "parameters.*.mean", NULL},
    {PARAMETER, "W&B", "sigma", "parameters.*.stddev", NULL},
    {PARAMETER, "W&B", "q", NULL,
     "W&B's 'q' rounds to multiples of q; the nearest here is 'step: {}', counted from 'min'"},
    {PARAMETER, "W&B", "parameters", NULL, "parameters don't nest; write 'outer.inner: ...' under 'parameters'"},
    {PARAMETER, "Determined", "base", NULL,
     "the logarithm has no base here: write log: true, and 'min' and 'max' as values"},
    {PARAMETER, "Determined", "count", NULL,
     "the number of grid points is the strategy's: strategy: {name: grid, options: {levels: {}}}"},
    {PARAMETER, "Vertex", "scaleType", NULL, "write log: true for a logarithmic scale"},
    {PARAMETER, "SigOpt", "transformation", NULL, "write log: true for a logarithmic scale"},
    {PARAMETER, "SigOpt", "prior", NULL, "write 'mean' and 'stddev'"},
    {PARAMETER, "ConfigSpace", "default_value", "parameters.*.default", NULL},
    {PARAMETER, "Vertex", "conditionalParameterSpecs", NULL,
     "a condition stands with the child: when: {parent: value}"},
    {PARAMETER, "NNI", "_type", NULL, "write {min: ..., max: ...}, or {values: [...]}"},
    {PARAMETER, "NNI", "_value", NULL, "write {min: ..., max: ...}, or {values: [...]}"},
    /* one trial */
    {"", "W&B", "program", NULL, "write trial: {command: [python3, {}, \"${args}\"]}"},
    {"trial", "W&B", "program", NULL, "write command: [python3, {}, \"${args}\"]"},
    {"", "NNI", "trialCommand", "trial.command", NULL},
    {"", "NNI", "trialCodeDirectory", "trial.workdir", NULL},
    {"", "Determined", "entrypoint", "trial.command", NULL},
    {"trial", "Determined", "entrypoint", "trial.command", NULL},
    {"", "Katib", "trialTemplate", "trial", NULL},
    {"", "Determined", "environment", "trial.env", NULL},
    {"trial", "Determined", "environment_variables", "trial.env", NULL},
    {"trial", "HyperQueue", "cwd", "trial.workdir", NULL},
    {"*", "Determined", "max_restarts", "trial.retries", NULL},
    {"*", "Merlin", "max_retries", "trial.retries", NULL},
    {"*", "HyperQueue", "crash_limit", "trial.retries", NULL},
    {"trial", "HyperQueue", "time_limit", "limits.trial_time", NULL},
    {"trial", "gannet", "epochs", NULL, "a kernel's own options go under 'options': options: {epochs: {}}"},
    {"trial", "gannet", "dataset", NULL, "a kernel's own options go under 'options'"},
    {"trial", "gannet", "data", NULL, "a kernel's own options go under 'options'"},
    {"trial", "gannet", "stdout_pattern", NULL, "write metrics_from: {pattern: {}}"},
    /* limits */
    {"*", "W&B", "run_cap", "limits.max_trials", NULL},
    {"*", "Optuna", "n_trials", "limits.max_trials", NULL},
    {"*", "Ray Tune", "num_samples", "limits.max_trials", NULL},
    {"*", "Katib", "maxTrialCount", "limits.max_trials", NULL},
    {"*", "NNI", "maxTrialNumber", "limits.max_trials", NULL},
    {"*", "SigOpt", "observation_budget", "limits.max_trials", NULL},
    {"*", "SigOpt", "budget", "limits.max_trials", NULL},
    {"*", "Azure ML", "max_total_trials", "limits.max_trials", NULL},
    {"*", "Polyaxon", "numIterations", "limits.max_trials", NULL},
    {"*", "Polyaxon", "numRuns", "limits.max_trials", NULL},
    {"*", "Optuna", "n_jobs", "limits.max_concurrent", NULL},
    {"*", "Ray Tune", "max_concurrent_trials", "limits.max_concurrent", NULL},
    {"*", "Katib", "parallelTrialCount", "limits.max_concurrent", NULL},
    {"*", "NNI", "trialConcurrency", "limits.max_concurrent", NULL},
    {"*", "SigOpt", "parallel_bandwidth", "limits.max_concurrent", NULL},
    {"*", "Polyaxon", "concurrency", "limits.max_concurrent", NULL},
    {"*", "Katib", "maxFailedTrialCount", "limits.max_failures", NULL},
    {"*", "Orion", "max_broken", "limits.max_failures", NULL},
    {"*", "HyperQueue", "max_fails", "limits.max_failures", NULL},
    {"trial", "Optuna", "timeout", NULL, "'limits.trial_time' is for one trial, 'limits.time' for the whole search"},
    {"*", "Optuna", "timeout", "limits.time", NULL},
    {"*", "Ray Tune", "time_budget_s", "limits.time", NULL},
    {"*", "NNI", "maxExperimentDuration", "limits.time", NULL},
    {"*", "SMAC", "walltime_limit", "limits.time", NULL},
    {"*", "NNI", "maxTrialDuration", "limits.trial_time", NULL},
    {"*", "SMAC", "trial_walltime_limit", "limits.trial_time", NULL},
    {"*", "Azure ML", "trial_timeout", "limits.trial_time", NULL},
    {"*", "Determined", "max_length", NULL,
     "how long a trial trains is the kernel's: trial.options, or your program's own parameter"},
    {"limits", "Ray Tune", "epochs", NULL, "how long a trial trains is the kernel's: trial: {options: {epochs: {}}}"},
    {"limits", "Ray Tune", "max_epochs", NULL,
     "how long a trial trains is the kernel's: trial: {options: {epochs: {}}}"},
    {"", "Ray Tune", "stop", NULL, "write limits: {...}, or metric: {target: ...}"},
    /* Slurm */
    {"slurm", "Slurm", "gpus", NULL, "Slurm counts 'gpus' over the whole job; write 'gpus_per_node'"},
    {"slurm", "Slurm", "gpus_per_task", "slurm.gpus_per_node", NULL},
    {"slurm", "Slurm", "ntasks", NULL, "gannet starts one worker a node; write 'nodes'"},
    {"slurm", "Slurm", "ntasks_per_node", NULL,
     "gannet starts one worker a node, which has a slot for each trial, or as many as 'workers_per_node' says"},
    {"slurm", "Slurm", "array", NULL, "write shape: array, and how many as 'workers'"},
    {"slurm", "Slurm", "signal", "slurm.signal_before_end", NULL},
    {"slurm", "Slurm", "job_name", "name", NULL},
    {"slurm", "Slurm", "output", NULL, "the job's output is in the run directory's logs"},
    {"slurm", "submitit", "mem_gb", "slurm.mem", NULL},
    {"slurm", "submitit", "timeout_min", "slurm.time", NULL},
    {"slurm", "submitit", "additional_parameters", "slurm.sbatch_args", NULL},
    {"slurm", "HyperQueue", "max_worker_count", "slurm.workers", NULL},
    {"slurm", "HyperQueue", "idle_timeout", "slurm.idle_time", NULL},
    /* resources */
    {"", "Ray Tune", "resources_per_trial", "resources", NULL},
    {"*", "NNI", "trialGpuNumber", "resources.gpus", NULL},
    {"*", "Determined", "slots_per_trial", "resources.gpus", NULL},
    {"resources", "Ray Tune", "gpu", "resources.gpus", NULL},
    {"resources", "Ray Tune", "cpu", "resources.cpus", NULL},
    {"resources", "Slurm", "gres", "resources.gpus", NULL},
    {"*", "Slurm", "gpus_per_task", "resources.gpus", NULL},
    {"*", "Slurm", "cpus_per_task", "resources.cpus", NULL},
    {"resources", "Slurm", "mem", "resources.memory", NULL},
    {"*", "SMAC", "trial_memory_limit", "resources.memory", NULL},
    {"*", "Slurm", "partition", "slurm.partition", NULL},
    {"*", "Slurm", "account", "slurm.account", NULL},
    {"*", "Slurm", "qos", "slurm.qos", NULL},
    {"*", "Slurm", "nodes", "slurm.nodes", NULL},
    {"*", "Slurm", "gpus_per_node", "slurm.gpus_per_node", NULL},
    {"*", "Slurm", "walltime", "slurm.time", NULL},
    {"*", "Determined", "slurm_options", "slurm.sbatch_args", NULL},
};
const size_t foreign_key_count = sizeof foreign_keys / sizeof *foreign_keys;

bool foreign_same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, "-_");
        b += strspn(b, "-_");
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

static bool is_in(const struct foreign *row, const char *section)
{
    bool anywhere = strcmp(row->section, "*") == 0 && strcmp(section, PARAMETER) != 0;
    return anywhere || strcmp(row->section, section) == 0;
}

/* Tools spell alike: the exact spelling tells whose word it is. */
const struct foreign *foreign_find(const char *section, const char *name)
{
    const struct foreign *found = NULL;
    for (size_t i = 0; i < foreign_key_count; i++) {
        const struct foreign *row = &foreign_keys[i];
        if (is_in(row, section) && strcmp(row->name, name) == 0)
            return row;
        if (!found && is_in(row, section) && foreign_same_name(row->name, name))
            found = row;
    }
    return found;
}

#define EARLY_STOP "it says which trials are stopped early: that is the key 'early_stop'"

static const struct foreign_word words[] = {
    {"metric.goal", "min", "minimize", NULL},
    {"metric.goal", "minimise", "minimize", NULL},
    {"metric.goal", "lower", "minimize", NULL},
    {"metric.goal", "smaller", "minimize", NULL},
    {"metric.goal", "down", "minimize", NULL},
    {"metric.goal", "max", "maximize", NULL},
    {"metric.goal", "maximise", "maximize", NULL},
    {"metric.goal", "higher", "maximize", NULL},
    {"metric.goal", "larger", "maximize", NULL},
    {"metric.goal", "up", "maximize", NULL},
    {"metric.use", "final", "last", NULL},
    {"metric.use", "LAST_MEASUREMENT", "last", NULL},
    {"metric.use", "BEST_MEASUREMENT", "best", NULL},
    {"metric.use", "min", "best", NULL},
    {"metric.use", "max", "best", NULL},
    {"resources.bind", "cores", "core", NULL},
    {"resources.bind", "sockets", "socket", NULL},
    {"resources.bind", "package", "socket", NULL},
    {"strategy.name", "random_search", "random", NULL},
    {"strategy.name", "random_sampler", "random", NULL},
    {"strategy.name", "grid_search", "grid", NULL},
    {"strategy.name", "brute_force", "grid", NULL},
    {"strategy.name", "qmc", "sobol", NULL},
    {"strategy.name", "quasi_random", "sobol", NULL},
    {"strategy.name", "halton", "sobol", NULL},
    {"strategy.name", "bayes", "gp", NULL},
    {"strategy.name", "bayesian", "gp", NULL},
    {"strategy.name", "bayesian_optimization", "gp", NULL},
    {"strategy.name", "gaussian_process", "gp", NULL},
    {"strategy.name", "smac", "forest", NULL},
    {"strategy.name", "random_forest", "forest", NULL},
    {"strategy.name", "hyperopt", "tpe", NULL},
    {"strategy.name", "cma_es", "cmaes", NULL},
    {"strategy.name", "cma", "cmaes", NULL},
    {"strategy.name", "nsga2", "evolution", NULL},
    {"strategy.name", "nsgaii", "evolution", NULL},
    {"strategy.name", "genetic", "evolution", NULL},
    {"strategy.name", "regularized_evolution", "evolution", NULL},
    {"strategy.name", "population_based_training", "pbt", NULL},
    {"strategy.name", "hyperband", NULL, EARLY_STOP},
    {"strategy.name", "bohb", NULL, "write strategy: tpe and early_stop: hyperband"},
    {"strategy.name", "asha", NULL, EARLY_STOP},
    {"strategy.name", "adaptive_asha", NULL, EARLY_STOP},
    {"trial.args_style", "hydra", "plain", NULL},
    {"trial.args_style", "overrides", "plain", NULL},
    {"trial.args_style", "argparse", "equals", NULL},
    {"trial.args_style", "flags", NULL, "say it with the parameters that are switches: arg: flag"},
    {"trial.args_style", "env", NULL, "a program finds its parameters as GANNET_PARAM_NAME in its environment anyway"},
    {"parameters.*.type", "double", "float", NULL},
    {"parameters.*.type", "real", "float", NULL},
    {"parameters.*.type", "number", "float", NULL},
    {"parameters.*.type", "uniform", "float", NULL},
    {"parameters.*.type", "integer", "int", NULL},
    {"parameters.*.type", "log", NULL, "write log: true, with 'min' and 'max' as values, not exponents"},
    {"parameters.*.type", "loguniform", NULL, "write log: true, with 'min' and 'max' as values, not exponents"},
    {"parameters.*.type", "categorical", NULL, "a choice needs no type; write 'values: [...]'"},
    {"parameters.*.type", "choice", NULL, "a choice needs no type; write 'values: [...]'"},
    {"parameters.*.type", "discrete", NULL, "write 'values: [...]' with 'ordered: true'"},
    {"parameters.*.type", "const", NULL, "a constant needs no type; write 'value: ...'"},
    {"parameters.*.type", "normal", NULL, "a normal parameter needs no type; write 'mean' and 'stddev'"},
};

const struct foreign_word *foreign_find_word(const char *path, const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].path, path) == 0 && foreign_same_name(words[i].word, word))
            return &words[i];
    return NULL;
}

/* --- distributions: W&B's, NNI's and Katib's in our keys --- */

struct foreign_distribution {
    const char *name, *advice;
};

static const struct foreign_distribution distributions[] = {
    {"uniform", "leave it out: 'min' and 'max' alone mean uniform; write reals with a point, or type: float"},
    {"int_uniform", "leave it out: whole 'min' and 'max' alone mean uniform whole numbers"},
    {"randint", "leave it out: whole 'min' and 'max' alone mean uniform whole numbers (both included)"},
    {"q_uniform", "write min, max and step"},
    {"q_uniform_values", "write min, max and step"},
    {"log_uniform_values", "write log: true, with 'min' and 'max' as they are"},
    {"q_log_uniform_values", "write log: true and, for whole numbers, type: int"},
    {"inv_log_uniform", "search 1/x instead: write log: true with the inverse bounds"},
    {"inv_log_uniform_values", "search 1/x instead: write log: true with the inverse bounds"},
    {"normal", "leave it out: 'mean' and 'stddev' alone mean normal"},
    {"q_normal", "write 'mean' and 'stddev'; a normal parameter has no steps"},
    {"log_normal", "write 'mean' and 'stddev' of the logarithm, and log: true"},
    {"q_log_normal", "write 'mean' and 'stddev' of the logarithm, and log: true"},
    {"categorical", "leave it out: 'values' alone mean a choice"},
    {"categorical_w_probabilities", "leave it out and write the probabilities as 'weights'"},
    {"choice", "leave it out: 'values' alone mean a choice"},
    {"constant", "leave it out: 'value' alone means a constant"},
};

bool foreign_is_distribution(const char *name)
{
    return foreign_same_name(name, "distribution");
}

/* W&B's log_uniform: the bounds are exponents of e. */
static void hint_exponents(struct problem *problem, const struct node *map)
{
    double min, max;
    if (!node_number(node_find(map, "min"), &min) || !node_number(node_find(map, "max"), &max))
        problem_hint(problem, "W&B's log_uniform takes exponents; write log: true, with 'min' and 'max' as values");
    else if (max > 0 && min >= 0)
        problem_hint(problem, "write log: true, with 'min' and 'max' as values");
    else
        problem_hint(problem,
                     "W&B's log_uniform takes exponents: for e^%g .. e^%g write {min: %.3g, max: %.3g, log: true}", min,
                     max, exp(min), exp(max));
}

void foreign_hint_distribution(struct problem *problem, const struct node *map, const struct node *named)
{
    if (!node_is(named, SCALAR_TEXT)) {
        problem_hint(problem, "leave it out: the keys of a parameter say what it is");
        return;
    }
    if (foreign_same_name(named->text, "log_uniform") || foreign_same_name(named->text, "q_log_uniform")) {
        hint_exponents(problem, map);
        return;
    }
    for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++)
        if (foreign_same_name(named->text, distributions[i].name)) {
            problem_hint(problem, "%s", distributions[i].advice);
            return;
        }
    problem_hint(problem, "the keys say it here: min and max (log, step), values, mean and stddev, or value");
}
