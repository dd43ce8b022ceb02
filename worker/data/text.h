/* A text whose next byte is learned: a file of any bytes, memory-mapped, so that each page of it is in memory once for
 * all processes that learn from it. Its examples are windows of T bytes, side by side, each with the T bytes that
 * follow them one by one. The training part is the beginning of the file, the validation part its end.
 *
 * The file must not become shorter while it is open: the process then ends with SIGBUS. */
#ifndef GANNET_WORKER_DATA_TEXT_H
#define GANNET_WORKER_DATA_TEXT_H

#include "common/err.h"

#include <stddef.h>
#include <stdint.h>

enum { TEXT_TOKENS = 256 }; /* values of a byte */

struct text {
    const uint8_t *bytes;   /* the file; NULL: there is none */
    size_t length;          /* of the file */
    size_t context;         /* T */
    size_t cut;             /* where the validation part begins */
    size_t training, count; /* windows of the training part; of both */
};

/* Maps a file and keeps its last `validation` part (0 to 1) for validation. -1 with a sentence that names the file, and
 * the byte where what is wrong begins. */
int text_open(struct text *text, const char *path, size_t context, double validation, struct err *err);
void text_close(struct text *text); /* {0} is fine */

/* Window n, those of the training part first: tokens[T], and next[T], the byte behind each. */
void text_read(const struct text *text, size_t n, int32_t *tokens, int32_t *next);

#endif
