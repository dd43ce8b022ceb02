/* Planning a network; see plan.h. */
#include "worker/nn/plan.h"

#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>

enum { LINE = 64 /* bytes of a cache line */ };

static void want_memory(struct region *region, struct tensor *tensor)
{
    MEM_GROW(region->wanted, region->capacity, region->count + 1);
    region->wanted[region->count++] = (struct planned_tensor){tensor, region->bytes};
    region->bytes += (tensor_bytes(tensor) + LINE - 1) / LINE * LINE;
}

static void note_beginning(struct plan *plan, const struct tensor *tensor, enum beginning beginning, size_t inputs,
                           size_t outputs)
{
    MEM_GROW(plan->begun, plan->begun_capacity, plan->begun_count + 1);
    plan->begun[plan->begun_count++] = (struct begun){tensor, beginning, inputs, outputs};
}

void plan_parameter(struct plan *plan, struct layer *layer, const struct tensor *shape, enum beginning beginning,
                    size_t inputs, size_t outputs)
{
    struct parameter *made = &layer->parameters[layer->parameter_count++];
    *made = (struct parameter){.w = *shape,
                               .dw = *shape,
                               .seen = *shape,
                               .beginning = beginning,
                               .inputs = inputs,
                               .outputs = outputs,
                               .decays = shape->axes > 1};
    if (shape->axes > 1 && layer->x_shape.type == TENSOR_BF16)
        made->seen.type = TENSOR_BF16;
    want_memory(&plan->weights, &made->w);
    want_memory(&plan->gradients, &made->dw);
    note_beginning(plan, &made->w, beginning, inputs, outputs);
    MEM_GROW(plan->parameters, plan->parameter_capacity, plan->parameter_count + 1);
    plan->parameters[plan->parameter_count++] = made;
}

void plan_state(struct plan *plan, struct layer *layer, const struct tensor *shape, enum beginning beginning)
{
    struct tensor *made = &layer->state[layer->state_count++];
    *made = *shape;
    want_memory(&plan->state, made);
    note_beginning(plan, made, beginning, 0, 0);
}

void plan_work(struct plan *plan, struct tensor *tensor)
{
    want_memory(&plan->work, tensor);
}

void plan_gradient(struct plan *plan, struct layer *layer)
{
    layer->dx = layer->x_shape;
    if (!plan->first)
        want_memory(&plan->work, &layer->dx);
    plan->first = false;
}

void plan_narrow(const struct plan *plan, struct layer *layer)
{
    layer->x_shape.type = plan->type;
}

/* Between layers of different types: memory for what comes in and its gradient, in the type of the other side. */
static void plan_casts(struct plan *plan, struct layer *layer, enum tensor_type given, bool first)
{
    if (layer->x_shape.type == given)
        return;
    layer->cast = layer->dcast = layer->x_shape;
    want_memory(&plan->work, &layer->cast);
    layer->dcast.type = given;
    if (!first)
        want_memory(&plan->work, &layer->dcast);
}

/* The next layer of a chain, to which x comes. */
static int plan_layer(struct plan *plan, struct layer *layer, const struct layer_setting *setting,
                      const struct tensor *x, struct err *err)
{
    bool first = plan->first;
    *layer = (struct layer){.setting = setting, .x_shape = *x};
    layer->x_shape.at = NULL;
    layer->x_shape.type = x->type == TENSOR_BF16 ? TENSOR_F32 : x->type;
    if (setting->kind->plan(layer, plan, err))
        return -1;
    plan_casts(plan, layer, x->type, first);
    return 0;
}

uint64_t plan_stream(struct plan *plan)
{
    return rng_make(plan->seed, "dropout", plan->streams++).state;
}

int plan_chain(struct plan *plan, struct chain *chain, const struct layer_setting *settings,
               const struct tensor *x_shape, struct tensor *out, struct err *err)
{
    while (settings[chain->count].kind)
        chain->count++;
    chain->layers = MEM_ARRAY(struct layer, chain->count);
    *out = *x_shape;
    for (size_t l = 0; l < chain->count; l++) {
        if (plan_layer(plan, &chain->layers[l], &settings[l], out, err))
            return err_prefix(err, "layer %zu (%s)", l + 1, settings[l].kind->name);
        *out = chain->layers[l].y;
    }
    return 0;
}

static int allocate_region(struct region *region, struct backend *backend, struct err *err)
{
    region->at = backend_allocate(backend, region->bytes, err);
    for (size_t i = 0; region->at && i < region->count; i++)
        region->wanted[i].tensor->at = (char *)region->at + region->wanted[i].at;
    return region->at ? 0 : -1;
}

