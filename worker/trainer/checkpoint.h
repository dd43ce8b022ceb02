/* Checkpoint files: what a kernel saved, with what is needed to know that it is whole and whose it is. A file is
 * replaced at once by renaming; it is not synced, since one that was lost costs a trial's steps and nothing else. */
#ifndef GANNET_WORKER_TRAINER_CHECKPOINT_H
#define GANNET_WORKER_TRAINER_CHECKPOINT_H

#include "common/buf.h"
#include "common/err.h"
#include "common/msg.h"

#include <stdint.h>

struct checkpoint {
    int64_t step;               /* steps that were taken in all */
    int64_t base;               /* steps that the trial it started from had taken; 0: it started from none */
    int64_t shown;              /* the step that the last metrics were reported for */
    struct buf bytes;           /* the kernel's */
    struct msg_sample *samples; /* what the trial reported up to then; owned by the checkpoint when it was read */
    size_t sample_count;
    struct arena memory; /* of one that was read: the names */
};

void checkpoint_fini(struct checkpoint *checkpoint);

/* Writes one, making the directory that it lies in. -1 with a sentence. */
int checkpoint_write(const char *path, const char *kernel, const struct checkpoint *checkpoint, struct err *err);

/* Reads one of this kernel: 1; 0 when there is none; -1 with a sentence when it can't be used. Any file may be there.
 */
int checkpoint_read(const char *path, const char *kernel, struct checkpoint *out, struct err *err);

#endif
