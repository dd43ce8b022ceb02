/* Measuring by hand; see calibrate.h. */
#include "worker/trainer/calibrate.h"

#include "common/json.h"
#include "worker/limits/disk.h"
#include "worker/limits/limits.h"
#include "worker/trainer/calibrate_sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *describe_limits(const struct limits *now, const struct limits *before, struct err *err)
{
    struct limits limits = *now;
    limits_raise(&limits, before);
    json_t *measured = limits_json(now), *count = limits_json(&limits), *old = limits_json(before);
    json_object_del(old, "load");
    json_t *same = json_deep_copy(count);
    json_object_del(same, "load");
    bool raised = !json_equal(same, old), kept = limits_keep(&limits, err) == 0;
    json_decref(old);
    json_decref(same);
    return json_pack("{s:o, s:o, s:b, s:b, s:o}", "now", measured, "limits", count, "raised", raised, "kept", kept,
                     "why", kept ? json_null() : json_of_text(err->text));
}

static int fail_calibration(const struct err *err)
{
    fprintf(stderr, "gannet-trainer: %s\n", err->text);
    return EXIT_FAILURE;
}

static int print_json(json_t *json)
{
    char *text = json_dumps(json, JSON_INDENT(1));
    puts(text);
    free(text);
    json_decref(json);
    return EXIT_SUCCESS;
}

/* Ranks are forked before there are threads. */
static int measure_limits(int threads, struct limits *out, struct err *err)
{
    struct limits sums = limits_unknown(threads);
    if (threads > 1 && threads <= LIMITS_THREADS_MOST && calibrate_sums((uint32_t)threads, &sums, err))
        return -1;
    if (limits_measure(threads, out, err))
        return -1;
    out->allreduce = sums.allreduce;
    out->allreduce_seconds = sums.allreduce_seconds;
    return 0;
}

int calibrate_and_print(uint64_t threads)
{
    struct limits now, before;
    struct err err;
    if (measure_limits(threads <= LIMITS_THREADS_MOST ? (int)threads : -1, &now, &err))
        return fail_calibration(&err);
    limits_load((int)threads, &before);
    return print_json(describe_limits(&now, &before, &err));
}

int calibrate_disk_and_print(const char *directory)
{
    struct disk_limits now, limits, before;
    struct err err;
    if (disk_measure(directory, &now, &err))
        return fail_calibration(&err);
    disk_load(directory, &before);
    limits = now;
    disk_raise(&limits, &before);
    bool kept = disk_keep(directory, &limits, &err) == 0;
    char *place = disk_place(directory);
    int status = print_json(json_pack("{s:o, s:o, s:o, s:b, s:o}", "place", place ? json_of_text(place) : json_null(),
                                      "now", disk_json(&now), "limits", disk_json(&limits), "kept", kept, "why",
                                      kept ? json_null() : json_of_text(err.text)));
    free(place);
    return status;
}
