/* The exit status that an end means; see status.h. */
#include "cli/status.h"

/* What each reason means: for the exit status, and whether the search has come to its end. */
static const struct {
    int status;
    bool final;
} ends[REASONS_COUNT] = {[REASON_NONE] = {STATUS_FAILED, false},
                         [REASON_MAX_TRIALS] = {STATUS_OK, true},
                         [REASON_NO_MORE] = {STATUS_OK, true},
                         [REASON_TARGET] = {STATUS_OK, true},
                         [REASON_TIME] = {STATUS_OK, true},
                         [REASON_FAILURES] = {STATUS_FAILED, true},
                         [REASON_STOPPED] = {STATUS_CANCELLED, true},
                         [REASON_INTERRUPTED] = {STATUS_INTERRUPTED, false},
                         [REASON_WALLTIME] = {STATUS_INTERRUPTED, false},
                         [REASON_PREEMPTED] = {STATUS_INTERRUPTED, false},
                         [REASON_PAUSED] = {STATUS_INTERRUPTED, false},
                         [REASON_BROKEN] = {STATUS_FAILED, false},
                         [REASON_NO_PROGRESS] = {STATUS_FAILED, false},
                         [REASON_NO_WORKERS] = {STATUS_FAILED, false},
                         [REASON_SAME_FAILURES] = {STATUS_FAILED, false}};

int status_of_end(const struct snapshot *snapshot)
{
    int status = ends[snapshot->reason].status;
    return status == STATUS_OK && !snapshot->has_best ? STATUS_FAILED : status;
}

bool status_is_final(const struct snapshot *snapshot)
{
    return ends[snapshot->reason].final && snapshot->state == EXPERIMENT_ENDED;
}
