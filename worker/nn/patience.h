/* When training has become as good as it will: it ends when a value has not become better than its best for a number of
 * epochs (Prechelt 1998, "Early stopping - but when?"). */
#ifndef GANNET_WORKER_NN_PATIENCE_H
#define GANNET_WORKER_NN_PATIENCE_H

#include "common/pack.h"

#include <stdbool.h>
#include <stdint.h>

struct patience {
    int64_t epochs; /* without a better value after which training ends; 0: it never does */
    bool larger;    /* whether larger values are better */
    bool seen;      /* whether there was a value */
    double best;
    int64_t since; /* epochs since the best */
};

/* Counts an epoch with this value. True: it was the last one. */
bool patience_ends(struct patience *patience, double value);

/* Of checkpoints. What is loaded from one that had come to its end, by which another trial starts, has its epochs
 * anew. */
void patience_save(const struct patience *patience, struct pack_writer *out);
void patience_load(struct patience *patience, struct pack_reader *in);

#endif
