/* The environment that a program finds (docs/trial.md): its place, its trial, what it may say and where, which of
 * several processes it is, and last what the experiment file says, which wins. */
#ifndef GANNET_WORKER_PROGRAM_PROGRAM_ENV_H
#define GANNET_WORKER_PROGRAM_PROGRAM_ENV_H

#include "common/trial_command.h"
#include "worker/program/program.h"

struct program_env {
    const struct program_setup *setup;
    const struct trial_command_facts *trial;
    const struct trial_command *command;
    const struct stream *stream; /* or NULL */
    const char *origin;          /* the checkpoint to go on from, or NULL */
    bool counts_gpu;             /* what it does on GPUs is counted (gpu_work.h) */
};

/* The checkpoint that the run is to go on from: its own, else the one it starts from; NULL: there is none. free() it.
 */
char *program_env_origin(const struct program_setup *setup);

/* Of process `local` of those on this node; `pin` is its own. */
struct texts program_env_make(const struct program_env *facts, const struct pin *pin, uint32_t local);

/* Of a persistent program: what its process starts with, and what each trial adds. */
struct texts program_env_server(const struct program_env *facts);
struct texts program_env_trial(const struct program_env *facts);

/* "NAME=value" as members of an object; of the same name the last counts. */
void program_env_object(const struct texts *env, json_t *out);

/* Adds what makes the output of a person's program come line by line, without a change to the program: variables of
 * its environment, of which none takes the place of what the person set. `lines` is the file of worker/preload/lines.c,
 * or NULL: there is none. */
void buffering_env(const struct trial_command *command, const char *lines, struct texts *env);

/* Whether the command starts a container by itself, inside which no library of ours is. */
bool buffering_enters_container(const struct trial_command *command);

#endif
