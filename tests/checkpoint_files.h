/* Files of checkpoints made by hand: of bytes that stand for a kernel's. */
#ifndef GANNET_TESTS_CHECKPOINT_FILES_H
#define GANNET_TESTS_CHECKPOINT_FILES_H

#include "common/buf.h"
#include "worker/kernels/kernel.h"

/* What stands for a kernel: bytes that are saved and taken back. */
struct content {
    struct buf bytes;
    const char *path;      /* not NULL: another writer writes `other` there before this one has ended */
    struct content *other; /* saved by it */
};

/* A kernel by this name whose bytes are a struct content's. */
struct kernel content_kernel(const char *name);

void content_write(const char *path, const char *kernel, int64_t step, struct content *content);

/* Reads a whole file: its step, and its bytes. -1 with a sentence. */
int64_t content_read(const char *path, const char *kernel, struct content *out, struct err *err);

/* How many files the scratch directory holds whose names begin like that. */
int content_count_files(void **state, const char *begin);

#endif
