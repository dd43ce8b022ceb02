/* The command of an experiment; see program_check.h. */
#include "cli/session/program_check.h"
#include "cli/session/options.h"
#include "common/command_check.h"
#include "common/mem.h"
#include "common/trial_config.h"

#include <stdlib.h>
#include <string.h>

/* The PATH that the command will have; NULL: placeholders decide that. */
static const char *path_of(const struct spec *spec)
{
    for (uint32_t i = 0; i < spec->trial.env_count; i++)
        if (strcmp(spec->trial.env[i].name, "PATH") == 0)
            return strstr(spec->trial.env[i].text, "${") ? NULL : spec->trial.env[i].text;
    return getenv("PATH");
}

/* The command with a NULL at its end. free() it. */
static const char **command_of(const struct spec *spec)
{
    const char **command = MEM_ARRAY(const char *, spec->trial.command_count + 1);
    for (uint32_t i = 0; i < spec->trial.command_count; i++)
        command[i] = spec->trial.command[i];
    return command;
}

static struct command_place place_of(const struct spec *spec, const char **command)
{
    return (struct command_place){
        .command = command, .base = spec->base, .workdir = spec->trial.workdir, .path = path_of(spec)};
}

/* The key that a fault is about; a command of one text has no items in the file. */
static char *key_of(const struct spec *spec, const struct command_fault *fault)
{
    bool text = spec->trial.command_count == 3 && strcmp(spec->trial.command[0], "/bin/sh") == 0;
    if (fault->argument == COMMAND_WORKDIR)
        return mem_text("trial.workdir");
    return text ? mem_text("trial.command") : mem_format("trial.command.%d", fault->argument);
}

void program_check_there(const struct spec *spec, enum program_place place, struct problems *problems)
{
    struct command_fault fault;
    bool elsewhere = place == PROGRAM_ELSEWHERE || (place == PROGRAM_OF_FILE && spec->slurm.given);
    if (!spec->trial.command || spec->trial.container || place == PROGRAM_NOWHERE)
        return; /* what is in an image is not looked for here */
    const char **command = command_of(spec);
    struct command_place where = place_of(spec, command);
    if (command_check(&where, &fault)) {
        char *key = key_of(spec, &fault);
        problems_report(problems, elsewhere, key, false,
                        fault.argument == COMMAND_WORKDIR ? "no_workdir" : "no_program", fault.err.text,
                        *fault.remedy.text ? fault.remedy.text : NULL);
        free(key);
    }
    free(command);
}

void program_check_use(const struct spec *spec, enum program_place place, struct problems *problems)
{
    const char **command = spec && spec->trial.command ? command_of(spec) : NULL;
    bool by_itself = false, starts_others = false;
    if (command) {
        struct command_place where = place_of(spec, command);
        by_itself = command_reads_environment(&where);
        starts_others = spec->trial.container || command_starts_others(&where);
    }
    bool served = spec && spec->trial.persistent.on; /* it is given them with each trial */
    if (place != PROGRAM_NOWHERE && !by_itself && !served)
        problems_check_use(problems, starts_others);
    free(command);
}

void program_settle_args(struct spec *spec, struct problems *problems)
{
    struct buf source = {0};
    const char **command = command_of(spec);
    struct command_place place = place_of(spec, command);
    command_add_source(&place, &source);
    if (source.length)
        options_settle(spec, buf_str(&source), problems);
    buf_fini(&source);
    free(command);
}

static void check_part(const struct spec *spec, const char *name, struct problems *problems)
{
    struct err err;
    char *key = mem_format("parameters.%s", name);
    json_t *params = json_pack("{s:n}", name), *made = trial_config_make(spec->trial.config, params, &err);
    if (!made) {
        problems_report(problems, false, key, true, "no_part", err.text, NULL);
    } else if (!trial_config_has(spec->trial.config, name)) {
        char *message = mem_format("trial.config has no '%s'; trials get it as a new part", name);
        problems_report(problems, true, key, true, "no_part", message, NULL);
        free(message);
    }
    json_decref(made);
    json_decref(params);
    free(key);
}

void program_check_config(const struct spec *spec, struct problems *problems)
{
    bool is_named = false;
    for (uint32_t i = 0; i < spec->trial.command_count; i++)
        is_named |= strstr(spec->trial.command[i], "${config.") != NULL;
    for (uint32_t i = 0; i < space_count(spec->space) && spec->trial.config && is_named; i++)
        check_part(spec, space_param(spec->space, i)->name, problems);
}
