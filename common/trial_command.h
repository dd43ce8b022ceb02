/* A person's own program as one trial runs it: the arguments and the environment of the task with the placeholders
 * filled in (docs/task.md). */
#ifndef GANNET_COMMON_TRIAL_COMMAND_H
#define GANNET_COMMON_TRIAL_COMMAND_H

#include "common/err.h"
#include "common/task.h"
#include "common/texts.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* What placeholders can name. */
struct trial_command_facts {
    uint64_t number;
    uint64_t seed;
    const json_t *params;    /* the configuration, an object of scalars */
    const char *directory;   /* the trial's */
    const char *params_file; /* a file that holds params */
    uint32_t cpus, gpus;     /* what its slot has */
};

struct trial_command {
    struct texts argv; /* empty when the task has a kernel */
    struct texts env;  /* "NAME=value" of the task's env */
};

/* Fills in the placeholders. A placeholder that is none is an error, but in the text of a `/bin/sh -c TEXT`, where it
 * is left to the shell; values that go into such a text are quoted for the shell. -1 with a sentence. */
int trial_command_make(const struct task *task, const struct trial_command_facts *trial, struct trial_command *out,
                       struct err *err);
void trial_command_fini(struct trial_command *command);

/* Whether a value is put in quotes where it goes into a text for a shell. */
bool trial_command_needs_quotes(const char *value);

/* "GANNET_PARAM_lr=0.001", by which a program finds a parameter in its environment; what can't be in a variable's name
 * becomes _. free() it. */
char *trial_command_variable(const char *name, const json_t *value);

/* "GANNET_PARAM_lr" of "lr". free() it. */
char *trial_command_variable_name(const char *name);

#endif
