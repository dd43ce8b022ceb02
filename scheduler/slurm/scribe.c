/* The thread that writes slurm.json; see scribe.h. A letter is one change, copied. */
#include "scheduler/slurm/scribe.h"
#include "common/actor.h"
#include "common/log.h"
#include "common/mem.h"
#include "scheduler/slurm/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct order {
    struct letter letter;
    struct scribe_change change;
    struct slurm_jobs jobs; /* what the change points to */
    char *note;
};

struct scribe {
    const struct rundir *dir;
    struct actor *actor;
};

void scribe_apply(const struct scribe_change *change, struct slurm_record *record)
{
    if (change->id) {
        struct slurm_submission *one = slurm_record_add(record, change->id, SLURM_ROLE_WORKER);
        one->submitted = change->time;
        one->array = change->elements > 0;
        one->count = change->elements ? change->elements : 1;
    }
    if (change->jobs)
        slurm_record_see(record, change->jobs, change->whole, change->time);
    if (change->note)
        snprintf(record->note, sizeof record->note, "%s", change->note);
    slurm_record_trim(record);
}

/* --- the thread --- */

static struct order *order_of(struct letter *letter)
{
    return (struct order *)letter;
}

/* All that has gathered is one writing. */
static void apply_all(void *context, struct slurm_record *record)
{
    for (struct letter *at = context; at; at = at->next)
        scribe_apply(&order_of(at)->change, record);
}

static void free_all(struct letter *letters)
{
    for (struct letter *next; letters; letters = next) {
        next = letters->next;
        free(order_of(letters)->jobs.items);
        free(order_of(letters)->note);
        free(letters);
    }
}

static struct letter *work(void *state, struct letter *letters)
{
    const struct scribe *self = state;
    struct err err;
    if (slurm_record_change(self->dir, apply_all, letters, &err))
        log_warning("%s", err.text);
    free_all(letters);
    return NULL;
}

/* --- the loop's side --- */

static void receive(void *context, struct letter *letter)
{
    (void)context;
    free_all(letter);
}

struct scribe *scribe_start(struct loop *loop, const struct rundir *dir, struct err *err)
{
    struct scribe *self = MEM_NEW(struct scribe);
    self->dir = dir;
    self->actor = actor_start(loop, "scribe", work, self, receive, self, err);
    if (self->actor)
        return self;
    free(self);
    return NULL;
}

void scribe_write(struct scribe *self, const struct scribe_change *change)
{
    struct order *order = MEM_NEW(struct order);
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
    actor_send(self->actor, &order->letter);
}

void scribe_stop(struct scribe *self)
{
    if (!self)
        return;
    actor_stop(self->actor);
    free(self);
}
