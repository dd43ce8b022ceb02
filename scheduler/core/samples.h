/* Samples as they come, and what early stopping says of them. */
#ifndef GANNET_SCHEDULER_CORE_SAMPLES_H
#define GANNET_SCHEDULER_CORE_SAMPLES_H

#include "common/msg.h"
#include "scheduler/core/event.h"

struct core;
struct trial;
struct worker;

void samples_take(struct core *core, struct worker *worker, const struct msg_samples *samples);
/* The samples first .. that are new, where `recorded` are recorded already; counts them in. */
struct event_sampled samples_new(uint32_t *recorded, uint32_t first, const struct msg_sample *samples, uint32_t count);
/* The running attempt said where it began, with `count` samples: at the beginning (0), so that what was seen before
 * counts no more, or at the step of a checkpoint (seen.h). One that has nothing to show takes nothing back: the next
 * may go on from an earlier checkpoint. One that had been given up, and whose worker came back with it, leaves out the
 * `first` samples that were acknowledged: they were seen before. */
void samples_begin(struct core *core, struct trial *trial, uint64_t resumed, uint32_t first, uint32_t count);
/* New samples of the attempt that counts: keeps what they say and lets early stopping decide about the trial. */
void samples_show(struct core *core, struct trial *trial, uint32_t attempt, const struct event_sampled *sampled);

#endif
