/* The jobs of a submitted experiment; see queue.h. */
#include "cli/queue.h"
#include "cli/status.h"
#include "common/mem.h"
#include "scheduler/slurm/agent.h"
#include "scheduler/slurm/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double patience = 120; /* seconds for one answer; see cli/submission.c */

static void take_items(const json_t *list, struct queue *out)
{
    size_t i;
    json_t *item;
    out->items = MEM_ARRAY(struct slurm_job, json_array_size(list) + 1);
    json_array_foreach(list, i, item)
    {
        struct slurm_job job;
        if (slurm_job_read(item, &job) == 0)
            out->items[out->count++] = job;
    }
}

int queue_read(const struct rundir *dir, struct queue *out, struct err *err)
{
    struct slurm_record record;
    json_t *answer = NULL;
    *out = (struct queue){0};
    if (slurm_record_read(dir, &record, err))
        return STATUS_FAILED;
    out->submitted = record.count > 0;
    if (out->submitted)
        answer = slurm_ask_now(slurm_ask_find(record.comment), patience, NULL, err);
    slurm_record_fini(&record);
    if (out->submitted && !answer)
        return STATUS_SCHEDULER;
    take_items(json_object_get(answer, "jobs"), out);
    json_decref(answer);
    return STATUS_OK;
}

void queue_fini(struct queue *queue)
{
    free(queue->items);
    *queue = (struct queue){0};
}

bool queue_is_held(const struct slurm_job *job)
{
    return job->state == SLURM_PENDING && strncmp(job->reason, "JobHeld", 7) == 0;
}

/* The number that stands for the job; for all elements of an array the same. */
static uint32_t whole(const struct slurm_job *job)
{
    return job->array ? job->array : job->id;
}

/* Whether an element of the same array stands before it in the list. */
static bool is_repeated(const struct queue *queue, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (whole(&queue->items[i]) == whole(&queue->items[at]))
            return true;
    return false;
}

/* 0, or -1 with a sentence. The question is taken over. */
static int ask(json_t *question, struct err *err)
{
    json_t *answer = slurm_ask_now(question, patience, NULL, err);
    json_decref(answer);
    return answer ? 0 : -1;
}

int queue_cancel(const struct queue *queue, enum slurm_state state, struct err *err)
{
    int count = 0;
    for (uint32_t i = 0; i < queue->count; i++) {
        char which[16];
        snprintf(which, sizeof which, "%u", whole(&queue->items[i]));
        if ((state != SLURM_STATES && queue->items[i].state != state) || is_repeated(queue, i))
            continue;
        if (ask(slurm_ask_cancel(which, 0), err))
            return err_prefix(err, "job %s", which);
        count++;
    }
    return count;
}

int queue_hold(const struct queue *queue, bool hold, struct err *err)
{
    int count = 0;
    for (uint32_t i = 0; i < queue->count; i++) {
        const struct slurm_job *job = &queue->items[i];
        if (job->state != SLURM_PENDING || queue_is_held(job) == hold || is_repeated(queue, i))
            continue;
        if (ask(slurm_ask_hold(whole(job), hold), err))
            return err_prefix(err, "job %u", whole(job));
        count++;
    }
    return count;
}

static void set_paused(void *context, struct slurm_record *record)
{
    record->paused = *(const bool *)context;
}

int queue_set_paused(const struct rundir *dir, bool paused, struct err *err)
{
    return slurm_record_change(dir, set_paused, &paused, err);
}
