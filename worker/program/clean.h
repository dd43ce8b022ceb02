/* Text that programs wrote, made fit for being stored and shown. */
#ifndef GANNET_WORKER_PROGRAM_CLEAN_H
#define GANNET_WORKER_PROGRAM_CLEAN_H

#include "common/buf.h"

/* Adds bytes as valid UTF-8 without control characters but line feeds and tabs: a carriage return becomes a line feed,
 * every other byte that does not fit a question mark. */
void clean_text(const char *bytes, size_t length, struct buf *out);

#endif
