/* From counters and phases to a remark; see verdict_remark.h. */
#include "cli/data/verdict_remark.h"

#include "cli/json.h"
#include "common/units.h"

#include <math.h>

/* The run that the verdict is about: the last, or the trial's own summary of it. */
static const json_t *run_of(const json_t *trial)
{
    const json_t *runs = json_object_get(trial, "runs"), *run = json_array_get(runs, json_array_size(runs) - 1);
    return run ? run : trial;
}

static double counter_of(const json_t *run, const char *name)
{
    double value;
    return json_number(json_object_get(run, "counters"), name, &value) ? value : NAN;
}

static double seconds_of(const json_t *run, enum phase phase)
{
    double seconds;
    const json_t *one = json_object_get(json_object_get(run, "profile"), phase_name(phase));
    return json_number(one, "seconds", &seconds) ? seconds : NAN;
}

static void remark_sums(const json_t *run, struct buf *out)
{
    char least_text[32], text[32];
    double least = counter_of(run, "allreduce_least"), seconds = seconds_of(run, PHASE_ALLREDUCE);
    if (least > 0 && seconds > 0)
        buf_format(out, "; at best its sums take %s of these %s",
                   units_show_duration(least, least_text, sizeof least_text),
                   units_show_duration(seconds, text, sizeof text));
}

/* What was moved in that phase, beside what can be; nothing of less than a tenth of a second's. */
static void remark_disk(const json_t *run, const char *moved_name, const char *limit_name, enum phase phase,
                        const char *verb, struct buf *out)
{
    double moved = counter_of(run, moved_name), limit = counter_of(run, limit_name), seconds = seconds_of(run, phase);
    if (moved >= limit / 10 && seconds > 0)
        buf_format(out, "; %s %.0f of the %.0f MB/s that its disk can", verb, fmin(moved / seconds, limit) / 1e6,
                   limit / 1e6);
}

void verdict_remark(enum verdict_kind kind, const json_t *trial, struct buf *out)
{
    const json_t *run = run_of(trial);
    if (kind == VERDICT_SYNC || kind == VERDICT_IMBALANCE)
        remark_sums(run, out);
    else if (kind == VERDICT_CHECKPOINT)
        remark_disk(run, "disk_written", "disk_write_limit", PHASE_CHECKPOINT, "it wrote", out);
    else if (kind == VERDICT_DATA)
        remark_disk(run, "disk_read", "disk_read_limit", PHASE_DATA, "it read", out);
}
