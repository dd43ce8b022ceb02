/* Attempts on slots; see slot_spans.h. */
#include "cli/data/slot_spans.h"

#include "cli/json.h"
#include "common/endings.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number_of(const json_t *span, const char *member, double otherwise)
{
    double number;
    return json_number(span, member, &number) && isfinite(number) ? number : otherwise;
}

/* Trials follow each other on few slots, of which the last ones come up again. */
static uint32_t find_slot(struct slot_spans *spans, const json_t *span)
{
    int64_t worker = json_integer_value(json_object_get(span, "worker"));
    int64_t slot = json_integer_value(json_object_get(span, "slot"));
    for (size_t i = spans->slot_count; i > 0; i--)
        if (spans->slots[i - 1].worker == worker && spans->slots[i - 1].slot == slot)
            return (uint32_t)(i - 1);
    MEM_GROW(spans->slots, spans->slot_capacity, spans->slot_count + 1);
    spans->slots[spans->slot_count] = (struct slot_row){
        .node = mem_text(json_text(span, "node")), .worker = worker, .slot = slot, .from = NAN, .to = NAN};
    return (uint32_t)spans->slot_count++;
}

void slot_spans_add(struct slot_spans *spans, const json_t *span, double now)
{
    const char *reason = json_text(span, "reason");
    double started = number_of(span, "started", NAN), seconds = number_of(span, "seconds", NAN);
    if (isnan(seconds))
        seconds = *reason ? 0 : fmax(now - started, 0);
    if (isnan(started) || seconds < 0 || started > now + 86400)
        return;
    MEM_GROW(spans->items, spans->capacity, spans->count + 1);
    spans->items[spans->count++] =
        (struct slot_span){.trial = (uint64_t)json_integer_value(json_object_get(span, "trial")),
                           .started = started,
                           .seconds = seconds,
                           .launch = fmin(number_of(span, "launch", 0), seconds),
                           .slot = find_slot(spans, span),
                           .attempt = (uint16_t)json_integer_value(json_object_get(span, "attempt")),
                           .reason = (int8_t)(*reason ? ending_named(reason) : -1),
                           .first = json_integer_value(json_object_get(span, "part")) == 0};
}

/* --- one slot, one worker after the other --- */

static int compare_times(const void *a, const void *b, void *context)
{
    const struct slot_spans *spans = context;
    const struct slot_row *one = &spans->slots[*(const uint32_t *)a], *other = &spans->slots[*(const uint32_t *)b];
    int nodes = strcmp(one->node, other->node);
    if (nodes)
        return nodes;
    if (one->slot != other->slot)
        return one->slot < other->slot ? -1 : 1;
    return (one->from > other->from) - (one->from < other->from);
}

static void measure_rows(struct slot_spans *spans)
{
    for (size_t i = 0; i < spans->count; i++) {
        const struct slot_span *span = &spans->items[i];
        struct slot_row *row = &spans->slots[span->slot];
        row->from = fmin(row->from, span->started);
        row->to = fmax(row->to, span->started + span->seconds);
    }
}

/* The row of the same slot which `next` goes on with, as it has ended by then; `kept`: there is none. Workers of one
 * node that are there at once have a row each. */
static size_t find_before(const struct slot_row *rows, size_t kept, const struct slot_row *next)
{
    for (size_t i = kept; i > 0 && strcmp(rows[i - 1].node, next->node) == 0 && rows[i - 1].slot == next->slot; i--)
        if (next->from >= rows[i - 1].to)
            return i - 1;
    return kept;
}

static void join_row(struct slot_row *row, struct slot_row *next)
{
    row->away += next->from - row->to;
    row->to = next->to;
    free(next->node);
}

static void join_rows(struct slot_spans *spans)
{
    size_t count = spans->slot_count, kept = 0;
    uint32_t *order = MEM_ARRAY(uint32_t, count + 1), *place = MEM_ARRAY(uint32_t, count + 1);
    struct slot_row *rows = MEM_ARRAY(struct slot_row, count + 1);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, count, sizeof *order, compare_times, spans);
    for (size_t i = 0; i < count; i++) {
        struct slot_row *next = &spans->slots[order[i]];
        size_t at = find_before(rows, kept, next);
        if (at < kept)
            join_row(&rows[at], next);
        else
            rows[kept++] = *next;
        place[order[i]] = (uint32_t)at;
    }
    for (size_t i = 0; i < spans->count; i++)
        spans->items[i].slot = place[spans->items[i].slot];
    free(spans->slots);
    spans->slots = rows;
    spans->slot_count = kept;
    spans->slot_capacity = count + 1;
    free(order);
    free(place);
}

/* --- their order --- */

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct slot_spans *spans = context;
    const struct slot_row *one = &spans->slots[*(const uint32_t *)a], *other = &spans->slots[*(const uint32_t *)b];
    int nodes = strcmp(one->node, other->node);
    if (nodes)
        return nodes;
    if (one->worker != other->worker)
        return one->worker < other->worker ? -1 : 1;
    return (one->slot > other->slot) - (one->slot < other->slot);
}

static int compare_spans(const void *a, const void *b)
{
    const struct slot_span *one = a, *other = b;
    if (one->slot != other->slot)
        return one->slot < other->slot ? -1 : 1;
    return (one->started > other->started) - (one->started < other->started);
}

static void order_slots(struct slot_spans *spans)
{
    uint32_t *order = MEM_ARRAY(uint32_t, spans->slot_count + 1), *place = MEM_ARRAY(uint32_t, spans->slot_count + 1);
    struct slot_row *rows = MEM_ARRAY(struct slot_row, spans->slot_count + 1);
    for (size_t i = 0; i < spans->slot_count; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, spans->slot_count, sizeof *order, compare_rows, spans);
    for (size_t i = 0; i < spans->slot_count; i++) {
        rows[i] = spans->slots[order[i]];
        place[order[i]] = (uint32_t)i;
    }
    for (size_t i = 0; i < spans->count; i++)
        spans->items[i].slot = place[spans->items[i].slot];
    free(spans->slots);
    spans->slots = rows;
    spans->slot_capacity = spans->slot_count + 1;
    free(order);
    free(place);
}

void slot_spans_finish(struct slot_spans *spans)
{
    measure_rows(spans);
    join_rows(spans);
    order_slots(spans);
    if (spans->count)
        qsort(spans->items, spans->count, sizeof *spans->items, compare_spans);
    spans->from = spans->to = NAN;
    for (size_t i = 0; i < spans->count; i++) {
        const struct slot_span *span = &spans->items[i];
        spans->slots[span->slot].busy += span->seconds;
        spans->from = fmin(spans->from, span->started);
        spans->to = fmax(spans->to, span->started + span->seconds);
    }
}

double slot_spans_there(const struct slot_spans *spans)
{
    double seconds = (spans->to - spans->from) * (double)spans->slot_count;
    for (size_t i = 0; i < spans->slot_count; i++)
        seconds -= spans->slots[i].away;
    return seconds;
}

void slot_spans_fini(struct slot_spans *spans)
{
    for (size_t i = 0; i < spans->slot_count; i++)
        free(spans->slots[i].node);
    free(spans->slots);
    free(spans->items);
    *spans = (struct slot_spans){0};
}
