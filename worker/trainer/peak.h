/* The most memory that this process has had resident since a moment. */
#ifndef GANNET_WORKER_TRAINER_PEAK_H
#define GANNET_WORKER_TRAINER_PEAK_H

#include <stdint.h>

/* Files of /proc/self that stay open; -1 where there is none. */
struct peak {
    int statm, status, clear;
};

void peak_open(struct peak *peak);
void peak_close(struct peak *peak);

/* Bytes resident now; 0 when the system doesn't say. About a microsecond. */
uint64_t peak_now(const struct peak *peak);

/* Starts anew. Without permission to do so the peak stays that of the process. */
void peak_reset(const struct peak *peak);

/* Bytes resident at most since then. Tens of microseconds. */
uint64_t peak_read(const struct peak *peak);

/* The same without what other processes have as well: staged data, sums of gradients, programs. */
uint64_t peak_read_own(const struct peak *peak);

#endif
