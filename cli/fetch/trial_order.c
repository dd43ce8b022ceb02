/* Trials in an order; see trial_order.h. */
#include "cli/fetch/trial_order.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NO_TEXT = 0, TEXTS_MOST = 1 << 23, NUMBERS_MOST = 1 << 28 };

struct order_row {
    uint64_t trial;
    double key;         /* NaN: none, unless there is a text */
    uint32_t text : 24; /* a number of a text; NO_TEXT: none */
    uint32_t rank : 8;
};

/* Rows in an array that grows. */
struct order_rows {
    struct order_row *items;
    size_t count, capacity;
};

/* A trial that was put in since it was sorted last. */
struct pending_row {
    struct order_row row;
    size_t turn; /* the later one holds */
    bool kept;
};

struct trial_order {
    bool reverse;
    struct order_rows ended, living; /* both sorted, but for `living` before settle */
    struct pending_row *pending;
    size_t pending_count, pending_capacity;
    char **texts; /* each once; [NO_TEXT] is no text */
    size_t text_count, text_capacity;
    uint32_t *places; /* texts by their hash: numbers of texts; `place_count` of them, a power of two */
    size_t place_count;
    uint8_t *there; /* a bit for each number of a trial that is in `ended` */
    size_t there_count;
};

struct trial_order *trial_order_create(bool reverse)
{
    struct trial_order *order = MEM_NEW(struct trial_order);
    order->reverse = reverse;
    MEM_GROW(order->texts, order->text_capacity, 1);
    order->texts[order->text_count++] = mem_text("");
    return order;
}

void trial_order_destroy(struct trial_order *order)
{
    if (!order)
        return;
    for (size_t i = 0; i < order->text_count; i++)
        free(order->texts[i]);
    free(order->texts);
    free(order->places);
    free(order->there);
    free(order->pending);
    free(order->ended.items);
    free(order->living.items);
    free(order);
}

/* --- texts, each once --- */

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash ^ hash >> 29;
}

/* Where its number is or belongs. */
static uint32_t *find_place(const struct trial_order *order, const char *text)
{
    size_t at = hash_text(text) & (order->place_count - 1);
    while (order->places[at] && strcmp(order->texts[order->places[at]], text) != 0)
        at = (at + 1) & (order->place_count - 1);
    return &order->places[at];
}

static void grow_places(struct trial_order *order)
{
    if (order->place_count >= 2 * (order->text_count + 1))
        return;
    order->place_count = order->place_count ? order->place_count * 4 : 64;
    free(order->places);
    order->places = MEM_ARRAY(uint32_t, order->place_count);
    for (size_t i = 1; i < order->text_count; i++)
        *find_place(order, order->texts[i]) = (uint32_t)i;
}

/* The number of a text; the last one stands for all that are too many. */
static uint32_t number_text(struct trial_order *order, const char *text)
{
    grow_places(order);
    uint32_t *place = find_place(order, text);
    if (!*place && order->text_count < TEXTS_MOST) {
        MEM_GROW(order->texts, order->text_capacity, order->text_count + 1);
        order->texts[order->text_count] = mem_text(text);
        *place = (uint32_t)order->text_count++;
    }
    return *place ? *place : TEXTS_MOST - 1;
}

/* --- comparing --- */

/* Numbers, texts, nothing. */
static int class_of(const struct order_row *row)
{
    return row->text ? 1 : isnan(row->key) ? 2 : 0;
}

static int compare_keys(const struct trial_order *order, const struct order_row *a, const struct order_row *b)
{
    if (a->text && a->text != b->text)
        return strcmp(order->texts[a->text], order->texts[b->text]);
    return a->text ? 0 : (a->key > b->key) - (a->key < b->key);
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct trial_order *order = context;
    const struct order_row *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (class_of(a) != class_of(b))
        return class_of(a) - class_of(b);
    int keys = compare_keys(order, a, b);
    if (keys)
        return order->reverse ? -keys : keys;
    return (a->trial > b->trial) - (a->trial < b->trial);
}

/* --- putting in --- */

static struct order_row make_row(struct trial_order *order, uint64_t trial, const struct order_key *key)
{
    struct order_row row = {.trial = trial, .key = key->number, .rank = key->rank & 0xff};
    if (key->text)
        row.text = number_text(order, key->text) & 0xffffff;
    return row;
}

void trial_order_put(struct trial_order *order, uint64_t trial, const struct order_key *key, bool kept)
{
    MEM_GROW(order->pending, order->pending_capacity, order->pending_count + 1);
    order->pending[order->pending_count] =
        (struct pending_row){make_row(order, trial, key), order->pending_count, kept};
    order->pending_count++;
}

void trial_order_clear_living(struct trial_order *order)
{
    order->living.count = 0;
}

static void append_row(struct order_rows *rows, const struct order_row *row)
{
    MEM_GROW(rows->items, rows->capacity, rows->count + 1);
    rows->items[rows->count++] = *row;
}

void trial_order_put_living(struct trial_order *order, uint64_t trial, const struct order_key *key)
{
    struct order_row row = make_row(order, trial, key);
    append_row(&order->living, &row);
}

/* --- settling --- */

