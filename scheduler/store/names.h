/* Small numbers for the names of metrics and workers, so that a sample or a run does not spell them out. */
#ifndef GANNET_SCHEDULER_STORE_NAMES_H
#define GANNET_SCHEDULER_STORE_NAMES_H

#include "common/map.h"
#include "scheduler/store/db.h"

/* So many metrics have names of their own; all others are one. */
enum { NAMES_MOST_METRICS = 10000 };
#define NAMES_OTHERS "(others)"

/* What was looked up or made once. {0} is nothing yet. */
struct names {
    struct map metrics; /* hash of the name -> struct metric_name */
    struct map workers; /* number -> the row of the table workers, as a pointer */
};

/* The number of a metric or of a worker, which is given one at its first use. */
int names_metric(struct names *names, struct db *db, const char *name, int64_t *id, struct err *err);
int names_worker(struct names *names, struct db *db, uint64_t number, int64_t *id, struct err *err);

/* Forgets what is remembered: it may have been rolled back. */
void names_forget(struct names *names);

#endif
