/* Operations of a profile; see profile_operations.h. */
#include "cli/data/profile_operations.h"

#include "cli/json.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/operations.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* An operation, and what is reckoned of it. */
struct operation_row {
    json_t *json;
    bool on_gpu; /* a program's: how much a kernel computes is not known */
    double calls, timed, seconds;
    double flops, bytes; /* a second; 0: it was not timed, or has none */
};

static struct operation_row read_row(json_t *json)
{
    struct operation_row row = {.json = json, .on_gpu = strcmp(json_text(json, "place"), "gpu") == 0};
    double flops = 0, bytes = 0;
    json_number(json, "calls", &row.calls);
    json_number(json, "timed", &row.timed);
    if (!(row.timed > 0) || !json_number(json, "seconds", &row.seconds) || !(row.seconds > 0) || !(row.calls > 0))
        return row;
    json_number(json, "flops", &flops);
    json_number(json, "bytes", &bytes);
    row.flops = flops / row.calls * row.timed / row.seconds;
    row.bytes = bytes / row.calls * row.timed / row.seconds;
    return row;
}

static int compare_rows(const void *a, const void *b)
{
    double one = ((const struct operation_row *)a)->seconds, two = ((const struct operation_row *)b)->seconds;
    return one < two ? 1 : one > two ? -1 : 0;
}

/* Sets a number, or null where it is none. */
static void set_number(json_t *json, const char *name, double number, bool known)
{
    json_object_set_new(json, name, known ? json_of_real(number) : json_null());
}

static void add_rates(const struct operation_row *row, double seconds, double flops, double bytes)
{
    bool timed = row->seconds > 0;
    double near = fmax(flops > 0 ? row->flops / flops : 0, bytes > 0 ? row->bytes / bytes : 0);
    set_number(row->json, "share", row->seconds / seconds, timed);
    set_number(row->json, "average", row->seconds / row->timed, timed);
    set_number(row->json, "gflops_per_second", row->flops / 1e9, row->flops > 0);
    set_number(row->json, "gbytes_per_second", row->bytes / 1e9, row->bytes > 0);
    set_number(row->json, "room", 1 - near, near > 0 && !row->on_gpu);
}

static bool is_steps(const json_t *json)
{
    return strcmp(json_text(json, "operation"), operation_name(OPERATION_step)) == 0;
}

void profile_operations_add(const json_t *operations, json_t *page)
{
    size_t index, count = 0;
    json_t *json, *list = json_array();
    struct operation_row *rows = MEM_ARRAY(struct operation_row, json_array_size(operations));
    double seconds = 0, flops = 0, bytes = 0;
    json_array_foreach((json_t *)operations, index, json)
    {
        if (is_steps(json)) {
            json_object_set_new(page, "steps", json_deep_copy(json));
            continue;
        }
        struct operation_row *row = &rows[count++];
        *row = read_row(json_deep_copy(json));
        seconds += row->seconds;
        flops = fmax(flops, row->flops);
        bytes = fmax(bytes, row->bytes);
    }
    qsort(rows, count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < count; i++) {
        add_rates(&rows[i], seconds, flops, bytes);
        json_array_append_new(list, rows[i].json);
    }
    json_object_set_new(page, "operations", list);
    free(rows);
}
