/* What `gannet importance` says about one metric: drawn for people or written for programs. */
#ifndef GANNET_CLI_VIEW_IMPORTANCE_H
#define GANNET_CLI_VIEW_IMPORTANCE_H

#include "cli/look.h"
#include "common/metric.h"
#include "search/explain/explain.h"

#include <jansson.h>

struct importance {
    const struct metric *metric; /* the one that is explained */
    struct gannet_problem problem;
    const struct gannet_host *host;
    struct explanation explanation;
};

/* Adds a table of the parameters and a sentence about each. `among_good`: with the column of PED-ANOVA. */
void importance_draw(const struct importance *importance, bool among_good, const struct look *look, struct buf *out);

/* A new reference: the object that docs/json.md describes. */
json_t *importance_json(const struct importance *importance);

#endif
