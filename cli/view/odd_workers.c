/* Workers of another version, with another clock or with another key; see odd_workers.h. */
#include "cli/view/odd_workers.h"
#include "cli/format.h"
#include "common/units.h"

#include <inttypes.h>
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

bool odd_workers_add_strangers(const struct snapshot *snapshot, struct buf *out)
{
    const struct snapshot_strangers *strangers = &snapshot->strangers;
    char ago[32];
    if (!strangers->count)
        return false;
    buf_text(out, "a worker ");
    if (*strangers->address) {
        buf_text(out, "from ");
        format_safe(strangers->address, out);
    } else {
        buf_text(out, "on this machine");
    }
    buf_format(out, " was turned away %s ago", units_show_duration(strangers->seconds, ago, sizeof ago));
    if (strangers->count > 1)
        buf_format(out, ", %" PRIu64 " connections in all", strangers->count);
    buf_text(out, ": its key is not this experiment's; its --rundir needs this run directory's keys/worker.key as it "
                  "was when the coordinator started");
    return true;
}
