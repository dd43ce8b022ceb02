/* Examples from files of arrays: IDX, NPY, NPZ; see read.h. */
#include "worker/data/read.h"

#include "common/mem.h"
#include "worker/data/idx.h"
#include "worker/data/npy.h"

#include <stdlib.h>
#include <string.h>

/* Two files of one array each. */
static int read_pair(struct dataset *data, const struct part *part, const char *format,
                     int (*read_file)(struct array *array, const char *path, struct err *err), struct err *err)
{
    struct array x = {0}, y = {0};
    if (part->test)
        return part_refuse_test(part, err);
    if (!part->labels)
        return err_set(err, "%s: is an %s file of inputs; name the one of labels in the option '%s'", part->file,
                       format, part->labels_option);
    int result = read_file(&x, part->file, err) || read_file(&y, part->labels, err)
                     ? -1
                     : array_make_dataset(&x, &y, part->source, data, err);
    array_fini(&x);
    array_fini(&y);
    return result;
}

int read_idx(struct dataset *data, const struct part *part, struct err *err)
{
    return read_pair(data, part, "IDX", idx_read, err);
}

int read_npy(struct dataset *data, const struct part *part, struct err *err)
{
    return read_pair(data, part, "NPY", npy_read_file, err);
}

/* --- archives --- */

/* The names that arrays usually have, as training part and as test part. */
static const char *const inputs[] = {"x_train", "X_train", "x", "X", "inputs", "images", "data", "arr_0", NULL};
static const char *const inputs_test[] = {"x_test", "X_test", NULL};
static const char *const labels[] = {"y_train", "Y_train", "y",      "Y",     "labels",
                                     "label",   "targets", "target", "arr_1", NULL};
static const char *const labels_test[] = {"y_test", "Y_test", NULL};

/* Opens the array of that name, or of one of the usual names; reads it. *name is freed after the array. */
static int read_entry(struct array *array, const struct part *part, const char *wanted, const char *const *usual,
                      char **name, struct err *err)
{
    char *given = part->test ? part_test_name(wanted, "test") : mem_text(wanted);
    const char *const own[] = {given, NULL};
    struct bytes bytes;
    int result = npz_open(&bytes, part->file, *given ? own : usual, name, err);
    if (!result) {
        result = npy_read(array, &bytes, err);
        bytes_close(&bytes);
    }
    free(given);
    return result;
}

int read_npz(struct dataset *data, const struct part *part, struct err *err)
{
    struct array x = {0}, y = {0};
    char *x_name = NULL, *y_name = NULL;
    const struct dataset_source *source = part->source;
    int result = read_entry(&x, part, source->array, part->test ? inputs_test : inputs, &x_name, err) ||
                         read_entry(&y, part, source->label, part->test ? labels_test : labels, &y_name, err)
                     ? -1
                     : array_make_dataset(&x, &y, source, data, err);
    array_fini(&x);
    array_fini(&y);
    free(x_name);
    free(y_name);
    return result;
}
