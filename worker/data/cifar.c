/* CIFAR-10 and CIFAR-100 (Krizhevsky 2009) in their binary version; see read.h. A record is a label (CIFAR-100: a
 * coarse and a fine one) and 32 x 32 bytes of red, of green and of blue. Files are data_batch_1.bin to data_batch_5.bin
 * and test_batch.bin, or train.bin and test.bin. Pixels come to lie as [H,W,channels]. */
#include "worker/data/read.h"

#include "common/mem.h"
#include "common/path.h"
#include "worker/data/bytes.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, PLANE = SIDE * SIDE, CHANNELS = 3, IMAGE = PLANE * CHANNELS, BATCHES = 5 };

/* What a record begins with. */
struct cifar_record {
    size_t labels; /* bytes of labels: 1 or 2 */
    size_t label;  /* which of them counts */
    size_t classes;
};

/* CIFAR-100 has the coarse label first; `label` chooses. */
static int choose_record(const struct dataset_part *part, uint64_t bytes, struct cifar_record *record, struct err *err)
{
    const char *label = part->source->label;
    bool named = *label != '\0', coarse = strcmp(label, "coarse") == 0;
    bool ten = bytes % (IMAGE + 1) == 0, hundred = bytes % (IMAGE + 2) == 0;
    if (named && !coarse && strcmp(label, "fine") != 0)
        return err_set(err,
                       "%s: the option 'label' is '%s'; CIFAR-100 has the labels fine and coarse, CIFAR-10 has one",
                       part->file, label);
    if (!bytes || (named ? !hundred : !ten && !hundred))
        return err_set(
            err, "%s: has %llu bytes, which is no multiple of %s: no file of CIFAR's binary version, or not whole",
            part->file, (unsigned long long)bytes, named ? "3074 (CIFAR-100)" : "3073 (CIFAR-10) or 3074 (CIFAR-100)");
    *record =
        named || !ten ? (struct cifar_record){2, coarse ? 0 : 1, coarse ? 20 : 100} : (struct cifar_record){1, 0, 10};
    return 0;
}

/* Planes become pixels. */
static void take_image(const unsigned char *planes, float *x)
{
    for (size_t i = 0; i < PLANE; i++)
        for (size_t c = 0; c < CHANNELS; c++)
            x[i * CHANNELS + c] = (float)planes[c * PLANE + i];
}

static int read_record(struct dataset *data, size_t n, const struct cifar_record *record, struct bytes *bytes,
                       struct err *err)
{
    unsigned char one[2 + IMAGE];
    uint64_t at = bytes->at + record->label;
    if (bytes_read(bytes, one, record->labels + IMAGE, err))
        return -1;
    if (one[record->label] >= record->classes)
        return err_set(err, "%s: byte %llu says class %d; there are %zu, from 0", bytes->name, (unsigned long long)at,
                       one[record->label], record->classes);
    data->labels[n] = one[record->label];
    take_image(one + record->labels, data->x + n * IMAGE);
    return 0;
}

/* The files of a directory, and what is trained and validated with, have the same classes. */
static int check_classes(const struct dataset_part *part, const struct cifar_record *record, struct err *err)
{
    size_t *stated = &part->columns->stated;
    if (*stated && *stated != record->classes)
        return err_set(err, "%s: has %zu classes, and the files before it have %zu; CIFAR-10 and CIFAR-100 don't mix",
                       part->file, record->classes, *stated);
    *stated = record->classes;
    return 0;
}

/* Adds the records of a file. */
static int read_records(struct dataset *data, const struct dataset_part *part, const char *path, struct err *err)
{
    struct bytes bytes;
    struct cifar_record record;
    if (bytes_open(&bytes, path, err))
        return -1;
    struct dataset_part this = *part;
    this.file = path;
    int result = bytes.length == BYTES_UNKNOWN
                     ? err_set(err, "%s: is compressed; CIFAR's binary files are read unpacked", path)
                     : choose_record(&this, bytes.length, &record, err);
    if (!result)
        result = check_classes(&this, &record, err);
    if (!result)
        result = bytes_promise(&bytes, bytes.length, (double)bytes.length * sizeof(float), "images", err);
    if (!result) {
        size_t more = (size_t)bytes.length / (record.labels + IMAGE), all = data->count + more;
        data->classes = record.classes;
        data->x = mem_resize(data->x, all * IMAGE, sizeof *data->x);
        data->labels = mem_resize(data->labels, all, sizeof *data->labels);
        for (; !result && data->count < all; data->count += !result)
            result = read_record(data, data->count, &record, &bytes, err);
    }
    bytes_close(&bytes);
    return result;
}

static int read_batch(struct dataset *data, const struct dataset_part *part, const char *path, struct err *err)
{
    struct file_watch watch = file_watch_begin(path);
    return file_watch_end(&watch, read_records(data, part, path, err), err);
}

/* Adds a file of the directory; 0: it is not there. */
static int read_named(struct dataset *data, const struct dataset_part *part, const char *name, bool *found,
                      struct err *err)
{
    char *path = path_join(part->file, name);
    bool there = path_exists(path);
    int result = there ? read_batch(data, part, path, err) : 0;
    *found |= there;
    free(path);
    return result;
}

/* Of CIFAR-10 the five batches, as far as they are there, of CIFAR-100 the one. */
static int read_directory(struct dataset *data, const struct dataset_part *part, struct err *err)
{
    char name[40];
    bool found = false;
    int result = read_named(data, part, part->test ? "test_batch.bin" : "train.bin", &found, err);
    for (int i = 1; !result && !part->test && i <= BATCHES; i++) {
        snprintf(name, sizeof name, "data_batch_%d.bin", i);
        result = read_named(data, part, name, &found, err);
    }
    if (!result && !found && part->test)
        result = read_named(data, part, "test.bin", &found, err);
    if (!result && !found)
        result = err_set(err, "%s: is a directory without %s; CIFAR's binary version is read from one", part->file,
                         part->test ? "test_batch.bin or test.bin" : "data_batch_1.bin ... or train.bin");
    return result;
}

int read_cifar(struct dataset *data, const struct dataset_part *part, struct err *err)
{
    if (part->labels)
        return err_set(err,
                       "%s: CIFAR's files have their labels in them; the option '%s' is of files of arrays (IDX, NPY, "
                       "NPZ, HDF5)",
                       part->file, part->labels_option);
    int result =
        path_is_directory(part->file) ? read_directory(data, part, err) : read_batch(data, part, part->file, err);
    data->training = data->count;
    data->inputs = IMAGE;
    data->shape = (struct dataset_shape){.rank = 3, .size = {SIDE, SIDE, CHANNELS}};
    return result;
}
