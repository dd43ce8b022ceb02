/* What a person's program did on GPUs, summed by the names of kernels: what holds wherever such sums go, on the wire
 * (msg_gpu_sum), in events and in the store. */
#ifndef GANNET_COMMON_GPU_SUMS_H
#define GANNET_COMMON_GPU_SUMS_H

#include "common/msg.h"

#include <stdbool.h>

/* Of a run the names with the most time are kept, and one sum of the others: with a row of up to 110 bytes these keep
 * the promise of 2 KB a trial. */
enum { GPU_SUMS_KEPT = 16, GPU_SUMS_MOST = GPU_SUMS_KEPT + 1, GPU_NAME_LONGEST = 64, GPU_WHY_LONGEST = 200 };

#define GPU_SUMS_OTHERS "other kernels"

/* A name, or a sentence, neither NULL nor empty, that needs no escapes in JSON and does nothing on a terminal. */
bool gpu_text_is_plain(const char *text, size_t longest);

/* A sum that can be: with a name and calls, its shortest call no longer than its longest, nor that than all. */
bool gpu_sum_is_sane(const struct msg_gpu_sum *sum);

#endif
