/* What a search of very many trials keeps in memory: asks and tells, and prints the bytes allocated on the way.
 *
 *     build/bench/search_memory [STRATEGY [TRIALS]]      default: random, 1000000
 *
 * In an infinite space nothing may grow but what the strategy keeps; in a finite one what was proposed before is
 * remembered, in 9 to 19 bytes a trial. */
#include "common/mem.h"
#include "common/rng.h"
#include "search/searcher.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINES = 5, PENDING = 64 };

static struct space *make_space(bool finite)
{
    struct space *space = space_create();
    struct err err;
    uint32_t culprit;
    struct param x = {.name = mem_text("x"), .kind = finite ? PARAM_INT : PARAM_REAL, .max = 1e9};
    struct param y = {.name = mem_text("y"), .kind = PARAM_REAL, .max = 1};
    space_add(space, &x);
    if (!finite)
        space_add(space, &y);
    else
        param_fini(&y);
    if (space_finish(space, &culprit, &err))
        fprintf(stderr, "%s\n", err.text), exit(1);
    return space;
}

static void show(const char *what, uint64_t trial, size_t before)
{
    size_t now = mallinfo2().uordblks + mallinfo2().hblkhd;
    printf("%-10s %10llu trials  %10.1f KiB  %6.2f bytes a trial\n", what, (unsigned long long)trial,
           (double)(now - before) / 1024, (double)(now - before) / (double)trial);
}

/* As many trials are under way at a time as there are workers. */
static void search(const char *strategy, bool finite, uint64_t trials)
{
    struct space *space = make_space(finite);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    struct searcher_setup setup = {.space = space, .strategy = strategy, .seed = 1};
    struct err err;
    struct searcher *searcher = searcher_create(&setup, &err);
    for (uint64_t trial = 1; searcher && trial <= trials; trial++) {
        struct proposal proposal;
        if (searcher_ask(searcher, trial, &proposal, &err) != SEARCHER_PROPOSED)
            break;
        free(proposal.params);
        if (trial > PENDING)
            searcher_tell(searcher, trial - PENDING, ENDING_COMPLETED, (double)(rng_mix(trial, 0) >> 11), 1);
        if (trial % (trials / LINES) == 0)
            show(finite ? "finite" : "infinite", trial, before);
    }
    if (!searcher)
        fprintf(stderr, "%s\n", err.text);
    searcher_destroy(searcher);
    space_destroy(space);
}

int main(int argument_count, char **arguments)
{
    const char *strategy = argument_count > 1 ? arguments[1] : "random";
    uint64_t trials = argument_count > 2 ? strtoull(arguments[2], NULL, 10) : 1000000;
    trials = trials < LINES ? LINES : trials;
    search(strategy, false, trials);
    search(strategy, true, trials);
    return 0;
}
