/* Rows of a table, and those that are expected; see backend.h. Rows that are drawn from a large table come from memory,
 * some hundred nanoseconds away, and each from other pages, which take as long to be looked up. The next batch's are
 * asked for while this one is trained on, so that they are in a cache when they are gathered. */
#include "worker/backend/onednn.h"

#include "worker/backend/team.h"

#include <string.h>

enum { LINE = 64, SECOND_CACHE = 2, SHARE_FROM = 1 << 15 /* numbers: as onednn_elements.c has it */ };

/* Asks for a row while the one before is copied: a processor fetches ahead by itself only within a page. 64 random rows
 * of 3 KB took 31 us without and 18 with it. */
static void fetch_row(const char *row, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += LINE)
        __builtin_prefetch(row + at, 0, SECOND_CACHE);
}

/* Rows first .. end-1 of what is gathered. */
static void gather_rows(const struct tensor *table, const int32_t *place, size_t first, size_t end, char *to)
{
    size_t bytes = tensor_width(table) * tensor_type_bytes(table->type);
    const char *rows = table->at;
    for (size_t n = first; n < end; n++) {
        if (n + 1 < end)
            fetch_row(rows + (size_t)place[n + 1] * bytes, bytes);
        memcpy(to + n * bytes, rows + (size_t)place[n] * bytes, bytes);
    }
}

/* Threads that gather: each has a part of the rows. */
static size_t count_threads(const struct tensor *table, size_t B)
{
    return B >= team_threads() && B * tensor_width(table) >= SHARE_FROM ? team_threads() : 1;
}

void onednn_gather(void *self, const struct tensor *table, const struct tensor *places, const struct tensor *y)
{
    (void)self;
    size_t B = places->size[0], n = count_threads(table, B);
#pragma omp parallel for schedule(static, 1) if (n > 1)
    for (size_t i = 0; i < n; i++)
        gather_rows(table, places->at, B * i / n, B * (i + 1) / n, y->at);
}

/* The first line of all rows, then the second of all, so that the pages of several rows are looked up at a time: 64 of
 * 3 KB take 8 us, and 15 less to gather; row by row they take 18. */
void onednn_expect(void *self, const struct tensor *table, const struct tensor *places)
{
    (void)self;
    size_t bytes = tensor_width(table) * tensor_type_bytes(table->type);
    const int32_t *place = places->at;
    const char *rows = table->at;
    for (size_t at = 0; at < bytes; at += LINE)
        for (size_t n = 0; n < places->size[0]; n++)
            __builtin_prefetch(rows + (size_t)place[n] * bytes + at, 0, SECOND_CACHE);
}
