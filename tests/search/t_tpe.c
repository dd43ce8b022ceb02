/* The tree-structured Parzen estimator by itself: trials that run count as not good. */
#include "search/registry.h"
#include "search/strategy_settings.h"
#include "tests/claims.h"
#include "tests/spaces.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>

enum { TOLD = 40, RUNNING = 20, ASKS = 50 };

/* The mean distance of proposals from where the best of TOLD trials lie, x = 0.5, when so many others run there. */
static double distance_with(int running)
{
    struct space *space = spaces_make("{'x': {'min': 0.0, 'max': 1.0}}");
    struct gannet_setting *settings = strategy_settings_read(&tpe_strategy, NULL, NULL);
    struct gannet_problem problem = {.space = space_public(space), .objectives = 1, .options = settings};
    char why[100];
    void *tpe = tpe_strategy.create(&problem, space_host(space), why, sizeof why);
    struct rng rng = rng_make(1, "tpe", 0);
    uint64_t trial = 0;
    for (int i = 0; i < TOLD + running; i++) {
        double x = i < TOLD ? rng_unit(&rng) : 0.49 + 0.02 * rng_unit(&rng), loss = fabs(x - 0.5);
        tpe_strategy.note(tpe, ++trial, &x);
        struct gannet_outcome_of_trial told = {.trial = trial, .unit = &x, .loss = loss, .losses = &loss};
        if (i < TOLD)
            tpe_strategy.tell(tpe, &told);
    }
    double sum = 0;
    for (uint64_t i = 0; i < ASKS; i++) {
        double x;
        struct gannet_ask ask = {.trial = trial + 1, .random = i};
        assert_int_equal(tpe_strategy.ask(tpe, &ask, &x, why, sizeof why), GANNET_PROPOSED);
        sum += fabs(x - 0.5) / (double)ASKS;
    }
    tpe_strategy.destroy(tpe);
    free(settings);
    space_destroy(space);
    return sum;
}

static void proposals_keep_away_from_trials_that_run(void **state)
{
    (void)state;
    double alone = distance_with(0), beside = distance_with(RUNNING);
    if (!(beside > 1.3 * alone))
        fail_msg("%g from the best when nothing runs, %g when others run there", alone, beside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proposals_keep_away_from_trials_that_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
