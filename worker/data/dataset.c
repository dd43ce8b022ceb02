/* Examples with labels for the classifiers; see dataset.h. */
#include "worker/data/dataset.h"

#include "common/mem.h"
#include "common/path.h"
#include "worker/data/copy.h"
#include "worker/data/generate.h"
#include "worker/data/padding.h"
#include "worker/data/read.h"

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
    if (!data->count)
        return err_set(err, "has no example, only a header; each line behind that is one");
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
