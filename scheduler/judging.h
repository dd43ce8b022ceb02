/* Early stopping at work: a stopper (search/stop/stopper.h) behind the interface that the core calls, and brought to
 * where the store says it was. */
#ifndef GANNET_SCHEDULER_JUDGING_H
#define GANNET_SCHEDULER_JUDGING_H

#include "common/err.h"
#include "common/metric.h"
#include "scheduler/core/judge.h"
#include "scheduler/store/reader.h"
#include "search/stop/stopper.h"

struct judging;

/* `metrics`, whose list must live on, say what values are worth. Takes the stopper over. */
struct judging *judging_create(struct stopper *stopper, const struct metrics *metrics);
void judging_destroy(struct judging *judging); /* NULL is fine */

/* For core_config; lives as long. */
const struct judge *judging_judge(struct judging *judging);

/* Tells the stopper everything that was recorded. -1 with a sentence. */
int judging_recall(struct judging *judging, struct reader *reader, struct err *err);

#endif
