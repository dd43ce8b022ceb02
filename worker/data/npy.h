/* Arrays as numpy.save writes them: "\x93NUMPY", the version (1, 2 or 3), the header's length, a Python dictionary with
 * descr, fortran_order and shape, then the elements (numpy.lib.format, NEP 1). And archives of numpy.savez: ZIP files
 * of them, NAME.npy each. */
#ifndef GANNET_WORKER_DATA_NPY_H
#define GANNET_WORKER_DATA_NPY_H

#include "worker/data/array.h"

/* Reads one from where `bytes` is to its end; or a whole file, whose path outlives the array. -1 with a sentence: no
 * such file, Fortran's order of a table, elements that are no real numbers. */
int npy_read(struct array *array, struct bytes *bytes, struct err *err);
int npy_read_file(struct array *array, const char *path, struct err *err);

/* Opens an entry of an archive: the first of `names` (a NULL at the end) that is there; *name becomes a text for
 * sentences, free() it after closing. -1 with a sentence that lists what is there. */
int npz_open(struct bytes *bytes, const char *path, const char *const *names, char **name, struct err *err);

#endif
