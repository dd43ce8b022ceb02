/* What ended trials came to; see learned.h. */
#include "cli/data/learned.h"
#include "cli/json.h"
#include "common/buf.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 5000, PAGES = 8 }; /* rows at once, pages in one update: what comes later waits for the next */

void learned_init(struct learned *learned, const struct spec *spec)
{
    struct metrics metrics = spec_metrics(spec);
    *learned = (struct learned){.dimension = space_dimension(spec->space), .metrics = metrics.count, .every = 1};
}

void learned_fini(struct learned *learned)
{
    free(learned->trials);
    free(learned->units);
    free(learned->values);
    free(learned->front.items);
    *learned = (struct learned){0};
}

bool learned_counts(const struct learned_trial *trial)
{
    return trial->has_value && trial->feasible && !trial->failed;
}

/* --- the front --- */

/* Whether trial a is better than b in one objective and worse in none. */
static bool dominates(const struct learned *learned, const struct metrics *metrics, size_t a, size_t b)
{
    const double *x = learned->values + a * metrics->count, *y = learned->values + b * metrics->count;
    bool better = false;
    for (uint32_t i = 0; i < metrics->count; i++) {
        if (!metrics->items[i].objective)
            continue;
        double left = metric_loss(&metrics->items[i], x[i]), right = metric_loss(&metrics->items[i], y[i]);
        if (!(left <= right))
            return false;
        better = better || left < right;
    }
    return better;
}

/* Keeps what nothing dominates. */
static void add_to_front(struct learned *learned, const struct metrics *metrics, size_t at)
{
    size_t kept = 0;
    if (metrics_objectives(metrics) < 2 || !learned_counts(&learned->trials[at]))
        return;
    for (uint32_t i = 0; i < metrics->count; i++)
        if (metrics->items[i].objective && !isfinite(learned->values[at * metrics->count + i]))
            return;
    for (size_t i = 0; i < learned->front.count; i++)
        if (dominates(learned, metrics, learned->front.items[i], at))
            return;
    for (size_t i = 0; i < learned->front.count; i++)
        if (!dominates(learned, metrics, at, learned->front.items[i]))
            learned->front.items[kept++] = learned->front.items[i];
    learned->front.count = kept;
    MEM_GROW(learned->front.items, learned->front.capacity, kept + 1);
    learned->front.items[learned->front.count++] = at;
}

/* --- the columns --- */

static void grow_columns(struct learned *learned)
{
    if (learned->count < learned->capacity)
        return;
    learned->capacity = learned->capacity ? 2 * learned->capacity : 256;
    learned->trials = mem_resize(learned->trials, learned->capacity, sizeof *learned->trials);
    learned->units = mem_resize(learned->units, learned->capacity * (learned->dimension + 1), sizeof(double));
    learned->values = mem_resize(learned->values, learned->capacity * learned->metrics, sizeof(double));
}

/* Every other one goes when there are too many. */
static void thin_out(struct learned *learned, const struct metrics *metrics)
{
    size_t kept = 0, D = learned->dimension, M = learned->metrics;
    learned->every *= 2;
    for (size_t i = 0; i < learned->count; i++) {
        if (learned->trials[i].told % learned->every)
            continue;
        learned->trials[kept] = learned->trials[i];
        memmove(learned->units + kept * D, learned->units + i * D, D * sizeof(double));
        memmove(learned->values + kept * M, learned->values + i * M, M * sizeof(double));
        kept++;
    }
    learned->count = kept;
    learned->front.count = 0;
    for (size_t i = 0; i < kept; i++)
        add_to_front(learned, metrics, i);
}

static double real_of(const json_t *json)
{
    double number;
    return json_to_real(json, &number) ? number : NAN;
}

/* A row of reader_learned. */
static void take_row(struct learned *learned, const struct spec *spec, const json_t *row)
{
    struct metrics metrics = spec_metrics(spec);
    const char *state = json_string_value(json_array_get(row, 2));
    json_t *values = json_array_get(row, 6);
    struct buf params = {0};
    grow_columns(learned);
    learned->told = (uint64_t)json_integer_value(json_array_get(row, 0));
    struct learned_trial *trial = &learned->trials[learned->count];
    *trial = (struct learned_trial){.told = learned->told,
                                    .trial = (uint64_t)json_integer_value(json_array_get(row, 1)),
                                    .failed = state && strcmp(state, "failed") == 0,
                                    .completed = state && strcmp(state, "completed") == 0,
                                    .has_value = json_array_size(values) > 0,
                                    .feasible = json_is_true(json_array_get(row, 7)),
                                    .ended = real_of(json_array_get(row, 3))};
    for (uint32_t i = 0; i < learned->metrics; i++)
        learned->values[learned->count * learned->metrics + i] = real_of(json_array_get(values, i));
    json_add(json_array_get(row, 5), &params);
    bool known = state && (trial->failed || trial->completed || strcmp(state, "stopped") == 0) &&
                 space_point_of_json(spec->space, buf_str(&params),
                                     learned->units + learned->count * learned->dimension, NULL) == 0;
    buf_fini(&params);
    if (!known)
        return;
    add_to_front(learned, &metrics, learned->count++);
    if (learned->count > LEARNED_MOST)
        thin_out(learned, &metrics);
}

int learned_update(struct learned *learned, struct source *source, const struct spec *spec, struct err *err)
{
    size_t index, count = PAGE;
    json_t *row;
    for (int page = 0; page < PAGES && count == PAGE; page++) {
        uint64_t before = learned->told;
        json_t *list = source_read(source, "learned",
                                   json_pack("{s:I, s:I, s:i}", "after", (json_int_t)before, "every",
                                             (json_int_t)learned->every, "limit", (int)PAGE),
                                   err);
        if (!list)
            return -1;
        count = json_array_size(list);
        json_array_foreach(list, index, row) take_row(learned, spec, row);
        json_decref(list);
        if (count && learned->told <= before)
            return err_set(err, "the store is damaged: ended trials don't come in the order in which they were told");
    }
    learned->more = count == PAGE;
    return 0;
}
