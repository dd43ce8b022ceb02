/* Arrays of numbers; see array.h. */
#include "worker/data/array.h"

#include "common/buf.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16 /* bytes that are decoded at a time; a multiple of every size */ };

void array_fini(struct array *array)
{
    free(array->values);
    *array = (struct array){0};
}

uint64_t array_count(const struct array *array)
{
    uint64_t count = 1;
    for (int i = 0; i < array->rank; i++)
        if (__builtin_mul_overflow(count, (uint64_t)array->size[i], &count))
            return UINT64_MAX;
    return count;
}

/* --- decoding --- */

static uint64_t bits_at(const unsigned char *at, size_t size, bool big)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits = bits << 8 | at[big ? i : size - 1 - i];
    return bits;
}

/* IEEE 754's 16 bits: a sign, 5 bits of exponent, 10 of fraction. */
static double half_of(uint64_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = (double)(bits & 1023), sign = bits >> 15 ? -1 : 1;
    if (exponent == 31)
        return fraction > 0 ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static float float_of(uint64_t bits, size_t size)
{
    uint32_t word = (uint32_t)bits;
    float single;
    double number;
    memcpy(&single, &word, sizeof single);
    memcpy(&number, &bits, sizeof number);
    return size == 2 ? (float)half_of(bits) : size == 4 ? single : (float)number;
}

static float signed_of(uint64_t bits, size_t size)
{
    int unused = 64 - 8 * (int)size;
    return (float)((int64_t)(bits << unused) >> unused);
}

static float element_at(const struct array_type *type, const unsigned char *at)
{
    uint64_t bits = bits_at(at, type->size, type->big);
    return type->kind == 'f'   ? float_of(bits, type->size)
           : type->kind == 'i' ? signed_of(bits, type->size)
           : type->kind == 'b' ? (float)(bits != 0)
                               : (float)bits;
}

/* "60000 x 28 x 28 values of 1 byte" */
static void describe_array(const struct array *array, struct buf *out)
{
    for (int i = 0; i < array->rank; i++)
        buf_format(out, i ? " x %zu" : "%zu", array->size[i]);
    buf_format(out, "%s of %zu byte%s", array->rank ? " values" : "1 value", array->type.size,
               array->type.size == 1 ? "" : "s");
}

static int check_promise(const struct array *array, const struct bytes *bytes, struct err *err)
{
    struct buf what = {0};
    uint64_t count = array_count(array), wanted;
    bool over = __builtin_mul_overflow(count, (uint64_t)array->type.size, &wanted) || count > SIZE_MAX / sizeof(float);
    describe_array(array, &what);
    int result = over ? err_set(err, "%s: its header says %s, more than any memory holds", bytes->name, buf_str(&what))
                      : bytes_promise(bytes, wanted, (double)count * sizeof(float), buf_str(&what), err);
    buf_fini(&what);
    return result;
}

int array_check_memory(const struct array *array, struct err *err)
{
    return check_promise(array, &(struct bytes){.name = array->name, .length = BYTES_UNKNOWN}, err);
}

int array_read(struct array *array, struct bytes *bytes, struct err *err)
{
    unsigned char chunk[CHUNK];
    size_t capacity = 0, done = 0, size = array->type.size;
    if (check_promise(array, bytes, err))
        return -1;
    array->type.from = bytes->at;
    for (size_t count = (size_t)array_count(array); done < count;) {
        size_t now = count - done < CHUNK / size ? count - done : CHUNK / size;
        if (bytes_read(bytes, chunk, now * size, err))
            return -1;
        MEM_GROW(array->values, capacity, done + now);
        for (size_t i = 0; i < now; i++)
            array->values[done + i] = element_at(&array->type, chunk + i * size);
        done += now;
    }
    return bytes_end(bytes, err);
}

/* --- examples and labels --- */

/* " (byte 80 of the file)" of an element, where that is known. */
static void place_of(const struct array *array, size_t element, struct buf *out)
{
    if (array->type.from)
        buf_format(out, " (at byte %llu)", (unsigned long long)(array->type.from + element * array->type.size));
}

/* "element 2" of labels; of examples "example 2 (element [2, 0, 27])", as numpy counts, from 0. */
static void name_element(const struct array *array, size_t element, struct buf *out)
{
    size_t stride = (size_t)array_count(array);
    if (array->rank < 2) {
        buf_format(out, "element %zu", element);
        return;
    }
    buf_format(out, "example %zu (element ", element / (stride / array->size[0]));
    for (int i = 0; i < array->rank; i++) {
        stride /= array->size[i];
        buf_format(out, i ? ", %zu" : "[%zu", element / stride % array->size[i]);
    }
    buf_text(out, "])");
}

static int refuse_element(const struct array *array, size_t element, const char *what, struct err *err)
{
    struct buf name = {0}, place = {0};
    name_element(array, element, &name);
    place_of(array, element, &place);
    err_write(err, "%s: %s is %g%s%s", array->name, buf_str(&name), (double)array->values[element], buf_str(&place),
              what);
    buf_fini(&name);
    buf_fini(&place);
    return -1;
}

/* Every label that occurs gets a class. */
static int note_classes(const struct array *y, size_t count, struct array_classes *classes, struct err *err)
{
    bool occurs[DATASET_MOST_CLASSES] = {false};
    for (size_t n = 0; n < count; n++) {
        float label = y->values[n];
        if (!(label >= 0 && label < DATASET_MOST_CLASSES) || label != floorf(label))
            return refuse_element(y, n, "; labels are classes, whole numbers from 0 to 999", err);
        occurs[(size_t)label] = true;
    }
    for (size_t label = 0; label < DATASET_MOST_CLASSES; label++)
        if (occurs[label] && !classes->of[label])
            classes->of[label] = (int32_t)++classes->count;
    return 0;
}

static int take_labels(const struct array *y, struct array_classes *classes, struct dataset *data, struct err *err)
{
    if (note_classes(y, data->count, classes, err))
        return -1;
    data->labels = MEM_ARRAY(int32_t, data->count);
    for (size_t n = 0; n < data->count; n++)
        data->labels[n] = classes->of[(size_t)y->values[n]] - 1;
    data->classes = classes->count;
    return 0;
}

static int take_targets(const struct array *y, struct dataset *data, struct err *err)
{
    data->targets = MEM_ARRAY(float, data->count);
    for (size_t n = 0; n < data->count; n++) {
        if (!isfinite(y->values[n]))
            return refuse_element(y, n, "; only finite numbers can be learned", err);
        data->targets[n] = y->values[n];
    }
    return 0;
}

static int check_sizes(const struct array *x, const struct array *y, struct err *err)
{
    struct buf sizes = {0};
    int result = 0;
    uint64_t labels = array_count(y);
    describe_array(y, &sizes);
    if (x->rank < 1 || !array_count(x))
        result = err_set(err, "%s: holds no examples", x->name);
    else if (y->rank > 1 && y->size[0] == x->size[0] && labels != y->size[0])
        result = err_set(err,
                         "%s: holds %s; one label for each example is needed, the number of its class (argmax of "
                         "one-hot rows)",
                         y->name, buf_str(&sizes));
    else if (labels != x->size[0])
        result = err_set(err, "%s: holds %s, for %zu examples of %s", y->name, buf_str(&sizes), x->size[0], x->name);
    buf_fini(&sizes);
    return result;
}

static int check_inputs(const struct array *x, bool missing, struct err *err)
{
    size_t count = (size_t)array_count(x);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x->values[i]) && !(missing && isnan(x->values[i])))
            return refuse_element(
                x, i,
                "; inputs are finite numbers (the kernel gbt takes missing ones, NaN; lstm and transformer "
                "NaN behind the end of a sequence, with padding: nan)",
                err);
    return 0;
}

static struct dataset_shape shape_of(const struct array *x)
{
    struct dataset_shape shape = {0};
    if (x->rank < 2 || x->rank > 4)
        return shape;
    shape.rank = x->rank - 1;
    for (int i = 1; i < x->rank; i++)
        shape.size[i - 1] = x->size[i];
    return shape;
}

int array_make_dataset(struct array *x, const struct array *y, const struct dataset_source *source,
                       struct array_classes *classes, struct dataset *data, struct err *err)
{
    if (check_sizes(x, y, err) || check_inputs(x, source->missing, err))
        return -1;
    data->count = data->training = x->size[0];
    data->inputs = (size_t)array_count(x) / data->count;
    data->shape = shape_of(x);
    data->x = x->values;
    x->values = NULL;
    return source->numbers ? take_targets(y, data, err) : take_labels(y, classes, data, err);
}
