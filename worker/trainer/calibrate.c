/* Measuring by hand; see calibrate.h. */
#include "worker/trainer/calibrate.h"

#include "common/json.h"
#include "worker/limits/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *describe(const struct limits *now, const struct limits *before, struct err *err)
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

int calibrate_and_print(uint64_t threads)
{
    struct limits now, before;
    struct err err;
    if (limits_measure(threads <= LIMITS_THREADS_MOST ? (int)threads : -1, &now, &err)) {
        fprintf(stderr, "gannet-trainer: %s\n", err.text);
        return EXIT_FAILURE;
    }
    limits_load((int)threads, &before);
    json_t *json = describe(&now, &before, &err);
    char *text = json_dumps(json, JSON_INDENT(1));
    puts(text);
    free(text);
    json_decref(json);
    return EXIT_SUCCESS;
}
