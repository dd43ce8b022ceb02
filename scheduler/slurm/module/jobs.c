/* Jobs as the controller tells of them. */
#include "scheduler/slurm/module/module.h"

#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static enum slurm_state state_of(uint32_t state)
{
    if (state & JOB_STOPPED)
        return SLURM_SUSPENDED;
    uint32_t base = state & JOB_STATE_BASE;
    if ((state & (JOB_COMPLETING | JOB_CONFIGURING)) && base != JOB_PENDING)
        return SLURM_RUNNING;
    switch (base) {
    case JOB_PENDING:
        return SLURM_PENDING;
    case JOB_RUNNING:
        return SLURM_RUNNING;
    case JOB_SUSPENDED:
        return SLURM_SUSPENDED;
    case JOB_COMPLETE:
        return SLURM_COMPLETED;
    case JOB_CANCELLED:
        return SLURM_CANCELLED;
    case JOB_TIMEOUT:
    case JOB_DEADLINE:
        return SLURM_TIMEOUT;
    case JOB_PREEMPTED:
        return SLURM_PREEMPTED;
    case JOB_NODE_FAIL:
    case JOB_BOOT_FAIL:
        return SLURM_NODE_FAILED;
    case JOB_OOM:
        return SLURM_OUT_OF_MEMORY;
    default:
        return SLURM_FAILED;
    }
}

/* A job that was requeued is PENDING while its last run is still being cleaned up. */
static bool is_requeued(uint32_t state)
{
    return (state & (JOB_REQUEUE | JOB_REQUEUE_HOLD)) ||
           ((state & JOB_STATE_BASE) == JOB_PENDING && (state & JOB_COMPLETING));
}

/* Slurm's word for why a job waits: in the library under the first name and in later ones under the second, in no
 * header. */
extern char *slurm_job_reason_string(enum job_state_reason reason) __attribute__((weak));
extern const char *slurm_job_state_reason_string(enum job_state_reason reason) __attribute__((weak));

/* What ends a job that is put back into the queue: that it is for another one shows where that had a time of grace. */
static enum slurm_state final_state(const slurm_job_info_t *info)
{
    if (is_requeued(info->job_state))
        return info->preempt_time ? SLURM_PREEMPTED : SLURM_REQUEUED;
    return state_of(info->job_state & ~(uint32_t)(JOB_COMPLETING | JOB_CONFIGURING));
}

static void read_reason(const slurm_job_info_t *info, struct slurm_job *job)
{
    enum job_state_reason reason = (enum job_state_reason)info->state_reason;
    if (slurm_job_state_reason_string)
        snprintf(job->reason, sizeof job->reason, "%s", slurm_job_state_reason_string(reason));
    else if (slurm_job_reason_string)
        snprintf(job->reason, sizeof job->reason, "%s", slurm_job_reason_string(reason));
    else
        snprintf(job->reason, sizeof job->reason, "reason %u", (unsigned)info->state_reason);
}

static void read_array(const slurm_job_info_t *info, struct slurm_job *job)
{
    job->array = info->array_job_id;
    job->element = info->array_job_id && info->array_task_id != NO_VAL ? info->array_task_id : SLURM_UNSET;
}

static void copy_text(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text ? text : "");
}

static void read_job(const slurm_job_info_t *info, struct slurm_job *job)
{
    int status = (int)info->exit_code;
    *job = (struct slurm_job){.id = info->job_id,
                              .restarts = info->restart_cnt,
                              .state = state_of(info->job_state),
                              .final_state = final_state(info),
                              .requeued = is_requeued(info->job_state),
                              .submitted = (double)info->submit_time,
                              .started = (double)info->start_time,
                              .ends = (double)info->end_time,
                              .exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                              .exit_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
    read_array(info, job);
    if (job->state == SLURM_PENDING)
        read_reason(info, job);
    copy_text(job->nodes, sizeof job->nodes, info->nodes);
    copy_text(job->batch_node, sizeof job->batch_node, info->batch_host);
}

static struct slurm_job *add_job(struct slurm_jobs *jobs)
{
    jobs->items = realloc(jobs->items, (jobs->count + 1) * sizeof *jobs->items);
    if (!jobs->items)
        abort();
    return &jobs->items[jobs->count++];
}

int module_job(uint32_t id, struct slurm_jobs *out, struct slurm_error *error)
{
    job_info_msg_t *found = NULL;
    *out = (struct slurm_jobs){0};
    int returned = slurm_load_job(&found, JOB_NUMBER(id), SHOW_ALL | SHOW_DETAIL);
    if (returned && words_number(returned) != ESLURM_INVALID_JOB_ID)
        return words_result(returned, error);
    for (uint32_t i = 0; !returned && i < found->record_count; i++)
        read_job(&found->job_array[i], add_job(out));
    if (out->count == 1 && out->items[0].state == SLURM_RUNNING) {
        out->cores = module_cores(&found->job_array[0]);
        out->gpus = module_gpus(&found->job_array[0]);
    }
    if (out->count == 1 && out->items[0].state == SLURM_CANCELLED)
        module_cancelled(id, out->items[0].by, sizeof out->items[0].by);
    if (!out->count)
        *add_job(out) = (struct slurm_job){.id = id, .element = SLURM_UNSET, .state = SLURM_VANISHED};
    if (found)
        slurm_free_job_info_msg(found);
    return 0;
}

static bool has_ended(const struct slurm_job *job)
{
    return job->state != SLURM_PENDING && job->state != SLURM_RUNNING && job->state != SLURM_SUSPENDED;
}

int module_find(const char *comment, struct slurm_jobs *out, struct slurm_error *error)
{
    job_info_msg_t *found = NULL;
    *out = (struct slurm_jobs){0};
    if (words_result(slurm_load_job_user(&found, getuid(), SHOW_ALL), error))
        return -1;
    for (uint32_t i = 0; i < found->record_count; i++) {
        const slurm_job_info_t *info = &found->job_array[i];
        struct slurm_job job;
        if (!info->comment || strcmp(info->comment, comment) != 0)
            continue;
        read_job(info, &job);
        if (!has_ended(&job))
            *add_job(out) = job;
    }
    slurm_free_job_info_msg(found);
    return 0;
}
