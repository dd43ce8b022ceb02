/* Which parameters of an experiment matter, and which of their values are good: its trials, explained (search/explain).
 */
#ifndef GANNET_CLI_DATA_IMPORTANCE_H
#define GANNET_CLI_DATA_IMPORTANCE_H

#include "cli/data/learned.h"
#include "cli/data/source.h"
#include "common/metric.h"
#include "scheduler/spec/spec.h"
#include "search/explain/explain.h"

struct importance {
    const struct metric *metric; /* the one that is explained */
    struct gannet_problem problem;
    const struct gannet_host *host;
    struct explanation explanation;
    uint64_t every; /* one of so many ended trials was told, where there are very many; else 1 */
};

/* Reads the trials and explains what they came to in this metric, whether the experiment aims at it or not: of its own
 * metrics the trials of learned.h, in the order in which they ended. No trial that breaks one of the experiment's
 * limits is among the best while others keep them. The spec and the metric must outlive it. -1 with a sentence. */
int importance_read(struct importance *out, struct source *source, const struct spec *spec, const struct metric *metric,
                    struct err *err);

/* What a history is told of the trials that were learned about one of the experiment's metrics, by its place. */
struct history *importance_history(const struct gannet_problem *problem, const struct metric *metric, uint32_t place,
                                   const struct learned *learned);
void importance_fini(struct importance *importance);

/* The parameter that something was explained of. */
const struct gannet_param *importance_param(const struct importance *importance, const struct explained *explained);

/* The object of docs/json.md for a metric. */
json_t *importance_json(const struct importance *importance);

#endif
