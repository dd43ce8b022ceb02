/* Containers; see container.h. What is called:
 *
 *     apptainer exec [--nv|--rocm] --bind RUNDIR/trials --bind BASE --bind WORKDIR --pwd WORKDIR OPTIONS IMAGE PROGRAM
 * ...
 *
 * Of the run directory only the trials are there: the program needs no keys and no store. */
#include "common/container.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/path_search.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const runtimes[] = {"apptainer", "singularity"};
static const char *const prefixes[] = {"APPTAINERENV_", "SINGULARITYENV_"};
static const char *const binds[] = {"APPTAINER_BIND", "SINGULARITY_BIND"}; /* a list with commas of directories */
enum { RUNTIMES = sizeof runtimes / sizeof *runtimes };

/* --- the runtime --- */

/* Which of the runtimes it is; without a wish the first that is there, else the first. *place: where, or NULL. */
static int choose_runtime(const struct task *task, char **place)
{
    const char *path = getenv("PATH");
    for (int i = 0; i < RUNTIMES; i++) {
        bool may = !task->container_runtime || strcmp(task->container_runtime, runtimes[i]) == 0;
        if (may && (*place = path_search(runtimes[i], path ? path : "")))
            return i;
    }
    *place = NULL;
    return task->container_runtime && strcmp(task->container_runtime, runtimes[1]) == 0;
}

int container_check(const struct task *task, struct err *err)
{
    char *place = NULL;
    if (!task->container)
        return 0;
    int runtime = choose_runtime(task, &place);
    bool found = place;
    free(place);
    if (!found && task->container_runtime)
        return err_set(err,
                       "trial.container_runtime is %s, and there is no such program in PATH here; load its module "
                       "(slurm.setup) or install it",
                       runtimes[runtime]);
    if (!found)
        return err_set(err, "trial.container needs apptainer or singularity, and neither is in PATH here; load its "
                            "module (slurm.setup) or install it");
    if (access(task->container, R_OK))
        return err_errno(err, "the image of trial.container can't be read here: '%s'", task->container);
    return 0;
}

/* --- its arguments --- */

/* Both read a colon as the place inside, and a comma as the next of several. */
static int add_bind(const char *directory, struct texts *argv, struct err *err)
{
    if (strpbrk(directory, ":,\\\""))
        return err_set(err,
                       "a container can't be given the directory '%s': its name has a colon, comma, quote or "
                       "backslash, which apptainer reads in another way; rename it",
                       directory);
    texts_add(argv, mem_text("--bind"));
    texts_add(argv, mem_text(directory));
    return 0;
}

/* The directory of all trials: others may be started from. */
static int add_trials(const char *directory, struct texts *argv, struct err *err)
{
    const char *slash = strrchr(directory, '/');
    char *trials = slash && slash > directory ? mem_text_n(directory, (size_t)(slash - directory)) : NULL;
    int result = trials ? add_bind(trials, argv, err) : 0;
    free(trials);
    return result;
}

static int add_binds(const struct task *task, const char *directory, struct texts *argv, struct err *err)
{
    if (add_trials(directory, argv, err) || add_bind(task->base, argv, err))
        return -1;
    return strcmp(task->workdir, task->base) == 0 ? 0 : add_bind(task->workdir, argv, err);
}

/* What lets the program have the GPUs of its slot: the driver's files of this machine. */
static void add_gpus(struct texts *argv)
{
    if (path_exists("/dev/nvidiactl"))
        texts_add(argv, mem_text("--nv"));
    else if (path_exists("/dev/kfd"))
        texts_add(argv, mem_text("--rocm"));
}

int container_add(const struct task *task, const char *directory, uint32_t gpus, struct texts *argv, struct err *err)
{
    char *place = NULL;
    if (!task->container)
        return 0;
    int runtime = choose_runtime(task, &place);
    texts_add(argv, place ? place : mem_text(runtimes[runtime]));
    texts_add(argv, mem_text("exec"));
    if (gpus)
        add_gpus(argv);
    if (add_binds(task, directory, argv, err))
        return -1;
    texts_add(argv, mem_text("--pwd"));
    texts_add(argv, mem_text(task->workdir));
    if (task->container_options)
        texts_add_all(argv, task->container_options);
    texts_add(argv, mem_text(task->container));
    return 0;
}

/* What the program finds beside its trial: the directory of its stream's socket, and that of the modules for it, the
 * last in PYTHONPATH. */
static void bind_stream(const char *variable, struct texts *env)
{
    const char *const *list = (const char *const *)env->items;
    const char *socket = texts_variable(list, "GANNET_SOCKET"), *modules = texts_variable(list, "PYTHONPATH");
    const char *theirs = getenv(variable), *slash = socket ? strrchr(socket, '/') : NULL;
    if (!slash || slash == socket || strpbrk(socket, ",:"))
        return;
    const char *last = modules ? strrchr(modules, ':') : NULL;
    modules = last ? last + 1 : modules;
    bool any = theirs && *theirs, can = modules && *modules && !strchr(modules, ',') && path_exists(modules);
    texts_add(env, mem_format("%s=%s%s%.*s%s%s", variable, any ? theirs : "", any ? "," : "", (int)(slash - socket),
                              socket, can ? "," : "", can ? modules : ""));
}

void container_add_env(const struct task *task, const char *program, struct texts *env)
{
    if (!task->container)
        return;
    int runtime = strcmp(path_base(program), runtimes[1]) == 0;
    for (size_t i = 0, count = env->count; i < count; i++)
        texts_add(env, mem_format("%s%s", prefixes[runtime], env->items[i]));
    bind_stream(binds[runtime], env);
}
