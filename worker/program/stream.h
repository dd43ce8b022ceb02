/* The streams of a worker's programs: one socket, in a private directory, at which any process of a trial may connect
 * and say in lines of JSON how the trial goes (docs/trial.md).
 *
 *     program                                       worker
 *     {"gannet": 1, "token": ...}       ------->
 *                                       <-------    {"gannet": 1, "trial": 12, "attempt": 1}
 *     {"metric": {"loss": 0.3}, ...}    ------->
 *     {"should_stop": true, "step": 4}  ------->
 *                                       <-------    {"stop": false}
 *
 * A persistent program (server.h) has a token of its own, and is told each trial's:
 *
 *     {"gannet": 1, "token": ..., "serve": 1}  -->
 *                                       <-------    {"gannet": 1, "serve": 1, "log": "..."}
 *                                       <-------    {"trial": 12, "attempt": 1, "params": ..., "env": {"GANNET_TOKEN":
 * ...
 *     {"ended": 12, "attempt": 1, "status": 0}  ->
 *
 * Only a question, a first line and a mistake are answered. The token, which a program finds in its environment, says
 * which run it is; only processes of our own user are let in. The worker never waits: who does not read its answers is
 * put out, who says more than is read in a moment waits with what else it has to say (the limits are in stream.c). */
#ifndef GANNET_WORKER_PROGRAM_STREAM_H
#define GANNET_WORKER_PROGRAM_STREAM_H

#include "common/buf.h"
#include "common/json.h"
#include "common/loop.h"
#include "common/texts.h"

#include <stdbool.h>
#include <stdint.h>

struct stream_port;
struct stream; /* what one run's processes say */

/* The answer to "shall I stop?". */
struct stream_stop {
    const char *reason; /* the name of an ending; NULL: it is to go on */
    const char *detail; /* a sentence, or "" */
    bool save;          /* it is to save a checkpoint first: the trial may go on later */
    uint64_t until;     /* the step after which it is to pause; 0: none */
};

/* What is called, from the loop or from stream_drain. They destroy no stream. */
struct stream_calls {
    void (*metric)(void *context, const char *name, int64_t step, double value);
    void (*phase)(void *context, const char *name, double seconds, uint64_t count);
    void (*saved)(void *context, int64_t step); /* a checkpoint; -1: at no step that was said */
    void (*asked)(void *context, int64_t step, struct stream_stop *out); /* the step that is done; -1: not said */
};

/* How a trial ended that a persistent program was given. */
struct stream_end {
    int64_t trial, attempt;
    int status;         /* as a process exits */
    const char *detail; /* in its own words, or NULL */
};

/* What is called of a persistent program, from the loop or from stream_drain. They destroy no stream. */
struct stream_serve_calls {
    void (*serves)(void *context); /* it waits for a trial */
    /* -1 with a sentence: it does not have this trial. */
    int (*ended)(void *context, const struct stream_end *end, struct err *err);
    void (*left)(void *context); /* it has closed its connection, or was put out */
};

/* Makes the socket; NULL with a sentence. `most` connections are taken at the same time. */
struct stream_port *stream_port_create(struct loop *loop, uint32_t most, struct err *err);
void stream_port_destroy(struct stream_port *port); /* no stream is left; NULL is fine */

/* A stream for a run. `calls` live as long. */
struct stream *stream_create(struct stream_port *port, uint64_t trial, uint32_t attempt,
                             const struct stream_calls *calls, void *context);
/* A stream for a persistent program, which is told where its output goes between trials (NULL: nowhere). */
struct stream *stream_create_serving(struct stream_port *port, const char *log, const struct stream_serve_calls *calls,
                                     void *context);
void stream_destroy(struct stream *stream); /* NULL is fine */

/* The run is so many processes: all that ask about the same step get the same answer, so that of those that wait for
 * each other none stops a step before the others. */
void stream_share(struct stream *stream, uint32_t ranks); /* NULL is fine */

/* Tells the persistent program; false: it does not listen. */
bool stream_tell(struct stream *stream, const json_t *line);

/* Whether a persistent program closed its connection before it had read all that it was told. */
bool stream_left_unread(const struct stream *stream);

/* Ends the connection of a persistent program: it is to exit. `left` is not called. */
void stream_dismiss(struct stream *stream);

/* Adds GANNET_SOCKET and GANNET_TOKEN; of no stream (NULL) they are empty, so that none is inherited. The token of a
 * process that is not the first of several says its rank, so that nothing else that it says of the trial counts. */
void stream_env(const struct stream *stream, uint32_t rank, struct texts *env);

/* The output of the program has this value, too: whether it counts. It does not when the metric was ever told here. */
bool stream_printed(struct stream *stream, const char *name, int64_t step);

/* Reads what has come by now, as far as may be read now. NULL is fine, here and below. */
void stream_read(struct stream *stream);

/* The program has ended: reads what is left, and ends the phases that it had begun. */
void stream_drain(struct stream *stream);

#endif
