/* A text or a run of bytes that grows at its end. */
#ifndef GANNET_COMMON_BUF_H
#define GANNET_COMMON_BUF_H

#include <stddef.h>

struct buf {
    char *data;      /* always ends in a '\0' beyond `length` once anything was added; NULL before */
    size_t length;   /* bytes in use */
    size_t capacity; /* bytes allocated */
};

/* {0} is an empty buffer, ready for use. */
void buf_fini(struct buf *buf);

/* Forgets what is in it and keeps the memory. */
void buf_clear(struct buf *buf);

void buf_add(struct buf *buf, const void *bytes, size_t length);

/* Room for so many bytes behind what is there; whoever writes some there adds them to buf->length, and a zero. */
char *buf_room(struct buf *buf, size_t length);

void buf_text(struct buf *buf, const char *text);
void buf_format(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Drops the first `length` bytes, moving the rest to the front. */
void buf_drop(struct buf *buf, size_t length);

/* The text in it, "" when empty; valid until the next call on this buffer. */
const char *buf_str(const struct buf *buf);

/* Hands the text over to the caller (free() it; never NULL) and leaves the buffer empty. */
char *buf_take(struct buf *buf);

#endif
