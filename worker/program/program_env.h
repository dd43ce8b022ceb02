/* The environment of a person's program (docs/trial.md lists the variables): what its place gives it, what the trial
 * does, and last what the experiment file says, which wins. */
#ifndef GANNET_WORKER_PROGRAM_PROGRAM_ENV_H
#define GANNET_WORKER_PROGRAM_PROGRAM_ENV_H

#include "common/trial_command.h"
#include "worker/program/program.h"

/* Of a program that is started for one trial. *went_on: it was given a checkpoint to go on from. */
void program_env_whole(const struct program_setup *setup, const struct stream *stream,
                       const struct trial_command_facts *trial, const struct trial_command *command, bool *went_on,
                       struct texts *out);

/* Of a persistent program: what its process starts with, and what each trial adds. */
void program_env_server(const struct program_setup *setup, const struct trial_command *command, struct texts *out);
void program_env_trial(const struct program_setup *setup, const struct stream *stream,
                       const struct trial_command_facts *trial, const struct trial_command *command, bool *went_on,
                       struct texts *out);

/* "NAME=value" as members of an object; of the same name the last counts. */
void program_env_object(const struct texts *env, json_t *out);

#endif
