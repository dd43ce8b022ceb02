/* What tests of HDF5 share: files that libhdf5 makes, and opening them as a kernel does. */
#ifndef GANNET_TESTS_KERNELS_HDF5_FILES_H
#define GANNET_TESTS_KERNELS_HDF5_FILES_H

#include "common/path.h"
#include "tests/claims.h"
#include "worker/data/hdf5.h"

#include <hdf5.h>
#include <stdlib.h>

static struct dataset data;
static struct err said;

static inline int forget(void **state)
{
    dataset_close(&data);
    return leave_scratch(state);
}

/* Opens what a source names, as a kernel does; unsaid texts are "". */
static inline int open_source(struct dataset_source source)
{
    dataset_close(&data);
    said.text[0] = '\0';
    const char **texts[] = {&source.labels, &source.array, &source.label, &source.validation_data,
                            &source.validation_labels};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = *texts[i] ? *texts[i] : "";
    source.validation = 0.5;
    return dataset_open(&data, &source, &said);
}

#define OPEN(...) open_source((struct dataset_source){__VA_ARGS__})

/* --- making files --- */

static inline hid_t make_file(const char *path)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

/* A data set of these sizes (until 0) and this type in the file, made as `how` says, elements as they are in memory;
 * NULL: they are never written. */
static inline void add_set(hid_t file, const char *name, hid_t type, hid_t memory, const hsize_t *sizes, hid_t how,
                           const void *elements)
{
    int rank = 0;
    while (sizes[rank])
        rank++;
    hid_t space = rank ? H5Screate_simple(rank, sizes, NULL) : H5Screate(H5S_SCALAR);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t set = H5Dcreate2(file, name, type, space, links, how, H5P_DEFAULT);
    assert_true(set >= 0);
    if (elements)
        assert_true(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements) >= 0);
    H5Dclose(set);
    H5Pclose(links);
    H5Sclose(space);
}

#define SIZES(...) ((const hsize_t[]){__VA_ARGS__, 0})

static const float four[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const int classes[] = {0, 1, 0, 1};

/* x[4,3] and y[4] under these names. */
static inline void add_examples(hid_t file, const char *x, const char *y)
{
    add_set(file, x, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, SIZES(4, 3), H5P_DEFAULT, four);
    add_set(file, y, H5T_STD_I64LE, H5T_NATIVE_INT, SIZES(4), H5P_DEFAULT, classes);
}

/* Where the module is, beside the programs of tests. */
static inline void use_built_module(void)
{
    char *here = path_program_directory(), *module = path_join(here, "../../hdf5.so");
    setenv("GANNET_HDF5_MODULE", module, 1);
    free(here);
    free(module);
}

#endif
