/* The section timeline: what each slot did when. Attempts are kept in columns (spans.h); what is published is as large
 * as the picture, however many there are. */
#include "cli/fetch/places.h"
#include "cli/fetch/sections.h"
#include "cli/fetch/spans.h"
#include "cli/json.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOK_BACK = 20000, /* trials that one reading goes back at most: some 0.3 s */
    MOST_COLUMNS = 1000,
    MOST_ROWS = 1000
};

struct timeline_memory {
    struct places places;
    struct attempts attempts;
    struct spans ended, alive;
    double now; /* until when what runs has run */
};

/* --- reading --- */

static void take_ended(void *context, const struct attempt *attempt)
{
    spans_add(&((struct timeline_memory *)context)->ended, attempt);
}

static void take_alive(void *context, const struct attempt *attempt)
{
    spans_add(&((struct timeline_memory *)context)->alive, attempt);
}

static void forget_ended(void *context)
{
    spans_fini(&((struct timeline_memory *)context)->ended);
}

/* Where time ends: now, or of a search that nobody runs when something last happened. */
static double find_now(const struct timeline_memory *memory, bool lives)
{
    double now = memory->ended.count ? memory->ended.last : 0;
    if (lives)
        return clock_wall();
    now = memory->alive.count ? fmax(now, memory->alive.last) : now;
    for (size_t i = 0; i < memory->places.count; i++) {
        const struct place_worker *worker = &memory->places.workers[i];
        now = fmax(now, isnan(worker->gone) ? worker->joined : worker->gone); /* fmax passes over NaN */
    }
    return now;
}

static int update_memory(struct timeline_memory *memory, struct source *source, bool back, struct err *err)
{
    const struct attempts_visitor ended = {take_ended, forget_ended, memory}, alive = {take_alive, NULL, memory};
    uint64_t trials = back || !memory->attempts.begun ? LOOK_BACK : 0;
    spans_fini(&memory->alive);
    if (places_update(&memory->places, source, err) ||
        attempts_update(&memory->attempts, source, trials, &ended, err) || attempts_alive(source, &alive, err))
        return -1;
    memory->now = find_now(memory, source_lives(source));
    return 0;
}

/* --- the part of it that is wanted --- */

struct slots_window {
    double from, to, column; /* seconds since 1970; seconds of a column */
    double known;            /* from when on all attempts were read: what was before is left out */
    uint32_t columns, count; /* slots */
    uint64_t first, total;   /* slots before the first one that is wanted; all that were there in this time */
};

/* What the picture is made of. */
struct slots_picture {
    const struct timeline_memory *memory;
    struct slots_window window;
    uint64_t *row_of;         /* of each worker: the row of its first slot; UINT64_MAX: it was not there */
    double *busy, *available; /* of each column: seconds */
    double *classes;          /* of each row and column: seconds by class */
    bool *there;              /* of each row and column: there was a slot */
    json_t *rows;             /* what is published */
    double lost[SPAN_CLASS_COUNT], launch, stage, queue;
    uint64_t queued; /* trials that began in this time */
};

static double begin_of(const struct timeline_memory *memory)
{
    double begin = INFINITY;
    if (memory->ended.count)
        begin = fmin(begin, memory->ended.first);
    if (memory->alive.count)
        begin = fmin(begin, memory->alive.first);
    for (size_t i = 0; i < memory->places.count; i++)
        begin = fmin(begin, memory->places.workers[i].joined);
    return isfinite(begin) ? begin : memory->now;
}

static struct slots_window window_of(const struct timeline_memory *memory, const struct wants *wants)
{
    double from = wants->timeline.from, to = wants->timeline.to, begin = begin_of(memory);
    struct slots_window window = {
        .first = wants->timeline.first, .columns = wants->timeline.columns, .count = wants->timeline.count};
    bool follows = !(to > 0);
    window.to = follows ? fmax(memory->now, begin + 1) : to;
    window.from = follows && from < 0 ? window.to + from : follows || !(from < to) ? begin : from;
    window.columns = window.columns < 1 ? 1 : window.columns > MOST_COLUMNS ? MOST_COLUMNS : window.columns;
    window.count = window.count > MOST_ROWS ? MOST_ROWS : window.count;
    if (!(window.to - window.from >= 1e-3))
        window.from = window.to - 1;
    window.column = (window.to - window.from) / window.columns;
    bool whole = memory->attempts.whole || !memory->ended.count;
    window.known = whole ? window.from : fmin(fmax(window.from, memory->ended.since), window.to);
    return window;
}

/* From when to when a worker had slots. One that was never missed was there until now while the search runs; of a dead
 * search nobody knows better. */
static void life_of(const struct timeline_memory *memory, const struct place_worker *worker, double *from, double *to)
{
    *from = isnan(worker->joined) ? begin_of(memory) : worker->joined;
    *to = isnan(worker->gone) ? memory->now : worker->gone;
}

