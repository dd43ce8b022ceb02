/* The coordinator's own job; see coordinator_job.h. How its batch script ends is not known yet when the coordinator
 * writes for the last time: the next session finds it in the record (slurm.json). */
#include "scheduler/slurm/coordinator_job.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/allocation.h"
#include "scheduler/slurm/slurm_record.h"
#include "scheduler/slurm/request.h"

#include <stdlib.h>
#include <string.h>

struct coordinator_job {
    struct core *core;
    const struct rundir *dir;
    const struct spec *spec;
    struct allocation allocation;
};

/* The request as JSON, made anew from the frozen experiment; NULL when the job is not one of gannet submit's, as its
 * name tells. */
static char *show_request(const struct coordinator_job *self, const struct slurm_record *record,
                          const struct slurm_submission *one)
{
    const char *name = getenv("SLURM_JOB_NAME");
    char *text = NULL;
    struct slurm_order order = {
        .spec = self->spec, .rundir = self->dir->path, .comment = record->comment, .now = one->submitted};
    struct slurm_request request;
    if (name && slurm_request_make(&order, one->role, 0, &request, NULL, NULL) == 0) {
        json_t *json = slurm_request_json(&request);
        json_object_del(json, "environment"); /* long, and nobody's business */
        if (strcmp(request.name, name) == 0)
            text = json_dumps(json, JSON_COMPACT);
        json_decref(json);
        slurm_request_fini(&request);
    }
    return text;
}

static void tell_own(const struct coordinator_job *self, const struct slurm_record *record)
{
    const struct slurm_submission *one = NULL;
    for (uint32_t i = 0; i < record->count; i++)
        if (record->items[i].id == self->allocation.id)
            one = &record->items[i];
    char *request = one ? show_request(self, record, one) : NULL;
    const char *nodes = getenv("SLURM_JOB_NODELIST");
    struct job_facts facts = {.job = self->allocation.id,
                              .element = NODE_NO_ELEMENT,
                              .restarts = self->allocation.restarts,
                              .role = slurm_role_name(one ? one->role : SLURM_ROLE_EXPERIMENT),
                              .submitted = one ? one->submitted : 0,
                              .started = clock_wall(),
                              .state = slurm_state_name(SLURM_RUNNING),
                              .nodes = nodes,
                              .request = request};
    core_job(self->core, clock_monotonic(), &facts);
    free(request);
}

/* Jobs of the experiment that have ended since their coordinator wrote. */
static void tell_ended(const struct coordinator_job *self, const struct slurm_submission *one)
{
    const struct slurm_job *seen = &one->seen;
    bool own_start = one->id == self->allocation.id && seen->restarts >= self->allocation.restarts;
    char text[32];
    if (one->role == SLURM_ROLE_WORKER || own_start || !slurm_state_is_end(seen->state) || one->array)
        return;
    struct job_facts facts = {.job = one->id,
                              .element = NODE_NO_ELEMENT,
                              .restarts = seen->restarts,
                              .role = slurm_role_name(one->role),
                              .submitted = one->submitted,
                              .started = seen->started,
                              .ended = seen->ends,
                              .state = slurm_state_name(seen->state),
                              .reason = *seen->by ? seen->by : NULL,
                              .nodes = *seen->nodes ? seen->nodes : NULL,
                              .exit = slurm_job_exit(seen, text, sizeof text)};
    core_job(self->core, clock_monotonic(), &facts);
}

struct coordinator_job *coordinator_job_begin(struct core *core, const struct rundir *dir, const struct spec *spec)
{
    struct coordinator_job *self = MEM_NEW(struct coordinator_job);
    struct slurm_record record = {0};
    struct err err;
    *self = (struct coordinator_job){.core = core, .dir = dir, .spec = spec};
    if (allocation_read(getenv, &self->allocation, &err) ||
        (self->allocation.id && slurm_record_read(dir, &record, &err)))
        log_warning("the table of jobs lacks this one: %s", err.text);
    else if (self->allocation.id) {
        for (uint32_t i = 0; i < record.count; i++)
            tell_ended(self, &record.items[i]);
        tell_own(self, &record);
        slurm_record_fini(&record);
        return self;
    }
    coordinator_job_destroy(self);
    return NULL;
}

/* What the batch script has written down of this run of the job, which Slurm ends; else it ends in order. */
static enum slurm_state state_at_end(const struct coordinator_job *self)
{
    struct slurm_record record;
    enum slurm_state state = SLURM_COMPLETED;
    if (slurm_record_read(self->dir, &record, NULL))
        return state;
    for (uint32_t i = 0; i < record.count; i++) {
        const struct slurm_submission *one = &record.items[i];
        bool own = one->id == self->allocation.id && one->seen.restarts == self->allocation.restarts;
        if (own && slurm_state_is_end(one->seen.state) && one->seen.state != SLURM_VANISHED)
            state = one->seen.state;
        else if (own && slurm_job_is_ending(&one->seen))
            state = one->seen.final_state;
    }
    slurm_record_fini(&record);
    return state;
}

void coordinator_job_end(struct coordinator_job *self)
{
    struct job_facts facts = {.job = self->allocation.id,
                              .element = NODE_NO_ELEMENT,
                              .restarts = self->allocation.restarts,
                              .ended = clock_wall(),
                              .state = slurm_state_name(state_at_end(self))};
    core_job(self->core, clock_monotonic(), &facts);
}

void coordinator_job_destroy(struct coordinator_job *self)
{
    if (!self)
        return;
    allocation_fini(&self->allocation);
    free(self);
}
