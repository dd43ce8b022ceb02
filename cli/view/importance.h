/* What `gannet importance` says about one metric: read, then drawn for people or written for programs. */
#ifndef GANNET_CLI_VIEW_IMPORTANCE_H
#define GANNET_CLI_VIEW_IMPORTANCE_H

#include "cli/console.h"
#include "cli/data/source.h"
#include "common/metric.h"
#include "search/explain/explain.h"

struct importance {
    const struct metric *metric; /* the one that is explained */
    struct gannet_problem problem;
    const struct gannet_host *host;
    struct explanation explanation;
};

/* Reads the trials and explains what they came to in this metric, whether the experiment aims at it or not. No trial
 * that breaks one of the experiment's limits is among the best while others keep them. The spec and the metric must
 * live on. -1 with a sentence; else importance_fini. */
int importance_read(struct importance *out, struct source *source, const struct spec *spec, const struct metric *metric,
                    struct err *err);
void importance_fini(struct importance *importance);

/* Adds a table of the parameters and a sentence about each. `among_good`: with the column of PED-ANOVA. */
void importance_draw(const struct importance *importance, bool among_good, const struct look *look, struct buf *out);

/* A new reference: the object that docs/json.md describes. */
json_t *importance_json(const struct importance *importance);

#endif
