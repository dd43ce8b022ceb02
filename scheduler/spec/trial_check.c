/* What the keys of `trial` mean together; see read.h. */
#include "scheduler/spec/read.h"

#include <string.h>

/* Exactly one of kernel and command; a command takes no options, and a kernel reports by itself. */
static void check_command(struct reading *reading)
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
                    "write kernel: mlp, or command: [python3, train.py, \"${args}\"]",
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

/* What a program does inside nobody sees from outside, but for what it does on GPUs. */
static void check_profile(struct reading *reading)
{
    const struct entry *profile = node_entry(reading->root, "profile");
    const struct spec *spec = reading->spec;
    if (!profile || !spec->profile.operations || !node_entry(node_find(reading->root, "trial"), "command"))
        return;
    if (!spec->resources.gpus)
        problem_say(reading->problems, PROBLEM_CONFLICT, profile->mark,
                    "write resources: {gpus: 1} if it has kernels on a GPU, or leave it out; the program can tell of "
                    "its phases (docs/trial.md)",
                    "'profile.operations' are a kernel's, or those of a program on its GPUs");
    else if (spec->profile.steps.first)
        problem_say(reading->problems, PROBLEM_CONFLICT, profile->mark,
                    "leave profile.steps out: of a program all kernels on GPUs are counted",
                    "'profile.steps' are a kernel's: where the steps of a program begin is not known");
}

void trial_check(struct reading *reading)
{
    check_command(reading);
    check_container(reading);
    check_persistent(reading);
    check_launch(reading);
    check_profile(reading);
}
