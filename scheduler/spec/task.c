/* The spec's part that workers need, as JSON; see task.h. */
#include "scheduler/spec/task.h"
#include "common/gpu_share.h"

#include <jansson.h>

static json_t *texts_to_json(char *const *texts, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(texts[i]));
    return list;
}

static json_t *env_to_json(const struct spec_trial *trial)
{
    json_t *env = json_object();
    for (uint32_t i = 0; i < trial->env_count; i++)
        json_object_set_new(env, trial->env[i].name, json_string(trial->env[i].text));
    return env;
}

/* The image that the command runs in. */
static void set_container(json_t *task, const struct spec_trial *trial)
{
    if (trial->container)
        json_object_set_new(task, "container", json_string(trial->container));
    if (trial->container_runtime)
        json_object_set_new(task, "container_runtime", json_string(trial->container_runtime));
    if (trial->container_option_count)
        json_object_set_new(task, "container_options",
                            texts_to_json(trial->container_options, trial->container_option_count));
}

/* How the output is read. */
static void set_output(json_t *task, const struct spec_trial *trial)
{
    const json_t *file = json_object_get(trial->metrics_from, "file"),
                 *pattern = json_object_get(trial->metrics_from, "pattern");
    if (file)
        json_object_set(task, "metrics_file", (json_t *)file);
    if (pattern)
        json_object_set(task, "pattern", (json_t *)pattern);
    if (trial->buffered)
        json_object_set_new(task, "buffered", json_true());
}

/* A process that holds a GiB more than after its first trial leaks, or caches what the next one may not need. */
static void set_persistent(json_t *task, const struct spec_persistent *persistent)
{
    static const uint64_t usual_growth = 1 << 30;
    uint64_t growth = persistent->growth ? persistent->growth : usual_growth;
    if (!persistent->on)
        return;
    json_object_set_new(task, "persistent", json_true());
    if (persistent->trials)
        json_object_set_new(task, "persistent_trials", json_integer((json_int_t)persistent->trials));
    json_object_set_new(task, "persistent_growth", json_integer((json_int_t)growth));
}

static void set_program(json_t *task, const struct spec_trial *trial)
{
    if (trial->kernel)
        json_object_set_new(task, "kernel", json_string(trial->kernel));
    else
        json_object_set_new(task, "command", texts_to_json(trial->command, trial->command_count));
    if (trial->options)
        json_object_set(task, "options", trial->options);
    set_container(task, trial);
    set_output(task, trial);
    if (trial->launch_first)
        json_object_set_new(task, "launch_first", json_true());
    set_persistent(task, &trial->persistent);
    if (trial->env_count)
        json_object_set_new(task, "env", env_to_json(trial));
    if (trial->config)
        json_object_set(task, "config", trial->config);
    if (trial->args_style || trial->args)
        json_object_set_new(task, "args",
                            json_pack("{s:s, s:O?}", "style", args_style_words[trial->args_style], "own", trial->args));
}

static json_t *metrics_to_json(const struct spec *spec)
{
    json_t *names = json_array();
    struct metrics metrics = spec_metrics(spec);
    for (uint32_t i = 0; i < metrics.count; i++)
        json_array_append_new(names, json_string(metrics.items[i].name));
    return names;
}

/* Those of the metrics that are divided by 100 where they are printed with a percent sign. */
static void set_percent(json_t *task, const struct spec *spec)
{
    json_t *names = json_array();
    struct metrics metrics = spec_metrics(spec);
    for (uint32_t i = 0; i < metrics.count; i++)
        if (metrics.items[i].percent)
            json_array_append_new(names, json_string(metrics.items[i].name));
    if (json_array_size(names))
        json_object_set(task, "percent", names);
    json_decref(names);
}

static json_t *resources_to_json(const struct spec_resources *resources)
{
    json_t *json = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:s}", "cpus", (json_int_t)resources->cpus, "sockets",
                             (json_int_t)resources->sockets, "gpus", (json_int_t)resources->gpus, "memory",
                             (json_int_t)resources->memory, "ranks", (json_int_t)resources->ranks, "nodes",
                             (json_int_t)resources->nodes, "bind", bind_name(resources->bind));
    if (resources->per_socket)
        json_object_set_new(json, "trials_per_socket", json_integer(resources->per_socket));
    if (resources->fuse > 1)
        json_object_set_new(json, "fuse", json_integer(resources->fuse));
    if (resources->gpus && gpu_share_slots(resources->gpu_share) > 1)
        json_object_set_new(json, "gpu_slots", json_integer(gpu_share_slots(resources->gpu_share)));
    if (resources->gpu_memory)
        json_object_set_new(json, "gpu_memory", json_integer((json_int_t)resources->gpu_memory));
    if (resources->mps != MPS_AUTO)
        json_object_set_new(json, "mps", json_string(mps_name(resources->mps)));
    return json;
}

uint64_t task_max_steps(const struct spec *spec)
{
    double steps = json_number_value(json_object_get(spec->early_stop, "max_steps"));
    return steps > 0 ? (uint64_t)steps : 0;
}

static void set_checkpoints(json_t *task, const struct spec *spec, bool keep)
{
    bool can = spec->trial.checkpoint == CHECKPOINT_YES;
    if (can)
        json_object_set_new(task, "checkpoint", json_true());
    if (can && keep)
        json_object_set_new(task, "keep", json_true());
    if (spec->trial.signal != SIGNAL_NONE)
        json_object_set_new(task, "signal", json_string(signal_word(spec->trial.signal)));
    if (task_max_steps(spec))
        json_object_set_new(task, "max_steps", json_integer((json_int_t)task_max_steps(spec)));
}

/* Which operations are timed. */
static void set_profile(json_t *task, const struct spec_profile *profile)
{
    if (profile->operations)
        json_object_set_new(task, "profile",
                            json_pack("{s:O, s:I, s:I}", "operations", profile->operations, "first",
                                      (json_int_t)profile->steps.first, "last", (json_int_t)profile->steps.last));
}

/* Where processes of several nodes may listen for each other. */
static void set_ports(json_t *task, const struct spec *spec)
{
    if (spec->resources.nodes < 2 || !spec->network.ports.last)
        return;
    json_object_set_new(task, "first_port", json_integer(spec->network.ports.first));
    json_object_set_new(task, "last_port", json_integer(spec->network.ports.last));
}

char *task_write(const struct spec *spec, const char *directory, bool keep, struct err *err)
{
    json_t *task =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:f, s:f, s:o}", "experiment", spec->name, "directory", directory,
                  "base", spec->base, "workdir", spec->trial.workdir ? spec->trial.workdir : spec->base, "metric",
                  spec->metric.name, "metrics", metrics_to_json(spec), "trial_time", spec->limits.trial_time, "grace",
                  spec->trial.grace, "resources", resources_to_json(&spec->resources));
    if (!task) {
        err_write(err, "the paths of the experiment are not UTF-8; move it: %s", directory);
        return NULL;
    }
    set_program(task, &spec->trial);
    set_percent(task, spec);
    set_profile(task, &spec->profile);
    set_checkpoints(task, spec, keep);
    set_ports(task, spec);
    char *text = json_dumps(task, JSON_COMPACT);
    json_decref(task);
    return text;
}
