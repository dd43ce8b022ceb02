/* Tensors for tests; see tensors.h. */
#include "tests/tensors.h"

#include "common/mem.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>

void tensors_open(struct tensors *tensors, const struct backend_kind *kind, uint64_t seed)
{
    struct err err = {0};
    *tensors = (struct tensors){.backend = backend_create(kind, &err), .rng = rng_make(seed, "tensors", 0)};
    if (!tensors->backend)
        fail_msg("%s: %s", kind->name, err.text);
}

void tensors_close(struct tensors *tensors)
{
    for (int i = 0; i < tensors->count; i++)
        tensors->backend->kind->release(tensors->backend->self, tensors->made[i]);
    backend_destroy(tensors->backend);
    free(tensors->results);
}

size_t tensors_size(struct tensors *tensors, size_t most)
{
    return 1 + (size_t)rng_below(&tensors->rng, most);
}

struct tensor tensors_zeros(struct tensors *tensors, enum tensor_type type, const size_t *sizes)
{
    struct err err;
    int axes = 0;
    while (axes < TENSOR_MOST_AXES && sizes[axes])
        axes++;
    struct tensor made = tensor_make(type, axes, sizes);
    size_t before = tensors->shift * tensor_type_bytes(type);
    char *at = tensors->backend->kind->allocate(tensors->backend->self, before + tensor_bytes(&made), &err);
    assert_non_null(at);
    assert_true(tensors->count < TENSORS_MOST);
    tensors->made[tensors->count++] = at;
    made.at = at + before;
    return made;
}

struct tensor tensors_given(struct tensors *tensors, const float *numbers, const size_t *sizes)
{
    struct tensor made = tensors_zeros(tensors, TENSOR_F32, sizes);
    op_upload(tensors->backend, numbers, &made);
    return made;
}

struct tensor tensors_random(struct tensors *tensors, enum tensor_type type, const size_t *sizes)
{
    struct tensor made = tensors_zeros(tensors, type, sizes);
    size_t count = tensor_count(&made);
    float *numbers = MEM_ARRAY(float, count);
    uint16_t *halves = MEM_ARRAY(uint16_t, count);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (float)rng_normal(&tensors->rng);
        halves[i] = tensor_to_bf16(numbers[i]);
    }
    op_upload(tensors->backend, type == TENSOR_BF16 ? (void *)halves : numbers, &made);
    free(numbers);
    free(halves);
    return made;
}

static struct tensor draw_whole(struct tensors *tensors, size_t count, size_t least, size_t bound)
{
    struct tensor made = tensors_zeros(tensors, TENSOR_I32, TENSORS_SIZES(count));
    int32_t *numbers = MEM_ARRAY(int32_t, count);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (int32_t)(least + rng_below(&tensors->rng, bound));
    op_upload(tensors->backend, numbers, &made);
    free(numbers);
    return made;
}

struct tensor tensors_whole(struct tensors *tensors, size_t count, size_t bound)
{
    return draw_whole(tensors, count, 0, bound);
}

struct tensor tensors_lengths(struct tensors *tensors, size_t count, size_t T)
{
    return draw_whole(tensors, count, 1, T);
}

double *tensors_read(struct tensors *tensors, const struct tensor *tensor)
{
    size_t count = tensor_count(tensor);
    union {
        float f32;
        int32_t i32;
        uint16_t bf16[2];
    } *bytes = mem_zero(count, sizeof *bytes);
    double *numbers = MEM_ARRAY(double, count);
    op_download(tensors->backend, tensor, bytes);
    for (size_t i = 0; i < count; i++)
        numbers[i] = tensor->type == TENSOR_F32    ? (double)bytes[i].f32
                     : tensor->type == TENSOR_BF16 ? (double)tensor_from_bf16(bytes[i / 2].bf16[i % 2])
                                                   : (double)bytes[i].i32;
    free(bytes);
    return numbers;
}

void tensors_set(struct tensors *tensors, const struct tensor *tensor, size_t i, float value)
{
    struct tensor flat = tensor_flat(tensor), one = tensor_slice(&flat, i, 1);
    op_upload(tensors->backend, &value, &one);
}

void tensors_result(struct tensors *tensors, const struct tensor *tensor)
{
    size_t count = tensor_count(tensor);
    double *numbers = tensors_read(tensors, tensor);
    MEM_GROW(tensors->results, tensors->result_capacity, tensors->result_count + count);
    memcpy(tensors->results + tensors->result_count, numbers, count * sizeof *numbers);
    tensors->result_count += count;
    free(numbers);
}
