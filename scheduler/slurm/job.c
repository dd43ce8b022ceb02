/* The batch process; see job.h.
 *
 *     start      asks Slurm when the job ends, then starts coordinator and workers (supervise.h)
 *     running    SIGUSR1, Slurm's warning, and SIGTERM, its end, are passed on to the coordinator as what they mean:
 *
 *                    SIGUSR1   the time is up: trials save what they have and wait
 *                    SIGUSR2   the job is taken away and comes back: the same, for another reason
 *                    SIGINT    a person ends it
 *
 *     end        when the search has not come to its own end: puts the job back into the queue
 *
 * Slurm sends SIGTERM to every process of the job at once. Workers leave by themselves then; the coordinator waits for
 * word from here (gannet coordinator --led). */
#include "scheduler/slurm/job.h"
#include "scheduler/slurm/job_parts.h"

#include "common/log.h"
#include "common/mem.h"
#include "scheduler/slurm/step.h"

#include <signal.h>
#include <stdlib.h>

/* --- starting --- */

static void on_session_ended(void *context, int status, const char *why)
{
    struct job *job = context;
    job->status = status;
    if (status)
        err_write(&job->why, "%s", why);
    loop_stop(job->loop);
}

/* What the coordinator is told of the job. */
static void add_options(const struct job *job, struct texts *out)
{
    texts_add(out, mem_text("--led"));
    texts_add(out, mem_format("--warn=%.0f", job->spec->slurm.signal_before_end));
    if (job->ends > 0)
        texts_add(out, mem_format("--until=%.0f", job->ends));
    if (job->setup->no_workers)
        texts_add(out, mem_text("--allocate"));
}

static int start_all(struct job *job, struct err *err)
{
    struct texts options = {0};
    struct steps steps = {0};
    struct supervise_setup setup = {.dir = job->setup->dir,
                                    .only_others = job->setup->no_workers,
                                    .alone = !job->setup->no_workers,
                                    .listen = "tcp://0.0.0.0:*"};
    static const char *const requeued[] = {"--requeued", NULL};
    add_options(job, &options);
    setup.options = (const char *const *)options.items;
    if (job->allocation.restarts)
        setup.once = requeued;
    if (!job->setup->no_workers) {
        steps_make(&job->allocation, job->cores, job->setup->dir, &steps);
        setup.commands = steps.workers;
        setup.workers = steps.count;
    }
    job->supervisor = supervisor_start(job->loop, &setup, on_session_ended, job, err);
    steps_fini(&steps);
    texts_fini(&options);
    return job->supervisor ? 0 : -1;
}

void job_begin(struct job *job)
{
    if (job->begun)
        return;
    job->begun = true;
    if (start_all(job, &job->why)) {
        job->status = 1;
        loop_stop(job->loop);
    }
}

/* --- signals --- */

static void on_warning(void *context)
{
    job_warned(context);
}

static void on_end(void *context)
{
    job_terminated(context);
}

static void on_interrupt(void *context)
{
    struct job *job = context;
    if (job->supervisor)
        supervisor_signal(job->supervisor, SIGINT);
}

/* --- the whole --- */

static int prepare_job(struct job *job, struct err *err)
{
    if (allocation_read(getenv, &job->allocation, err))
        return -1;
    if (!job->allocation.id || !job->allocation.nodes.count)
        return err_set(err, "this is inside no job of Slurm: `gannet job` is what a batch script ends in. Submit with "
                            "`gannet submit`, or run here with `gannet run`");
    job->spec = rundir_spec(job->setup->dir, err);
    return job->spec ? 0 : -1;
}

static int run_session(struct job *job, struct err *err)
{
    signal(SIGPIPE, SIG_IGN);
    step_clean_environment();
    job->loop = loop_create();
    loop_signal(job->loop, SIGUSR1, on_warning, job);
    loop_signal(job->loop, SIGTERM, on_end, job);
    loop_signal(job->loop, SIGINT, on_interrupt, job);
    loop_signal(job->loop, SIGHUP, on_interrupt, job);
    job->client = slurm_client_create(job->loop, NULL);
    log_info("job %u on %zu node%s%s", job->allocation.id, job->allocation.nodes.count,
             job->allocation.nodes.count == 1 ? "" : "s", job->allocation.restarts ? ", in the queue before" : "");
    job_ask_end(job);
    int failed = loop_run(job->loop, err);
    if (!failed && job->status)
        failed = err_set(err, "%s", job->why.text);
    loop_remove(job->next_question);
    supervisor_destroy(job->supervisor);
    slurm_client_destroy(job->client);
    loop_destroy(job->loop);
    return failed;
}

/* Whether the search is to go on in another job. */
static bool is_to_go_on(const struct job *job, enum reason reason)
{
    if (job->ended_by_slurm && (job->requeued || job->state == SLURM_CANCELLED))
        return false; /* Slurm itself has seen to it, or a person wants no more */
    return reason == REASON_WALLTIME || reason == REASON_PREEMPTED;
}

static int finish_session(struct job *job, enum reason *reason, struct err *err)
{
    enum experiment_state state;
    if (!rundir_reason(job->setup->dir, &state, reason))
        return err_set(err, "%s can't be read, so it is not known how the session ended", job->setup->dir->store);
    log_info("the session has ended: %s", reason_sentence(*reason));
    return is_to_go_on(job, *reason) ? job_next(job, err) : 0;
}

static void free_job(struct job *job)
{
    spec_destroy(job->spec);
    allocation_fini(&job->allocation);
    free(job->cores);
}

int slurm_job_run(const struct slurm_job_setup *setup, enum reason *reason, struct err *err)
{
    struct job job = {.setup = setup};
    int failed = prepare_job(&job, err) || run_session(&job, err) || finish_session(&job, reason, err);
    free_job(&job);
    return failed ? -1 : 0;
}
