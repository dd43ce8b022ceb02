/* Tensors with random numbers in a backend's memory, and what operations made of them as floats of the host. */
#ifndef GANNET_TESTS_TENSORS_H
#define GANNET_TESTS_TENSORS_H

#include "common/rng.h"
#include "worker/backend/operations.h"

enum { TENSORS_MOST = 64 };

/* A backend at work. The numbers that it draws are a function of the seed and of what was drawn before. */
struct tensors {
    struct backend *backend;
    struct rng rng;
    void *made[TENSORS_MOST]; /* their memory */
    int count;
    size_t shift;    /* numbers that are left out before each tensor that is made; 0 unless a test sets it */
    double *results; /* what tensors_result was given, one after the other */
    size_t result_count, result_capacity;
};

void tensors_open(struct tensors *tensors, const struct backend_kind *kind, uint64_t seed);
void tensors_close(struct tensors *tensors);

/* A size from 1 to `most`. */
size_t tensors_size(struct tensors *tensors, size_t most);

/* A tensor of these sizes, up to the first 0: of normal numbers, of zeros, of whole numbers below `bound`. It lives
 * until tensors_close. */
#define TENSORS_SIZES(...) ((const size_t[TENSOR_MOST_AXES + 1]){__VA_ARGS__})
struct tensor tensors_random(struct tensors *tensors, enum tensor_type type, const size_t *sizes);
struct tensor tensors_zeros(struct tensors *tensors, enum tensor_type type, const size_t *sizes);
struct tensor tensors_whole(struct tensors *tensors, size_t count, size_t bound);

/* How many of T steps each of so many examples has: from 1 to T. */
struct tensor tensors_lengths(struct tensors *tensors, size_t count, size_t T);

/* One with these numbers. */
struct tensor tensors_given(struct tensors *tensors, const float *numbers, const size_t *sizes);

/* Its numbers; to be freed. */
double *tensors_read(struct tensors *tensors, const struct tensor *tensor);

/* Changes one of its numbers, F32. */
void tensors_set(struct tensors *tensors, const struct tensor *tensor, size_t i, float value);

/* Adds its numbers to the results. */
void tensors_result(struct tensors *tensors, const struct tensor *tensor);

#endif
