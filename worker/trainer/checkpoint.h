/* Checkpoint files: what a kernel saved, with what is needed to know that it is whole and whose it is.
 *
 *     head       of fixed length: the magic with the version of this layout, the kernel, steps, the samples' length
 *     samples    what the trial reported, a message of SAMPLES
 *     bytes      the kernel's, streamed to the file and back: they are never in memory as a whole
 *     tail       the length of the kernel's bytes, the hash of all before
 *
 * A file is written beside its place under a name of the writer's own (two may write: a run that was given up may not
 * know it yet) and takes its place by renaming, so that a reader, another trial's too, sees a whole one or none. One
 * that fails is removed and leaves the last one there.
 *
 * What the loss of a file costs decides whether it is synced first: a node that loses power may leave a torn one in the
 * place of a good one, and then the trial begins anew. So files that hold more than `lasting_seconds` of work are;
 * shorter trials cost less to take again than a sync for each of their pauses, and the system writes what they left
 * within half a minute anyway. */
#ifndef GANNET_WORKER_TRAINER_CHECKPOINT_H
#define GANNET_WORKER_TRAINER_CHECKPOINT_H

#include "common/err.h"
#include "common/msg.h"
#include "common/pack.h"
#include "worker/kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a file holds beside the kernel's bytes. */
struct checkpoint {
    int64_t step;               /* steps that were taken in all */
    int64_t base;               /* steps that the trial it started from had taken; 0: it started from none */
    int64_t shown;              /* the step that the last metrics were reported for */
    double worked;              /* seconds that all its steps took */
    struct msg_sample *samples; /* what the trial reported up to then; owned by the checkpoint when it was read */
    size_t sample_count;
    struct arena memory; /* of one that was read: the names */
};

/* Whether a file of so much work is synced. */
bool checkpoint_lasts(const struct checkpoint *checkpoint);

/* Writes one with what the slot save of the kernel adds, making the directory that it lies in. -1 with a sentence. */
int checkpoint_write(const char *path, const struct checkpoint *checkpoint, const struct kernel *kernel, void *self,
                     struct err *err);

/* Removes what writers that were killed have left beside the file. One that still writes, for an attempt that was given
 * up, fails by it. */
void checkpoint_sweep(const char *path);

/* A file that is read. */
struct checkpoint_file {
    FILE *file;
    struct checkpoint checkpoint;
    struct pack_reader bytes; /* the kernel's, for its slot resume */
    uint64_t length, hash;    /* the tail */
};

/* Opens one of this kernel and reads all but the kernel's bytes: 1; 0 when there is none; -1 with a sentence when it
 * can't be used. Any file may be there. */
int checkpoint_open(const char *path, const struct kernel *kernel, struct checkpoint_file *out, struct err *err);

/* Whether the file was whole: reads what is left of the kernel's bytes. -1 with a sentence; nothing that was read may
 * be used then. */
int checkpoint_check(struct checkpoint_file *file, struct err *err);

/* Of one that was opened. */
void checkpoint_close(struct checkpoint_file *file);

#endif
