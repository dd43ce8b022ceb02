/* A job that has lost its first node; see rescue.h.
 *
 *     looking    is the batch process's node still one of the job's? A controller takes minutes to give a node up, and
 *                one that only this node can't reach is not lost: then Slurm is asked again after a while
 *     acting     whoever writes it into the record (slurm.json) first sees to the next job; the others wait for being
 *                ended, or for its turn to have passed
 *
 * SIGTERM is ignored while acting: a job that goes back into the queue has its processes ended before we have said so.
 */
#include "scheduler/slurm/job/rescue.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "scheduler/slurm/allocation.h"
#include "scheduler/slurm/client.h"
#include "scheduler/slurm/job/job.h"
#include "scheduler/slurm/nodes.h"
#include "scheduler/slurm/slurm_record.h"
#include "scheduler/slurm/refresh.h"
#include "scheduler/slurm/slurm_agent.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double patience = 30;                  /* seconds for one answer */
static const double stagger = 2, stagger_most = 60; /* between the first looks of two nodes */
static const double retry_pause = 15;               /* seconds between two tries to see to another job */
static const double turn = 240;                     /* so long the others wait for who acts */
enum { TRIES = 3 };

struct job_rescue {
    const struct rundir *dir;
    struct allocation allocation;
    char node[64]; /* that of the batch script */
};

static void rest_seconds(double seconds)
{
    struct timespec pause = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&pause, NULL);
}

/* --- looking --- */

enum finding { IS_WHOLE, IS_LOST, IS_OVER };

/* A node that was excised from a job is still named as that of its batch script. */
static enum finding judge_job(struct job_rescue *rescue, const struct slurm_job *job)
{
    const char *first = *job->batch_node ? job->batch_node : rescue->allocation.nodes.items[0];
    if (job->state != SLURM_RUNNING || slurm_job_is_ending(job) || job->restarts != rescue->allocation.restarts)
        return IS_OVER;
    snprintf(rescue->node, sizeof rescue->node, "%s", first);
    return nodes_list_has(job->nodes, sizeof job->nodes, first) ? IS_WHOLE : IS_LOST;
}

static enum finding look_at_job(struct job_rescue *rescue)
{
    struct slurm_jobs jobs = {0};
    struct err err;
    enum finding found = IS_WHOLE;
    json_t *answer = slurm_ask_now(slurm_ask_job(rescue->allocation.id), patience, NULL, &err);
    if (!answer || slurm_jobs_read(answer, &jobs, &err))
        log_warning("Slurm does not say how the job stands: %s", err.text);
    for (uint32_t i = 0; i < jobs.count; i++)
        if (jobs.items[i].id == rescue->allocation.id)
            found = judge_job(rescue, &jobs.items[i]);
    slurm_jobs_fini(&jobs);
    json_decref(answer);
    return found;
}

/* --- acting --- */

/* The right to act, which the record gives to one at a time. */
struct rescue_claim {
    const struct job_rescue *rescue;
    bool given;
};

static struct slurm_submission *find_last(struct slurm_record *record, uint32_t id)
{
    for (uint32_t i = record->count; i-- > 0;)
        if (record->items[i].id == id)
            return &record->items[i];
    return slurm_record_add(record, id, SLURM_ROLE_EXPERIMENT);
}

/* What the job was until now has ended so, whatever becomes of its number. */
static void claim_turn(void *context, struct slurm_record *record)
{
    struct rescue_claim *claim = context;
    const struct job_rescue *rescue = claim->rescue;
    struct slurm_submission *one = find_last(record, rescue->allocation.id);
    double now = clock_wall();
    claim->given = one->seen.state != SLURM_NODE_FAILED || now - one->looked > turn || now < one->looked;
    if (!claim->given)
        return;
    one->seen.state = SLURM_NODE_FAILED;
    one->seen.restarts = rescue->allocation.restarts;
    one->seen.ends = one->looked = now;
    snprintf(one->seen.batch_node, sizeof one->seen.batch_node, "%s", rescue->node);
}

static void add_again(void *context, struct slurm_record *record)
{
    const struct job_rescue *rescue = context;
    enum slurm_role role = find_last(record, rescue->allocation.id)->role;
    slurm_record_add(record, rescue->allocation.id, role);
}

static void note_failure(void *context, struct slurm_record *record)
{
    snprintf(record->note, sizeof record->note, "%s", (const char *)context);
}

