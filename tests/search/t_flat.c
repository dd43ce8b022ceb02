/* However many trials a search is told, it keeps the same number of bytes once it has begun to choose what to remember:
 * build/bench/million measures the same over a million. */
#include "search/visited.h"
#include "tests/claims.h"
#include "tests/searches.h"
#include "common/rng.h"

#include <malloc.h>
#include <stdlib.h>

/* A history keeps 20,000 trials and drops what is more whenever it has 25,001: so after every 5,001 tells it has as
 * many again. Something that keeps every trial in a table that doubles grows between 30,000 and 50,000. */
enum { PERIOD = 5001, SETTLED = 6 * PERIOD, MORE = 4 * PERIOD, SLOTS = 64 };

static size_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* Whether the allocator counts: not the one of a sanitizer, or of valgrind. */
static bool can_count(void)
{
    size_t before = allocated();
    void *volatile block = malloc(1 << 16);
    bool counts = allocated() >= before + (1 << 16);
    free(block);
    return counts;
}

/* A search that lives through trials, of which as many run at a time as there are slots. */
struct life {
    const struct space *space;
    struct searcher *searcher;
    bool asks; /* for every trial; else they have random points, which is faster where a model is asked */
    uint64_t trial;
};

static void start_trial(struct life *life, struct rng *rng, struct buf *params)
{
    struct err err;
    double unit[2] = {rng_unit(rng), rng_unit(rng)};
    if (life->asks) {
        free(searches_ask(life->searcher, life->trial));
        return;
    }
    space_snap(life->space, unit);
    buf_clear(params);
    space_json(life->space, unit, params);
    assert_int_equal(searcher_recall(life->searcher, life->trial, buf_str(params), &err), 0);
}

static void live_on(struct life *life, int tells)
{
    struct buf params = {0};
    for (int i = 0; i < tells; i++) {
        struct rng rng = rng_make(1, "point", ++life->trial);
        start_trial(life, &rng, &params);
        if (life->trial > SLOTS)
            searcher_tell(life->searcher, life->trial - SLOTS, ENDING_COMPLETED, rng_unit(&rng), 1);
    }
    buf_fini(&params);
}

/* What is allocated when so many more were told and one more was asked for, so that what asks make is there too. */
static size_t bytes_after(struct life *life, int tells)
{
    live_on(life, tells - 1);
    free(searches_ask(life->searcher, ++life->trial));
    searcher_tell(life->searcher, life->trial - SLOTS, ENDING_COMPLETED, 0.5, 1);
    return allocated();
}

static void check_flat(const char *strategy, const char *options, bool asks)
{
    if (!can_count())
        skip();
    struct space *space = spaces_make("{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}");
    struct search search = {.strategy = strategy, .options = options};
    struct life life = {space, searches_make(&search, space, 1), asks, 0};
    size_t settled = bytes_after(&life, SETTLED), later = bytes_after(&life, MORE);
    if (later > settled + 2 * MORE) /* a pointer a trial would be 8 * MORE */
        fail_msg("%s: %zu bytes, and %zu after %d trials more", strategy, settled, later, MORE);
    searcher_destroy(life.searcher);
    space_destroy(space);
}

static void strategies_without_a_model_keep_the_same_for_ever(void **state)
{
    (void)state;
    check_flat("random", NULL, true);
    check_flat("sobol", NULL, true);
    check_flat("evolution", NULL, true);
    check_flat("cmaes", NULL, true);
}

static void tpe_keeps_the_same_for_ever(void **state)
{
    (void)state;
    check_flat("tpe", NULL, false);
}

static void the_forest_keeps_the_same_for_ever(void **state)
{
    (void)state;
    check_flat("forest", "{'trees': 5}", false);
}

static void auto_keeps_the_same_for_ever(void **state)
{
    (void)state;
    check_flat("auto", NULL, false);
}

/* The latest 20,000 to 40,000 configurations are remembered: 20,000 trials later there are as many again. */
static void memory_stays_flat_in_an_infinite_space(void **state)
{
    (void)state;
    static const char *const forgetful[] = {"random", "grid", "sobol", "hello"}; /* no history */
    enum { BEFORE = 45000, AFTER = BEFORE + VISITED_MOST };
    struct space *space = spaces_make("{'x': {'min': -1.0, 'max': 1.0}, 'n': {'min': 1, 'max': 9}}");
    for (int s = 0; s < 4; s++) {
        struct search search = {.strategy = forgetful[s], .options = s == 1 ? "{'levels': 10000}" : NULL};
        struct searcher *searcher = searches_make(&search, space, 1);
        size_t before = 0;
        for (uint64_t trial = 1; trial <= AFTER; trial++) {
            if (trial == BEFORE)
                before = allocated();
            free(searches_ask(searcher, trial));
            searcher_tell(searcher, trial, ENDING_COMPLETED, (double)(trial % 7), 1);
        }
        if (allocated() >= before + 10000)
            fail_msg("%s: %zu bytes, then %zu", forgetful[s], before, allocated());
        searcher_destroy(searcher);
    }
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_stays_flat_in_an_infinite_space),
        cmocka_unit_test(strategies_without_a_model_keep_the_same_for_ever),
        cmocka_unit_test(tpe_keeps_the_same_for_ever),
        cmocka_unit_test(the_forest_keeps_the_same_for_ever),
        cmocka_unit_test(auto_keeps_the_same_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
