/* An allocator on a stage; see allocator_stage.h. */
#include "tests/allocator_stage.h"
#include "tests/claims.h"

#include <math.h>

static struct stage stage_of(const struct allocator_config *config, uint64_t wanted)
{
    struct stage stage = {.allocator = allocator_create(config, 1000), .now = 1000, .view = {.wanted = wanted}};
    allocator_update(stage.allocator, stage.now, &stage.view);
    return stage;
}

struct stage stage_elastic(uint32_t workers, uint32_t backlog, uint64_t wanted)
{
    struct allocator_config config;
    allocator_config_defaults(&config, 1);
    config.workers = workers;
    config.backlog = backlog;
    return stage_of(&config, wanted);
}

struct stage stage_array(uint32_t workers, uint64_t wanted)
{
    struct allocator_config config;
    allocator_config_defaults(&config, 1);
    config.array = true;
    config.workers = workers;
    return stage_of(&config, wanted);
}

void stage_update(struct stage *stage)
{
    stage->view.workers = stage->workers;
    stage->view.slots = 0;
    for (uint32_t i = 0; i < stage->view.worker_count; i++)
        stage->view.slots += stage->workers[i].slots;
    allocator_update(stage->allocator, stage->now, &stage->view);
}

void stage_join(struct stage *stage, uint32_t job, uint32_t element, uint32_t slots)
{
    stage->workers[stage->view.worker_count++] = (struct allocator_worker){job, element, slots, true, true};
    stage_update(stage);
}

void stage_leave(struct stage *stage)
{
    stage->view.worker_count--;
    stage_update(stage);
}

void stage_want(struct stage *stage, uint64_t wanted)
{
    stage->view.wanted = wanted;
    stage_update(stage);
}

bool stage_asks(struct stage *stage, enum allocator_question question)
{
    return allocator_next(stage->allocator, stage->now, &stage->order) && stage->order.question == question;
}

bool stage_asks_nothing(struct stage *stage)
{
    return !allocator_next(stage->allocator, stage->now, &stage->order);
}

void stage_submit(struct stage *stage, uint32_t id)
{
    assert_true(stage_asks(stage, ALLOCATOR_SUBMIT));
    allocator_submitted(stage->allocator, stage->now, id);
}

void stage_await(struct stage *stage, enum allocator_question question)
{
    double wake = allocator_wake(stage->allocator, stage->now);
    assert_true(isfinite(wake));
    stage->now = wake;
    assert_true(stage_asks(stage, question));
}

void stage_find(struct stage *stage, struct slurm_job *jobs, uint32_t count)
{
    stage_await(stage, ALLOCATOR_FIND);
    allocator_found(stage->allocator, stage->now, &(struct slurm_jobs){.items = jobs, .count = count});
}

void stage_inspect(struct stage *stage, struct slurm_job *jobs, uint32_t count)
{
    stage_await(stage, ALLOCATOR_INSPECT);
    allocator_inspected(stage->allocator, stage->now, &(struct slurm_jobs){.items = jobs, .count = count});
}

struct allocator_state stage_state(const struct stage *stage)
{
    struct allocator_state standing;
    allocator_get_state(stage->allocator, &standing);
    return standing;
}

struct slurm_job single_job(uint32_t id, enum slurm_state state)
{
    return (struct slurm_job){.id = id, .element = SLURM_UNSET, .state = state};
}

struct slurm_job element_job(uint32_t array, uint32_t element, enum slurm_state state)
{
    return (struct slurm_job){.id = 100 * array + element, .array = array, .element = element, .state = state};
}

void stage_end(struct stage *stage)
{
    allocator_destroy(stage->allocator);
}
