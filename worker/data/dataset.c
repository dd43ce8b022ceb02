/* Examples with labels for the classifiers; see dataset.h. */
#include "worker/data/dataset.h"

#include "common/mem.h"
#include "common/path.h"
#include "common/units.h"
#include "common/csv.h"
#include "worker/data/generate.h"
#include "worker/data/idx.h"
#include "worker/data/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NUMBERS_ARE_LEARNED "Numbers are learned with the kernel gbt and its option learn: numbers"

/* --- a CSV file --- */

struct table_reader {
    struct dataset *data;
    const char *path;
    const struct dataset_source *source;
    char **names;       /* of the columns */
    size_t columns, at; /* at: the label's column */
    struct levels classes;
    size_t x_capacity, label_capacity;
};

static int read_header(struct table_reader *reader, char *const *cells, size_t count, struct err *err)
{
    reader->names = MEM_ARRAY(char *, count);
    reader->columns = count;
    reader->at = count - 1;
    reader->data->inputs = count - 1;
    const char *label = reader->source->label;
    bool found = !*label;
    for (size_t i = 0; i < count; i++) {
        reader->names[i] = mem_text(cells[i]);
        if (strcmp(cells[i], label) != 0)
            continue;
        reader->at = i;
        found = true;
    }
    if (!found)
        return err_set(err, "%s: has no column '%s' for the option 'label'; its columns are %s, ... %s", reader->path,
                       label, cells[0], cells[count - 1]);
    return count > 1 ? 0 : err_set(err, "%s: has one column; a label and at least one input are needed", reader->path);
}

static int read_class(struct table_reader *reader, size_t line, const char *cell, struct err *err)
{
    struct dataset *data = reader->data;
    MEM_GROW(data->labels, reader->label_capacity, data->count + 1);
    data->labels[data->count] = (int32_t)levels_add(&reader->classes, cell);
    data->classes = reader->classes.count;
    if (data->classes > DATASET_MOST_CLASSES)
        return err_set(
            err,
            "%s:%zu: column '%s' has more than %d different values; is it the label of a class? " NUMBERS_ARE_LEARNED,
            reader->path, line, reader->names[reader->at], DATASET_MOST_CLASSES);
    return 0;
}

static int read_target(struct table_reader *reader, size_t line, const char *cell, struct err *err)
{
    struct dataset *data = reader->data;
    double number;
    MEM_GROW(data->targets, reader->label_capacity, data->count + 1);
    if (!units_number(cell, &number) || !isfinite((float)number))
        return err_set(err, "%s:%zu: column '%s', the number to be learned, holds '%.40s', which is no number",
                       reader->path, line, reader->names[reader->at], cell);
    data->targets[data->count] = (float)number;
    return 0;
}

static int read_label(struct table_reader *reader, size_t line, const char *cell, struct err *err)
{
    if (!*cell)
        return err_set(err, "%s:%zu: the label, column '%s', is empty", reader->path, line, reader->names[reader->at]);
    return (reader->source->numbers ? read_target : read_class)(reader, line, cell, err);
}

static bool is_missing(const struct table_reader *reader, const char *cell)
{
    return reader->source->missing &&
           (!*cell || strcasecmp(cell, "nan") == 0 || strcasecmp(cell, "na") == 0 || strcmp(cell, "?") == 0);
}

static int read_input(const struct table_reader *reader, size_t line, size_t column, const char *cell, float *out,
                      struct err *err)
{
    double number = NAN;
    if (!is_missing(reader, cell) && (!units_number(cell, &number) || !isfinite((float)number)))
        return err_set(err, "%s:%zu: column '%s' %s%.40s%s", reader->path, line, reader->names[column],
                       *cell ? "holds '" : "is empty; the kernel gbt takes missing inputs", cell,
                       *cell ? "', which is no number; write texts as numbers, or leave the column out" : "");
    *out = (float)number;
    return 0;
}

static int read_example(void *context, size_t line, char *const *cells, size_t count, struct err *err)
{
    struct table_reader *reader = context;
    struct dataset *data = reader->data;
    if (!reader->names)
        return read_header(reader, cells, count, err);
    MEM_GROW(data->x, reader->x_capacity, (data->count + 1) * data->inputs);
    if (read_label(reader, line, cells[reader->at], err))
        return -1;
    float *x = data->x + data->count * data->inputs;
    for (size_t i = 0; i < count; i++)
        if (i != reader->at && read_input(reader, line, i, cells[i], x++, err))
            return -1;
    data->count++;
    return 0;
}