static int compare_pending(const void *left, const void *right)
{
    const struct pending_row *a = left, *b = right;
    if (a->row.trial != b->row.trial)
        return a->row.trial < b->row.trial ? -1 : 1;
    return (a->turn > b->turn) - (a->turn < b->turn);
}

/* Leaves the last of each trial, by number. */
static void unite_pending(struct trial_order *order)
{
    size_t count = 0;
    qsort(order->pending, order->pending_count, sizeof *order->pending, compare_pending);
    for (size_t i = 0; i < order->pending_count; i++)
        if (i + 1 == order->pending_count || order->pending[i].row.trial != order->pending[i + 1].row.trial)
            order->pending[count++] = order->pending[i];
    order->pending_count = count;
}

/* Whether it may be in `ended`: of numbers that are too large for a bit it may. */
static bool may_be_there(const struct trial_order *order, uint64_t trial)
{
    return trial >= NUMBERS_MOST || (trial / 8 < order->there_count && order->there[trial / 8] >> trial % 8 & 1);
}

static void note_there(struct trial_order *order, uint64_t trial)
{
    if (trial >= NUMBERS_MOST)
        return;
    while (trial / 8 >= order->there_count) {
        size_t count = order->there_count ? order->there_count * 2 : 1024;
        uint8_t *there = MEM_ARRAY(uint8_t, count);
        if (order->there_count)
            memcpy(there, order->there, order->there_count);
        free(order->there);
        order->there = there;
        order->there_count = count;
    }
    order->there[trial / 8] |= (uint8_t)(1u << trial % 8);
}

/* What was put in of a trial; NULL: nothing. */
static const struct pending_row *find_pending(const struct trial_order *order, uint64_t trial)
{
    size_t low = 0, high = order->pending_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order->pending[middle].row.trial < trial)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < order->pending_count && order->pending[low].row.trial == trial;
    return found ? &order->pending[low] : NULL;
}

/* Takes out what was put in once more. */
static void drop_old(struct trial_order *order)
{
    bool any = false;
    for (size_t i = 0; i < order->pending_count && !any; i++)
        any = may_be_there(order, order->pending[i].row.trial);
    size_t count = 0;
    for (size_t i = 0; any && i < order->ended.count; i++)
        if (!find_pending(order, order->ended.items[i].trial))
            order->ended.items[count++] = order->ended.items[i];
    order->ended.count = any ? count : order->ended.count;
}

/* What has ended lives no more, when those that live were not read since. */
static void drop_ended(struct trial_order *order)
{
    size_t count = 0;
    for (size_t i = 0; i < order->living.count; i++) {
        const struct pending_row *pending = find_pending(order, order->living.items[i].trial);
        if (!pending || !pending->kept)
            order->living.items[count++] = order->living.items[i];
    }
    order->living.count = count;
}

/* Merges sorted rows behind the sorted `ended`, from the last one on. */
static void merge_rows(struct trial_order *order, const struct order_rows *more)
{
    struct order_rows *rows = &order->ended;
    size_t left = rows->count, right = more->count, at = left + right;
    MEM_GROW(rows->items, rows->capacity, at);
    while (right)
        if (left && compare_rows(&rows->items[left - 1], &more->items[right - 1], order) > 0)
            rows->items[--at] = rows->items[--left];
        else
            rows->items[--at] = more->items[--right];
    rows->count += more->count;
}

static void sort_rows(struct trial_order *order, struct order_rows *rows)
{
    if (rows->count)
        qsort_r(rows->items, rows->count, sizeof *rows->items, compare_rows, order);
}

void trial_order_settle(struct trial_order *order)
{
    struct order_rows more = {0};
    unite_pending(order);
    drop_old(order);
    drop_ended(order);
    for (size_t i = 0; i < order->pending_count; i++)
        if (order->pending[i].kept) {
            append_row(&more, &order->pending[i].row);
            note_there(order, order->pending[i].row.trial);
        }
    order->pending_count = 0;
    sort_rows(order, &more);
    if (more.count)
        merge_rows(order, &more);
    free(more.items);
    sort_rows(order, &order->living);
}

/* --- reading --- */

uint64_t trial_order_count(const struct trial_order *order)
{
    return order->ended.count + order->living.count;
}

/* How many of `ended` go before a row. */
static size_t count_before(const struct trial_order *order, const struct order_row *row)
{
    size_t low = 0, high = order->ended.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_rows(&order->ended.items[middle], row, (void *)order) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many of `living` are among the first `place` of all. */
static size_t living_before(const struct trial_order *order, uint64_t place)
{
    size_t low = 0, high = order->living.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (count_before(order, &order->living.items[middle]) + middle < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void trial_order_list(const struct trial_order *order, uint64_t first, uint64_t count, json_t *out)
{
    uint64_t all = trial_order_count(order);
    first = first < all ? first : all;
    size_t living = living_before(order, first), ended = (size_t)first - living;
    for (uint64_t end = all - first < count ? all : first + count; first < end; first++) {
        bool is_ended = ended < order->ended.count &&
                        (living == order->living.count ||
                         compare_rows(&order->ended.items[ended], &order->living.items[living], (void *)order) < 0);
        const struct order_row *row = is_ended ? &order->ended.items[ended++] : &order->living.items[living++];
        json_array_append_new(out, json_integer((json_int_t)row->trial));
    }
}
