/* A seat and the node's limits: what a run's operations could have come to, and when limits are measured or raised. */
#include "common/clock.h"
#include "common/path.h"
#include "worker/limits/disk.h"
#include "worker/limits/roofs.h"
#include "worker/trainer/peak.h"
#include "worker/trainer/seat.h"

#include <stdlib.h>
#include <string.h>

/* What is kept of ranks and disks is read at the end of runs that are so long: a few files, some 0.1 ms. */
static const double worth_reading = 1;

/* By what as many ranks were measured to do that had a core each. */
static void note_allreduce(const struct seat *seat, uint32_t ranks, struct run_counters *out)
{
    struct limits limits;
    const struct operation_count *sums = &seat->training.report.operations[OPERATION_allreduce];
    if (ranks > 1 && ranks <= LIMITS_THREADS_MOST && sums->calls && limits_load_on((int)ranks, (int)ranks, &limits))
        out->values[COUNT_ALLREDUCE_LEAST] = limits_allreduce_least(&limits, (double)sums->calls, sums->bytes);
}

/* The file that a path of the options names; free() it. NULL: they have data made, or name none. */
static char *data_path(const struct seat *seat)
{
    static const char made[] = "generate:";
    const char *named = json_string_value(json_object_get(seat->kernel_task.options, "data"));
    return named && strncmp(named, made, sizeof made - 1) != 0 ? path_join(seat->kernel_task.base, named) : NULL;
}

static void note_disks(const struct seat *seat, struct run_counters *out)
{
    struct disk_limits disk;
    const char *checkpoint = seat->training.plan.checkpoint;
    char *above = checkpoint && *checkpoint ? path_directory(checkpoint) : NULL, *data = data_path(seat);
    if (above && disk_load(above, &disk))
        out->values[COUNT_DISK_WRITE_LIMIT] = disk.write;
    if (data && disk_load(data, &disk))
        out->values[COUNT_DISK_READ_LIMIT] = disk.read;
    free(above);
    free(data);
}

void seat_note_limits(const struct seat *seat, double seconds, uint32_t ranks, struct run_counters *out)
{
    const struct limits_watch *watch = &seat->process->limits;
    if (seconds >= worth_reading) {
        note_allreduce(seat, ranks, out);
        note_disks(seat, out);
    }
    if (!watch->known)
        return;
    struct roofs roofs = roofs_of(&watch->limits, seat->training.report.operations);
    out->values[COUNT_FLOPS_LIMIT] = roofs.flops;
    out->values[COUNT_BYTES_LIMIT] = roofs.bytes;
}

void seat_look_at_limits(struct seat *seat, double cpu_seconds)
{
    struct trainer_process *process = seat->process;
    if (seat->alone && !seat->opened.gang)
        limits_watch_beaten(&process->limits, roofs_products(seat->training.report.operations, cpu_seconds) *
                                                  process->limits.limits.threads);
    if (process->running != (uint32_t)seat->running || !limits_watch_worked(&process->limits, cpu_seconds))
        return;
    uint64_t most = seat->task.memory, now = peak_now(&process->peak);
    if (limits_watch_measure(&process->limits, !most ? UINT64_MAX : most > now ? most - now : 0))
        process->cpu = clock_cpu();
}
