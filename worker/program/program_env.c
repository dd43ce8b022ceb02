/* Environments; see program_env.h. */
#include "worker/program/program_env.h"
#include "common/clients.h"
#include "common/container.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"
#include "worker/program/buffering.h"

#include <stdlib.h>
#include <string.h>

static void add_params(struct texts *env, const json_t *params)
{
    const char *name;
    json_t *json;
    json_object_foreach((json_t *)params, name, json) texts_add(env, trial_command_variable(name, json));
}

/* Where to go on from, where to save, and up to which step. */
static void add_checkpoint(struct texts *env, const struct program_setup *setup, bool *went_on)
{
    char *own = mem_format("%s/" RUN_CHECKPOINT, setup->directory);
    const char *from = path_exists(own) ? own : setup->origin && path_exists(setup->origin) ? setup->origin : NULL;
    *went_on = from != NULL;
    if (from)
        texts_add(env, mem_format("GANNET_CHECKPOINT=%s", from));
    texts_add(env, mem_format("GANNET_CHECKPOINT_OUT=%s", own));
    if (setup->run->until)
        texts_add(env, mem_format("GANNET_UNTIL=%llu", (unsigned long long)setup->run->until));
    free(own);
}

/* What all trials of the slot have in common. */
static void add_place(const struct program_setup *setup, struct texts *out)
{
    const struct task *task = setup->task;
    texts_add_all(out, pin_env(setup->pin));
    texts_add(out, mem_format("GANNET_EXPERIMENT=%s", task->experiment));
    texts_add(out, mem_format("GANNET_METRIC=%s", task->metric));
    if (task->max_steps)
        texts_add(out, mem_format("GANNET_MAX_STEPS=%llu", (unsigned long long)task->max_steps));
    if (setup->python)
        texts_add(out, clients_python_path(setup->python));
}

/* What depends on what the experiment file says. */
static void add_last(const struct program_setup *setup, const struct trial_command *command, struct texts *out)
{
    if (!setup->task->buffered)
        buffering_env(command, setup->lines, out);
    container_add_env(setup->task, command->argv.items[0], out);
}

void program_env_trial(const struct program_setup *setup, const struct stream *stream,
                       const struct trial_command_facts *trial, const struct trial_command *command, bool *went_on,
                       struct texts *out)
{
    texts_add(out, mem_format("GANNET_TRIAL=%llu", (unsigned long long)trial->number));
    texts_add(out, mem_format("GANNET_ATTEMPT=%u", setup->run->attempt));
    texts_add(out, mem_format("GANNET_TRIAL_DIR=%s", setup->directory));
    texts_add(out, mem_format("GANNET_PARAMS_FILE=%s", trial->params_file));
    if (setup->deadline > 0)
        texts_add(out, mem_format("GANNET_DEADLINE=%.0f", setup->deadline));
    texts_add(out, mem_format("GANNET_SEED=%llu", (unsigned long long)trial->seed));
    if (setup->task->checkpoint)
        add_checkpoint(out, setup, went_on);
    stream_env(stream, out);
    add_params(out, trial->params);
    texts_add_all(out, (const char *const *)command->env.items);
}

void program_env_whole(const struct program_setup *setup, const struct stream *stream,
                       const struct trial_command_facts *trial, const struct trial_command *command, bool *went_on,
                       struct texts *out)
{
    add_place(setup, out);
    texts_add(out, mem_text("GANNET_SERVE=")); /* of a persistent program around this worker */
    program_env_trial(setup, stream, trial, command, went_on, out);
    add_last(setup, command, out);
}

void program_env_server(const struct program_setup *setup, const struct trial_command *command, struct texts *out)
{
    add_place(setup, out);
    server_env(setup->server, out);
    texts_add_all(out, (const char *const *)command->env.items);
    add_last(setup, command, out);
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
