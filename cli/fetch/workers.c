/* The section workers: a page of the tree node -> part of its memory -> slot. All workers are known in short
 * (places.h); whole, with what runs there, only those of the page are read, from the store and, of a living search,
 * from its coordinator. */
#include "cli/fetch/workers.h"
#include "cli/json.h"
#include "common/json.h"
#include "common/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many workers are unfolded unless a person folds them. */
enum { FEW = 8 };

/* --- which rows there are --- */

/* Whether a list "3 17" has a number. */
static bool has_number(const char *list, uint64_t number)
{
    char *end;
    for (; *list; list = end) {
        uint64_t one = strtoull(list, &end, 10);
        if (end == list)
            return false;
        if (one == number)
            return true;
    }
    return false;
}

static bool is_open(const struct places *places, const struct place_worker *worker, const char *unfolded)
{
    bool usual = places->count <= FEW && isnan(worker->gone);
    return usual != has_number(unfolded, worker->worker);
}

static uint64_t rows_of(const struct place_worker *worker, bool open)
{
    return 1 + (open ? worker->slots + (worker->numa > 1 ? worker->numa : 0) : 0);
}

/* The workers of a page. */
struct workers_page {
    uint64_t total;      /* rows of all workers */
    uint64_t skip, left; /* rows of its first worker before it; rows that are wanted */
    size_t first, count; /* workers */
};

static struct workers_page find_page(const struct places *places, const struct wants *wants)
{
    struct workers_page page = {.left = wants->workers.count};
    uint64_t end = wants->workers.first + wants->workers.count;
    for (size_t i = 0; i < places->count; i++) {
        uint64_t rows = rows_of(&places->workers[i], is_open(places, &places->workers[i], wants->workers.unfolded));
        bool here = page.total + rows > wants->workers.first && page.total < end;
        if (here && !page.count) {
            page.first = i;
            page.skip = wants->workers.first - (page.total < wants->workers.first ? page.total : wants->workers.first);
        }
        page.count += here;
        page.total += rows;
    }
    return page;
}

/* --- what is known of them --- */

/* Everything that rows are made of. */
struct facts {
    const struct workers_memory *memory;
    const struct wants *wants;
    json_t *stored; /* the page's workers as reader_workers gives them */
    json_t *live;   /* and as the coordinator sees them; NULL: there is none */
    struct workers_page page;
    json_t *rows;
};

static void name_worker(const struct place_worker *worker, char out[24])
{
    snprintf(out, 24, "%016" PRIx64, worker->number);
}

static json_t *page_numbers(const struct places *places, const struct workers_page *page, bool names)
{
    char name[24];
    json_t *list = json_array();
    for (size_t i = page->first; i < page->first + page->count; i++) {
        name_worker(&places->workers[i], name);
        if (!names)
            json_array_append_new(list, json_integer((json_int_t)places->workers[i].worker));
        else if (isnan(places->workers[i].gone))
            json_array_append_new(list, json_string(name));
    }
    return list;
}

/* The page's workers from the coordinator: the question is newer than some coordinators, whose answer about all has
 * them, too. */
static json_t *ask_live(struct source *source, const struct workers_memory *memory, const struct workers_page *page,
                        const struct experiment_standing *standing)
{
    json_t *answer = NULL, *names = page_numbers(&memory->places, page, true), *workers;
    struct err err;
    if (source_ask(source, "workers", json_pack("{s:o}", "workers", names), &answer, &err)) {
        json_decref(answer);
        answer = snapshot_encode(&standing->snapshot);
    }
    workers = json_incref(json_is_array(answer) ? answer : json_object_get(answer, "workers"));
    json_decref(answer);
    return workers;
}

static json_t *find_live(const struct facts *facts, const struct place_worker *worker)
{
    char name[24];
    size_t index;
    json_t *one;
    name_worker(worker, name);
    json_array_foreach(facts->live, index, one)
    {
        if (strcmp(json_text(one, "worker"), name) == 0)
            return one;
    }
    return NULL;
}

/* The row of a list of objects whose member has this number; NULL: there is none. */
static json_t *find_number(json_t *list, const char *member, uint64_t number)
{
    size_t index;
    json_t *one;
    json_array_foreach(list, index, one)
    {
        const json_t *value = json_object_get(one, member);
        if (json_is_integer(value) && (uint64_t)json_integer_value(value) == number)
            return one;
    }
    return NULL;
}

/* --- rows --- */

static void copy_members(json_t *row, const json_t *from, const char *const *members)
{
    for (; *members; members++) {
        json_t *value = json_object_get(from, *members);
        json_object_set(row, *members, value ? value : json_null());
    }
}

