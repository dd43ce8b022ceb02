/* Numbers sorted into bins, so that a tree needs to look at some 255 places for a split and not at every number.
 *
 * Shapes: N rows, F inputs. Input f has cuts[0] < ... < cuts[c-1] and the bins 0 .. c: bin b holds what is above cut b
 * - 1 and not above cut b. An input of which some values are missing (NaN) has one bin more, its last, for these. */
#ifndef GANNET_WORKER_BOOST_BINS_H
#define GANNET_WORKER_BOOST_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BINS_MOST = 255 }; /* of values; one more is for those that are missing */

struct bins_input {
    float *cuts;     /* [count of bins of values - 1], rising */
    uint32_t values; /* bins of values, at least 1 */
    uint32_t count;  /* of all bins: one more than values when some are missing */
    size_t first;    /* the place of its bin 0 in a histogram of all inputs */
};

struct bins {
    size_t count, inputs; /* N, F */
    struct bins_input *of;
    size_t total;    /* bins of all inputs */
    uint8_t *column; /* [F, N]: the bins of input f are column + f * N */
};

/* Chooses cuts by x[N, F], and sorts x into bins. With at most `most` different values each has a bin of its own, else
 * bins hold about as many rows each. Equal input gives equal bins, with any number of threads. */
void bins_make(struct bins *bins, const float *x, size_t count, size_t inputs, uint32_t most, int threads);

/* Sorts other rows, x[N, F], into the bins of `like`. Where no value was missing then, a missing one counts as the
 * largest. */
void bins_like(struct bins *bins, const struct bins *like, const float *x, size_t count);

void bins_fini(struct bins *bins); /* {0} is fine */

static inline uint8_t bins_at(const struct bins *bins, size_t row, uint32_t input)
{
    return bins->column[input * bins->count + row];
}

static inline bool bins_is_missing(const struct bins *bins, uint32_t input, uint8_t bin)
{
    return bin == bins->of[input].values;
}

#endif
