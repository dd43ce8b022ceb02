/* What is asked of libhdf5, which brings libcurl, libssl and more into whoever is linked to it. So all of it stays
 * behind this interface: one module (module.c), built where libhdf5's headers are, loaded by the trainer that is to
 * read such a file and by nobody else. A file that harms libhdf5 ends that process alone.
 *
 * Other files are never opened: external links, external storage and virtual data sets are refused, as a file of data
 * is not to choose what is read. One that another process holds exclusively, as libhdf5 does while it writes, is
 * refused; files are not kept locked, since NFS and Lustre often can't, and they are only read; whoever sets
 * HDF5_USE_FILE_LOCKING gets what that says.
 *
 * Every function is called from one thread. What fails says a sentence without the file's name in error[HDF5_ERROR]. */
#ifndef GANNET_WORKER_DATA_HDF5_INTERFACE_H
#define GANNET_WORKER_DATA_HDF5_INTERFACE_H

#include <stdint.h>

/* HDF5_INTERFACE counts up when anything below changes; a module of another version is refused with a sentence. */
enum { HDF5_INTERFACE = 1, HDF5_MOST_RANK = 8, HDF5_ERROR = 900 };

#define HDF5_ENTRY "gannet_hdf5_module" /* the symbol: const struct hdf5_module * */

struct hdf5_file;

/* A data set of real numbers. The last index runs fastest. */
struct hdf5_set {
    const char *name; /* which of the names it was */
    int rank;         /* 0: one number */
    uint64_t size[HDF5_MOST_RANK];
    uint32_t bytes; /* of an element as it is in the file */
};

struct hdf5_module {
    uint32_t interface;

    /* Opens a file for reading; NULL with a sentence. */
    struct hdf5_file *(*open)(const char *path, char *error);

    /* Finds the first of some names (a NULL at the end) that a data set has, "x" or "train/x", and sees that its
     * elements are real numbers that are all there. -1 with a sentence, which lists what the file has when it is none
     * of them. */
    int (*find)(struct hdf5_file *file, const char *const *names, struct hdf5_set *set, char *error);

    /* Reads the data set that was found last, all of it. -1 with a sentence. */
    int (*read)(struct hdf5_file *file, float *values, char *error);

    void (*close)(struct hdf5_file *file);
};

#endif
