/* Reading an experiment file; see spec.h for what it gives and read.h for the steps. */
#include "scheduler/spec/read.h"
#include "scheduler/spec/defaults.h"
#include "scheduler/spec/load.h"
#include "scheduler/spec/parameters.h"
#include "scheduler/spec/text.h"
#include "scheduler/spec/type.h"
#include "common/gpu_share.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct mark nowhere = {0};

/* --- what keys mean together --- */

/* Exactly one of kernel and command; a command takes no options, and a kernel reports by itself. */
static void check_trial(struct reading *reading)
{
    const struct entry *trial = node_entry(reading->root, "trial");
    const struct node *map = trial ? trial->node : NULL;
    const struct entry *kernel = node_entry(map, "kernel"), *command = node_entry(map, "command");
    const struct entry *options = node_entry(map, "options"), *from = node_entry(map, "metrics_from");
    if (!trial || (trial->node->kind != NODE_MAP && !node_is(trial->node, SCALAR_NULL)))
        return;
    if (kernel && command)
        problem_say(reading->problems, PROBLEM_CONFLICT, command->mark,
                    "write 'kernel' for what gannet brings along, 'command' for your own program",
                    "'trial' has both a kernel and a command");
    else if (!kernel && !command)
        problem_say(reading->problems, PROBLEM_MISSING_KEY, trial->mark,
                    "write kernel: mlp, or command: [python, train.py, \"${args}\"]",
                    "'trial' has neither a kernel nor a command");
    else if (command && options)
        problem_say(reading->problems, PROBLEM_CONFLICT, options->mark,
                    "give your program its options in 'command' or 'env'", "'options' are a kernel's");
    if (kernel && from && from->node->kind == NODE_MAP)
        problem_say(reading->problems, PROBLEM_CONFLICT, from->mark, "leave it out",
                    "'metrics_from' is of commands: a kernel reports its metrics by itself");
}

/* A process that is kept is one of a command's. In a container it would see the directory of its first trial alone. */
static void check_persistent(struct reading *reading)
{
    const struct node *map = node_find(reading->root, "trial");
    const struct entry *persistent = node_entry(map, "persistent");
    if (!persistent || !reading->spec->trial.persistent.on)
        return;
    if (node_entry(map, "kernel"))
        problem_say(reading->problems, PROBLEM_CONFLICT, persistent->mark, "leave it out",
                    "'trial.persistent' is of commands: the process of a kernel stays anyway");
    else if (node_entry(map, "container"))
        problem_say(reading->problems, PROBLEM_CONFLICT, persistent->mark, "leave one of them out",
                    "a program in a container (trial.container) can't be persistent");
}

/* Two keys of a section of which only one can be given. */
static void check_exclusive(struct reading *reading, const char *section, const char *one, const char *other,
                            const char *sentence, const char *hint)
{
    const struct node *map = node_find(reading->root, section);
    const struct entry *first = node_entry(map, one), *second = node_entry(map, other);
    if (first && second)
        problem_say(reading->problems, PROBLEM_CONFLICT, (first->mark.line > second->mark.line ? first : second)->mark,
                    hint, "%s", sentence);
}

/* A container is a command's, and an image is a file: what is fetched for each trial would be fetched by many at once.
 */
static void check_container(struct reading *reading)
{
    const struct node *map = node_find(reading->root, "trial");
    const struct entry *container = node_entry(map, "container"), *kernel = node_entry(map, "kernel");
    const struct entry *runtime = node_entry(map, "container_runtime"), *options = node_entry(map, "container_options");
    const struct entry *alone = runtime ? runtime : options;
    const char *name = reading->spec->trial.container_runtime;
    if (container && kernel)
        problem_say(reading->problems, PROBLEM_CONFLICT, container->mark, "kernels need none",
                    "'trial.container' is a command's");
    if (container && container->node->kind == NODE_SCALAR && strstr(container->node->text, "://"))
        problem_hint(problem_add(reading->problems, PROBLEM_BAD_VALUE, container->node->mark,
                                 "'trial.container' is the file of an image, not an address"),
                     "make the file once: apptainer build image.sif %s", container->node->text);
    if (alone && !container)
        problem_say(reading->problems, PROBLEM_MISSING_KEY, alone->mark, "write container: image.sif",
                    "'trial.%s' needs 'trial.container'", alone->key);
    if (name && strcmp(name, "apptainer") != 0 && strcmp(name, "singularity") != 0)
        problem_say(reading->problems, PROBLEM_BAD_VALUE, runtime->node->mark,
                    "write apptainer or singularity; a daemon's containers are out of a worker's reach",
                    "'trial.container_runtime' can't be '%s'", name);
}

