/* The job in which the search goes on; see job.h. The same one comes back when Slurm allows it (it keeps its number,
 * and so its dependants); else one like it is submitted. */
#include "scheduler/slurm/job/job.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/client.h"
#include "scheduler/slurm/slurm_record.h"
#include "scheduler/slurm/request.h"

#include <stdlib.h>

/* Between the end of the session and that of the job there is some time, in which a controller may be started again. */
static const double patience = 30; /* seconds a question */
enum { TRIES = 4 };

struct successor {
    uint32_t id;
    enum slurm_role role;
};

static void add_successor(void *context, struct slurm_record *record)
{
    const struct successor *next = context;
    slurm_record_add(record, next->id, next->role);
}

/* Submits the request; the job's number, or 0 with a sentence. */
static uint32_t submit_request(const struct slurm_record *record, const struct slurm_request *request, struct err *err)
{
    uint32_t *known = MEM_ARRAY(uint32_t, record->count + 1);
    for (uint32_t i = 0; i < record->count; i++)
        known[i] = record->items[i].id;
    uint32_t id = slurm_submit_now(NULL, request, known, record->count, patience, NULL, err);
    free(known);
    return id;
}

static int submit_next(const struct slurm_job_setup *setup, const struct spec *spec, const struct slurm_record *record,
                       struct err *err)
{
    struct slurm_order order = {
        .spec = spec, .rundir = setup->dir->path, .comment = record->comment, .now = clock_wall()};
    struct successor next = {.role = setup->no_workers ? SLURM_ROLE_COORDINATOR : SLURM_ROLE_EXPERIMENT};
    struct slurm_request request;
    if (slurm_request_make(&order, next.role, 0, &request, NULL, err))
        return -1;
    next.id = submit_request(record, &request, err);
    slurm_request_fini(&request);
    if (!next.id)
        return -1;
    log_info("job %u goes on with the search", next.id);
    return slurm_record_change(setup->dir, add_successor, &next, err);
}

/* Has Slurm requeue the job. -1 with a sentence when Slurm refuses, or does not answer any of several questions. */
static int requeue_job(uint32_t id, struct err *err)
{
    int number = SLURM_UNCLEAR;
    json_t *answer = NULL;
    for (int i = 0; i < TRIES && !answer && number == SLURM_UNCLEAR; i++)
        answer = slurm_ask_now(slurm_ask_requeue(id), patience, &number, err);
    json_decref(answer);
    return answer ? 0 : -1;
}

static int go_on(const struct slurm_job_setup *setup, uint32_t id, const struct spec *spec,
                 const struct slurm_record *record, enum job_next *next, struct err *err)
{
    struct err refused;
    log_info("job %u goes back into the queue", id); /* before this process is ended with the rest of the job */
    if (requeue_job(id, &refused) == 0) {
        *next = JOB_NEXT_SAME;
        return 0;
    }
    log_info("job %u can't go back into the queue: %s", id, refused.text);
    *next = JOB_NEXT_ANOTHER;
    return submit_next(setup, spec, record, err);
}

int slurm_job_next(const struct slurm_job_setup *setup, uint32_t id, const struct spec *spec, enum job_next *next,
                   struct err *err)
{
    struct slurm_record record;
    enum job_next unused;
    next = next ? next : &unused;
    *next = JOB_NEXT_NONE;
    int failed = slurm_record_read(setup->dir, &record, err);
    if (!failed && record.paused)
        log_info("the experiment is paused: gannet resume goes on with it");
    else if (!failed)
        failed = go_on(setup, id, spec, &record, next, err);
    slurm_record_fini(&record);
    return failed ? err_prefix(err, "the search was to go on in another job, which `gannet resume` tries again") : 0;
}
