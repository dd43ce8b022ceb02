/* Which parameters of an experiment matter, and which of their values are good: its trials, explained (search/explain).
 */
#ifndef GANNET_CLI_DATA_IMPORTANCE_H
#define GANNET_CLI_DATA_IMPORTANCE_H

#include "cli/data/source.h"
#include "common/metric.h"
#include "scheduler/spec/spec.h"
#include "search/explain/explain.h"

struct importance {
    const struct metric *metric; /* the one that is explained */
    struct gannet_problem problem;
    const struct gannet_host *host;
    struct explanation explanation;
};

/* Reads the trials and explains what they came to in this metric, whether the experiment aims at it or not. No trial
 * that breaks one of the experiment's limits is among the best while others keep them. The spec and the metric must
 * outlive it. -1 with a sentence. */
int importance_read(struct importance *out, struct source *source, const struct spec *spec, const struct metric *metric,
                    struct err *err);
void importance_fini(struct importance *importance);

/* The parameter that something was explained of. */
const struct gannet_param *importance_param(const struct importance *importance, const struct explained *explained);

/* The object of docs/json.md for a metric. */
json_t *importance_json(const struct importance *importance);

#endif
