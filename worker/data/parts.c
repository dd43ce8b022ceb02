/* Examples from files: one part that is divided later, or what is trained with and what is validated with; see read.h.
 */
#include "worker/data/read.h"

#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

char *part_test_name(const char *name, const char *test)
{
    const char *last = NULL;
    for (const char *at = name; (at = strstr(at, "train")); at++)
        last = at;
    return last ? mem_format("%.*s%s%s", (int)(last - name), name, test, last + strlen("train")) : mem_text(name);
}

/* The same of a path, in whose last part alone it is looked for. */
static char *test_file_name(const char *file, const char *test)
{
    const char *base = path_base(file);
    char *name = part_test_name(base, test), *path = mem_format("%.*s%s", (int)(base - file), file, name);
    free(name);
    return path;
}

/* The file that is the test part of another: train.csv has test.csv, MNIST's train-images-idx3-ubyte has
 * t10k-images-idx3-ubyte. The same name when it has no `train` in it. */
static char *find_test_file(const char *file)
{
    char *test = test_file_name(file, "test");
    if (path_exists(test))
        return test;
    char *t10k = test_file_name(file, "t10k");
    bool there = path_exists(t10k);
    free(there ? test : t10k);
    return there ? t10k : test;
}

int part_refuse_test(const struct dataset_part *part, struct err *err)
{
    return err_set(
        err,
        "%s: has no test part; 'validation_data: test' is of archives, of CIFAR's directory, and of files with "
        "'train' in their names. Name the file",
        part->file);
}

/* Labels that lie in a file of their own have a test part in another one, too: these would be the training part's. */
static int refuse_labels(const struct dataset_part *part, struct err *err)
{
    return err_set(err,
                   "%s: has no test part, as its name has no 'train' in it, and %s has one; name the files in "
                   "'validation_data' and 'validation_labels'",
                   part->labels, part->file);
}

/* Where validation data are that come with the data. */
static int read_test_part(struct dataset *data, const struct dataset_part *training, struct err *err)
{
    char *file = find_test_file(training->file), *labels = training->labels ? find_test_file(training->labels) : NULL;
    struct dataset_part part = *training;
    part.file = file;
    part.labels = labels;
    part.test = strcmp(file, training->file) == 0;
    bool same = labels && !part.test && strcmp(labels, training->labels) == 0;
    int result = same ? refuse_labels(training, err) : read_part(data, &part, err);
    free(file);
    free(labels);
    return result;
}

static int read_named_part(struct dataset *data, const struct dataset_part *training, struct err *err)
{
    const struct dataset_source *source = training->source;
    char *file = path_join(source->base, source->validation_data);
    char *labels = *source->validation_labels ? path_join(source->base, source->validation_labels) : NULL;
    struct dataset_part part = *training;
    part.file = file;
    part.labels = labels;
    part.labels_option = "validation_labels";
    int result = read_part(data, &part, err);
    free(file);
    free(labels);
    return result;
}

static void append_rows(float **rows, const float *more, size_t count, size_t more_count)
{
    *rows = mem_resize(*rows, count + more_count, sizeof **rows);
    memcpy(*rows + count, more, more_count * sizeof **rows);
}

/* "28 x 28" */
static void write_shape(const struct dataset *data, struct buf *out)
{
    for (int i = 0; i < data->shape.rank; i++)
        buf_format(out, i ? " x %zu" : "%zu", data->shape.size[i]);
}

/* Rows of so many inputs say no shape: they have that of the others. An image that says no channels has one. */
static bool same_shape(const struct dataset_shape *a, const struct dataset_shape *b)
{
    if (a->rank > b->rank)
        return same_shape(b, a);
    bool same = true;
    for (int i = 0; i < a->rank; i++)
        same = same && a->size[i] == b->size[i];
    return a->rank <= 1 || (same && (a->rank == b->rank || b->size[2] == 1));
}

static int check_shape(const struct dataset *data, const struct dataset *more, struct err *err)
{
    struct buf shape = {0}, other = {0};
    int result = 0;
    write_shape(data, &shape);
    write_shape(more, &other);
    if (more->inputs != data->inputs)
        result = err_set(err, "the validation data have %zu inputs, and the training data have %zu", more->inputs,
                         data->inputs);
    else if (!same_shape(&data->shape, &more->shape))
        result = err_set(err, "an example of the validation data is %s, and one of the training data is %s",
                         buf_str(&other), buf_str(&shape));
    buf_fini(&shape);
    buf_fini(&other);
    return result;
}

/* Puts the examples of the validation part behind the others. */
static int append_part(struct dataset *data, const struct dataset *more, struct err *err)
{
    if (check_shape(data, more, err))
        return -1;
    if (data->shape.rank <= 1 && more->shape.rank > 1)
        data->shape = more->shape;
    append_rows(&data->x, more->x, data->count * data->inputs, more->count * more->inputs);
    if (data->targets) {
        append_rows(&data->targets, more->targets, data->count, more->count);
    } else {
        data->labels = mem_resize(data->labels, data->count + more->count, sizeof *data->labels);
        memcpy(data->labels + data->count, more->labels, more->count * sizeof *data->labels);
    }
    data->classes = more->classes > data->classes ? more->classes : data->classes;
    data->count += more->count;
    return 0;
}

static int read_validation(struct dataset *data, const struct dataset_part *training, struct err *err)
{
    struct dataset more = {0};
    bool own = strcmp(training->source->validation_data, "test") == 0;
    int result = own ? read_test_part(&more, training, err) : read_named_part(&more, training, err);
    if (!result)
        result = append_part(data, &more, err);
    dataset_close(&more);
    return result;
}

int read_parts(struct dataset *data, const char *file, const struct dataset_source *source, struct err *err)
{
    char *labels = *source->labels ? path_join(source->base, source->labels) : NULL;
    struct table_columns columns = {0};
    struct dataset_part part = {
        .source = source, .file = file, .labels = labels, .labels_option = "labels", .columns = &columns};
    int result = read_part(data, &part, err);
    if (!result && *source->validation_data)
        result = read_validation(data, &part, err);
    table_columns_fini(&columns);
    free(labels);
    return result;
}

/* --- which files --- */

/* Of a directory CIFAR's files alone are read. */
static int is_batch(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".bin") == 0;
}

/* A file, or what would be read in a directory, and that itself. Takes `path` over. */
static void list_path(char *path, struct texts *paths)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_batch, alphasort);
    for (int i = 0; i < count; i++) {
        texts_add(paths, path_join(path, entries[i]->d_name));
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    texts_add(paths, path);
}

/* A file and, when it is wanted, its test part. */
static void list_with_test(const char *path, bool test, struct texts *paths)
{
    list_path(mem_text(path), paths);
    if (test)
        list_path(find_test_file(path), paths);
}

void read_parts_list(const char *file, const struct dataset_source *source, struct texts *paths)
{
    bool test = strcmp(source->validation_data, "test") == 0;
    char *labels = *source->labels ? path_join(source->base, source->labels) : NULL;
    list_with_test(file, test, paths);
    if (labels)
        list_with_test(labels, test, paths);
    if (*source->validation_data && !test)
        list_path(path_join(source->base, source->validation_data), paths);
    if (*source->validation_labels)
        list_path(path_join(source->base, source->validation_labels), paths);
    free(labels);
}
