/* Inputs in a range that training goes well with; see dataset.h. */
#include "worker/data/dataset.h"

#include <math.h>

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
