/* The allocator in a Slurm that does anything in any order, and what it costs with many workers. */
#include "common/rng.h"
#include "tests/allocator_stage.h"
#include "tests/claims.h"

#include <math.h>
#include <string.h>

/* --- any order of events --- */

enum { WORLD_JOBS = 400 };

/* A Slurm of single jobs that does what it likes. */
struct world {
    struct stage stage;
    struct rng rng;
    enum slurm_state jobs[WORLD_JOBS]; /* by id; SLURM_STATES: not submitted */
    bool joined[WORLD_JOBS];
    uint32_t submitted;
    bool over;
};

static bool lives(enum slurm_state state)
{
    return state == SLURM_PENDING || state == SLURM_RUNNING;
}

static void check_world(const struct world *world, uint32_t workers, uint32_t backlog)
{
    uint32_t living = 0, pending = 0;
    for (uint32_t id = 1; id <= world->submitted; id++) {
        living += lives(world->jobs[id]);
        pending += world->jobs[id] == SLURM_PENDING;
    }
    assert_true(living <= workers);
    assert_true(pending <= backlog);
}

static void answer(struct world *world)
{
    struct stage *stage = &world->stage;
    struct slurm_job jobs[WORLD_JOBS];
    uint32_t count = 0, id = stage->order.id;
    if (rng_below(&world->rng, 8) == 0 && stage->order.question != ALLOCATOR_SUBMIT) {
        allocator_unanswered(stage->allocator, stage->now);
        return;
    }
    switch (stage->order.question) {
    case ALLOCATOR_SUBMIT:
        assert_false(world->over);
        if (rng_below(&world->rng, 6) == 0) {
            allocator_refused(stage->allocator, stage->now, "no");
            break;
        }
        world->jobs[++world->submitted] = SLURM_PENDING;
        if (rng_below(&world->rng, 6) == 0)
            allocator_unsure(stage->allocator, stage->now, "lost");
        else
            allocator_submitted(stage->allocator, stage->now, world->submitted);
        break;
    case ALLOCATOR_CANCEL:
        if (lives(world->jobs[id]))
            world->jobs[id] = SLURM_CANCELLED;
        allocator_cancelled(stage->allocator, stage->now);
        break;
    case ALLOCATOR_FIND:
        for (uint32_t i = 1; i <= world->submitted; i++)
            if (lives(world->jobs[i]))
                jobs[count++] = single_job(i, world->jobs[i]);
        allocator_found(stage->allocator, stage->now, &(struct slurm_jobs){.items = jobs, .count = count});
        break;
    case ALLOCATOR_INSPECT:
        jobs[0] = single_job(id, world->jobs[id]);
        allocator_inspected(stage->allocator, stage->now, &(struct slurm_jobs){.items = jobs, .count = 1});
        break;
    }
}

/* Something happens to one job. */
static void disturb(struct world *world)
{
    uint32_t id = world->submitted ? 1 + (uint32_t)rng_below(&world->rng, world->submitted) : 0;
    enum slurm_state *state = &world->jobs[id];
    if (!id || !lives(*state))
        return;
    if (*state == SLURM_PENDING)
        *state = SLURM_RUNNING;
    else if (!world->joined[id] && rng_below(&world->rng, 3))
        world->joined[id] = true;
    else {
        world->joined[id] = false;
        *state = rng_below(&world->rng, 2) ? SLURM_COMPLETED : SLURM_NODE_FAILED;
    }
}

static void show_workers(struct world *world)
{
    struct stage *stage = &world->stage;
    stage->view.worker_count = 0;
    for (uint32_t id = 1; id <= world->submitted; id++)
        if (world->joined[id] && lives(world->jobs[id]))
            stage->workers[stage->view.worker_count++] =
                (struct allocator_worker){id, SLURM_UNSET, 1, true, rng_below(&world->rng, 2)};
    stage_update(stage);
}

static void step(struct world *world)
{
    struct stage *stage = &world->stage;
    stage->now += rng_unit(&world->rng) * 20;
    disturb(world);
    show_workers(world);
    if (allocator_next(stage->allocator, stage->now, &stage->order))
        answer(world);
}

static void live_through(uint64_t seed)
{
    enum { WORKERS = 6, BACKLOG = 2 };
    struct world world = {.stage = stage_elastic(WORKERS, BACKLOG, 20), .rng = rng_make(seed, "world", 0)};
    for (int i = 0; i < 600 && world.submitted < WORLD_JOBS - 1; i++) {
        step(&world);
        check_world(&world, WORKERS, BACKLOG);
    }
    world.over = true;
    allocator_end(world.stage.allocator, world.stage.now);
    for (int i = 0; i < 100; i++)
        step(&world);
    for (uint32_t id = 1; id <= world.submitted; id++)
        assert_true(!lives(world.jobs[id]) || world.joined[id]);
    stage_end(&world.stage);
}

static void whatever_slurm_does_the_limits_hold_and_nothing_is_left(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++)
        live_through(seed);
}

static void a_look_at_many_workers_costs_as_many_visits(void **state)
{
    (void)state;
    enum { MANY = 10000 };
    struct stage stage = stage_array(MANY, ALLOCATOR_ANY);
    struct allocator_worker *workers = test_calloc(MANY, sizeof *workers);
    struct slurm_jobs jobs = {.items = test_calloc(MANY, sizeof *jobs.items), .count = MANY};
    allocator_adopt(stage.allocator, stage.now, 7, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        workers[i] = (struct allocator_worker){.job = 7, .element = MANY - 1 - i, .slots = 1, .busy = true};
        jobs.items[i] = (struct slurm_job){.id = 8 + i, .array = 7, .element = i, .state = SLURM_RUNNING};
    }
    stage.view.workers = workers;
    stage.view.worker_count = MANY;
    uint64_t before = stage_state(&stage).visits;
    allocator_update(stage.allocator, stage.now, &stage.view);
    assert_true(stage_state(&stage).visits - before <= 2 * MANY);
    assert_int_equal(stage_state(&stage).working, MANY);
    before = stage_state(&stage).visits;
    allocator_found(stage.allocator, stage.now, &jobs);
    stage.order.id = 7;
    allocator_inspected(stage.allocator, stage.now, &jobs);
    assert_true(stage_state(&stage).visits - before <= 4 * MANY);
    test_free(jobs.items);
    test_free(workers);
    stage_end(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_slurm_does_the_limits_hold_and_nothing_is_left),
        cmocka_unit_test(a_look_at_many_workers_costs_as_many_visits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
