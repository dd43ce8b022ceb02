/* Workers of another version or with another clock; see odd_workers.h. */
#include "cli/view/odd_workers.h"
#include "cli/format.h"
#include "common/units.h"

#include <math.h>
#include <string.h>

/* Seconds between two clocks from which on that is said: a heartbeat may lie in a queue for a while. */
static const double tolerance = 10;

static bool is_of_other_version(const struct snapshot *snapshot, const struct snapshot_worker *worker)
{
    return *snapshot->version && *worker->version && strcmp(snapshot->version, worker->version) != 0;
}

static void add_name(const struct snapshot_worker *worker, struct buf *out)
{
    format_safe(worker->name, out);
    if (worker->part)
        buf_format(out, ":%u", worker->part);
}

bool odd_workers_describe(const struct snapshot *snapshot, const struct snapshot_worker *worker, struct buf *out)
{
    char off[32];
    bool other = is_of_other_version(snapshot, worker), is_off = fabs(worker->ahead) >= tolerance;
    if (other) {
        buf_text(out, "the worker on ");
        add_name(worker, out);
        buf_text(out, " is gannet ");
        format_safe(worker->version, out);
        buf_text(out, ", the coordinator ");
        format_safe(snapshot->version, out);
    }
    if (is_off) {
        buf_text(out, other ? "; the clock of " : "the clock of ");
        add_name(worker, out);
        buf_format(out, " is %s %s the coordinator's", units_show_duration(fabs(worker->ahead), off, sizeof off),
                   worker->ahead > 0 ? "ahead of" : "behind");
    }
    return other || is_off;
}

bool odd_workers_add(const struct snapshot *snapshot, struct buf *out)
{
    enum { NAMED = 3 };
    struct buf one = {0};
    size_t odd = 0;
    for (uint32_t i = 0; i < snapshot->worker_count; i++) {
        buf_clear(&one);
        if (!odd_workers_describe(snapshot, &snapshot->workers[i], &one))
            continue;
        if (odd++ < NAMED)
            buf_format(out, "%s%s", odd > 1 ? "; " : "", buf_str(&one));
    }
    if (odd > NAMED)
        buf_format(out, "; so it is with %zu more workers", odd - NAMED);
    buf_fini(&one);
    return odd > 0;
}
