/* What tells a process of several which one it is (common/gang.h): the variables that torchrun sets, and our own. */
#ifndef GANNET_WORKER_PROGRAM_GANG_ENV_H
#define GANNET_WORKER_PROGRAM_GANG_ENV_H

#include "common/gang.h"
#include "common/task.h"
#include "common/texts.h"
#include "worker/program/run.h"

#include <stdbool.h>
#include <stdint.h>

/* Adds them, for process `local` of those on this node; nothing for a run of one process. */
void gang_env_add(const struct task *task, const struct run *run, uint32_t local, struct texts *env);

/* A port of this node that nobody has now, for the processes to meet at; 0: there is none. It lies below those that the
 * system gives to outgoing connections, so nobody gets it by chance before the first process takes it. */
uint16_t gang_env_port(void);

/* Whether nobody has this port of this node now; `reuse`: to who listens although an ended connection had it a moment
 * ago (SO_REUSEADDR). */
bool gang_env_is_free(uint16_t port, bool reuse);

/* The first port of a range, which is not {0}, that nobody has now in that sense: from number `turn` of it on, and
 * around. 0: all are taken. */
uint16_t gang_env_port_of(const struct task_ports *ports, uint32_t turn, bool reuse);

#endif
