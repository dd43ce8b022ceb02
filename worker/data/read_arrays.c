/* Examples from files of arrays: IDX and NPY, which have one each, NPZ and HDF5, which have several; see read.h. */
#include "common/mem.h"
#include "common/path.h"
#include "worker/data/array.h"
#include "worker/data/hdf5.h"
#include "worker/data/npy.h"
#include "worker/data/read.h"

#include <stdlib.h>
#include <string.h>

/* The types of IDX files. */
/* IDX files, the format of MNIST (LeCun, Cortes, Burges 1998): big-endian, 0 0 TYPE DIMENSIONS, a 32-bit size for each
 * dimension, then the values. */
static const struct {
    unsigned char code;
    char kind;
    size_t size;
} types[] = {{0x08, 'u', 1}, {0x09, 'i', 1}, {0x0b, 'i', 2}, {0x0c, 'i', 4}, {0x0d, 'f', 4}, {0x0e, 'f', 8}};
enum { TYPES = sizeof types / sizeof *types };

static int find_type(struct array *array, unsigned char code, struct err *err)
{
    for (int i = 0; i < TYPES; i++)
        if (types[i].code == code) {
            array->type = (struct array_type){.kind = types[i].kind, .size = types[i].size, .big = true};
            return 0;
        }
    return err_set(err, "%s: byte 2 names the type 0x%02x; IDX files have 0x08, 0x09 and 0x0b to 0x0e", array->name,
                   code);
}

static int read_header(struct array *array, struct bytes *bytes, struct err *err)
{
    unsigned char magic[4], size[4];
    if (bytes_read(bytes, magic, sizeof magic, err))
        return -1;
    if (magic[0] || magic[1])
        return err_set(err, "%s: is no IDX file; these begin with two zero bytes", array->name);
    if (find_type(array, magic[2], err))
        return -1;
    if (magic[3] < 1 || magic[3] > ARRAY_MOST_RANK)
        return err_set(err, "%s: byte 3 says %d dimensions; 1 to %d are read", array->name, magic[3], ARRAY_MOST_RANK);
    array->rank = magic[3];
    for (int i = 0; i < array->rank; i++) {
        if (bytes_read(bytes, size, sizeof size, err))
            return -1;
        array->size[i] = (size_t)size[0] << 24 | (size_t)size[1] << 16 | (size_t)size[2] << 8 | size[3];
    }
    return 0;
}

/* Reads a whole file, which may be compressed by gzip. `path` outlives the array. -1 with a sentence. */
static int idx_read(struct array *array, const char *path, struct err *err)
{
    struct bytes bytes;
    *array = (struct array){.name = path};
    if (bytes_open(&bytes, path, err))
        return -1;
    int result = read_header(array, &bytes, err) || array_read(array, &bytes, err) ? -1 : 0;
    bytes_close(&bytes);
    if (result)
        array_fini(array);
    return result;
}

/* --- formats --- */

static int read_idx(struct array *array, const char *path, const char *const *names, char **name, struct err *err)
{
    (void)names, (void)name;
    return idx_read(array, path, err);
}

static int read_npy(struct array *array, const char *path, const char *const *names, char **name, struct err *err)
{
    (void)names, (void)name;
    return npy_read_file(array, path, err);
}

static int read_npz(struct array *array, const char *path, const char *const *names, char **name, struct err *err)
{
    struct bytes bytes;
    if (npz_open(&bytes, path, names, name, err))
        return -1;
    int result = npy_read(array, &bytes, err);
    bytes_close(&bytes);
    return result;
}

