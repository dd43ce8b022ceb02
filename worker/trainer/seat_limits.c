/* A seat and the node's limits: what a run's operations could have come to, and when limits are measured or raised. */
#include "common/clock.h"
#include "worker/limits/roofs.h"
#include "worker/trainer/peak.h"
#include "worker/trainer/seat.h"

void seat_note_limits(const struct seat *seat, struct run_counters *out)
{
    const struct limits_watch *watch = &seat->process->limits;
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
