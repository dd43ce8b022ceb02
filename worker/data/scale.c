/* Inputs in a range that training goes well with; see dataset.h. */
#include "worker/data/dataset.h"

#include <math.h>

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