static json_t *worker_row(const struct facts *facts, const struct place_worker *worker, bool open)
{
    static const char *const stored[] = {"pid", "version", "machine", "cores", "gpus", "memory", "job", NULL},
                             *const live[] = {"heard", "ahead", "suspect", "aside", "waiting",
                                              "why",   "left",  "gannet",  NULL};
    const json_t *at = find_number(facts->stored, "worker", worker->worker), *now = find_live(facts, worker);
    const struct worker_trouble *trouble = workers_trouble(facts->memory, worker->worker);
    json_t *row = json_object(), *busy = json_object_get(now, "busy");
    json_object_set_new(row, "row", json_string("node"));
    json_object_set_new(row, "worker", json_integer((json_int_t)worker->worker));
    json_object_set_new(row, "node", json_of_text(worker->node));
    json_object_set_new(row, "part", worker->part ? json_integer(worker->part) : json_null());
    json_object_set_new(row, "open", json_boolean(open));
    json_object_set_new(row, "slots", json_integer(worker->slots));
    json_object_set_new(
        row, "busy", busy ? json_incref(busy) : json_integer((json_int_t)json_array_size(json_object_get(at, "runs"))));
    copy_members(row, at, stored);
    copy_members(row, now, live);
    json_object_set_new(row, "joined", json_of_known(worker->joined));
    json_object_set_new(row, "gone", json_of_known(worker->gone));
    json_object_set_new(row, "gone_why",
                        json_incref(json_object_get(at, "why") ? json_object_get(at, "why") : json_null()));
    json_object_set_new(row, "failed", json_integer(trouble ? (json_int_t)trouble->count : 0));
    json_object_set_new(row, "trouble", json_of_text(trouble ? trouble->text : NULL));
    return row;
}

static json_t *last_json(const struct last_run *last)
{
    return last ? json_pack("{s:I, s:o, s:f, s:o, s:o, s:o}", "trial", (json_int_t)last->trial, "reason",
                            json_of_text(last->reason), "ended", last->ended, "cores", json_of_known(last->cores),
                            "memory", json_of_known(last->memory), "gpu", json_of_known(last->gpu))
                : json_null();
}

static json_t *slot_row(const struct facts *facts, const struct place_worker *worker, const json_t *at,
                        const json_t *slot)
{
    static const char *const stored[] = {"slot", "cpus", "numa", "gpus", "memory", NULL},
                             *const run[] = {"trial", "attempt", "since", "step", "value", NULL},
                             *const live[] = {"ahead", "why", NULL};
    uint64_t number = (uint64_t)json_integer_value(json_object_get(slot, "slot"));
    json_t *row = json_object();
    json_object_set_new(row, "row", json_string("slot"));
    json_object_set_new(row, "worker", json_integer((json_int_t)worker->worker));
    copy_members(row, slot, stored);
    copy_members(row, find_number(json_object_get(at, "runs"), "slot", number), run);
    copy_members(row, find_number(json_object_get(find_live(facts, worker), "running"), "slot", number), live);
    json_object_set_new(row, "last", last_json(workers_last(facts->memory, worker->worker, number)));
    return row;
}

/* Adds a row unless it lies outside of the page; `json` is taken over. */
static void add_row(struct facts *facts, json_t *json)
{
    if (facts->page.skip)
        facts->page.skip--;
    else if (facts->page.left) {
        facts->page.left--;
        json_array_append(facts->rows, json);
    }
    json_decref(json);
}

/* The slots of one part of a node's memory; NULL: all of them. */
static void add_slots(struct facts *facts, const struct place_worker *worker, const json_t *at, const char *numa)
{
    size_t index;
    json_t *slot;
    json_array_foreach(json_object_get(at, "slots"), index, slot)
    {
        if (!numa || strcmp(json_text(slot, "numa"), numa) == 0)
            add_row(facts, slot_row(facts, worker, at, slot));
    }
}

static json_t *numa_row(const struct place_worker *worker, const json_t *slots, const char *numa)
{
    size_t index;
    json_t *slot;
    json_int_t count = 0;
    json_array_foreach((json_t *)slots, index, slot) count += strcmp(json_text(slot, "numa"), numa) == 0;
    return json_pack("{s:s, s:I, s:o, s:I}", "row", "numa", "worker", (json_int_t)worker->worker, "numa",
                     json_of_text(numa), "slots", count);
}

static void add_parts(struct facts *facts, const struct place_worker *worker, const json_t *at)
{
    size_t index;
    json_t *slot, *slots = json_object_get(at, "slots"), *seen = json_object();
    json_array_foreach(slots, index, slot)
    {
        const char *numa = json_text(slot, "numa");
        if (json_object_get(seen, numa))
            continue;
        json_object_set_new(seen, numa, json_true());
        add_row(facts, numa_row(worker, slots, numa));
        add_slots(facts, worker, at, numa);
    }
    json_decref(seen);
}

