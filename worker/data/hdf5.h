/* Data sets of HDF5 files as arrays; libhdf5 is behind a module that is loaded when it is needed (hdf5/interface.h). */
#ifndef GANNET_WORKER_DATA_HDF5_H
#define GANNET_WORKER_DATA_HDF5_H

#include "worker/data/array.h"

/* Reads the first data set of `names` (a NULL at the end) that a file has; *name becomes a text for sentences, free()
 * it after the array. -1 with a sentence. */
int hdf5_read(struct array *array, const char *path, const char *const *names, char **name, struct err *err);

#endif
