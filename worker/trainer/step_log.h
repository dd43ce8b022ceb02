/* What is shown of a trial by hand: a line for each step, how it ended, where the time went. As a table for people, or
 * as JSON, an object a line, for programs. */
#ifndef GANNET_WORKER_TRAINER_STEP_LOG_H
#define GANNET_WORKER_TRAINER_STEP_LOG_H

#include "common/buf.h"
#include "worker/trainer/training.h"

#include <stdbool.h>
#include <stdint.h>

/* {.json = ...} is ready for use. */
struct step_log {
    bool json;
    struct buf head;  /* the table's, as it was last shown */
    double until;     /* clock_monotonic() of the last line; 0: there was none, the first step began after the launch */
    double data;      /* seconds of the phase data by then */
    uint64_t samples; /* trained on by then */
};

void step_log_fini(struct step_log *log);

/* Adds the step that the run's samples are of, unless there are none, and takes them away. */
void step_log_step(struct step_log *log, struct training *training, struct buf *out);

/* Adds the end of a run that took so long and so much memory. */
void step_log_end(struct step_log *log, const struct training *training, double seconds, uint64_t memory,
                  struct buf *out);

#endif