int dataset_read_csv(struct dataset *data, const char *path, const struct dataset_source *source, struct err *err)
{
    struct table_reader reader = {.data = data, .path = path, .source = source};
    int result = csv_read(path, read_example, &reader, err);
    data->training = data->count;
    levels_fini(&reader.classes);
    for (size_t i = 0; i < reader.columns; i++)
        free(reader.names[i]);
    free(reader.names);
    return result;
}

/* --- IDX files --- */

int dataset_read_idx(struct dataset *data, const char *images, const char *labels, struct err *err)
{
    struct idx x, y;
    if (idx_read(&x, images, err))
        return -1;
    if (idx_read(&y, labels, err)) {
        idx_fini(&x);
        return -1;
    }
    data->count = data->training = x.count;
    data->inputs = x.size;
    int result = 0;
    if (y.size != 1 || y.count != x.count)
        result = err_set(err, "%s: holds %zu x %zu labels for the %zu images of %s", labels, y.count, y.size, x.count,
                         images);
    data->x = MEM_ARRAY(float, x.count *x.size);
    data->labels = MEM_ARRAY(int32_t, x.count);
    for (size_t i = 0; !result && i < x.count * x.size; i++)
        data->x[i] = (float)x.bytes[i];
    for (size_t n = 0; !result && n < x.count; n++) {
        data->labels[n] = y.bytes[n];
        data->classes = y.bytes[n] >= data->classes ? y.bytes[n] + 1u : data->classes;
    }
    idx_fini(&x);
    idx_fini(&y);
    return result;
}

/* --- split and scaling --- */

