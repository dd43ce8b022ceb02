/* The loops that are measured, each of a known number of operations or bytes. */
#ifndef GANNET_WORKER_LIMITS_BURSTS_H
#define GANNET_WORKER_LIMITS_BURSTS_H

#include <stddef.h>

/* The floating-point operations of a burst, on registers alone; 0: this processor has no such instructions, or none
 * that we know. Some tenths of a millisecond. */
double burst_flops(void);
double burst_flops_bf16(void);

/* Reads `count` numbers once, a multiple of 128 of them at an address that 64 divides; their sum. */
float burst_read(const float *numbers, size_t count);

#endif
