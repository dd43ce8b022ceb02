/* CUDA's Multi-Process Service, through which the kernels of several processes run on a GPU side by side: a daemon,
 * nvidia-cuda-mps-control, that programs find by a directory. One that runs on the node is used, or the worker starts
 * one of its own, which has the worker's marks and so goes with it. */
#ifndef GANNET_WORKER_HARDWARE_MPS_H
#define GANNET_WORKER_HARDWARE_MPS_H

#include "common/err.h"
#include "common/loop.h"
#include "common/task.h"

#include <sys/types.h>

struct mps;

/* Finds the node's daemon (AUTO), or starts one (ON), with these variables ("NAME=value", NULL at the end) in its
 * environment; blocks for some seconds at most. *out is NULL where there is none, or none is wanted. -1 with a sentence
 * when one is wanted and can't be had. */
int mps_open(struct loop *loop, enum task_mps wanted, const char *const *env, struct mps **out, struct err *err);
void mps_close(struct mps *mps); /* ends a daemon of our own, and its servers; NULL is fine */

/* Whether the node's daemon answers; blocks for some seconds at most. */
bool mps_answers(void);

/* The directory of a daemon of our own; "": the node's, which programs find by themselves. */
const char *mps_directory(const struct mps *mps);

/* Whether a process is the daemon of our own. NULL is fine. */
bool mps_is(const struct mps *mps, pid_t pid);

#endif
