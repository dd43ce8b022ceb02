/* Parts of GPUs, as people write them: `gpus: 0.5` is half of one, for two trials at a time. */
#ifndef GANNET_COMMON_GPU_SHARE_H
#define GANNET_COMMON_GPU_SHARE_H

#include <stddef.h>
#include <stdint.h>

enum { GPU_SHARE_MOST = 100 }; /* trials on a GPU: more could not even start their CUDA contexts in its memory */

/* How many trials run on a GPU when each gets this number of GPUs: 2 of 0.5, 3 of 0.33, 1 of any whole number; 0 when
 * it is neither whole nor a part that at least two and at most GPU_SHARE_MOST trials can have of one GPU. */
uint32_t gpu_share_slots(double gpus);

/* "half of ", "a third of ", "1/5 of ": what one of so many trials has of a GPU; "" when it is alone. Returns `out`. */
const char *gpu_share_words(uint32_t slots, char *out, size_t size);

#endif
