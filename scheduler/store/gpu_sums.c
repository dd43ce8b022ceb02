/* Work on GPUs as a text in a run's row; see gpu_sums.h. */
#include "scheduler/store/gpu_sums.h"

#include "common/json.h"
#include "scheduler/store/whole.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static char *put_sum(char *at, const struct msg_gpu_sum *sum)
{
    at += sprintf(at, "[\"%s\",%" PRIu64 ",null,", sum->name, sum->calls);
    at += sum->bytes > 0 ? sprintf(at, "%.12g", sum->bytes / 1e3) : sprintf(at, "null");
    return at + sprintf(at, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", whole_of(sum->seconds * 1e9),
                        whole_of(sum->min * 1e9), whole_of(sum->max * 1e9));
}

const char *gpu_sums_encode(const struct event_run *run, char *out)
{
    char *at = out;
    for (uint32_t i = 0; i < run->gpu_count && i < GPU_SUMS_MOST; i++) {
        *at++ = i ? ',' : '[';
        at = put_sum(at, &run->gpu[i]);
    }
    if (run->gpu_unknown && *run->gpu_unknown) {
        *at = at == out ? '[' : ',';
        at += 1 + sprintf(at + 1, "[null,\"%.*s\"]", GPU_WHY_LONGEST, run->gpu_unknown);
    }
    if (at == out)
        return NULL;
    strcpy(at, "]");
    return out;
}

/* --- reading --- */

static void add_number(json_t *row, const char *member, double more)
{
    json_object_set_new(row, member, json_of_real(json_number_value(json_object_get(row, member)) + more));
}

static void add_calls(json_t *row, const char *member, json_int_t more)
{
    json_object_set_new(row, member, json_integer(json_integer_value(json_object_get(row, member)) + more));
}

static void merge_row(json_t *row, json_int_t calls, const json_t *bytes, const double *times)
{
    double min = json_number_value(json_object_get(row, "min")), max = json_number_value(json_object_get(row, "max"));
    add_calls(row, "calls", calls);
    add_calls(row, "timed", calls);
    add_number(row, "seconds", times[0]);
    json_object_set_new(row, "min", json_of_real(fmin(min, times[1])));
    json_object_set_new(row, "max", json_of_real(fmax(max, times[2])));
    if (json_is_number(bytes))
        add_number(row, "bytes", json_number_value(bytes) * 1e3);
}

static json_t *new_row(const char *name, json_int_t calls, const json_t *bytes, const double *times)
{
    return json_pack("{s:s, s:I, s:n, s:o, s:I, s:f, s:f, s:f, s:s}", "operation", name, "calls", calls, "flops",
                     "bytes", json_is_number(bytes) ? json_of_real(json_number_value(bytes) * 1e3) : json_null(),
                     "timed", calls, "seconds", times[0], "min", times[1], "max", times[2], "place", "gpu");
}

static void add_row(const json_t *numbers, json_t *rows)
{
    enum { AT_NAME, AT_CALLS, AT_FLOPS, AT_BYTES, AT_TIMES, TIMES = 3 };
    const char *name = json_string_value(json_array_get(numbers, AT_NAME));
    const json_t *bytes = json_array_get(numbers, AT_BYTES);
    json_int_t calls = json_integer_value(json_array_get(numbers, AT_CALLS));
    double times[TIMES];
    for (size_t i = 0; i < TIMES; i++)
        times[i] = json_number_value(json_array_get(numbers, AT_TIMES + i)) / 1e9;
    if (!gpu_text_is_plain(name, GPU_NAME_LONGEST) || calls <= 0)
        return;
    json_t *row = json_object_get(rows, name);
    if (row)
        merge_row(row, calls, bytes, times);
    else
        json_object_set_new(rows, name, new_row(name, calls, bytes, times));
}

json_t *gpu_sums_add(const char *text, json_t *rows)
{
    json_t *why = NULL, *row;
    size_t index;
    if (!text || (strncmp(text, "[[\"", 3) != 0 && strncmp(text, "[[null", 6) != 0))
        return NULL;
    json_t *told = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    json_array_foreach(told, index, row)
    {
        if (json_is_string(json_array_get(row, 0)))
            add_row(row, rows);
        else if (!why && json_is_string(json_array_get(row, 1)))
            why = json_incref(json_array_get(row, 1));
    }
    json_decref(told);
    return why;
}