static int write_down(const struct job_rescue *rescue, void (*change)(void *, struct slurm_record *),
                      const void *context)
{
    struct err err;
    int failed = slurm_record_change(rescue->dir, change, (void *)context, &err);
    if (failed)
        log_warning("%s", err.text);
    return failed;
}

/* Ends what is left of the job, this process, too. */
static int end_job(const struct job_rescue *rescue, struct err *err)
{
    char which[16];
    snprintf(which, sizeof which, "%u", (unsigned)rescue->allocation.id);
    json_t *answer = slurm_ask_now(slurm_ask_cancel(which, 0), patience, NULL, err);
    json_decref(answer);
    return answer ? 0 : -1;
}

/* Whether the search has come to its own end, so that there is nothing to go on with. */
static bool has_ended(const struct job_rescue *rescue)
{
    enum experiment_state state;
    enum reason reason;
    return rundir_reason(rescue->dir, &state, &reason) && state == EXPERIMENT_ENDED && !reason_goes_on(reason);
}

/* Nobody takes the search: the nodes are given back, and the next who looks reads why. */
static int give_up(const struct job_rescue *rescue, const char *why, struct err *err)
{
    char note[sizeof((struct slurm_record *)0)->note];
    snprintf(note, sizeof note, "node %s, on which the coordinator was, has failed, and %.380s", rescue->node, why);
    write_down(rescue, note_failure, note);
    return end_job(rescue, err);
}

/* Sees to the next job, unless the search needs none; -1 with a sentence: Slurm takes none, or does not answer. */
static int see_to_next(const struct job_rescue *rescue, enum job_next *next, struct err *err)
{
    struct slurm_job_setup setup = {.dir = rescue->dir};
    struct spec *spec = rundir_spec(rescue->dir, err);
    int failed = -1;
    *next = JOB_NEXT_NONE;
    for (int i = 0; spec && failed && i < TRIES; i++) {
        if (i)
            rest_seconds(retry_pause);
        failed = has_ended(rescue) ? 0 : slurm_job_next(&setup, rescue->allocation.id, spec, next, err);
        if (failed)
            log_error("%s", err->text);
    }
    spec_destroy(spec);
    return failed;
}

/* True when nothing is left to do. */
static bool act_for_job(const struct job_rescue *rescue)
{
    struct rescue_claim claim = {.rescue = rescue};
    enum job_next next;
    struct err err;
    if (write_down(rescue, claim_turn, &claim) || !claim.given)
        return false; /* without the record two nodes might submit a job each */
    log_warning("node %s, on which the coordinator was, has failed: the search goes on in another job", rescue->node);
    signal(SIGTERM, SIG_IGN);
    int failed = 0;
    if (see_to_next(rescue, &next, &err)) {
        char *why = mem_text(err.text);
        failed = give_up(rescue, why, &err);
        free(why);
    } else if (next == JOB_NEXT_SAME) {
        write_down(rescue, add_again, rescue);
    } else {
        failed = end_job(rescue, &err);
    }
    signal(SIGTERM, SIG_DFL);
    if (failed)
        log_error("%s", err.text);
    return !failed;
}

/* --- the whole --- */

/* Nodes look one after the other, in the order of the job's list. */
static double first_rest(const struct job_rescue *rescue)
{
    const char *own = getenv("SLURMD_NODENAME");
    size_t index = 0;
    while (own && index < rescue->allocation.nodes.count && strcmp(rescue->allocation.nodes.items[index], own) != 0)
        index++;
    return fmin(stagger * (double)index, stagger_most);
}

int slurm_job_rescue(const struct rundir *dir, bool *later, struct err *err)
{
    struct job_rescue rescue = {.dir = dir};
    signal(SIGPIPE, SIG_IGN); /* srun, which read what we say, is gone with its node */
    if (allocation_read(getenv, &rescue.allocation, err))
        return -1;
    int failed = 0;
    *later = false;
    if (rescue.allocation.id && (rescue.allocation.nodes.count > 1 || rescue.allocation.parts > 1)) {
        rest_seconds(first_rest(&rescue));
        enum finding found = look_at_job(&rescue);
        *later = found == IS_WHOLE || (found == IS_LOST && !act_for_job(&rescue));
    } else {
        failed = err_set(err, "there is no other node of a job of Slurm whose coordinator could be missed");
    }
    allocation_fini(&rescue.allocation);
    return failed;
}
