/* Whether an experiment has nothing that runs it; see alone.h.
 *
 * A job that Slurm still lists may be over: it is being cleaned up, or its session has ended and its batch script is
 * about to; another one may have just started, and its coordinator is on the way. Which it is shows within seconds, so
 * it is looked at again until a coordinator is there, or no job that could bring one. */
#include "cli/session/alone.h"
#include "cli/status.h"
#include "common/clock.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/slurm/client.h"
#include "scheduler/slurm/slurm_record.h"
#include "scheduler/slurm/refresh.h"
#include "scheduler/slurm/slurm_agent.h"

#include <string.h>
#include <time.h>

enum { LOOKS = 60 }; /* a second each */

static const double patience = 30; /* seconds, for an answer that may be missing */

/* What there is of an experiment. */
enum standing {
    NOTHING_RUNS,    /* neither a coordinator nor a job that could bring one */
    JOB_WAITS,       /* a job that will bring one */
    IT_RUNS,         /* a coordinator, and its job */
    IT_MAY_RUN,      /* a job that runs, and no coordinator */
    IT_SEEMS_TO_RUN, /* a coordinator, and no job of it, or one that is over */
};

static bool is_worker(const struct slurm_record *record, const struct slurm_job *job)
{
    for (uint32_t i = record->count; i-- > 0;)
        if (record->items[i].id == (job->array ? job->array : job->id))
            return record->items[i].role == SLURM_ROLE_WORKER;
    return false;
}

/* Leaves those that can bring a coordinator. Workers may outlast theirs by minutes, and are taken over by the next. */
static void filter_jobs(const struct slurm_record *record, struct slurm_jobs *jobs)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < jobs->count; i++)
        if (!slurm_job_is_ending(&jobs->items[i]) && !is_worker(record, &jobs->items[i]))
            jobs->items[kept++] = jobs->items[i];
    jobs->count = kept;
}

/* On this host it is known whether a coordinator lives; of another host its job tells. One that was paused is leaving.
 */
static enum standing standing_of(const struct job_queue *queue, bool listed, bool paused,
                                 const struct discovery *living)
{
    bool runs = queue->jobs.count && queue->jobs.items[0].state == SLURM_RUNNING;
    if (!living)
        return !queue->jobs.count ? NOTHING_RUNS : runs ? IT_MAY_RUN : JOB_WAITS;
    if (!queue->submitted || (runs && !paused))
        return IT_RUNS;
    if (listed || queue->jobs.count)
        return IT_SEEMS_TO_RUN;
    return discovery_is_here(living) ? IT_RUNS : NOTHING_RUNS;
}

/* One look. 0, or an exit status with a sentence. */
static int look_at_jobs(const struct rundir *dir, struct job_queue *queue, enum standing *out, struct err *err)
{
    struct discovery discovery;
    bool lives = discovery_read(dir, &discovery, NULL) == 0;
    int status = job_queue_read(dir, queue, err);
    if (status && lives)
        *out = IT_RUNS; /* as far as anybody can tell */
    if (status)
        return lives ? STATUS_OK : status;
    struct slurm_record record = {0};
    bool listed = queue->jobs.count > 0;
    (void)slurm_record_read(dir, &record, NULL);
    filter_jobs(&record, &queue->jobs);
    *out = standing_of(queue, listed, record.paused, lives ? &discovery : NULL);
    slurm_record_fini(&record);
    return STATUS_OK;
}

static void take_news(void *context, struct slurm_record *record)
{
    slurm_record_update(record, context, false, clock_wall());
}

static void learn_end(const struct rundir *dir, uint32_t id)
{
    struct slurm_jobs jobs = {0};
    json_t *answer = slurm_ask_now(slurm_ask_job(id), patience, NULL, NULL);
    if (answer && slurm_jobs_read(answer, &jobs, NULL) == 0)
        (void)slurm_record_change(dir, take_news, &jobs, NULL);
    slurm_jobs_fini(&jobs);
    json_decref(answer);
}

/* How the last jobs ended is asked while Slurm still knows it; the next session takes it into its books. */
static void learn_ends(const struct rundir *dir)
{
    enum { MOST = 4 };
    struct slurm_record record;
    int asked = 0;
    (void)slurm_record_read(dir, &record, NULL);
    for (uint32_t i = record.count; i-- > 0 && asked < MOST;) {
        const struct slurm_submission *one = &record.items[i];
        if (one->role == SLURM_ROLE_WORKER || (!jobs_is_open(one) && one->seen.state != SLURM_VANISHED))
            continue;
        learn_end(dir, one->id);
        asked++;
    }
    slurm_record_fini(&record);
}

static void say_wait(struct console *console, const struct rundir *dir, enum standing standing)
{
    fprintf(console->err, "gannet: %s of %s is ending, or starting; this waits for it\n",
            standing == IT_MAY_RUN ? "a job" : "the last session", dir->path);
    fflush(console->err);
}

int alone_await(struct console *console, const struct rundir *dir, struct job_queue *queue)
{
    static const struct timespec second = {.tv_sec = 1};
    struct err err;
    enum standing standing = NOTHING_RUNS;
    for (int looks = 0; looks < LOOKS; looks++) {
        if (looks) {
            nanosleep(&second, NULL);
            job_queue_fini(queue);
        }
        int status = look_at_jobs(dir, queue, &standing, &err);
        if (status)
            return console_fail(console, status, &err);
        if (standing != IT_MAY_RUN && standing != IT_SEEMS_TO_RUN)
            break;
        if (!looks)
            say_wait(console, dir, standing);
    }
    if (standing == IT_RUNS || standing == IT_SEEMS_TO_RUN)
        return console_refuse(console, STATUS_USAGE, "%s is running; gannet stop ends it", dir->path);
    if (queue->submitted && standing == NOTHING_RUNS)
        learn_ends(dir);
    return STATUS_OK;
}