/* How a file of arrays begins, or what its name ends with. */
static const struct format {
    const char *magic;
    size_t length;
    const char *end; /* NULL: the name says nothing */
    const char *name;
    bool several; /* arrays, which have names */
    int (*read)(struct array *array, const char *path, const char *const *names, char **name, struct err *err);
} formats[] = {
    {"\x93NUMPY", 6, NULL, "NPY", false, read_npy},
    {"PK\3\4", 4, NULL, "NPZ", true, read_npz},
    {"PK\5\6", 4, NULL, "NPZ", true, read_npz}, /* an empty archive */
    {"\x89HDF\r\n\x1a\n", 8, ".h5", "HDF5", true, hdf5_read},
    {"\x89HDF\r\n\x1a\n", 8, ".hdf5", "HDF5", true, hdf5_read},
    {"\x1f\x8b", 2, NULL, "IDX", false, read_idx},
    {"\0\0", 2, NULL, "IDX", false, read_idx},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* NULL: it is no file of arrays. */
static const struct format *find_format(const char *path, const unsigned char *magic)
{
    for (int i = 0; i < FORMATS; i++)
        if (memcmp(magic, formats[i].magic, formats[i].length) == 0 ||
            (formats[i].end && path_ends_with(path, formats[i].end)))
            return &formats[i];
    return NULL;
}

bool arrays_are_in(const char *path, const unsigned char magic[BYTES_MAGIC])
{
    return find_format(path, magic);
}

/* --- inputs and labels --- */

/* The names that arrays usually have, as training part and as test part. */
static const char *const inputs[] = {"x_train", "X_train", "x", "X", "inputs", "images", "data", "arr_0", NULL};
static const char *const inputs_test[] = {"x_test", "X_test", NULL};
static const char *const labels[] = {"y_train", "Y_train", "y",      "Y",     "labels",
                                     "label",   "targets", "target", "arr_1", NULL};
static const char *const labels_test[] = {"y_test", "Y_test", NULL};

/* Reads the array of that name, or of one of the usual names, where the format has names. *name is freed after the
 * array. */
static int read_array(struct array *array, const char *path, const char *wanted, const char *const *usual, char **name,
                      struct err *err)
{
    unsigned char magic[BYTES_MAGIC];
    const char *const own[] = {wanted, NULL};
    if (bytes_magic(path, magic, err))
        return -1;
    const struct format *format = find_format(path, magic);
    return format ? format->read(array, path, *wanted ? own : usual, name, err)
                  : err_set(err, "%s: is no file of arrays (IDX, NPY, NPZ, HDF5)", path);
}

/* The array's name of the test part: train/x has test/x. */
static char *name_of(const struct dataset_part *part, const char *wanted)
{
    return part->test ? part_test_name(wanted, "test") : mem_text(wanted);
}

static int read_inputs_and_labels(struct dataset *data, const struct dataset_part *part, struct err *err)
{
    const struct dataset_source *source = part->source;
    struct array x = {0}, y = {0};
    char *x_name = NULL, *y_name = NULL, *array = name_of(part, source->array), *label = name_of(part, source->label);
    int result = read_array(&x, part->file, array, part->test ? inputs_test : inputs, &x_name, err) ||
                         read_array(&y, part->labels ? part->labels : part->file, label,
                                    part->test ? labels_test : labels, &y_name, err)
                     ? -1
                     : array_make_dataset(&x, &y, source, &part->columns->numbers, data, err);
    array_fini(&x);
    array_fini(&y);
    free(x_name);
    free(y_name);
    free(array);
    free(label);
    return result;
}

int read_arrays(struct dataset *data, const struct dataset_part *part, struct err *err)
{
    unsigned char magic[BYTES_MAGIC];
    if (bytes_magic(part->file, magic, err))
        return -1;
    const struct format *format = find_format(part->file, magic);
    bool several = format && format->several;
    if (part->test && !several)
        return part_refuse_test(part, err);
    if (path_ends_with(part->file, ".csv.gz"))
        return err_set(err, "%s: is a compressed table; these are read unpacked (gunzip --keep)", part->file);
    if (!part->labels && !several)
        return err_set(err, "%s: is an %s file of inputs; name the one of labels in the option '%s'", part->file,
                       format ? format->name : "unknown", part->labels_option);
    return read_inputs_and_labels(data, part, err);
}
