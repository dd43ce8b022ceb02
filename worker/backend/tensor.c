/* Descriptions of arrays; see tensor.h. */
#include "worker/backend/tensor.h"

#include <assert.h>
#include <string.h>

struct tensor tensor_make(enum tensor_type type, int axes, const size_t *size)
{
    assert(axes >= 1 && axes <= TENSOR_MOST_AXES);
    struct tensor made = {.type = type, .axes = axes};
    memcpy(made.size, size, (size_t)axes * sizeof *size);
    return made;
}

struct tensor tensor_vector(enum tensor_type type, size_t size)
{
    return (struct tensor){.type = type, .axes = 1, .size = {size}};
}

struct tensor tensor_flat(const struct tensor *tensor)
{
    return (struct tensor){.type = tensor->type, .axes = 1, .size = {tensor_count(tensor)}, .at = tensor->at};
}

struct tensor tensor_rows(const struct tensor *tensor)
{
    size_t C = tensor->size[tensor->axes - 1];
    return (struct tensor){.type = tensor->type, .axes = 2, .size = {tensor_count(tensor) / C, C}, .at = tensor->at};
}

struct tensor tensor_slice(const struct tensor *tensor, size_t first, size_t B)
{
    struct tensor slice = *tensor;
    slice.size[0] = B;
    slice.at = (char *)tensor->at + first * tensor_width(tensor) * tensor_type_bytes(tensor->type);
    return slice;
}

size_t tensor_type_bytes(enum tensor_type type)
{
    return type == TENSOR_BF16 ? 2 : 4;
}

size_t tensor_width(const struct tensor *tensor)
{
    size_t width = 1;
    for (int i = 1; i < tensor->axes; i++)
        width *= tensor->size[i];
    return width;
}

size_t tensor_count(const struct tensor *tensor)
{
    return tensor->size[0] * tensor_width(tensor);
}

size_t tensor_bytes(const struct tensor *tensor)
{
    return tensor_count(tensor) * tensor_type_bytes(tensor->type);
}

bool tensor_alike(const struct tensor *a, const struct tensor *b)
{
    return a->axes == b->axes && memcmp(a->size, b->size, (size_t)a->axes * sizeof *a->size) == 0;
}
