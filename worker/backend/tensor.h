/* Arrays of numbers in a backend's memory: what operations work on. A tensor is a plain description; it owns nothing.
 *
 * The alphabet of shapes: B examples in a batch, I inputs and O outputs of a layer, H x W pixels of C channels, K x K
 * pixels of a kernel of a convolution, T steps of D numbers of a sequence. Arrays are row-major, the last axis is the
 * one whose neighbours lie side by side; images are [B,H,W,C], sequences [B,T,D]. */
#ifndef GANNET_WORKER_BACKEND_TENSOR_H
#define GANNET_WORKER_BACKEND_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TENSOR_MOST_AXES = 4 };

enum tensor_type {
    TENSOR_F32,
    TENSOR_BF16, /* the upper half of an F32; rounded to nearest, ties to even */
    TENSOR_I32,  /* labels, places in a table */
};

struct tensor {
    enum tensor_type type;
    int axes;
    size_t size[TENSOR_MOST_AXES]; /* of each axis; those behind the last are 0 */
    void *at;                      /* an address in its backend's memory, for the backend alone to read and write */
};

/* A tensor without memory yet. */
struct tensor tensor_make(enum tensor_type type, int axes, const size_t *size);
struct tensor tensor_vector(enum tensor_type type, size_t size);

/* The same memory as one axis; as the rows of its last axis, [R,C]; as B examples, or those from `first` on, of the
 * first axis. */
struct tensor tensor_flat(const struct tensor *tensor);
struct tensor tensor_rows(const struct tensor *tensor);
struct tensor tensor_slice(const struct tensor *tensor, size_t first, size_t B);

/* Numbers of one type, of one example (all axes but the first), of all, and their bytes. */
size_t tensor_type_bytes(enum tensor_type type);
size_t tensor_width(const struct tensor *tensor);
size_t tensor_count(const struct tensor *tensor);
size_t tensor_bytes(const struct tensor *tensor);

/* Whether both have the same axes; the type and the memory may differ. */
bool tensor_alike(const struct tensor *a, const struct tensor *b);

/* --- BF16 --- */

static inline float tensor_from_bf16(uint16_t value)
{
    union {
        uint32_t bits;
        float number;
    } as = {(uint32_t)value << 16};
    return as.number;
}

static inline uint16_t tensor_to_bf16(float number)
{
    union {
        float number;
        uint32_t bits;
    } as = {number};
    if (number != number) /* the upper half alone might say infinite */
        return (uint16_t)(as.bits >> 16 | 0x40);
    return (uint16_t)((as.bits + 0x7fff + (as.bits >> 16 & 1)) >> 16);
}

#endif
