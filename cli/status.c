/* The exit status that an end means; see status.h. */
#include "cli/status.h"

int status_of_end(const struct snapshot *snapshot)
{
    switch (snapshot->reason) {
    case REASON_MAX_TRIALS:
    case REASON_NO_MORE:
    case REASON_TARGET:
    case REASON_TIME:
        return snapshot->has_best ? STATUS_OK : STATUS_FAILED;
    case REASON_STOPPED:
        return STATUS_CANCELLED;
    case REASON_INTERRUPTED:
    case REASON_WALLTIME:
    case REASON_PREEMPTED:
    case REASON_PAUSED:
        return STATUS_INTERRUPTED;
    case REASON_NONE:
    case REASON_FAILURES:
    case REASON_BROKEN:
    case REASON_NO_PROGRESS:
    case REASON_NO_WORKERS:
    case REASONS_COUNT:
        break;
    }
    return STATUS_FAILED;
}

bool status_is_final(const struct snapshot *snapshot)
{
    switch (snapshot->reason) {
    case REASON_MAX_TRIALS:
    case REASON_NO_MORE:
    case REASON_TARGET:
    case REASON_TIME:
    case REASON_FAILURES:
    case REASON_STOPPED:
        return snapshot->state == EXPERIMENT_ENDED;
    default:
        return false;
    }
}