static void add_available(struct slots_picture *picture, double from, double to, uint32_t slots)
{
    const struct slots_window *window = &picture->window;
    from = fmax(from, window->known);
    to = fmin(to, window->to);
    if (!(from < to))
        return;
    for (uint32_t i = (uint32_t)((from - window->from) / window->column); i < window->columns; i++) {
        double low = window->from + i * window->column;
        picture->available[i] += slots * fmax(fmin(to, low + window->column) - fmax(from, low), 0);
    }
}

static void mark_there(struct slots_picture *picture, uint64_t row, double from, double to)
{
    const struct slots_window *window = &picture->window;
    if (row < window->first || row - window->first >= window->count)
        return;
    bool *there = picture->there + (row - window->first) * window->columns;
    for (uint32_t i = 0; i < window->columns; i++) {
        double middle = window->from + (i + 0.5) * window->column;
        there[i] = there[i] || (middle >= fmax(from, window->known) && middle <= to);
    }
}

/* Adds a row of the wanted ones. */
static void add_row(struct slots_picture *picture, const struct place_worker *worker, uint32_t slot)
{
    json_array_append_new(picture->rows, json_pack("{s:o, s:o, s:i, s:o}", "node", json_of_text(worker->node), "part",
                                                   worker->part ? json_integer(worker->part) : json_null(), "slot",
                                                   (int)slot, "spans", json_array()));
}

static void add_workers(struct slots_picture *picture)
{
    const struct places *places = &picture->memory->places;
    struct slots_window *window = &picture->window;
    for (size_t i = 0; i < places->count; i++) {
        double from, to;
        life_of(picture->memory, &places->workers[i], &from, &to);
        picture->row_of[i] = UINT64_MAX;
        if (!(from <= window->to && to >= window->from))
            continue;
        picture->row_of[i] = window->total;
        add_available(picture, from, to, places->workers[i].slots);
        for (uint32_t slot = 0; slot < places->workers[i].slots; slot++, window->total++) {
            mark_there(picture, window->total, from, to);
            if (window->total >= window->first && window->total - window->first < window->count)
                add_row(picture, &places->workers[i], slot);
        }
    }
}

/* The row of a span among the wanted ones; NULL: it is not wanted. */
static json_t *find_row(const struct slots_picture *picture, const struct span *span, size_t *row)
{
    const struct places *places = &picture->memory->places;
    const struct place_worker *worker = places_find(places, span->worker);
    uint64_t first = worker ? picture->row_of[worker - places->workers] : UINT64_MAX;
    if (first == UINT64_MAX || span->slot >= worker->slots || first + span->slot < picture->window.first)
        return NULL;
    *row = (size_t)(first + span->slot - picture->window.first);
    return *row < picture->window.count ? json_array_get(picture->rows, *row) : NULL;
}

static json_t *span_json(const struct span *span, double end)
{
    char letter[] = {span_letter(span->class), '\0'};
    return json_pack("[I, i, s, f, o]", (json_int_t)span->trial, span->attempt, letter, span->started,
                     span->class == SPAN_RUNNING ? json_null() : json_of_real(end));
}

/* What is at least a column wide can be told apart from what is beside it. */
static void add_to_row(struct slots_picture *picture, const struct span *span, double end)
{
    const struct slots_window *window = &picture->window;
    size_t row;
    json_t *json = find_row(picture, span, &row), *spans = json_object_get(json, "spans");
    if (!json)
        return;
    double *classes = picture->classes + row * window->columns * SPAN_CLASS_COUNT;
    double from = fmax(span->started, window->known), to = fmin(end, window->to);
    for (uint32_t i = (uint32_t)((from - window->from) / window->column); i < window->columns; i++) {
        double low = window->from + i * window->column;
        if (low > to)
            break;
        classes[i * SPAN_CLASS_COUNT + span->class] += fmax(fmin(to, low + window->column) - fmax(from, low), 0);
    }
    if (to - from >= window->column && json_array_size(spans) < window->columns)
        json_array_append_new(spans, span_json(span, end));
    double last;
    if (!json_number(json, "last_from", &last) || last <= span->started) {
        json_object_set_new(json, "last_from", json_real(span->started));
        json_object_set_new(json, "last", span_json(span, end));
    }
}

static void add_span(struct slots_picture *picture, const struct span *span)
{
    const struct slots_window *window = &picture->window;
    double now = picture->memory->now, end = span_end(span, now),
           inside = span_overlap(span, window->known, window->to, now);
    if (!(end >= window->known && span->started <= window->to))
        return;
    double from = fmax(span->started, window->known), to = fmin(end, window->to), at = span->started;
    for (uint32_t i = (uint32_t)((from - window->from) / window->column); i < window->columns; i++) {
        double low = window->from + i * window->column;
        if (low > to)
            break;
        picture->busy[i] += fmax(fmin(to, low + window->column) - fmax(from, low), 0);
    }
    picture->lost[span->class] += inside;
    picture->launch += fmax(fmin(at + (double)span->launch, to) - from, 0);
    at += (double)span->launch;
    picture->stage += fmax(fmin(at + (double)span->stage, to) - fmax(at, window->from), 0);
    if (span->started >= window->from) {
        picture->queue += (double)span->queue;
        picture->queued++;
    }
    add_to_row(picture, span, end);
}

