/* What a look at the workers costs the allocator of Slurm jobs: as many jobs as workers, all of them connected.
 *
 *     allocator [WORKERS...]     default: 100, 1000 and 10000
 *
 * A line for each number of workers: microseconds of processor time a look, and, where the allocator counts them,
 * visits. */
#include "common/clock.h"
#include "common/mem.h"
#include "scheduler/slurm/allocator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t visits_of(const struct allocator *allocator)
{
    struct allocator_state state;
    allocator_get_state(allocator, &state);
    return state.visits;
}

static void run(uint32_t workers)
{
    struct allocator_config config;
    struct allocator_worker *list = MEM_ARRAY(struct allocator_worker, workers);
    allocator_config_defaults(&config, 1);
    config.workers = workers;
    struct allocator *allocator = allocator_create(&config, 0);
    for (uint32_t i = 0; i < workers; i++)
        list[i] = (struct allocator_worker){.job = i + 1, .element = SLURM_UNSET, .slots = 1, .busy = true};
    for (uint32_t i = workers; i; i--)
        allocator_adopt(allocator, 0, i, 0);
    struct allocator_view view = {.wanted = ALLOCATOR_ANY, .workers = list, .worker_count = workers};
    uint64_t looks = 0, visits = visits_of(allocator);
    double started = clock_cpu(), spent = 0;
    for (; spent < 0.5; spent = clock_cpu() - started, looks++)
        allocator_update(allocator, 1 + (double)looks, &view);
    visits = visits_of(allocator) - visits;
    printf("%8" PRIu32 " %8" PRIu64 " %12.2f %10.1f\n", workers, looks, 1e6 * spent / (double)looks,
           (double)visits / (double)looks);
    allocator_destroy(allocator);
    free(list);
}

int main(int argc, char **argv)
{
    static const uint32_t usual[] = {100, 1000, 10000};
    printf("%8s %8s %12s %10s\n", "workers", "looks", "us a look", "visits");
    for (int i = 1; i < argc; i++)
        run((uint32_t)strtoul(argv[i], NULL, 10));
    for (size_t i = 0; argc <= 1 && i < sizeof usual / sizeof *usual; i++)
        run(usual[i]);
    return 0;
}
