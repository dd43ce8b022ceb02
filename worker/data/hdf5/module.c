/* The module that knows libhdf5, 1.10 to 1.14; see interface.h. */
#include "worker/data/hdf5/module.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* --- sentences --- */

int module_refuse(char *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, HDF5_ERROR, format, arguments);
    va_end(arguments);
    return -1;
}

/* libhdf5's errors are a stack; the innermost says what happened. */
static herr_t note_innermost(unsigned n, const H5E_error2_t *one, void *reason)
{
    if (n == 0 && one->desc)
        snprintf(reason, HDF5_ERROR, "%.200s", one->desc);
    return 0;
}

int module_refuse_call(char *error, const char *format, ...)
{
    char reason[HDF5_ERROR] = "it gives no reason";
    va_list arguments;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_innermost, reason);
    va_start(arguments, format);
    vsnprintf(error, HDF5_ERROR, format, arguments);
    va_end(arguments);
    size_t length = strlen(error);
    snprintf(error + length, HDF5_ERROR - length, " (libhdf5: %s)", reason);
    return -1;
}

/* --- files --- */

/* Called by libhdf5 for each link into another file; -1: it is not followed. */
static herr_t refuse_link(const char *from, const char *group, const char *to, const char *object, unsigned *flags,
                          hid_t access, void *file)
{
    (void)from, (void)group, (void)to, (void)object, (void)flags, (void)access;
    ((struct hdf5_file *)file)->elsewhere = true;
    return -1;
}

static void close_file(struct hdf5_file *file)
{
    if (file->set >= 0)
        H5Dclose(file->set);
    if (file->access >= 0)
        H5Pclose(file->access);
    if (file->file >= 0)
        H5Fclose(file->file);
    free(file);
}

/* libhdf5 holds a file exclusively while it writes to it, where the file system can: what is not written yet may read
 * as zeros. */
static bool is_being_written(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return held;
}

static struct hdf5_file *open_file(const char *path, char *error)
{
    if (is_being_written(path)) {
        module_refuse(error, "another process has it open for writing; begin again when that has closed it");
        return NULL;
    }
    struct hdf5_file *file = malloc(sizeof *file);
    if (!file) {
        module_refuse(error, "there is no memory left");
        return NULL;
    }
    *file = (struct hdf5_file){H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, false};
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* nothing is printed */
    file->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file->file >= 0)
        file->access = H5Pcreate(H5P_LINK_ACCESS);
    if (file->access >= 0 && H5Pset_elink_cb(file->access, refuse_link, file) >= 0)
        return file;
    module_refuse_call(error, "is no HDF5 file, or is not whole");
    close_file(file);
    return NULL;
}

/* libhdf5 converts integers and floating-point numbers of any width and order of bytes. */
static int read_set(struct hdf5_file *file, float *values, char *error)
{
    return H5Dread(file->set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0
               ? module_refuse_call(error, "its elements can't be read: the file is damaged")
               : 0;
}

static const struct hdf5_module module = {
    .interface = HDF5_INTERFACE, .open = open_file, .find = module_find, .read = read_set, .close = close_file};

extern const struct hdf5_module *const gannet_hdf5_module;
const struct hdf5_module *const gannet_hdf5_module = &module;
