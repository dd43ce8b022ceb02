/* The thread that writes slurm.json; see record_writer.h. A message is one change, copied. */
#include "scheduler/slurm/record_writer.h"
#include "common/actor.h"
#include "common/log.h"
#include "common/mem.h"
#include "scheduler/slurm/refresh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct write_order {
    struct message message;
    struct record_writer_change change;
    struct slurm_jobs jobs; /* what the change points to */
    char *note;
};

struct record_writer {
    const struct rundir *dir;
    struct actor *actor;
};

void record_writer_apply(const struct record_writer_change *change, struct slurm_record *record)
{
    if (change->id) {
        struct slurm_submission *one = slurm_record_add(record, change->id, SLURM_ROLE_WORKER);
        one->submitted = change->time;
        one->array = change->elements > 0;
        one->count = change->elements ? change->elements : 1;
    }
    if (change->jobs)
        slurm_record_update(record, change->jobs, change->whole, change->time);
    if (change->note)
        snprintf(record->note, sizeof record->note, "%s", change->note);
    slurm_record_trim(record);
}

/* --- the thread --- */

static struct write_order *order_of(struct message *message)
{
    return (struct write_order *)message;
}

/* All that has gathered is one writing. */
static void apply_all(void *context, struct slurm_record *record)
{
    for (struct message *at = context; at; at = at->next)
        record_writer_apply(&order_of(at)->change, record);
}

static void free_all(struct message *messages)
{
    for (struct message *next; messages; messages = next) {
        next = messages->next;
        free(order_of(messages)->jobs.items);
        free(order_of(messages)->note);
        free(messages);
    }
}

static struct message *write_changes(void *state, struct message *messages)
{
    const struct record_writer *self = state;
    struct err err;
    if (slurm_record_change(self->dir, apply_all, messages, &err))
        log_warning("%s", err.text);
    free_all(messages);
    return NULL;
}

/* --- the loop's side --- */

static void free_messages(void *context, struct message *message)
{
    (void)context;
    free_all(message);
}

struct record_writer *record_writer_start(struct loop *loop, const struct rundir *dir, struct err *err)
{
    struct record_writer *self = MEM_NEW(struct record_writer);
    self->dir = dir;
    self->actor = actor_start(loop, "slurm-record", write_changes, self, free_messages, self, err);
    if (self->actor)
        return self;
    free(self);
    return NULL;
}

void record_writer_write(struct record_writer *self, const struct record_writer_change *change)
{
    struct write_order *order = MEM_NEW(struct write_order);
    order->change = *change;
    if (change->jobs) {
        order->jobs.count = change->jobs->count;
        order->jobs.items = MEM_ARRAY(struct slurm_job, change->jobs->count + 1);
        if (change->jobs->count)
            memcpy(order->jobs.items, change->jobs->items, change->jobs->count * sizeof *change->jobs->items);
        order->change.jobs = &order->jobs;
    }
    if (change->note)
        order->change.note = order->note = mem_text(change->note);
    actor_send(self->actor, &order->message);
}

void record_writer_stop(struct record_writer *self)
{
    if (!self)
        return;
    actor_stop(self->actor);
    free(self);
}
