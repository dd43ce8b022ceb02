/* Waiting trials, and how long each is predicted to run. */
#ifndef GANNET_SCHEDULER_CORE_QUEUE_H
#define GANNET_SCHEDULER_CORE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct core;
struct trial;

void queue_push(struct core *core, struct trial *trial, bool in_front);
void queue_remove(struct trial *trial); /* one that is not in the queue is fine */
/* Predicts anew what the trial needs, if more is known than before; false: not any more in this input. */
bool queue_renew(struct core *core, struct trial *trial);
/* At most so many, the oldest predictions first; as many more may be renewed by placing. */
void queue_renew_some(struct core *core, uint32_t most);
bool queue_is_renewed(const struct core *core);    /* every prediction is of what is known now */
struct trial *queue_head(const struct core *core); /* the first of all; NULL: the queue is empty */

#endif