/* Processes share the cores of their trial, and each is to have one; the GPUs they choose by their number. */
static void check_ranks(struct reading *reading)
{
    const struct spec_resources *resources = &reading->spec->resources;
    const struct node *map = node_find(reading->root, "resources");
    const struct entry *ranks = node_entry(map, "ranks");
    reading->spec->resources.ranks_given = ranks != NULL;
    if (!ranks || resources->ranks < 2)
        return;
    if (reading->spec->trial.persistent.on)
        problem_say(reading->problems, PROBLEM_CONFLICT, ranks->mark, "leave it out, or trial.persistent",
                    "a persistent program is one process: 'trial.persistent' and %u ranks exclude each other",
                    resources->ranks);
    else if (resources->cpus && resources->ranks > resources->cpus)
        problem_hint(problem_add(reading->problems, PROBLEM_CONFLICT, ranks->mark,
                                 "%u processes can't share %u core%s: each is to have one", resources->ranks,
                                 resources->cpus, resources->cpus == 1 ? "" : "s"),
                     "write cpus: %u, or fewer ranks", resources->ranks);
}

/* What trials that train together can't be, or have. */
static const char *fuse_excludes(const struct spec *spec, const struct node *map)
{
    const struct spec_resources *resources = &spec->resources;
    return !spec->trial.kernel         ? "a command"
           : resources->ranks > 1      ? "'resources.ranks'"
           : resources->nodes > 1      ? "'resources.nodes'"
           : resources->cpus > 1       ? "more than one of 'resources.cpus'"
           : resources->sockets        ? "'resources.sockets'"
           : resources->per_socket     ? "'resources.trials_per_socket'"
           : resources->gpus           ? "'resources.gpus'"
           : node_entry(map, "on_oom") ? "'resources.on_oom'"
                                       : NULL;
}

static void check_fuse(struct reading *reading)
{
    const struct node *map = node_find(reading->root, "resources");
    const struct entry *fuse = node_entry(map, "fuse");
    const char *excluded = fuse_excludes(reading->spec, map);
    if (fuse && reading->spec->resources.fuse > 1 && excluded)
        problem_say(reading->problems, PROBLEM_CONFLICT, fuse->mark, "leave one of them out",
                    "'resources.fuse' and %s exclude each other: such trials of a kernel train in one process on one "
                    "core",
                    excluded);
}

/* Without others to start the first process is the only one, and is told nothing. */
static void check_launch(struct reading *reading)
{
    const struct entry *launch = node_entry(node_find(reading->root, "trial"), "launch");
    if (launch && reading->spec->trial.launch_first && reading->spec->resources.ranks < 2 &&
        reading->spec->resources.nodes < 2)
        problem_say(reading->problems, PROBLEM_LONE_LAUNCH, launch->mark,
                    "write resources: {ranks: 4} or {nodes: 2}, or leave it out",
                    "'trial.launch: first' changes nothing: the trial is one process");
}

/* Jobs of several nodes have them at the same time. One node is what is asked for when nothing is said. */
static void check_slurm_nodes(struct reading *reading, const struct entry *nodes)
{
    const struct spec *spec = reading->spec;
    const struct entry *slurm = node_entry(node_find(reading->root, "slurm"), "nodes");
    if (spec->slurm.shape != SHAPE_JOB)
        problem_say(
            reading->problems, PROBLEM_CONFLICT, nodes->mark, "write slurm.shape: job",
            "a trial on %u nodes needs them at the same time, and with this 'slurm.shape' each worker has a job "
            "of its own, which Slurm starts when and where it likes",
            spec->resources.nodes);
    else if (slurm && spec->slurm.nodes > 1 && spec->slurm.nodes < spec->resources.nodes)
        problem_say(reading->problems, PROBLEM_CONFLICT, slurm->mark, "leave it out, or give as many or more",
                    "'slurm.nodes' is %u, and a trial takes a slot on each of %u (resources.nodes)", spec->slurm.nodes,
                    spec->resources.nodes);
}

