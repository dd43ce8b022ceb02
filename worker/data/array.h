/* Arrays of numbers as files hold them (IDX, NPY, NPZ, HDF5), and how they become examples and labels. */
#ifndef GANNET_WORKER_DATA_ARRAY_H
#define GANNET_WORKER_DATA_ARRAY_H

#include "worker/data/bytes.h"
#include "worker/data/dataset.h"

enum { ARRAY_MOST_RANK = 8 };

/* What an element is. */
struct array_type {
    char kind;     /* 'u' or 'i': an integer, 'f': a floating-point number, 'b': a byte that is 0 or 1 */
    size_t size;   /* 1, 2, 4 or 8 bytes; 'f': not 1 */
    bool big;      /* the first byte is the most significant one */
    uint64_t from; /* where the elements begin, for sentences; 0: nobody knows */
};

/* The last index runs fastest. */
struct array {
    const char *name; /* for sentences; outlives this */
    struct array_type type;
    int rank; /* 0: one number */
    size_t size[ARRAY_MOST_RANK];
    float *values;
};

void array_fini(struct array *array); /* {0} is fine */

/* How many elements, UINT64_MAX when 64 bits don't hold it. */
uint64_t array_count(const struct array *array);

/* Whether memory holds the elements, whose name, rank and sizes are set. -1 with a sentence. */
int array_check_memory(const struct array *array, struct err *err);

/* Reads the elements, whose name, type, rank and sizes are set, up to the end of the file. -1 with a sentence. Memory
 * grows with what was read, whatever the sizes say. */
int array_read(struct array *array, struct bytes *bytes, struct err *err);

/* Which labels are classes: those that occur, in their order, so that labels from 1 leave no class without examples
 * (scikit-learn's classifiers do so, too). Labels that only a later part of the data has come behind. {0} at first. */
struct array_classes {
    int32_t of[DATASET_MOST_CLASSES]; /* by label: its class + 1; 0: none yet */
    size_t count;
};

/* Fills a dataset with the examples x[N, ...] and the labels y[N], or y[N,1]; with source->numbers these are numbers to
 * be learned. Takes x's values away. -1 with a sentence: sizes that don't fit, labels that are no whole numbers from 0,
 * NaN. */
int array_make_dataset(struct array *x, const struct array *y, const struct dataset_source *source,
                       struct array_classes *classes, struct dataset *data, struct err *err);

#endif
