/* Numbers of several networks side by side: number n of network f lies in lane f of vector n, so that one instruction
 * does for all of them what each does alone, whatever the shape. The vectors are the compilers'; what a processor lacks
 * is done in parts. */
#ifndef GANNET_WORKER_LANES_VECTOR_H
#define GANNET_WORKER_LANES_VECTOR_H

#include "common/clones.h"

#include <stddef.h>
#include <stdint.h>

enum { LANES = 8 }; /* the floats of an AVX register; AVX-512 of that width has twice the registers */

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef double lanes_wide __attribute__((vector_size(LANES * sizeof(double))));
typedef int32_t lanes_int __attribute__((vector_size(LANES * sizeof(int32_t))));
typedef uint64_t lanes_bits __attribute__((vector_size(LANES * sizeof(uint64_t))));

#define LANES_INLINE static inline __attribute__((always_inline))

/* The same number in all lanes. Functions take vectors by their address: how they would be passed by value differs from
 * one clone to the other. */
#define LANES_OF(value) ((lanes){0} + (value))

/* yes where the mask is -1, no where it is 0 */
#define LANES_CHOOSE(mask, yes, no) ((lanes)(((mask) & (lanes_int)(yes)) | (~(mask) & (lanes_int)(no))))

#endif
