/* What ended last in each slot, and what went wrong on each worker; see workers.h. */
#include "cli/fetch/workers.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LOOK_BACK = 2000, /* trials: what ended in a slot before these is not looked for */
    TROUBLES = 5000   /* that are read at once, of some 200 bytes */
};

static uint64_t slot_key(uint64_t worker, uint64_t slot)
{
    return worker << 16 | (slot & 0xffff);
}

static void take_attempt(void *context, const struct attempt *attempt)
{
    struct workers_memory *memory = context;
    uint64_t key = slot_key(attempt->worker, attempt->slot);
    struct last_run *last = map_get(&memory->last, key);
    double ended = attempt->started + attempt->seconds;
    if (isnan(ended) || (last && last->ended > ended))
        return;
    if (!last) {
        last = MEM_NEW(struct last_run);
        map_put(&memory->last, key, last);
    }
    bool known = attempt->seconds > 0;
    *last = (struct last_run){.told = attempt->told,
                              .trial = attempt->trial,
                              .ended = ended,
                              .cores = known ? attempt->cpu_seconds / attempt->seconds : NAN,
                              .memory = attempt->peak_memory,
                              .gpu = attempt->gpu_use};
    snprintf(last->reason, sizeof last->reason, "%s", attempt->reason);
}

static void free_values(struct map *map)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(map, &at, &entry);)
        free(entry.value);
    map_fini(map);
    *map = (struct map){0};
}

static void forget_attempts(void *context)
{
    free_values(&((struct workers_memory *)context)->last);
}

/* A row of reader_troubles. */
static void take_trouble(struct workers_memory *memory, const json_t *row)
{
    uint64_t worker = (uint64_t)json_integer_value(json_array_get(row, 1));
    const char *text = json_string_value(json_array_get(row, 5));
    struct worker_trouble *trouble = map_get(&memory->troubles, worker);
    if (!trouble) {
        trouble = MEM_NEW(struct worker_trouble);
        map_put(&memory->troubles, worker, trouble);
    }
    trouble->count++;
    trouble->trial = (uint64_t)json_integer_value(json_array_get(row, 3));
    trouble->time = json_number_value(json_array_get(row, 4));
    snprintf(trouble->text, sizeof trouble->text, "%s", text ? text : "");
    memory->trouble = (uint64_t)json_integer_value(json_array_get(row, 0));
}

static int read_troubles(struct workers_memory *memory, struct source *source, struct err *err)
{
    size_t index, count;
    json_t *row;
    do {
        uint64_t before = memory->trouble;
        json_t *list = source_read(source, "troubles",
                                   json_pack("{s:I, s:i}", "after", (json_int_t)before, "limit", (int)TROUBLES), err);
        if (!list)
            return -1;
        count = json_array_size(list);
        json_array_foreach(list, index, row) take_trouble(memory, row);
        json_decref(list);
        if (count && memory->trouble <= before)
            return err_set(err, "the events in the store are damaged: they don't come in the order of their numbers");
    } while (count == TROUBLES);
    return 0;
}

int workers_update(struct workers_memory *memory, struct source *source, struct err *err)
{
    const struct attempts_visitor visitor = {.visit = take_attempt, .forget = forget_attempts, .context = memory};
    uint64_t back = memory->attempts.begun ? 0 : LOOK_BACK;
    return places_update(&memory->places, source, err) || read_troubles(memory, source, err) ||
                   attempts_update(&memory->attempts, source, back, &visitor, err)
               ? -1
               : 0;
}

void workers_memory_free(void *data)
{
    struct workers_memory *memory = data;
    if (!memory)
        return;
    places_fini(&memory->places);
    free_values(&memory->last);
    free_values(&memory->troubles);
    free(memory);
}

const struct last_run *workers_last(const struct workers_memory *memory, uint64_t worker, uint64_t slot)
{
    return map_get(&memory->last, slot_key(worker, slot));
}

const struct worker_trouble *workers_trouble(const struct workers_memory *memory, uint64_t worker)
{
    return map_get(&memory->troubles, worker);
}
