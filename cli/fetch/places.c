/* All workers in short; see places.h. */
#include "cli/fetch/places.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Seconds for which a list holds: of 10,000 workers it takes some 0.1 s to read. */
static const double fresh_seconds = 2;

/* A store says no more of them than a person could have; a damaged one may. */
enum { MOST_SLOTS = 65536, MOST_WORKER = 1 << 24 };

static uint64_t number_at(const json_t *row, size_t at)
{
    return (uint64_t)json_integer_value(json_array_get(row, at));
}

static double real_at(const json_t *row, size_t at)
{
    double number;
    return json_to_finite(json_array_get(row, at), &number) ? number : NAN;
}

static void take_worker(struct place_worker *worker, const json_t *row)
{
    const char *node = json_string_value(json_array_get(row, 2));
    uint64_t slots = number_at(row, 5), numa = number_at(row, 6);
    *worker = (struct place_worker){.worker = number_at(row, 0),
                                    .number = number_at(row, 1),
                                    .node = mem_text(node ? node : "?"),
                                    .joined = real_at(row, 3),
                                    .gone = real_at(row, 4),
                                    .slots = slots < MOST_SLOTS ? (uint32_t)slots : MOST_SLOTS,
                                    .numa = numa < MOST_SLOTS ? (uint32_t)numa : MOST_SLOTS};
}

static bool shares_node(const struct place_worker *a, const struct place_worker *b)
{
    return isnan(a->gone) && isnan(b->gone) && strcmp(a->node, b->node) == 0;
}

static void count_parts(struct places *places)
{
    for (size_t i = 0; i < places->count; i++) {
        struct place_worker *worker = &places->workers[i];
        bool before = i && shares_node(worker, worker - 1),
             behind = i + 1 < places->count && shares_node(worker, worker + 1);
        worker->part = before ? (worker - 1)->part + 1 : behind;
    }
}

static void index_workers(struct places *places)
{
    for (size_t i = 0; i < places->count; i++) {
        uint64_t worker = places->workers[i].worker;
        places->workers[i].first = places->slots;
        places->slots += places->workers[i].slots;
        if (worker >= MOST_WORKER)
            continue;
        size_t needed = (size_t)worker + 1;
        if (needed > places->at_count) {
            places->at = mem_resize(places->at, needed, sizeof *places->at);
            memset(places->at + places->at_count, 0, (needed - places->at_count) * sizeof *places->at);
            places->at_count = needed;
        }
        places->at[worker] = (uint32_t)i + 1;
    }
}

int places_update(struct places *places, struct source *source, struct err *err)
{
    size_t index;
    json_t *row;
    double now = clock_monotonic();
    if (places->read > 0 && now - places->read < fresh_seconds)
        return 0;
    json_t *list = source_read(source, "places", NULL, err);
    if (!list)
        return -1;
    places_fini(places);
    places->read = now;
    places->workers = MEM_ARRAY(struct place_worker, json_array_size(list) + 1);
    json_array_foreach(list, index, row) take_worker(&places->workers[places->count++], row);
    json_decref(list);
    count_parts(places);
    index_workers(places);
    return 0;
}

void places_fini(struct places *places)
{
    for (size_t i = 0; i < places->count; i++)
        free(places->workers[i].node);
    free(places->workers);
    free(places->at);
    *places = (struct places){0};
}

const struct place_worker *places_find(const struct places *places, uint64_t worker)
{
    return worker < places->at_count && places->at[worker] ? &places->workers[places->at[worker] - 1] : NULL;
}
