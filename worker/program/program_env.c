/* Environments of programs; see program_env.h. */
#include "worker/program/program_env.h"
#include "common/clients.h"
#include "common/container.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"
#include "worker/program/gang_env.h"
#include "worker/program/gang_first.h"
#include "worker/program/gpu_work.h"

#include <stdlib.h>
#include <string.h>

static void add_params(struct texts *env, const json_t *params)
{
    const char *name;
    json_t *json;
    json_object_foreach((json_t *)params, name, json) texts_add(env, trial_command_variable(name, json));
}

char *program_env_origin(const struct program_setup *setup)
{
    char *own = mem_format("%s/" RUN_CHECKPOINT, setup->directory), *found = NULL;
    if (setup->task->checkpoint && path_exists(own))
        found = mem_text(own);
    else if (setup->task->checkpoint && setup->origin && path_exists(setup->origin))
        found = mem_text(setup->origin);
    free(own);
    return found;
}

/* Where to go on from, where to save, and up to which step. */
static void add_checkpoint(struct texts *env, const struct program_env *facts)
{
    const struct program_setup *setup = facts->setup;
    if (facts->origin)
        texts_add(env, mem_format("GANNET_CHECKPOINT=%s", facts->origin));
    texts_add(env, mem_format("GANNET_CHECKPOINT_OUT=%s/" RUN_CHECKPOINT, setup->directory));
    if (setup->run->until)
        texts_add(env, mem_format("GANNET_UNTIL=%llu", (unsigned long long)setup->run->until));
}

/* What all trials of the slot have in common. */
static void add_place(struct texts *env, const struct program_env *facts, const struct pin *pin)
{
    const struct program_setup *setup = facts->setup;
    texts_add_all(env, pin_env(pin));
    texts_add(env, mem_format("GANNET_EXPERIMENT=%s", setup->task->experiment));
    texts_add(env, mem_format("GANNET_METRIC=%s", setup->task->metric));
    if (setup->task->max_steps)
        texts_add(env, mem_format("GANNET_MAX_STEPS=%llu", (unsigned long long)setup->task->max_steps));
    if (setup->python)
        texts_add(env, clients_python_path(setup->python));
}

static void add_trial(struct texts *env, const struct program_env *facts, uint32_t rank)
{
    const struct program_setup *setup = facts->setup;
    texts_add(env, mem_format("GANNET_TRIAL=%llu", (unsigned long long)facts->trial->number));
    texts_add(env, mem_format("GANNET_ATTEMPT=%u", setup->run->attempt));
    texts_add(env, mem_format("GANNET_TRIAL_DIR=%s", setup->directory));
    texts_add(env, mem_format("GANNET_PARAMS_FILE=%s", facts->trial->params_file));
    if (setup->deadline > 0)
        texts_add(env, mem_format("GANNET_DEADLINE=%.0f", setup->deadline));
    texts_add(env, mem_format("GANNET_SEED=%llu", (unsigned long long)facts->trial->seed));
    if (setup->task->checkpoint)
        add_checkpoint(env, facts);
    stream_env(facts->stream, rank, env);
    add_params(env, facts->trial->params);
    texts_add_all(env, (const char *const *)facts->command->env.items);
}

/* What depends on what the experiment file says. */
static void add_last(struct texts *env, const struct program_env *facts)
{
    if (!facts->setup->task->buffered)
        buffering_env(facts->command, facts->setup->lines, env);
    container_add_env(facts->setup->task, facts->command->argv.items[0], env);
}

struct texts program_env_make(const struct program_env *facts, const struct pin *pin, uint32_t local)
{
    const struct program_setup *setup = facts->setup;
    const struct gang *gang = &setup->run->gang;
    struct texts env = {0};
    add_place(&env, facts, pin);
    texts_add(&env, mem_text("GANNET_SERVE=")); /* of a persistent program around this worker */
    gang_env_add(setup->task, setup->run, local, &env);
    gang_first_env(setup, &env);
    add_trial(&env, facts, gang->node * gang->ranks + local);
    if (facts->counts_gpu)
        gpu_work_env(setup, gang->node * gang->ranks + local, &env);
    add_last(&env, facts);
    return env;
}

struct texts program_env_server(const struct program_env *facts)
{
    struct texts env = {0};
    add_place(&env, facts, facts->setup->pin);
    server_env(facts->setup->server, &env);
    texts_add_all(&env, (const char *const *)facts->command->env.items);
    add_last(&env, facts);
    return env;
}

struct texts program_env_trial(const struct program_env *facts)
{
    struct texts env = {0};
    add_trial(&env, facts, 0);
    return env;
}

void program_env_object(const struct texts *env, json_t *out)
{
    for (size_t i = 0; i < env->count; i++) {
        const char *sign = strchr(env->items[i], '=');
        char *name = mem_text_n(env->items[i], (size_t)(sign - env->items[i]));
        json_t *value = json_of_text(sign + 1);
        json_object_set_new(out, name, value);
        free(name);
    }
}

/* What the person set: in the experiment file, or around us; NULL: nothing. */
static const char *find_setting(const struct trial_command *command, const char *name)
{
    const char *own = texts_variable((const char *const *)command->env.items, name);
    return own ? own : getenv(name);
}

/* Adds a variable, behind what the person set it to. */
static void add_behind(const struct trial_command *command, const char *name, const char *value, struct texts *env)
{
    const char *theirs = find_setting(command, name);
    bool any = theirs && *theirs;
    texts_add(env, mem_format("%s=%s%s%s", name, any ? theirs : "", any ? ":" : "", value));
}

/* --- output line by line ---
 *
 * Python has a variable for it. C's stdio has none, so a library is preloaded that sets it (worker/preload/lines.c).
 * Programs that are linked statically or run as another user are not reached by that, and don't notice. */

/* There our library is at no such path, and every program would say so on its error output. */
bool buffering_enters_container(const struct trial_command *command)
{
    static const char *const runtimes[] = {"apptainer", "singularity", "docker", "podman",      "enroot",      "ch-run",
                                           "sarus",     "shifter",     "bwrap",  "--container", "charliecloud"};
    for (size_t i = 0; i < command->argv.count; i++)
        for (size_t k = 0; k < sizeof runtimes / sizeof *runtimes; k++)
            if (strstr(command->argv.items[i], runtimes[k]))
                return true;
    return false;
}

void buffering_env(const struct trial_command *command, const char *lines, struct texts *env)
{
    if (!find_setting(command, "PYTHONUNBUFFERED"))
        texts_add(env, mem_text("PYTHONUNBUFFERED=1"));
    if (!lines || strpbrk(lines, ": \t") ||
        buffering_enters_container(command)) /* a list is divided by colons and blanks */
        return;
    add_behind(command, "LD_PRELOAD", lines, env);
    /* AddressSanitizer wants to come before all other libraries, and else ends the program. One that replaces nothing
     * may be there before. */
    add_behind(command, "ASAN_OPTIONS", "verify_asan_link_order=0", env);
}
