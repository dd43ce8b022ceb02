/* Early stopping at work: a stopper (search/stop/stopper.h) behind the interface that the core calls, and brought to
 * where the store says it was. */
#ifndef GANNET_SCHEDULER_SESSION_EARLY_STOPPING_H
#define GANNET_SCHEDULER_SESSION_EARLY_STOPPING_H

#include "common/err.h"
#include "common/metric.h"
#include "scheduler/core/early_stop.h"
#include "scheduler/store/reader.h"
#include "search/stop/stopper.h"

struct early_stopping;

/* `metrics`, whose list must live on, say what values are worth. Takes the stopper over. */
struct early_stopping *early_stopping_create(struct stopper *stopper, const struct metrics *metrics);
void early_stopping_destroy(struct early_stopping *early_stopping); /* NULL is fine */

/* For core_config; lives as long. */
const struct early_stop *early_stopping_early_stop(struct early_stopping *early_stopping);

/* Tells the stopper everything that was recorded. -1 with a sentence. */
int early_stopping_recall(struct early_stopping *early_stopping, struct reader *reader, struct err *err);

#endif