/* The nodes of a trial are alike, and none takes memory from its neighbours. */
static void check_nodes(struct reading *reading)
{
    const struct spec_resources *resources = &reading->spec->resources;
    const struct node *map = node_find(reading->root, "resources");
    const struct entry *nodes = node_entry(map, "nodes"), *on_oom = node_entry(map, "on_oom");
    if (!nodes || resources->nodes < 2)
        return;
    if (reading->spec->trial.kernel)
        problem_say(reading->problems, PROBLEM_CONFLICT, nodes->mark, "leave it out, or write a command",
                    "'resources.nodes' is of commands: the processes of kernel %s are on one node",
                    reading->spec->trial.kernel);
    else if (reading->spec->trial.persistent.on)
        problem_say(reading->problems, PROBLEM_CONFLICT, nodes->mark, "leave it out, or trial.persistent",
                    "a persistent program is one process: 'trial.persistent' and %u nodes exclude each other",
                    resources->nodes);
    else if (on_oom)
        problem_say(reading->problems, PROBLEM_CONFLICT, on_oom->mark, "leave it out, and give resources.memory more",
                    "'resources.on_oom' is of trials on one node: a trial on %u takes the same memory on each",
                    resources->nodes);
    check_slurm_nodes(reading, nodes);
}

/* Of what is given more, there has to be a limit first; a most that is no more would never be given; and who has no
 * retries is given none. */
static void check_growth(struct reading *reading, const char *section, const char *grows, const char *most_name,
                         const char *base_name, double base, double most)
{
    const struct node *map = node_find(reading->root, section);
    const struct entry *growth = node_entry(map, grows), *limit = node_entry(map, most_name);
    if (growth && base <= 0)
        problem_hint(problem_add(reading->problems, PROBLEM_MISSING_KEY, growth->mark, "'%s.%s' needs '%s.%s'", section,
                                 grows, section, base_name),
                     "say what the first attempt is given");
    else if (growth && !reading->spec->trial.retries)
        problem_say(reading->problems, PROBLEM_CONFLICT, growth->mark, "write trial: {retries: 2}",
                    "'%s.%s' is about further attempts, and 'trial.retries' is 0", section, grows);
    else if (growth && limit && most <= base)
        problem_say(reading->problems, PROBLEM_BAD_RANGE, limit->mark, "it has to be above it",
                    "'%s.%s' is not above '%s.%s'", section, most_name, section, base_name);
    else if (!growth && limit)
        problem_say(reading->problems, PROBLEM_MISSING_KEY, limit->mark, "write x2 for twice as much",
                    "'%s.%s' needs '%s.%s'", section, most_name, section, grows);
}

static void check_growths(struct reading *reading)
{
    const struct spec_resources *resources = &reading->spec->resources;
    const struct spec_limits *limits = &reading->spec->limits;
    check_growth(reading, "resources", "on_oom", "memory_max", "memory", (double)resources->memory,
                 (double)resources->memory_max);
    check_growth(reading, "limits", "on_timeout", "trial_time_max", "trial_time", limits->trial_time,
                 limits->trial_time_max);
}

/* How many machines there are to be is said by another key for each shape; the wrong one would be one machine without
 * a word. */
static void check_count(struct reading *reading, const struct node *map)
{
    const struct spec_slurm *slurm = &reading->spec->slurm;
    const struct entry *nodes = node_entry(map, "nodes"), *workers = node_entry(map, "workers");
    if (nodes && slurm->nodes > 1 && slurm->shape != SHAPE_JOB)
        problem_hint(
            problem_add(reading->problems, PROBLEM_CONFLICT, nodes->mark, "'slurm.nodes' counts with shape job alone"),
            "write workers: %u, each of which has a node", slurm->nodes);
    if (workers && slurm->workers > 1 && slurm->shape == SHAPE_JOB)
        problem_hint(problem_add(reading->problems, PROBLEM_CONFLICT, workers->mark,
                                 "'slurm.workers' counts with shape array or elastic"),
                     "write nodes: %u, or another shape", slurm->workers);
}

static void check_time(struct reading *reading, const struct node *map, const char *name, double seconds,
                       const char *hint)
{
    const struct entry *entry = node_entry(map, name);
    double time = reading->spec->slurm.time;
    char of_key[32], of_job[32];
    if (entry && time > 0 && seconds > time)
        problem_say(reading->problems, PROBLEM_BAD_VALUE, entry->node->mark, hint,
                    "'slurm.%s' is %s, longer than slurm.time, %s", name,
                    units_show_duration(seconds, of_key, sizeof of_key),
                    units_show_duration(time, of_job, sizeof of_job));
}