static void add_worker(struct facts *facts, const struct place_worker *worker)
{
    const json_t *at = find_number(facts->stored, "worker", worker->worker);
    bool open = is_open(&facts->memory->places, worker, facts->wants->workers.unfolded);
    add_row(facts, worker_row(facts, worker, open));
    if (open && worker->numa > 1)
        add_parts(facts, worker, at);
    else if (open)
        add_slots(facts, worker, at, NULL);
}

/* --- the whole --- */

/* Why slots get no trial, as far as it is the same for all of them; NULL: nothing is known to be in the way. */
static const char *say_idle(const struct experiment_standing *standing)
{
    const struct snapshot *snapshot = &standing->snapshot;
    uint64_t given = 0;
    for (int i = 0; i < TRIAL_STATES; i++)
        given += snapshot->trials[i];
    if (standing->trouble)
        return standing->trouble;
    if (snapshot->state != EXPERIMENT_RUNNING)
        return "nothing new is started: the search ends";
    if (snapshot->exceeds_walltime)
        return "trials that wait would not end before the time of the job is up";
    if (snapshot->nodes > 1 && snapshot->nodes_here < snapshot->nodes)
        return "there are fewer nodes than a trial needs";
    if (snapshot->trials[TRIAL_WAITING])
        return "a trial is on its way";
    if (snapshot->max_trials && given >= snapshot->max_trials + snapshot->added)
        return "all trials of limits.max_trials are given out";
    return "the strategy has not proposed the next trial yet";
}

static size_t count_gone(const struct places *places)
{
    size_t gone = 0;
    for (size_t i = 0; i < places->count; i++)
        if (!isnan(places->workers[i].gone))
            gone++;
    return gone;
}

/* How many slots the workers that are there have, and how many of them are busy. Where all of them are on the page it
 * is what their rows say: the state was read at another moment. */
static void count_here(const struct facts *facts, const struct snapshot *snapshot, json_int_t *slots, json_int_t *busy)
{
    const struct places *places = &facts->memory->places;
    bool all = places->count - count_gone(places) <= facts->page.count;
    *slots = *busy = 0;
    for (size_t i = 0; all && i < places->count; i++) {
        const json_t *now = isnan(places->workers[i].gone) ? find_live(facts, &places->workers[i]) : NULL;
        all = now || !isnan(places->workers[i].gone);
        *slots += json_integer_value(json_object_get(now, "slots"));
        *busy += json_integer_value(json_object_get(now, "busy"));
    }
    if (!all) {
        *slots = snapshot->slots;
        *busy = snapshot->busy;
    }
}

static json_t *encode_page(struct facts *facts, const struct experiment_standing *standing, bool lives)
{
    const struct places *places = &facts->memory->places;
    const struct workers_page page = facts->page;
    json_int_t slots_here, busy;
    count_here(facts, &standing->snapshot, &slots_here, &busy);
    facts->rows = json_array();
    for (size_t i = page.first; i < page.first + page.count; i++)
        add_worker(facts, &places->workers[i]);
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:o, s:o}", "total", (json_int_t)page.total, "first",
                     (json_int_t)facts->wants->workers.first, "workers", (json_int_t)places->count, "gone",
                     (json_int_t)count_gone(places), "slots", (json_int_t)places->slots, "slots_here", slots_here,
                     "busy", busy, "lives", (int)lives, "idle", json_of_text(lives ? say_idle(standing) : NULL), "rows",
                     facts->rows);
}

static json_t *read_page(const struct section_reading *reading, const struct workers_memory *memory, struct err *err)
{
    struct facts facts = {.memory = memory, .wants = reading->wants};
    struct experiment_standing standing = {0};
    bool lives = source_lives(reading->source);
    facts.page = find_page(&memory->places, reading->wants);
    json_t *arguments = json_pack("{s:o}", "numbers", page_numbers(&memory->places, &facts.page, false)), *out = NULL;
    facts.stored = source_read(reading->source, "workers", arguments, err);
    bool known = facts.stored && (!lives || source_standing_short(reading->source, &standing, err) == 0);
    if (known && lives)
        facts.live = ask_live(reading->source, memory, &facts.page, &standing);
    if (known)
        out = encode_page(&facts, &standing, lives);
    json_decref(facts.stored);
    json_decref(facts.live);
    standing_fini(&standing);
    return out;
}

json_t *section_workers(const struct section_reading *reading, struct err *err)
{
    if (!reading->memory->data) {
        reading->memory->data = MEM_NEW(struct workers_memory);
        reading->memory->free = workers_memory_free;
    }
    struct workers_memory *memory = reading->memory->data;
    return workers_update(memory, reading->source, err) ? NULL : read_page(reading, memory, err);
}
