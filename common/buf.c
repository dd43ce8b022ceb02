/* A growing buffer; see buf.h. */
#include "common/buf.h"
#include "common/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_fini(struct buf *buf)
{
    free(buf->data);
    *buf = (struct buf){0};
}

void buf_clear(struct buf *buf)
{
    buf->length = 0;
    if (buf->data)
        buf->data[0] = '\0';
}

/* Room for so many bytes more and the zero behind them. Most texts are of some words: their first memory holds them. */
static void make_room(struct buf *buf, size_t length)
{
    enum { FIRST = 64 };
    size_t wanted = buf->length + length + 1;
    MEM_GROW(buf->data, buf->capacity, wanted < FIRST ? FIRST : wanted);
}

char *buf_room(struct buf *buf, size_t length)
{
    make_room(buf, length);
    return buf->data + buf->length;
}

void buf_add(struct buf *buf, const void *bytes, size_t length)
{
    make_room(buf, length);
    if (length)
        memcpy(buf->data + buf->length, bytes, length);
    buf->length += length;
    buf->data[buf->length] = '\0';
}

void buf_text(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text));
}

void buf_format(struct buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert(length >= 0);
    make_room(buf, (size_t)length);
    vsnprintf(buf->data + buf->length, (size_t)length + 1, format, again);
    va_end(again);
    buf->length += (size_t)length;
}

void buf_drop(struct buf *buf, size_t length)
{
    assert(length <= buf->length);
    if (!length)
        return;
    memmove(buf->data, buf->data + length, buf->length - length + 1);
    buf->length -= length;
}

const char *buf_str(const struct buf *buf)
{
    return buf->data ? buf->data : "";
}

char *buf_take(struct buf *buf)
{
    char *text = buf->data ? buf->data : mem_text("");
    *buf = (struct buf){0};
    return text;
}