static void check_slurm(struct reading *reading)
{
    const struct node *map = node_find(reading->root, "slurm");
    const struct spec_slurm *slurm = &reading->spec->slurm;
    if (!map || map->kind != NODE_MAP)
        return;
    check_exclusive(reading, "slurm", "gres", "gpus_per_node", "'slurm' has both 'gres' and 'gpus_per_node'",
                    "write one of them");
    check_exclusive(reading, "slurm", "mem", "mem_per_cpu", "'slurm' has both 'mem' and 'mem_per_cpu'",
                    "write one of them");
    check_count(reading, map);
    check_time(reading, map, "time_min", slurm->time_min, "it is the least of which slurm.time is the most");
    check_time(reading, map, "signal_before_end", slurm->signal_before_end, "leave trials some time to run");
}

/* An address is handed to programs, where a dash in front would be an option. */
static void check_mail(struct reading *reading)
{
    const char *mail = reading->spec->notify.mail;
    const struct node *node = node_find(node_find(reading->root, "notify"), "mail");
    for (const char *at = mail; node && at && *at; at += strcspn(at, ","), at += *at == ',') {
        size_t length = strcspn(at, ",");
        if (length && *at != '-' && strcspn(at, " <>\"\t") >= length)
            continue;
        problem_say(reading->problems, PROBLEM_BAD_VALUE, node->mark, "write addresses such as ada@example.org",
                    "'notify.mail': '%.*s' is no address", (int)length, at);
        return;
    }
}

/* --- defaults that depend on the file --- */

/* "searches/my digits.gannet.yaml" is the experiment my-digits. */
static char *name_of_file(const char *file)
{
    char *name = mem_text(path_base(file));
    static const char *const endings[] = {".yaml", ".yml", ".gannet"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(name), ending = strlen(endings[i]);
        if (length > ending && strcmp(name + length - ending, endings[i]) == 0)
            name[length - ending] = '\0';
    }
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at))
            *at = '-';
    size_t skipped = strspn(name, "._-");
    char *fit = name[skipped] ? mem_format("%.*s", TYPE_LONGEST_NAME, name + skipped) : mem_text("experiment");
    free(name);
    return fit;
}

static void fill_in(struct reading *reading)
{
    struct spec *spec = reading->spec;
    if (spec->resources.gpu_memory && !spec->resources.gpus) {
        spec->resources.gpus = 1; /* as small a part as its memory lets it be */
        spec->resources.gpu_share = 1.0 / GPU_SHARE_MOST;
    }
    if (!spec->name)
        spec->name = name_of_file(spec->file);
    if (!spec->trial.workdir)
        spec->trial.workdir = mem_text(spec->base);
    struct spec_resources *resources = &spec->resources;
    if (resources->ranks > 1 && !resources->cpus && !resources->sockets && !resources->gpus)
        resources->cpus = resources->ranks; /* a core for each process */
}

/* --- the whole --- */

/* Paths in the file start from `base:`, so it is read before all others. */
static void read_base(struct reading *reading)
{
    const struct node *base = node_find(reading->root, "base");
    if (base)
        key_read(reading, key_of_path("base"), base, reading->spec);
}

static void read_keys(struct reading *reading)
{
    struct parameters parameters;
    read_base(reading);
    key_read_map(reading, "", 0, reading->root, nowhere, reading->spec);
    fill_in(reading);
    check_trial(reading);
    check_container(reading);
    check_persistent(reading);
    check_growths(reading);
    check_ranks(reading);
    check_fuse(reading);
    check_launch(reading);
    check_exclusive(reading, "resources", "trials_per_socket", "cpus",
                    "'resources' has both trials_per_socket and cpus",
                    "write one of them: trials_per_socket gives each trial its part of a socket's cores");
    check_exclusive(reading, "resources", "trials_per_socket", "sockets",
                    "'resources' has both trials_per_socket and sockets", "write one of them");
    check_nodes(reading);
    check_exclusive(reading, "resources", "cpus", "sockets", "'resources' counts both cpus and sockets",
                    "write one of them: a socket is all of its cores");
    parameters_read(reading, &parameters);
    parameters_check_placeholders(reading, &parameters);
    parameters_check_variables(reading, &parameters);
    parameters_read_start(reading, &parameters);
    parameters_make_space(reading, &parameters);
    if (!reading->problems->errors)
        parameters_check_start(reading);
    parameters_fini(&parameters);
    strategy_check(reading);
    stop_check(reading);
    check_slurm(reading);
    check_mail(reading);
}

