/* The trials of an experiment in columns of numbers, for pictures and comparisons: some 100 bytes a trial and 8 for
 * each parameter and metric, whatever their JSON takes. Filled from the objects of docs/json.md; asks nobody
 * (trial_data.h does). */
#ifndef GANNET_CLI_DATA_TRIAL_DATA_H
#define GANNET_CLI_DATA_TRIAL_DATA_H

#include "cli/data/source.h"
#include "common/endings.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trial_param {
    char *name;
    bool log, whole;    /* a logarithmic range; whole numbers */
    char **levels;      /* of a choice its values as texts, in the order of the experiment file; NULL: a range */
    size_t level_count; /* 0: a range */
    bool constant;      /* it has one value alone */
    double min, max;    /* of a range; NaN where it has no end */
    double *values;     /* of each trial: a number, or the place of its level; NaN where it is inactive */
};

struct trial_metric {
    char *name;
    bool objective, maximize;
    double min, max; /* its limits; NaN: none */
    double *values;  /* of each trial; NaN: it gave none */
};

/* How far the experiment was when something happened. */
struct progress_place {
    double trials;       /* ended ones that count */
    double seconds;      /* since it began */
    double core_seconds; /* of attempts that trials ended with */
};

struct trial_point {
    uint64_t trial;
    double started, ended;       /* seconds since 1970; NaN: it has not */
    double seconds;              /* NaN: not known */
    double value;                /* of the first objective; NaN: none */
    struct progress_place place; /* when it had ended; NaN before */
    uint32_t cores, step, node;  /* node: a place among `nodes`; of a trial that ran nowhere their number */
    int32_t slot;                /* -1: none */
    uint8_t state;               /* enum trial_state */
    int8_t reason;               /* enum ending; -1: it has not ended */
    bool feasible, ignored, added;
};

/* A trial that was better than all before it. */
struct best_point {
    size_t at; /* among `trials` */
    struct progress_place place;
    double value;
};

struct trial_data {
    json_t *experiment; /* docs/json.md, owned */
    char *name;
    double began; /* seconds since 1970; NaN: not known */
    struct trial_metric *metrics;
    size_t metric_count;
    struct trial_param *params;
    size_t param_count;
    struct trial_point *trials;
    size_t count, capacity;
    char **nodes;
    size_t node_count, node_capacity;
    uint32_t *order; /* places of ended trials in the order in which they ended */
    size_t ended_count;
    struct best_point *best; /* improvements, in that order */
    size_t best_count;
    struct progress_place last; /* how far it is */
};

/* Begins with an experiment's object, of which it takes over the reference. */
void trial_data_init(struct trial_data *data, json_t *experiment);

/* Adds a trial's object. */
void trial_data_add(struct trial_data *data, const json_t *trial);

/* All trials were added: makes `order`, `best` and places. May be called again after more were added. */
void trial_data_finish(struct trial_data *data);
void trial_data_fini(struct trial_data *data);

/* Whether a trial ended with a value that counts; and whether it may be the best, too: it keeps the limits. */
bool trial_data_counts(const struct trial_point *point);
bool trial_data_may_be_best(const struct trial_point *point);

/* Whether value a is better than b by the first objective. */
bool trial_data_is_better(const struct trial_data *data, double a, double b);

/* The best value when so much had passed, of the axis that `offset` names: offsetof(struct progress_place, seconds).
 * NaN before the first one. */
double trial_data_best_at(const struct trial_data *data, size_t offset, double passed);

/* What of a place is on the axis with that offset. */
double trial_data_passed(const struct progress_place *place, size_t offset);

/* The place of a trial's number among `trials`; -1: it is not there. */
int64_t trial_data_find(const struct trial_data *data, uint64_t trial);

/* 0 and *out, for trial_data_fini; -1 with a sentence. */
int trial_data_read(struct source *source, struct trial_data *out, struct err *err);

#endif
