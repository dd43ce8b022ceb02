/* From what the model believes to the next point: which trials are good, what to look for, where. */
#ifndef GANNET_SEARCH_GP_PROPOSE_H
#define GANNET_SEARCH_GP_PROPOSE_H

#include "search/gp/acquisition_optimiser.h"
#include "search/gp/model.h"

enum propose_for { PROPOSE_AUTO, PROPOSE_IMPROVEMENT, PROPOSE_BOUND };

struct propose {
    struct gp_model *model;
    const struct history *history;
    const struct visited *taken; /* see candidates.h */
    enum propose_for aim;
    uint64_t random; /* of the ask */
};

/* Writes a point; false when the model knows too little or no open point was found. */
bool propose(const struct propose *propose, double *unit);

#endif