static void add_spans(struct slots_picture *picture, const struct spans *spans)
{
    for (size_t i = 0; i < spans->count; i++)
        add_span(picture, &spans->items[i]);
}

/* --- encoding --- */

/* A column of a row: the letter of what it did most, small when it had nothing to do for more than half of the time,
 * '.' when it hardly did anything, ' ' when it was not there. */
static char cell_of(const struct slots_picture *picture, size_t row, uint32_t column)
{
    static const double hardly = 0.02, half = 0.5;
    size_t at = row * picture->window.columns + column;
    const double *classes = picture->classes + at * SPAN_CLASS_COUNT;
    double sum = 0;
    enum span_class most = 0;
    for (enum span_class i = 0; i < SPAN_CLASS_COUNT; i++) {
        sum += classes[i];
        most = classes[i] > classes[most] ? i : most;
    }
    if (sum < hardly * picture->window.column)
        return picture->there[at] ? '.' : ' ';
    char letter = span_letter(most);
    return sum < half * picture->window.column ? (char)(letter - 'A' + 'a') : letter;
}

static void encode_cells(struct slots_picture *picture)
{
    char cells[MOST_COLUMNS + 1];
    size_t row;
    json_t *json;
    json_array_foreach(picture->rows, row, json)
    {
        for (uint32_t i = 0; i < picture->window.columns; i++)
            cells[i] = cell_of(picture, row, i);
        cells[picture->window.columns] = '\0';
        json_object_set_new(json, "cells", json_string(cells));
    }
}

static json_t *encode_utilisation(const struct slots_picture *picture, double *busy, double *available)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < picture->window.columns; i++) {
        bool any = picture->available[i] > 0;
        *busy += picture->busy[i];
        *available += picture->available[i];
        json_array_append_new(list, any ? json_real(fmin(picture->busy[i] / picture->available[i], 1)) : json_null());
    }
    return list;
}

static json_t *encode_picture(struct slots_picture *picture, bool lives)
{
    const struct timeline_memory *memory = picture->memory;
    const struct slots_window *window = &picture->window;
    double busy = 0, available = 0;
    encode_cells(picture);
    json_t *utilisation = encode_utilisation(picture, &busy, &available);
    json_t *lost =
        json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "available", available, "busy", busy, "idle",
                  fmax(available - busy, 0), "launch", picture->launch, "stage", picture->stage, "failed",
                  picture->lost[SPAN_FAILED], "cut", picture->lost[SPAN_CUT], "stopped", picture->lost[SPAN_STOPPED],
                  "queue", picture->queued ? picture->queue / (double)picture->queued : 0.0);
    bool whole = memory->attempts.whole || !memory->ended.count;
    return json_pack("{s:f, s:f, s:f, s:f, s:o, s:I, s:I, s:b, s:i, s:o, s:o, s:O}", "from", window->from, "to",
                     window->to, "now", memory->now, "begin", begin_of(memory), "since",
                     whole ? json_null() : json_of_real(memory->ended.since), "total", (json_int_t)window->total,
                     "first", (json_int_t)window->first, "lives", (int)lives, "columns", (int)window->columns,
                     "utilisation", utilisation, "lost", lost, "rows", picture->rows);
}

static json_t *draw_picture(const struct timeline_memory *memory, const struct wants *wants, bool lives)
{
    struct slots_picture picture = {.memory = memory, .window = window_of(memory, wants), .rows = json_array()};
    size_t columns = picture.window.columns, cells = columns * picture.window.count + 1;
    picture.row_of = MEM_ARRAY(uint64_t, memory->places.count + 1);
    picture.busy = MEM_ARRAY(double, columns);
    picture.available = MEM_ARRAY(double, columns);
    picture.classes = MEM_ARRAY(double, cells *SPAN_CLASS_COUNT);
    picture.there = MEM_ARRAY(bool, cells);
    add_workers(&picture);
    add_spans(&picture, &memory->ended);
    add_spans(&picture, &memory->alive);
    json_t *out = encode_picture(&picture, lives);
    json_decref(picture.rows);
    free(picture.row_of);
    free(picture.busy);
    free(picture.available);
    free(picture.classes);
    free(picture.there);
    return out;
}

static void free_memory(void *data)
{
    struct timeline_memory *memory = data;
    if (!memory)
        return;
    places_fini(&memory->places);
    spans_fini(&memory->ended);
    spans_fini(&memory->alive);
    free(memory);
}

json_t *section_timeline(const struct section_reading *reading, struct err *err)
{
    if (!reading->memory->data) {
        reading->memory->data = MEM_NEW(struct timeline_memory);
        reading->memory->free = free_memory;
    }
    struct timeline_memory *memory = reading->memory->data;
    struct slots_window before = window_of(memory, reading->wants);
    bool back = memory->ended.count && before.from < memory->ended.since;
    if (reading->wants->timeline.from >= 0 && !(reading->wants->timeline.to > 0))
        back = true; /* all of it */
    if (update_memory(memory, reading->source, back, err))
        return NULL;
    reading->memory->more = back && !memory->attempts.whole;
    return draw_picture(memory, reading->wants, source_lives(reading->source));
}
