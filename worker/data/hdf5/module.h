/* What the files of the module share. */
#ifndef GANNET_WORKER_DATA_HDF5_MODULE_H
#define GANNET_WORKER_DATA_HDF5_MODULE_H

#include "worker/data/hdf5/interface.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

/* libhdf5 would end the process when it is not of the very release of these headers. The loader has seen that it has
 * the same interface. */
#undef H5CHECK
#define H5CHECK

struct hdf5_file {
    hid_t file;
    hid_t access;   /* how links are followed: never into another file */
    hid_t set;      /* the data set that was found; H5I_INVALID_HID: none yet */
    bool elsewhere; /* a link into another file was met */
};

/* Writes a sentence; is -1. The second adds libhdf5's own reason. */
int module_refuse(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
int module_refuse_call(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* See interface.h. */
int module_find(struct hdf5_file *file, const char *const *names, struct hdf5_set *set, char *error);

/* What elements are, in words: "uint8", "float32", "texts". Whether they are real numbers that can be read. */
bool module_name_type(hid_t type, char *text, size_t size);

/* Writes which data sets a file has, with shapes and types: "x (60000 x 784, uint8), train/y (texts)". Follows no link.
 */
void module_list(hid_t file, char *text, size_t size);

/* Whether a data set is in this file, in a form that this libhdf5 can read. -1 with a sentence. */
int module_check_form(hid_t set, const char *name, char *error);

/* Whether all elements that its shape says were ever written. -1 with a sentence. */
int module_check_written(hid_t set, const struct hdf5_set *about, char *error);

#endif
