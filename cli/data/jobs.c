/* An experiment's jobs at Slurm; see jobs.h. */
#include "cli/data/jobs.h"
#include "scheduler/slurm/agent.h"
#include "scheduler/slurm/refresh.h"

bool jobs_is_open(const struct slurm_submission *one)
{
    return !slurm_state_is_end(one->seen.state);
}

const struct slurm_submission *jobs_main(const struct slurm_record *record, bool of_workers)
{
    const struct slurm_submission *best = NULL;
    for (uint32_t i = 0; i < record->count; i++) {
        const struct slurm_submission *one = &record->items[i];
        if ((one->role == SLURM_ROLE_WORKER) == of_workers && (!best || jobs_is_open(one) || !jobs_is_open(best)))
            best = one;
    }
    return best;
}

/* A coordinator that lives says that its job runs, whatever was seen of the queue before it did. */
static void see_coordinator(struct slurm_record *record)
{
    struct slurm_submission *job = (struct slurm_submission *)jobs_main(record, false);
    if (job && job->seen.state == SLURM_PENDING)
        job->seen.state = SLURM_RUNNING;
}

void jobs_read(const struct rundir *dir, bool lives, struct slurm_record *out, struct err *err)
{
    *err->text = '\0';
    if (slurm_record_read(dir, out, err))
        return;
    if (lives)
        see_coordinator(out);
    if (lives || !out->count || slurm_refresh(dir, err))
        return;
    slurm_record_fini(out);
    (void)slurm_record_read(dir, out, err);
}

bool jobs_bring_more(const struct slurm_record *record)
{
    for (uint32_t i = 0; i < record->count; i++)
        if (record->items[i].role != SLURM_ROLE_WORKER && jobs_is_open(&record->items[i]))
            return true;
    return false;
}

bool jobs_wait(const struct slurm_record *record)
{
    const struct slurm_submission *job = jobs_main(record, false);
    return job && job->seen.state == SLURM_PENDING;
}

bool jobs_is_cancelled(const struct slurm_submission *job)
{
    return job && job->seen.state == SLURM_CANCELLED;
}

const char *jobs_state(const struct slurm_record *record)
{
    const struct slurm_submission *job = jobs_main(record, false);
    if (record->paused && !jobs_is_cancelled(job))
        return "paused";
    if (!job || !jobs_is_open(job))
        return NULL;
    return job->seen.state == SLURM_PENDING ? "pending" : "starting";
}
