/* The jobs of an allocator; see allocator_jobs.h. */
#include "scheduler/slurm/allocator_jobs.h"
#include "common/mem.h"

#include <stdlib.h>

void allocator_jobs_fini(struct allocator_jobs *jobs)
{
    map_fini(&jobs->places);
    free(jobs->items);
}

/* The ids of jobs are never 0, so neither are these. */
static uint64_t key_of(uint32_t id, uint32_t element)
{
    return (uint64_t)id << 32 | element;
}

struct allocator_job *allocator_jobs_find(struct allocator_jobs *jobs, uint32_t id, uint32_t element)
{
    uintptr_t place = (uintptr_t)map_get(&jobs->places, key_of(id, element));
    jobs->visits++;
    return place ? &jobs->items[place - 1] : NULL;
}

static void put_place(struct allocator_jobs *jobs, const struct allocator_job *item)
{
    map_put(&jobs->places, key_of(item->id, item->element), (void *)(uintptr_t)(1 + (size_t)(item - jobs->items)));
}

struct allocator_job *allocator_jobs_add(struct allocator_jobs *jobs, double now, uint32_t id, uint32_t element)
{
    MEM_GROW(jobs->items, jobs->capacity, jobs->count + 1);
    struct allocator_job *item = &jobs->items[jobs->count++];
    *item = (struct allocator_job){.id = id, .element = element, .since = now};
    put_place(jobs, item);
    jobs->states[item->state]++;
    jobs->changed = now;
    return item;
}

void allocator_jobs_add_all(struct allocator_jobs *jobs, double now, uint32_t id, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!allocator_jobs_find(jobs, id, i))
            allocator_jobs_add(jobs, now, id, i);
    if (!count && !allocator_jobs_find(jobs, id, SLURM_UNSET))
        allocator_jobs_add(jobs, now, id, SLURM_UNSET);
}

void allocator_jobs_drop(struct allocator_jobs *jobs, double now, struct allocator_job *item)
{
    map_remove(&jobs->places, key_of(item->id, item->element));
    jobs->states[item->state]--;
    *item = jobs->items[--jobs->count];
    if (item < jobs->items + jobs->count)
        put_place(jobs, item);
    jobs->changed = now;
}

void allocator_jobs_move(struct allocator_jobs *jobs, double now, struct allocator_job *item,
                         enum allocator_job_state state)
{
    if (item->state == state)
        return;
    jobs->states[item->state]--;
    jobs->states[state]++;
    item->state = state;
    item->since = jobs->changed = now;
    if (state == ALLOCATOR_JOB_WAITS)
        item->joined = item->worked = item->described = false; /* it was requeued: its next start is a new one */
}
