/* Learning curves of some trials in columns, and the steps at which early stopping compared them. Filled from the
 * objects of `gannet show` (docs/json.md); asks nobody. */
#ifndef GANNET_CLI_DATA_TRIAL_CURVES_H
#define GANNET_CLI_DATA_TRIAL_CURVES_H

#include "common/endings.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trial_curve {
    uint64_t trial;
    uint8_t state;       /* enum trial_state */
    size_t first, count; /* its points */
};

struct curve_point {
    double step, value;
};

/* A step at which trials were compared. */
struct cut_off {
    double step;
    uint32_t went_on, ended;   /* of these trials */
    double worst_that_went_on; /* NaN: none did */
    double value;   /* what early stopping compared with, where the trial with the highest number was; NaN: not known */
    uint64_t trial; /* that one */
};

struct trial_curves {
    struct trial_curve *curves;
    size_t count, capacity;
    struct curve_point *points;
    size_t point_count, point_capacity;
    struct cut_off *cuts; /* by their steps, after trial_curves_finish */
    size_t cut_count, cut_capacity;
};

/* {0} is an empty one. Adds a trial with the samples of this metric; one without samples is left out. */
void trial_curves_add(struct trial_curves *curves, const json_t *trial, const char *metric, bool maximize);
void trial_curves_finish(struct trial_curves *curves);
void trial_curves_fini(struct trial_curves *curves);

#endif
