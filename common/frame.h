/* Messages over a stream (the socket pair between worker and trainer): each behind a 32-bit little-endian length. */
#ifndef GANNET_COMMON_FRAME_H
#define GANNET_COMMON_FRAME_H

#include "common/buf.h"
#include "common/err.h"
#include "common/msg.h"

/* Adds a message with its length in front. */
void frame_put(struct buf *out, const struct msg *msg);

/* Takes the first whole message off `in`: 1 and *msg (msg_fini it); 0: more bytes are needed; -1 with a sentence: the
 * stream is broken (too long, or no message). */
int frame_take(struct buf *in, struct msg *msg, struct err *err);

/* Reads what is there (fd non-blocking or not) into `in`: 1 some bytes; 0 none now; -1 the stream ended or broke. */
int frame_read(int fd, struct buf *in);

/* Writes as much of `out` as goes and drops it: 0 (out may hold the rest); -1 the stream broke. */
int frame_write(int fd, struct buf *out);

#endif
