/* Examples with labels for the classifiers; see dataset.h. */
#include "worker/data/dataset.h"
#include "common/mem.h"
#include "common/path.h"
#include "worker/data/copy.h"
#include "worker/data/generate.h"
#include "worker/data/padding.h"
#include "worker/data/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* One of the two parts is empty: there are too few examples of each class, or too few in all. */
static int refuse_split(const struct dataset *data, double validation, struct err *err)
{
    if (data->targets || data->classes < 3)
        return err_set(err,
                       "has too few examples (%zu) for a training and a validation part, %g of them, as the option "
                       "'validation' says",
                       data->count, validation);
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
        return err_set(err, "has %zu example%s of one class; two classes are needed to learn from", data->count,
                       data->count == 1 ? "" : "s");
    if (padding_find(data, &source->padding, err))
        return -1;
    if (data->training == data->count)
        dataset_split(data, source->validation, source->stratified, source->split_seed);
    if (!data->training || data->training == data->count)
        return refuse_split(data, source->validation, err);
    dataset_scale(data, source->scaling);
    padding_clear(data);
    return 0;
}

int dataset_read(struct dataset *data, const struct dataset_source *source, struct err *err)
{
    const char *generator = source->file ? generate_named(source->file) : NULL;
    bool made = generator || !source->file;
    if (made && *source->validation_data)
        return err_set(err, "the option 'validation_data' is of files; what is made is divided by 'validation'");
    char *name = made ? mem_text("data: generate") : path_join(source->base, source->file);
    *data = (struct dataset){0};
    int result = made ? make_examples(data, generator, source->made, err) : read_parts(data, name, source, err);
    if (!result && prepare_examples(data, source, err))
        result = err_prefix(err, "%s", name);
    if (result)
        dataset_close(data);
    free(name);
    return result;
}

int dataset_open(struct dataset *data, const struct dataset_source *source, struct err *err)
{
    return (source->stage == DATASET_STAGE_NONE ? dataset_read : copy_open)(data, source, err);
}

void dataset_close(struct dataset *data)
{
    if (data->map) {
        copy_close(data);
    } else {
        free(data->x);
        free(data->labels);
        free(data->targets);
        free(data->lengths);
    }
    *data = (struct dataset){0};
}

/* Values v of a column in the training part become (v - offset) * factor. */
struct value_scale {
    double offset, factor;
};

/* What is scaled alike: an input of all examples, or number `first` of all steps that each of them has. */
struct scaled_column {
    size_t first, stride;
};

static size_t count_values(const struct dataset *data, size_t n)
{
    return data->lengths ? (size_t)data->lengths[n] : 1;
}

static float *value_at(const struct dataset *data, struct scaled_column column, size_t n, size_t t)
{
    return data->x + n * data->inputs + column.first + t * column.stride;
}

static struct value_scale scale_of(const struct dataset *data, struct scaled_column column,
                                   enum dataset_scaling scaling)
{
    double least = INFINITY, most = -INFINITY, sum = 0, squares = 0, count = 0;
    for (size_t n = 0; n < data->training; n++)
        for (size_t t = 0; t < count_values(data, n); t++, count++) {
            double v = *value_at(data, column, n, t);
            least = fmin(least, v);
            most = fmax(most, v);
            sum += v;
        }
    for (size_t n = 0; n < data->training; n++)
        for (size_t t = 0; t < count_values(data, n); t++)
            squares += pow(*value_at(data, column, n, t) - sum / count, 2);
    double width = scaling == DATASET_UNIT ? most - least : sqrt(squares / count);
    return (struct value_scale){scaling == DATASET_UNIT ? least : sum / count,
                                most > least && width > 0 ? 1 / width : 1};
}

static void scale_column(const struct dataset *data, struct scaled_column column, enum dataset_scaling scaling)
{
    struct value_scale scale = scale_of(data, column, scaling);
    for (size_t n = 0; n < data->count; n++)
        for (size_t t = 0; t < count_values(data, n); t++) {
            float *v = value_at(data, column, n, t);
            *v = (float)((*v - scale.offset) * scale.factor);
        }
}

void dataset_scale(struct dataset *data, enum dataset_scaling scaling)
{
    size_t columns = data->lengths ? data->inputs / data->steps : data->inputs;
    for (size_t i = 0; i < columns && scaling != DATASET_NONE; i++)
        scale_column(data, (struct scaled_column){i, columns}, scaling);
}

static void permute_floats(float **rows, const size_t *order, size_t count, size_t columns)
{
    float *permuted = MEM_ARRAY(float, count *columns);
    for (size_t n = 0; n < count; n++)
        memcpy(permuted + n * columns, *rows + order[n] * columns, columns * sizeof *permuted);
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
    if (data->lengths)
        permute_labels(&data->lengths, order, data->count);
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
