/* Error output: the last lines of it, cleaned so that they can be stored and shown; and the stream of a trainer, which
 * goes to the present trial's file and only if there is any. */
#ifndef GANNET_WORKER_PROGRAM_ERROUT_H
#define GANNET_WORKER_PROGRAM_ERROUT_H

#include "common/buf.h"
#include "common/loop.h"

/* Adds bytes as valid UTF-8 without control characters but line feeds and tabs: a carriage return becomes a line feed,
 * every other byte that does not fit a question mark. */
void errout_clean(const char *bytes, size_t length, struct buf *out);

enum { ERROUT_TAIL = 4096 }; /* bytes of output kept for a result */

/* Adds the last lines of a text, at most ERROUT_TAIL bytes: whole lines when there are any, valid UTF-8, no control
 * characters but line feeds and tabs. */
void errout_tail(const char *bytes, size_t length, struct buf *out);

struct errout;

/* A stream: *fd is its writing end, for a child; to be closed by the caller. `before` (or NULL) is called before what
 * has come is read, to say whose it is: errout_begin. NULL with a sentence. */
struct errout *errout_open(struct loop *loop, int *fd, loop_call *before, void *context, struct err *err);
void errout_close(struct errout *errout); /* NULL is fine */

/* What comes from now on belongs to this file, made with its directory when the first byte comes; NULL: to none. The
 * tail begins anew. The first file gets what came before it, too. */
void errout_begin(struct errout *errout, const char *file);

/* Takes what is there now, without waiting. */
void errout_drain(struct errout *errout);

/* The last lines since errout_begin; valid until the next call. */
const char *errout_lines(struct errout *errout);

#endif
