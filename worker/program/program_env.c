/* A program's environment; see program_env.h. */
#include "worker/program/program_env.h"
#include "common/clients.h"
#include "common/container.h"
#include "common/mem.h"
#include "common/path.h"
#include "worker/program/buffering.h"
#include "worker/program/gang_env.h"
#include "worker/program/gang_first.h"

#include <stdlib.h>

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

static void add_trial(struct texts *env, const struct program_env *facts)
{
    const struct program_setup *setup = facts->setup;
    texts_add(env, mem_format("GANNET_EXPERIMENT=%s", setup->task->experiment));
    texts_add(env, mem_format("GANNET_TRIAL=%llu", (unsigned long long)facts->trial->number));
    texts_add(env, mem_format("GANNET_ATTEMPT=%u", setup->run->attempt));
    texts_add(env, mem_format("GANNET_TRIAL_DIR=%s", setup->directory));
    texts_add(env, mem_format("GANNET_PARAMS_FILE=%s", facts->trial->params_file));
    if (setup->deadline > 0)
        texts_add(env, mem_format("GANNET_DEADLINE=%.0f", setup->deadline));
    texts_add(env, mem_format("GANNET_SEED=%llu", (unsigned long long)facts->trial->seed));
    if (setup->task->max_steps)
        texts_add(env, mem_format("GANNET_MAX_STEPS=%llu", (unsigned long long)setup->task->max_steps));
}

struct texts program_env_make(const struct program_env *facts, const struct pin *pin, uint32_t local)
{
    const struct program_setup *setup = facts->setup;
    const struct gang *gang = &setup->run->gang;
    struct texts env = {0};
    texts_add_all(&env, pin_env(pin));
    add_trial(&env, facts);
    if (setup->task->checkpoint)
        add_checkpoint(&env, facts);
    stream_env(facts->stream, gang->node * gang->ranks + local, &env);
    if (setup->python)
        texts_add(&env, clients_python_path(setup->python));
    gang_env_add(setup->task, setup->run, local, &env);
    gang_first_env(setup, &env);
    add_params(&env, facts->trial->params);
    texts_add_all(&env, (const char *const *)facts->command->env.items);
    if (!setup->task->buffered)
        buffering_env(facts->command, setup->lines, &env);
    container_add_env(setup->task, facts->command->argv.items[0], &env);
    return env;
}
