/* Data sets in files, as kernels open them. */
#ifndef GANNET_TESTS_DATA_SOURCE_H
#define GANNET_TESTS_DATA_SOURCE_H

#include "common/err.h"
#include "worker/data/read.h"

/* Closes what `data` holds and opens what a source names; what it leaves out is "", its directory tests/data/examples,
 * and half of the examples are for validation. -1 with a sentence in *said. */
int data_source_open(struct dataset *data, struct dataset_source source, struct err *said);

/* Makes a file, or replaces it. */
void data_source_write(const char *path, const void *bytes, size_t length);

#endif