static bool is_narrow(const struct parameter *parameter)
{
    return parameter->seen.type == TENSOR_BF16;
}

/* A parameter that is seen in BF16 lies in the copy where it lies among the weights. */
static void place_seen(const struct plan *plan, struct parameter *parameter)
{
    size_t at = (size_t)((char *)parameter->w.at - (char *)plan->weights.at);
    parameter->seen.at = is_narrow(parameter) ? (char *)plan->narrow + at / 2 : parameter->w.at;
}

static int allocate_narrow(struct plan *plan, struct backend *backend, struct err *err)
{
    bool wanted = false;
    for (size_t i = 0; i < plan->parameter_count; i++)
        wanted |= is_narrow(plan->parameters[i]);
    if (wanted)
        plan->narrow = backend_allocate(backend, plan->weights.bytes / 2, err);
    for (size_t i = 0; i < plan->parameter_count; i++)
        place_seen(plan, plan->parameters[i]);
    return wanted && !plan->narrow ? -1 : 0;
}

int plan_allocate(struct plan *plan, struct backend *backend, struct err *err)
{
    return allocate_region(&plan->weights, backend, err) || allocate_region(&plan->gradients, backend, err) ||
                   allocate_region(&plan->state, backend, err) || allocate_region(&plan->work, backend, err) ||
                   allocate_narrow(plan, backend, err)
               ? -1
               : 0;
}

/* Numbers 2i and 2i+1 of position t are sine and cosine of t / 10000^(2i/D). */
static void draw_waves(float *numbers, size_t count, size_t D)
{
    for (size_t i = 0; i < count; i++) {
        double angle = (double)(i / D) / pow(10000, (double)(i % D / 2 * 2) / (double)D);
        numbers[i] = (float)(i % D % 2 ? cos(angle) : sin(angle));
    }
}

static void draw_forget(float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = i / (count / 4) == 1;
}

static void draw_identity(float *numbers, size_t count, size_t I)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = i / I == i % I;
}

static void draw_numbers(const struct begun *begun, struct rng *rng, float *numbers, size_t count)
{
    double fans = (double)(begun->inputs + (begun->beginning == BEGINS_HE ? 0 : begun->outputs)),
           limit = sqrt(6 / fans);
    for (size_t i = 0; i < count; i++)
        numbers[i] = begun->beginning == BEGINS_ZERO  ? 0
                     : begun->beginning == BEGINS_ONE ? 1
                                                      : (float)((2 * rng_unit(rng) - 1) * limit);
}

/* Each tensor has a stream of its own: layers that are added later change no other's weights. */
void plan_begin(const struct plan *plan, struct backend *backend)
{
    for (size_t i = 0, drawn = 0; i < plan->begun_count; i++) {
        const struct begun *begun = &plan->begun[i];
        size_t count = tensor_count(begun->tensor);
        bool random = begun->beginning == BEGINS_HE || begun->beginning == BEGINS_GLOROT;
        struct rng rng = rng_make(plan->seed, "weights", drawn);
        float *numbers = MEM_ARRAY(float, count);
        if (begun->beginning == BEGINS_WAVES)
            draw_waves(numbers, count, tensor_width(begun->tensor));
        else if (begun->beginning == BEGINS_FORGET)
            draw_forget(numbers, count);
        else if (begun->beginning == BEGINS_IDENTITY)
            draw_identity(numbers, count, tensor_width(begun->tensor));
        else
            draw_numbers(begun, &rng, numbers, count);
        op_upload(backend, numbers, begun->tensor);
        free(numbers);
        drawn += random;
    }
}

struct tensor plan_whole(const struct region *region)
{
    struct tensor whole = tensor_vector(TENSOR_F32, region->bytes / sizeof(float));
    whole.at = region->at;
    return whole;
}

struct tensor plan_whole_narrow(const struct plan *plan)
{
    struct tensor whole = tensor_vector(TENSOR_BF16, plan->weights.bytes / sizeof(float));
    whole.at = plan->narrow;
    return whole;
}

static void fini_region(struct region *region, struct backend *backend)
{
    backend->kind->release(backend->self, region->at);
    free(region->wanted);
}

void plan_fini(struct plan *plan, struct backend *backend)
{
    if (backend) {
        fini_region(&plan->weights, backend);
        fini_region(&plan->gradients, backend);
        fini_region(&plan->state, backend);
        fini_region(&plan->work, backend);
        backend->kind->release(backend->self, plan->narrow);
    }
    free(plan->begun);
    free(plan->parameters);
    *plan = (struct plan){0};
}
