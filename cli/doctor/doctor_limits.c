/* What this machine can do at most, measured now; see doctor.h. */
#include "cli/doctor/doctor.h"
#include "cli/data/sibling.h"
#include "cli/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* With so many others a core that want one, bursts are disturbed more often than not. */
static const double busy = 0.5;

/* "98 GFLOP/s"; "? GFLOP/s" when it is not known. */
static void add_giga(const json_t *object, const char *member, const char *unit, struct buf *out)
{
    double number = NAN;
    if (json_number(object, member, &number) && number > 0)
        buf_format(out, "%.*f %s", number < 100e9, number / 1e9, unit);
    else
        buf_format(out, "? %s", unit);
}

static void add_limits(const json_t *limits, struct buf *out)
{
    static const char *const levels[][2] = {{"l1", "L1"}, {"l2", "L2"}, {"l3", "L3"}, {"memory", "memory"}};
    double bf16;
    add_giga(limits, "flops", "GFLOP/s", out);
    if (json_number(limits, "flops_bf16", &bf16) && bf16 > 0)
        buf_format(out, " (bf16 %.0f)", bf16 / 1e9);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        buf_text(out, ", ");
        add_giga(json_object_get(limits, "bandwidth"), levels[i][0], "GB/s from ", out);
        buf_text(out, levels[i][1]);
    }
}

/* ", 6.1 GB/s of sums over 2 ranks, 3.0 us the smallest"; nothing of one. */
static void add_sums(const json_t *limits, uint64_t ranks, struct buf *out)
{
    double seconds;
    if (!json_number(limits, "allreduce_seconds", &seconds) || !(seconds > 0))
        return;
    buf_text(out, ", ");
    add_giga(limits, "allreduce", "GB/s", out);
    buf_format(out, " of sums over %llu ranks, %.1f us the smallest", (unsigned long long)ranks, 1e6 * seconds);
}

static void add_check(struct doctor *doctor, const json_t *answer, uint64_t threads)
{
    const json_t *limits = json_object_get(answer, "limits");
    struct buf text = {0};
    double load = 0;
    json_number(limits, "load", &load);
    buf_format(&text, "%llu thread%s: ", (unsigned long long)threads, threads == 1 ? "" : "s");
    add_limits(limits, &text);
    add_sums(limits, threads, &text);
    if (!json_is_true(json_object_get(answer, "kept")))
        doctor_add(doctor, HEALTH_NOTE, "limits", "set XDG_CACHE_HOME to a directory of yours", "%s; not kept: %s",
                   buf_str(&text), json_text(answer, "why"));
    else if (load >= busy)
        doctor_add(doctor, HEALTH_NOTE, "limits", "measure again at a quiet moment: limits are raised, never lowered",
                   "%s; at best with %.1f other processes a core", buf_str(&text), load);
    else
        doctor_add(doctor, HEALTH_OK, "limits", NULL, "%s", buf_str(&text));
    buf_fini(&text);
}

static void measure_limits(struct doctor *doctor, uint64_t threads)
{
    char number[24];
    const char *arguments[] = {"--calibrate", "--threads", number, NULL};
    struct err err;
    snprintf(number, sizeof number, "%llu", (unsigned long long)threads);
    json_t *answer = sibling_ask("gannet-trainer", arguments, &err);
    if (answer)
        add_check(doctor, answer, threads);
    else
        doctor_add(doctor, HEALTH_PROBLEM, "limits", NULL, "can't be measured: %s", err.text);
    json_decref(answer);
}

/* "230 MB/s". */
static void add_mega(const json_t *object, const char *member, struct buf *out)
{
    double number = NAN;
    if (json_number(object, member, &number) && number > 0)
        buf_format(out, "%.*f MB/s", number < 100e6, number / 1e6);
    else
        buf_text(out, "? MB/s");
}

static void add_disk(struct doctor *doctor, const json_t *answer)
{
    const json_t *limits = json_object_get(answer, "limits");
    const char *place = json_text(answer, "place");
    struct buf text = {0};
    add_mega(limits, "write", &text);
    buf_text(&text, " written, ");
    add_mega(limits, "read", &text);
    buf_format(&text, " read by one file at a time (%s)", *place ? place : "this directory");
    if (json_is_true(json_object_get(answer, "kept")))
        doctor_add(doctor, HEALTH_OK, "disk", NULL, "%s", buf_str(&text));
    else
        doctor_add(doctor, HEALTH_NOTE, "disk", "set XDG_CACHE_HOME to a directory of yours", "%s; not kept: %s",
                   buf_str(&text), json_text(answer, "why"));
    buf_fini(&text);
}

static void measure_disk(struct doctor *doctor)
{
    static const char *const arguments[] = {"--calibrate-disk", ".", NULL};
    struct err err;
    json_t *answer = sibling_ask("gannet-trainer", arguments, &err);
    if (answer)
        add_disk(doctor, answer);
    else
        doctor_add(doctor, HEALTH_NOTE, "disk", "measure it from a directory that you may write to", "not measured: %s",
                   err.text);
    json_decref(answer);
}

/* Cores that trials may use here; 1 when the worker can't say. */
static uint64_t count_cores(void)
{
    static const char *const arguments[] = {"--show-slots", "--json", NULL};
    struct err err;
    json_t *shown = sibling_ask("gannet-worker", arguments, &err);
    size_t cores = json_array_size(json_object_get(json_object_get(shown, "topology"), "cores"));
    json_decref(shown);
    return cores ? cores : 1;
}

void doctor_limits(struct doctor *doctor)
{
    uint64_t cores = count_cores();
    measure_limits(doctor, 1);
    if (cores > 2)
        measure_limits(doctor, 2);
    if (cores > 1)
        measure_limits(doctor, cores <= 256 ? cores : 256);
    measure_disk(doctor);
}