static bool is_experiment(const struct tree *tree, struct problems *problems)
{
    struct problem *problem = NULL;
    if (!tree->root || node_is(tree->root, SCALAR_NULL))
        problem = problem_add(problems, PROBLEM_NO_EXPERIMENT, nowhere, "the file is empty");
    else if (tree->root->kind != NODE_MAP)
        problem = problem_add(problems, PROBLEM_NO_EXPERIMENT, tree->root->mark,
                              "an experiment is a map of keys, not %s", node_show(tree->root).text);
    if (problem)
        problem_hint(problem, "an experiment begins with 'version: 1' and has 'trial', 'metric' and 'parameters'");
    return !problem;
}

static struct spec *read_tree(struct tree *tree, const char *file, const char *base,
                              const struct spec_defaults *defaults, struct problems *problems)
{
    struct spec *spec = MEM_NEW(struct spec);
    defaults_apply(tree, defaults, spec);
    spec->file = mem_text(file);
    spec->base = path_absolute(base);
    char *from = mem_text(spec->base);
    struct reading reading = {.problems = problems, .spec = spec, .root = tree->root, .base = from};
    read_keys(&reading);
    free(from);
    if (!problems->errors)
        return spec;
    spec_destroy(spec);
    return NULL;
}

struct spec *spec_read_text_with(const char *text, size_t length, const char *file, const char *base,
                                 const char *const *overrides, size_t override_count,
                                 const struct spec_defaults *defaults, struct problems *problems)
{
    struct tree tree = {0};
    struct spec *spec = NULL;
    size_t skipped = text_order_mark(text, length);
    length -= skipped;
    *problems = (struct problems){.file = mem_text(file),
                                  .text = mem_text_n(text + skipped, length),
                                  .options = MEM_ARRAY(char *, override_count)};
    for (; problems->option_count < override_count; problems->option_count++)
        problems->options[problems->option_count] = mem_text(overrides[problems->option_count]);
    bool fine = text_check(problems->text, length, NULL, problems) &&
                load_tree(problems->text, length, (struct load_source){0}, &tree, problems) &&
                is_experiment(&tree, problems);
    for (size_t i = 0; fine && i < override_count; i++)
        override_apply(&tree, problems->options[i], problems);
    if (fine)
        spec = read_tree(&tree, file, base, defaults, problems);
    tree_fini(&tree);
    problems_sort(problems);
    return spec;
}

struct spec *spec_read_text(const char *text, size_t length, const char *file, const char *base,
                            const char *const *overrides, size_t override_count, struct problems *problems)
{
    return spec_read_text_with(text, length, file, base, overrides, override_count, NULL, problems);
}

/* The absolute directory of a file, without a "/." at its end. */
static char *base_of(const char *file)
{
    char *whole = path_absolute(file), *base = path_directory(whole);
    for (size_t length; (length = strlen(base)) > 2 && strcmp(base + length - 2, "/.") == 0;)
        base[length - 2] = '\0';
    free(whole);
    return base;
}

struct spec *spec_read_with(const char *file, const char *const *overrides, size_t override_count,
                            const struct spec_defaults *defaults, struct problems *problems)
{
    struct err err;
    struct buf text = {0};
    if (path_read(file, &text, LOAD_BYTES, &err)) {
        *problems = (struct problems){.file = mem_text(file)};
        problem_add(problems, PROBLEM_CANNOT_READ, nowhere, "%s", err.text);
        buf_fini(&text);
        return NULL;
    }
    char *base = base_of(file);
    struct spec *spec =
        spec_read_text_with(buf_str(&text), text.length, file, base, overrides, override_count, defaults, problems);
    free(base);
    buf_fini(&text);
    return spec;
}

struct spec *spec_read(const char *file, const char *const *overrides, size_t override_count, struct problems *problems)
{
    return spec_read_with(file, overrides, override_count, NULL, problems);
}
