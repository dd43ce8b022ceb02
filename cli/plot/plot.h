/* Kinds of pictures: each is one file with its `struct plot_kind`; the list is in plot.c. A kind makes a picture of
 * what was read of one experiment or of several: a pure function, so the same trials are the same picture. */
#ifndef GANNET_CLI_PLOT_PLOT_H
#define GANNET_CLI_PLOT_PLOT_H

#include "cli/data/slot_spans.h"
#include "cli/data/trial_curves.h"
#include "cli/data/trial_data.h"
#include "cli/plot/picture.h"
#include "common/err.h"

/* What of an experiment is read for a kind beside its trials. */
enum plot_need {
    PLOT_CURVES = 1,     /* `curves` */
    PLOT_SPANS = 2,      /* `spans` */
    PLOT_IMPORTANCE = 4, /* `importance` */
    PLOT_PROFILES = 8,   /* `profiles` */
    PLOT_FAILURES = 16   /* `failures`: of no picture, but of a report */
};

/* One experiment. What no kind needed is empty. */
struct plot_subject {
    struct trial_data data;
    struct trial_curves curves; /* of some trials: the best and others, evenly */
    struct slot_spans spans;
    json_t *importance; /* the object of docs/json.md for the first objective; NULL: nothing can be said yet */
    json_t *failures;   /* of the first trials that failed [{trial, reason, line}], the last line that each wrote */
    json_t *profiles;   /* some of the best trials as objects of docs/json.md, each with `words`, its verdict's */
};

/* What stands along x of the history. */
#define PROGRESS_AXES(X)                                                                                               \
    X(TRIALS, "trials", trials, AXIS_LINEAR, "trials that have ended")                                                 \
    X(TIME, "time", seconds, AXIS_SECONDS, "time since the beginning")                                                 \
    X(CORES, "core-hours", core_seconds, AXIS_LINEAR, "core-hours of ended trials")
enum progress_axis {
#define X(id, name, member, scale, label) PROGRESS_##id,
    PROGRESS_AXES(X)
#undef X
        PROGRESS_AXES_COUNT
};

struct plot_question {
    const struct plot_subject *subjects;
    size_t count; /* 1 or more */
    enum progress_axis along;
};

struct plot_kind {
    const char *name;    /* "history" */
    const char *summary; /* one line, without a full stop */
    unsigned needs;      /* of enum plot_need */
    bool compares;       /* takes several experiments; else one is drawn alone */
    /* Makes the picture; *out was initialised. -1 with a sentence when there is nothing to be drawn yet, or at all. */
    int (*draw)(const struct plot_question *question, struct picture *out, struct err *err);
};

/* All kinds in the order of a report; NULL ends it. */
extern const struct plot_kind *const plot_kinds[];

/* The kind of that name, or NULL. */
const struct plot_kind *plot_find(const char *name);

#define PLOT_KINDS(X)                                                                                                  \
    X(history)                                                                                                         \
    X(curves) X(importance) X(parallel) X(slices) X(rank) X(front) X(edf) X(timeline) X(losses) X(phases) X(failures)
#define X(name) extern const struct plot_kind plot_##name;
PLOT_KINDS(X)
#undef X

/* Whether what experiments came to can be compared: they aim at the same metric, in the same direction. -1 with a
 * sentence. */
int plot_check_comparable(const struct plot_subject *subjects, size_t count, struct err *err);

void plot_subject_fini(struct plot_subject *subject);

#endif
