/* Trials that somebody else ran, written into the store of an experiment that is made for them: an experiment that has
 * ended, for start_from and for everything that looks at one. */
#ifndef GANNET_SCHEDULER_SESSION_PAST_H
#define GANNET_SCHEDULER_SESSION_PAST_H

#include "common/endings.h"
#include "common/err.h"
#include "scheduler/rundir/rundir.h"

#include <jansson.h>

struct past;

/* What one was. */
struct past_trial {
    const json_t *params; /* an object */
    enum ending ending;   /* COMPLETED: judged by its values, as any result is */
    const char *detail;   /* a sentence, or NULL */
    const double *values; /* of the experiment's metrics, in their order; NaN: none */
    double started;       /* wall clock; 0: not known */
    double seconds;
    const json_t *steps; /* of the first metric: an array of [step, value]; may be NULL */
};

/* Makes the experiment `spec` in `dir`; `whence` says where the trials come from. NULL with a sentence. */
struct past *past_create(const struct rundir *dir, struct spec *spec, const char *whence, struct err *err);

/* Adds a trial. -1 with a sentence when it can't be written. */
int past_add(struct past *past, const struct past_trial *trial, struct err *err);

/* Writes the rest and ends the experiment; -1 with a sentence. Without: past_destroy leaves what it came to. */
int past_end(struct past *past, struct err *err);
void past_destroy(struct past *past); /* NULL is fine */

#endif
