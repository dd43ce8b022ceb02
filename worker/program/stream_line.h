/* One line of what a program says on its stream (docs/trial.md): a JSON object that may say several things at once.
 *
 *     {"gannet": 1, "token": "..."}                        who speaks; the first line of a connection has it
 *     {"metric": {"loss": 0.3, "acc": "nan"}, "step": 4}
 *     {"phase": "data", "seconds": 0.5}   {"begin": "data"}   {"end": "data"}
 *     {"checkpoint": true, "step": 4}
 *     {"should_stop": true, "step": 4}
 *     {"serve": 1}   {"ended": 12, "attempt": 1, "status": 0}   of a persistent program */
#ifndef GANNET_WORKER_PROGRAM_STREAM_LINE_H
#define GANNET_WORKER_PROGRAM_STREAM_LINE_H

#include "common/err.h"
#include "common/json.h"
#include "common/phases.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STREAM_VERSION = 1,
    STREAM_SERVE_VERSION = 1,       /* of what persistent programs say */
    STREAM_LINE_LONGEST = 64 << 10, /* bytes of a line */
    STREAM_NAME_LONGEST = 200,      /* bytes of a metric's name */
    STREAM_METRICS_MOST = 256       /* of one line */
};

struct stream_line {
    json_t *json;          /* the object, which the texts belong to */
    const char *token;     /* who speaks; NULL: not said */
    int64_t rank;          /* of several processes of a trial; -1: not said */
    const json_t *metrics; /* names and values, every one of them checked; NULL: none */
    int64_t step;          /* that metrics, a checkpoint or a question belong to; -1: not said */
    const char *phase;     /* that took so long, or NULL */
    double seconds;
    uint64_t count;           /* how many times it came, in all of these seconds */
    const char *begun, *over; /* a phase that begins or ends now, or NULL */
    bool saved;               /* a checkpoint was saved */
    bool asks;                /* whether it is to stop */
    bool serves;              /* it runs one trial after the other */
    int64_t ended, attempt;   /* the trial that has ended; -1: none */
    int64_t status;           /* of that, as a process exits */
    const char *detail;       /* how it ended, in its own words; or NULL */
};

/* Reads one; -1 with a sentence for who wrote the program: then nothing of the line counts, but `asks` is known.
 * Members that are not known are passed over, so that a program may say more to a later version. */
int stream_line_read(const char *text, size_t length, struct stream_line *out, struct err *err);
void stream_line_fini(struct stream_line *line);

#endif
