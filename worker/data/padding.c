/* Sequences of different lengths; see padding.h. Shapes: N examples of T steps of F numbers. */
#include "worker/data/padding.h"

#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int padding_steps(const struct dataset *data, size_t steps, size_t *out, struct err *err)
{
    size_t inputs = data->inputs;
    if (!steps && data->shape.rank < 2)
        return err_set(err, "the data has %zu inputs and does not say of how many steps; the option 'steps' does",
                       inputs);
    *out = steps ? steps : data->shape.size[0];
    if (inputs % *out)
        return err_set(err, "the %zu inputs of the data can't be divided among %zu steps, as the option 'steps' says",
                       inputs, *out);
    return 0;
}

/* An example is looked at. */
struct padded_sequence {
    const struct dataset_padding *padding;
    const float *x;
    size_t T, F;
};

static bool is_padding(const struct padded_sequence *s, size_t t)
{
    for (size_t f = 0; f < s->F; f++) {
        float v = s->x[t * s->F + f];
        if (s->padding->kind == PADDING_NAN ? !isnan(v) : v != s->padding->number)
            return false;
    }
    return true;
}

static size_t length_of(const struct padded_sequence *s)
{
    size_t length = s->T;
    while (length && is_padding(s, length - 1))
        length--;
    return length;
}

/* Whether a step before the end can't be: part of it is NaN, or it is a token that means padding. */
static bool is_broken(const struct padded_sequence *s, size_t t)
{
    for (size_t f = 0; f < s->F; f++)
        if (isnan(s->x[t * s->F + f]))
            return true;
    return s->padding->tokens && is_padding(s, t);
}

/* "example 3 of the validation data", as numpy counts: from 0. */
static int refuse_example(const struct dataset *data, size_t n, const char *what, struct err *err)
{
    bool own = n >= data->training;
    return err_set(err, "example %zu%s (counted from 0) %s", own ? n - data->training : n,
                   own ? " of the validation data" : "", what);
}

static int check_steps(const struct dataset *data, const struct padded_sequence *s, size_t n, size_t length,
                       struct err *err)
{
    char what[160];
    if (!length)
        return refuse_example(data, n, "is nothing but padding; leave it out", err);
    for (size_t t = 0; t < length; t++)
        if (is_broken(s, t)) {
            snprintf(what, sizeof what,
                     "has padding at step %zu and more behind it; sequences are filled up at their end "
                     "(pad_sequences: padding='post')",
                     t);
            return refuse_example(data, n, what, err);
        }
    return 0;
}

/* No sequence is filled up at its end, and some may be at their beginning. */
static int check_side(const struct dataset *data, size_t shorter, size_t begin, struct err *err)
{
    if (shorter || !begin)
        return 0;
    return err_set(err,
                   "no sequence ends with padding, and %zu of %zu begin with it; they are to be filled up at their end "
                   "(pad_sequences: padding='post')",
                   begin, data->count);
}

/* Tokens are whole numbers, in the steps before the padding. */
static int check_tokens(const struct dataset *data, struct err *err)
{
    char what[160];
    for (size_t i = 0; i < data->count * data->inputs; i++) {
        size_t n = i / data->inputs, t = i % data->inputs;
        float v = data->x[i];
        bool counts = !data->lengths || t < (size_t)data->lengths[n];
        if (!counts || (v >= 0 && v < DATASET_MOST_INPUTS && v == floorf(v)))
            continue;
        snprintf(what, sizeof what, "is %g at step %zu; inputs: tokens takes whole numbers from 0 to %d", (double)v, t,
                 DATASET_MOST_INPUTS - 1);
        return refuse_example(data, n, what, err);
    }
    return 0;
}

int padding_find(struct dataset *data, const struct dataset_padding *padding, struct err *err)
{
    size_t T = data->inputs, shorter = 0, begin = 0;
    if (padding->kind == PADDING_NONE)
        return padding->tokens ? check_tokens(data, err) : 0;
    if (!padding->tokens && padding_steps(data, padding->steps, &T, err))
        return -1;
    data->steps = T;
    data->lengths = MEM_ARRAY(int32_t, data->count);
    for (size_t n = 0; n < data->count; n++) {
        struct padded_sequence s = {padding, data->x + n * data->inputs, T, data->inputs / T};
        size_t length = length_of(&s);
        if (check_steps(data, &s, n, length, err))
            return -1;
        data->lengths[n] = (int32_t)length;
        shorter += length < T;
        begin += is_padding(&s, 0);
    }
    return check_side(data, shorter, begin, err) || (padding->tokens && check_tokens(data, err)) ? -1 : 0;
}

void padding_clear(struct dataset *data)
{
    size_t F = data->lengths ? data->inputs / data->steps : 0;
    for (size_t n = 0; data->lengths && n < data->count; n++) {
        size_t own = (size_t)data->lengths[n] * F;
        memset(data->x + n * data->inputs + own, 0, (data->inputs - own) * sizeof *data->x);
    }
}
