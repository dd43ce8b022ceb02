/* The section history: the best value so far, as it came about. Of a million trials the ends are looked at once, in
 * pages, and then those that are new. */
#include "cli/fetch/sections.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

enum {
    PAGE = 20000,     /* ends that are read at once: some 20 ms */
    MOST_KEPT = 2000, /* improvements; when there are more, every second of the older half goes */
};

/* A part of a million is shown before all have been read. */
static const double longest_reading = 0.3; /* seconds */

struct history_memory {
    struct improvements so_far;
    json_t *found; /* an array */
};

static void free_history(void *data)
{
    struct history_memory *history = data;
    json_decref(history->found);
    free(history);
}

static struct history_memory *memory_of(struct section_memory *memory)
{
    if (!memory->data) {
        struct history_memory *history = MEM_NEW(struct history_memory);
        history->so_far.best = NAN;
        history->found = json_array();
        *memory = (struct section_memory){.data = history, .free = free_history};
    }
    return memory->data;
}

static void thin_out(json_t *found)
{
    for (size_t at = json_array_size(found) / 2; at > 1; at -= 2)
        json_array_remove(found, at - 1);
}

/* Adds what a page has; whether there may be more. */
static bool take_page(struct history_memory *history, const json_t *page)
{
    struct improvements *so_far = &history->so_far;
    if (json_is_true(json_object_get(page, "anew")))
        json_array_clear(history->found);
    json_array_extend(history->found, json_object_get(page, "improvements"));
    if (json_array_size(history->found) > MOST_KEPT)
        thin_out(history->found);
    so_far->told = (uint64_t)json_integer_value(json_object_get(page, "told"));
    so_far->ended = (uint64_t)json_integer_value(json_object_get(page, "ended"));
    so_far->taken_back = (uint64_t)json_integer_value(json_object_get(page, "taken_back"));
    if (!json_to_real(json_object_get(page, "best"), &so_far->best))
        so_far->best = NAN;
    return json_is_true(json_object_get(page, "more"));
}

static json_t *arguments_of(const struct improvements *so_far)
{
    json_t *arguments =
        json_pack("{s:I, s:I, s:I, s:i}", "told", (json_int_t)so_far->told, "ended", (json_int_t)so_far->ended,
                  "taken_back", (json_int_t)so_far->taken_back, "limit", PAGE);
    if (!isnan(so_far->best))
        json_object_set_new(arguments, "best", json_of_real(so_far->best));
    return arguments;
}

json_t *section_history(const struct section_reading *reading, struct err *err)
{
    struct history_memory *history = memory_of(reading->memory);
    double start = clock_monotonic();
    bool more = true;
    while (more && clock_monotonic() - start < longest_reading) {
        json_t *page = source_read(reading->source, "improvements", arguments_of(&history->so_far), err);
        if (!page)
            return NULL;
        more = take_page(history, page);
        json_decref(page);
    }
    reading->memory->more = more;
    json_t *found = json_deep_copy(history->found);
    return json_pack("{s:o, s:I, s:b}", "improvements", found, "ended", (json_int_t)history->so_far.ended, "whole",
                     (int)!more);
}
