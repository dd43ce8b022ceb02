/* Containers: a person's program inside an image, by Apptainer or by Singularity, whose command line it has. Both run a
 * program as a child of ours, with our user, cores and signals; runtimes whose daemon runs it (Docker, Podman) would
 * take it out of reach. */
#ifndef GANNET_COMMON_CONTAINER_H
#define GANNET_COMMON_CONTAINER_H

#include "common/err.h"
#include "common/task.h"
#include "common/texts.h"

/* Whether programs of this task can be run on this machine: its runtime is in PATH, and its image can be read. A task
 * without a container can. -1 with a sentence. */
int container_check(const struct task *task, struct err *err);

/* Adds what stands before the program: the runtime, its options, the directories that the program needs, the image.
 * `directory` is the trial's, `gpus` how many it has. Nothing for a task without a container. -1 with a sentence. */
int container_add(const struct task *task, const char *directory, uint32_t gpus, struct texts *argv, struct err *err);

/* The variables once more, under the names by which the runtime sets them inside, whatever the image says of them; and
 * the one that binds the directories of the program's stream. `program` is what container_add put first. */
void container_add_env(const struct task *task, const char *program, struct texts *env);

#endif