void dataset_shuffle(size_t *order, size_t count, struct rng *rng)
{
    for (size_t i = count; i > 1; i--) { /* Fisher and Yates 1938, in Durstenfeld's form */
        size_t j = (size_t)rng_below(rng, i), swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

/* Copies some rows of a matrix of so many columns. */
static void gather_rows(const float *from, const size_t *order, size_t count, size_t columns, float *to)
{
    for (size_t b = 0; b < count; b++)
        memcpy(to + b * columns, from + order[b] * columns, columns * sizeof *to);
}

void dataset_gather(const struct dataset *data, const size_t *order, size_t count, float *x, int32_t *labels)
{
    gather_rows(data->x, order, count, data->inputs, x);
    for (size_t b = 0; b < count; b++)
        labels[b] = data->labels[order[b]];
}

static void permute_floats(float **rows, const size_t *order, size_t count, size_t columns)
{
    float *permuted = MEM_ARRAY(float, count *columns);
    gather_rows(*rows, order, count, columns, permuted);
    free(*rows);
    *rows = permuted;
}

static void permute_labels(int32_t **labels, const size_t *order, size_t count)
{
    int32_t *permuted = MEM_ARRAY(int32_t, count);
    for (size_t n = 0; n < count; n++)
        permuted[n] = (*labels)[order[n]];
    free(*labels);
    *labels = permuted;
}

/* Puts the examples into a new order. */
static void permute_rows(struct dataset *data, const size_t *order)
{
    permute_floats(&data->x, order, data->count, data->inputs);
    if (data->labels)
        permute_labels(&data->labels, order, data->count);
    else
        permute_floats(&data->targets, order, data->count, 1);
}

void dataset_split(struct dataset *data, double validation, bool stratified, uint64_t seed)
{
    size_t *order = MEM_ARRAY(size_t, data->count), *split = MEM_ARRAY(size_t, data->count);
    size_t *seen = MEM_ARRAY(size_t, data->classes + 1);
    stratified = stratified && data->classes;
    struct rng rng = rng_make(seed, "split", 0);
    for (size_t n = 0; n < data->count; n++)
        order[n] = n;
    dataset_shuffle(order, data->count, &rng);
    /* Of each class, or of all, every (1 / validation)-th goes to the validation part, which fills up from the end. */
    size_t front = 0, back = data->count;
    for (size_t n = 0; n < data->count; n++) {
        double nth = (double)seen[stratified ? data->labels[order[n]] : 0]++;
        bool kept = floor((nth + 1) * validation + 0.5) > floor(nth * validation + 0.5);
        split[kept ? --back : front++] = order[n];
    }
    permute_rows(data, split);
    data->training = front;
    free(order);
    free(split);
    free(seen);
}

/* An input's values v in the training part become (v - offset) * factor. */
struct scale {
    double offset, factor;
};

static struct scale scale_of(const struct dataset *data, size_t input, enum dataset_scaling scaling)
{
    double least = INFINITY, most = -INFINITY, sum = 0, squares = 0, count = (double)data->training;
    const float *x = data->x + input;
    for (size_t n = 0; n < data->training; n++) {
        double v = x[n * data->inputs];
        least = fmin(least, v);
        most = fmax(most, v);
        sum += v;
    }
    for (size_t n = 0; n < data->training; n++)
        squares += pow(x[n * data->inputs] - sum / count, 2);
    double width = scaling == DATASET_UNIT ? most - least : sqrt(squares / count);
    return (struct scale){scaling == DATASET_UNIT ? least : sum / count, most > least && width > 0 ? 1 / width : 1};
}

void dataset_scale(struct dataset *data, enum dataset_scaling scaling)
{
    for (size_t i = 0; i < data->inputs && scaling != DATASET_NONE; i++) {
        struct scale scale = scale_of(data, i, scaling);
        for (size_t n = 0; n < data->count; n++) {
            float *v = &data->x[n * data->inputs + i];
            *v = (float)((*v - scale.offset) * scale.factor);
        }
    }
}

/* --- all together --- */

size_t dataset_shape_inputs(const struct dataset_shape *shape)
{
    size_t inputs = shape->rank ? 1 : 0;
    for (int i = 0; i < shape->rank; i++)
        inputs *= shape->size[i];
    return inputs;
}

static int make_examples(struct dataset *data, const char *name, const json_t *made, struct err *err)
{
    json_t *named = name ? json_string(name) : json_incref((json_t *)made);
    int result = generate_dataset(data, named, err);
    json_decref(named);
    return result;
}

static int read_files(struct dataset *data, const char *file, const struct dataset_source *source, struct err *err)
{
    char *labels = *source->labels ? path_join(source->base, source->labels) : NULL;
    int result;
    if (!idx_is(file))
        result = dataset_read_csv(data, file, source, err);
    else if (!labels)
        result = err_set(err, "%s: is an IDX file of images; name the one of labels in the option 'labels'", file);
    else
        result = dataset_read_idx(data, file, labels, err);
    free(labels);
    return result;
}

/* One of the two parts is empty: there are too few examples of each class, or too few in all. */
static int refuse_split(const struct dataset *data, struct err *err)
{
    if (data->targets || data->classes < 3)
        return err_set(err, "has too few examples (%zu) for a training and a validation part", data->count);
    return err_set(err,
                   "the label has %zu different values in %zu examples, too few of each class for a training and a "
                   "validation part. " NUMBERS_ARE_LEARNED,
                   data->classes, data->count);
}

/* What every format has in common, without the name of the file. */
static int prepare_examples(struct dataset *data, const struct dataset_source *source, struct err *err)
{
    if (data->inputs > DATASET_MOST_INPUTS)
        return err_set(err, "has %zu inputs; at most %d are possible", data->inputs, DATASET_MOST_INPUTS);
    if (!data->targets && data->classes < 2)
        return err_set(err, "has %zu examples of %zu classes; two classes are needed to learn from", data->count,
                       data->classes);
    dataset_split(data, source->validation, source->stratified, source->split_seed);
    if (!data->training || data->training == data->count)
        return refuse_split(data, err);
    dataset_scale(data, source->scaling);
    return 0;
}

int dataset_open(struct dataset *data, const struct dataset_source *source, struct err *err)
{
    const char *generator = source->file ? generate_named(source->file) : NULL;
    bool made = generator || !source->file;
    char *name = made ? mem_text("data: generate") : path_join(source->base, source->file);
    *data = (struct dataset){0};
    int result = made ? make_examples(data, generator, source->made, err) : read_files(data, name, source, err);
    if (!result && prepare_examples(data, source, err))
        result = err_prefix(err, "%s", name);
    if (result)
        dataset_close(data);
    free(name);
    return result;
}

void dataset_close(struct dataset *data)
{
    free(data->x);
    free(data->labels);
    free(data->targets);
    *data = (struct dataset){0};
}
