/* The strategy gp from outside: it finds what there is to find, comes back the same, and survives what it is told. */
#include "tests/claims.h"
#include "tests/searches.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const square = "{'x': {'min': -5.0, 'max': 10.0}, 'y': {'min': 0.0, 'max': 15.0}}";
static const char *const mixed = "{'x': {'min': 0.0, 'max': 1.0}, 'opt': ['sgd', 'adam', 'lamb'],"
                                 " 'm': {'min': 0.0, 'max': 1.0, 'when': {'opt': 'sgd'}}, 'k': {'min': 1, 'max': 9}}";

static double branin(const double *unit)
{
    double x = 15 * unit[0] - 5, y = 15 * unit[1], a = y - 5.1 / (4 * M_PI * M_PI) * x * x + 5 / M_PI * x - 6;
    return a * a + 10 * (1 - 1 / (8 * M_PI)) * cos(x) + 10;
}

static void the_minimum_of_branin_is_found_in_forty_trials(void **state)
{
    (void)state;
    struct search search = {.strategy = "gp"};
    struct space *space = spaces_make(square);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct searcher *searcher = searches_make(&search, space, seed);
        double unit[SPACES_MOST], best = INFINITY;
        for (uint64_t trial = 1; trial <= 40; trial++) {
            searches_point(searcher, space, trial, unit);
            best = fmin(best, branin(unit));
            searcher_tell(searcher, trial, ENDING_COMPLETED, branin(unit), 1);
        }
        if (best > 0.3979 + 0.02)
            fail_msg("seed %d: only %g", (int)seed, best);
        searcher_destroy(searcher);
    }
    space_destroy(space);
}

/* --- the past --- */

enum { TRIALS = 60, SLOTS = 3 };

/* A search whose trials end in an order of their own, some failing: the trial told at a step, SLOTS behind the asks. */
struct past {
    char *params[TRIALS + 1];
    double loss[TRIALS + 1];
};

static void tell_one(struct searcher *searcher, const struct past *past, uint64_t trial)
{
    bool fails = trial % 7 == 3;
    searcher_tell(searcher, trial, fails ? ENDING_EXITED : ENDING_COMPLETED, fails ? NAN : past->loss[trial], 1);
}

/* Asks for trials from `from` on; what was proposed before is recalled, and what is proposed compared. */
static void run(const struct search *search, const struct space *space, struct past *past, uint64_t from)
{
    struct searcher *searcher = searches_make(search, space, 4);
    struct err err = {{0}};
    for (uint64_t trial = 1; trial <= TRIALS; trial++) {
        if (trial > SLOTS)
            tell_one(searcher, past, trial - SLOTS);
        if (trial < from) {
            assert_int_equal(searcher_recall(searcher, trial, past->params[trial], &err), 0);
            continue;
        }
        struct proposal proposal;
        if (searcher_ask(searcher, trial, &proposal, &err) != SEARCHER_PROPOSED)
            fail_msg("%s", err.text);
        if (past->params[trial] && strcmp(past->params[trial], proposal.params) != 0)
            fail_msg("brought back at trial %d, trial %d is %s, not %s", (int)from, (int)trial, proposal.params,
                     past->params[trial]);
        free(past->params[trial]);
        past->params[trial] = proposal.params;
        double unit[SPACES_MOST];
        space_point_of_json(space, proposal.params, unit, NULL);
        past->loss[trial] = pow(unit[0] - 0.4, 2) + (isnan(unit[2]) ? 0.3 : pow(unit[2] - 0.7, 2));
    }
    searcher_destroy(searcher);
}

static void brought_back_anywhere_it_proposes_the_same(void **state)
{
    (void)state;
    static const char *const options[] = {NULL, "{'warp': true, 'acquisition': 'bound'}"};
    struct space *space = spaces_make(mixed);
    for (size_t i = 0; i < 2; i++) {
        struct search search = {.strategy = "gp", .options = options[i]};
        struct past past = {0};
        run(&search, space, &past, 1);
        for (uint64_t from = 2; from <= TRIALS; from += 19)
            run(&search, space, &past, from);
        for (int t = 0; t <= TRIALS; t++)
            free(past.params[t]);
    }
    space_destroy(space);
}

enum { LOOPED = 24 };

/* A search of a valley: three trials are asked for, then all three are told. */
struct loop {
    char *params[LOOPED + 1];
    double loss[LOOPED + 1];
};

/* Behind every third trial: how it and the two before it ended. */
static void tell_three(struct searcher *searcher, const struct loop *loop, uint64_t trial)
{
    for (uint64_t told = trial - 2; trial % 3 == 0 && told <= trial; told++)
        searcher_tell(searcher, told, ENDING_COMPLETED, loop->loss[told], 1);
}

static char *ask_for(struct searcher *searcher, uint64_t trial)
{
    struct proposal proposal;
    struct err err = {{0}};
    if (searcher_ask(searcher, trial, &proposal, &err) != SEARCHER_PROPOSED)
        fail_msg("%s", err.text);
    return proposal.params;
}

/* What a searcher proposes that has been asked for nothing yet, and knows what came before. */
static char *ask_anew(const struct search *search, const struct space *space, uint64_t seed, const struct loop *loop,
                      uint64_t trial)
{
    struct searcher *searcher = searches_make(search, space, seed);
    struct err err = {{0}};
    for (uint64_t t = 1; t < trial; t++) {
        assert_int_equal(searcher_recall(searcher, t, loop->params[t], &err), 0);
        tell_three(searcher, loop, t);
    }
    char *params = ask_for(searcher, trial);
    searcher_destroy(searcher);
    return params;
}

static void ask_both(const struct search *search, const struct space *space, uint64_t seed, struct loop *loop)
{
    struct searcher *stays = searches_make(search, space, seed);
    for (uint64_t trial = 1; trial <= LOOPED; trial++) {
        char *anew = ask_anew(search, space, seed, loop, trial);
        loop->params[trial] = ask_for(stays, trial);
        if (strcmp(anew, loop->params[trial]) != 0)
            fail_msg("seed %d, trial %d: %s, not %s", (int)seed, (int)trial, anew, loop->params[trial]);
        free(anew);
        double unit[SPACES_MOST];
        space_point_of_json(space, loop->params[trial], unit, NULL);
        loop->loss[trial] = pow(2 * unit[0] - 1.3, 2) + 5 * pow(2 * unit[1] - 0.8, 2);
        tell_three(stays, loop, trial);
    }
    searcher_destroy(stays);
}

/* A loop of one's own is a process for each question; a replay is one for all of them. */
static void asked_anew_for_each_trial_it_proposes_what_one_does_that_stays(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'x': {'min': -1.0, 'max': 1.0}, 'y': {'min': -1.0, 'max': 1.0}}");
    struct search search = {.strategy = "gp"};
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct loop loop = {0};
        ask_both(&search, space, seed, &loop);
        for (int t = 0; t <= LOOPED; t++)
            free(loop.params[t]);
    }
    space_destroy(space);
}

/* --- what may be proposed --- */

static void no_point_is_refused_until_all_were_tried(void **state)
{
    (void)state;
    struct search search = {.strategy = "gp"};
    struct space *space =
        spaces_make_with("{'a': {'min': 1, 'max': 6}, 'b': ['u', 'v', 'w'], 'c': {'min': 1, 'max': 4}}", "a * c < 20");
    struct searcher *searcher = searches_make(&search, space, 7);
    struct proposal proposal;
    struct err err = {{0}};
    uint64_t trial = 1, forbidden, repeated, initial = 0;
    while (searcher_ask(searcher, trial, &proposal, &err) == SEARCHER_PROPOSED) {
        double unit[SPACES_MOST];
        assert_int_equal(space_point_of_json(space, proposal.params, unit, NULL), 0);
        assert_true(space_allowed(space, unit));
        free(proposal.params);
        searcher_tell(searcher, trial, ENDING_COMPLETED, unit[0] + unit[1] * unit[2], 1);
        if (trial++ == 6) {
            searcher_rejections(searcher, &forbidden, &repeated);
            initial = forbidden + repeated; /* of the points that no model proposed */
        }
        if (trial == 40) {
            searcher_rejections(searcher, &forbidden, &repeated);
            assert_int_equal(forbidden + repeated, initial);
        }
    }
    assert_int_equal(trial - 1, 66); /* 72 less those with a * c >= 20: 5 * 4, 6 * 4, of three kinds each */
    searcher_destroy(searcher);
    space_destroy(space);
}

static void garbage_does_no_harm(void **state)
{
    (void)state;
    static const double odd[] = {1e300, -1e300, 1e18, 0, 5e-324, INFINITY, NAN, -0.0, 7, 7, 7};
    struct search search = {.strategy = "gp", .options = "{'cost': 'time', 'warp': true}"};
    struct space *space = spaces_make(mixed);
    struct rng rng = rng_make(1, "odd", 0);
    struct searcher *searcher = searches_make(&search, space, 3);
    double unit[SPACES_MOST];
    for (uint64_t trial = 1; trial <= 80; trial++) {
        searches_point(searcher, space, trial, unit);
        double loss = odd[rng_below(&rng, sizeof odd / sizeof *odd)], seconds = odd[rng_below(&rng, 11)];
        searcher_tell(searcher, trial, rng_below(&rng, 5) ? ENDING_COMPLETED : ENDING_CANCELLED, loss, seconds);
    }
    searcher_destroy(searcher);
    space_destroy(space);
}

static void equal_losses_do_no_harm(void **state)
{
    (void)state;
    struct search search = {.strategy = "gp"};
    struct space *space = spaces_make(square);
    struct searcher *searcher = searches_make(&search, space, 3);
    double unit[SPACES_MOST], low = 1, high = 0;
    for (uint64_t trial = 1; trial <= 40; trial++) {
        searches_point(searcher, space, trial, unit);
        low = fmin(low, unit[0]);
        high = fmax(high, unit[0]);
        searcher_tell(searcher, trial, ENDING_COMPLETED, 5, 1);
    }
    assert_true(high - low > 0.6);
    searcher_destroy(searcher);
    space_destroy(space);
}

static void a_search_in_which_all_fails_goes_on(void **state)
{
    (void)state;
    struct search search = {.strategy = "gp"};
    struct space *space = spaces_make(mixed);
    struct searcher *searcher = searches_make(&search, space, 3);
    double unit[SPACES_MOST];
    for (uint64_t trial = 1; trial <= 30; trial++) {
        searches_point(searcher, space, trial, unit);
        searcher_tell(searcher, trial, ENDING_EXITED, NAN, 1);
    }
    searcher_destroy(searcher);
    space_destroy(space);
}

static void the_first_trial_is_the_default_or_the_middle(void **state)
{
    (void)state;
    struct search search = {.strategy = "gp"};
    struct space *space = spaces_make("{'x': {'min': 1.0e-6, 'max': 1.0, 'log': true}, 'k': {'min': 1, 'max': 9},"
                                      " 'y': {'min': 0.0, 'max': 1.0, 'default': 0.25}, 'c': ['u', 'v']}");
    struct searcher *searcher = searches_make(&search, space, 7);
    double unit[SPACES_MOST];
    searches_point(searcher, space, 1, unit);
    assert_true(fabs(unit[0] - 0.5) < 1e-9 && fabs(unit[1] - 0.5) < 1e-9 && fabs(unit[2] - 0.25) < 1e-9);
    searches_point(searcher, space, 2, unit);
    assert_true(fabs(unit[0] - 0.5) > 1e-9);
    searcher_destroy(searcher);
    space_destroy(space);
}

/* --- more than its own losses --- */

/* The best of 20 trials of the square when 40 of an earlier experiment were learned whose loss is `sign` times ours in
 * other units; 0: none were. */
static double best_after(const struct space *space, double sign, uint64_t seed)
{
    enum { PAST = 40 };
    struct searcher_past past[PAST];
    struct rng rng = rng_make(seed, "past", 0);
    for (int i = 0; i < PAST; i++) {
        double unit[SPACES_MOST];
        spaces_point(space, &rng, unit);
        char *params = mem_text(spaces_show(space, unit));
        for (char *c = params; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        past[i] = (struct searcher_past){.params = params, .seconds = 1};
        past[i].loss = 3 + 100 * sign * branin(unit);
    }
    struct searcher_setup setup = {.space = space, .strategy = "gp", .seed = seed, .past = past};
    setup.past_count = sign != 0 ? PAST : 0;
    struct err err = {{0}};
    struct searcher *searcher = searcher_create(&setup, &err);
    if (!searcher)
        fail_msg("%s", err.text);
    double unit[SPACES_MOST], best = INFINITY;
    for (uint64_t trial = 1; trial <= 20; trial++) {
        searches_point(searcher, space, trial, unit);
        best = fmin(best, branin(unit));
        searcher_tell(searcher, trial, ENDING_COMPLETED, branin(unit), 1);
    }
    searcher_destroy(searcher);
    for (int i = 0; i < PAST; i++)
        free((char *)past[i].params);
    return best;
}

static void earlier_experiments_help_when_they_agree_and_do_no_harm_when_not(void **state)
{
    (void)state;
    struct space *space = spaces_make(square);
    double alone = 0, agrees = 0, opposes = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        alone += best_after(space, 0, seed) / 8;
        agrees += best_after(space, 1, seed) / 8;
        opposes += best_after(space, -1, seed) / 8;
    }
    if (agrees > alone || opposes > alone + 1.5) /* half of all points are above 40 */
        fail_msg("alone %g, with an experiment that agrees %g, with one that doesn't %g", alone, agrees, opposes);
    space_destroy(space);
}

/* Four that run at once, before any has ended: mostly within a quarter of the range of where the best were. */
static void the_first_trials_lie_where_earlier_experiments_were_good(void **state)
{
    (void)state;
    enum { PAST = 40, SEEDS = 8, AT_ONCE = 4 };
    struct space *space = spaces_make(square);
    int near = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct searcher_past past[PAST + 1] = {0};
        struct rng rng = rng_make(seed, "past", 0);
        for (int i = 0; i < PAST; i++) {
            double x = rng_unit(&rng), y = rng_unit(&rng);
            past[i].params = mem_format("{\"x\": %.6f, \"y\": %.6f}", 15 * x - 5, 15 * y);
            past[i].loss = pow(x - 0.3, 2) + pow(y - 0.8, 2);
        }
        struct search search = {.strategy = "gp", .past = past};
        struct searcher *searcher = searches_make(&search, space, seed);
        for (uint64_t trial = 1; trial <= AT_ONCE; trial++) {
            double unit[SPACES_MOST];
            searches_point(searcher, space, trial, unit);
            near += hypot(unit[0] - 0.3, unit[1] - 0.8) < 0.25;
        }
        searcher_destroy(searcher);
        for (int i = 0; i < PAST; i++)
            free((char *)past[i].params);
    }
    if (near < SEEDS * AT_ONCE / 2)
        fail_msg("only %d of %d", near, SEEDS * AT_ONCE);
    space_destroy(space);
}

static void what_is_seen_on_the_way_guides_to_what_is_best_at_the_end(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}");
    struct searcher_setup setup = {.space = space, .strategy = "gp", .seed = 2, .max_steps = 27};
    struct err err = {{0}};
    struct searcher *searcher = searcher_create(&setup, &err);
    assert_non_null(searcher);
    double best = INFINITY;
    for (uint64_t trial = 1; trial <= 40; trial++) {
        double unit[SPACES_MOST];
        searches_point(searcher, space, trial, unit);
        double end = pow(unit[0] - 0.3, 2) + pow(unit[1] - 0.6, 2);
        for (uint64_t step = 1; step <= 27; step *= 3) {
            double loss = end + 1 / (double)step; /* falls on the way */
            struct measures measures = {.losses = &loss, .seconds = 1, .energy = NAN, .step = step};
            if (step == 27 || (trial % 3 && step == 3)) { /* two of three are stopped early */
                searcher_tell_all(searcher, trial, ENDING_COMPLETED, &measures);
                break;
            }
            searcher_observe(searcher, trial, &measures);
        }
        best = fmin(best, end);
    }
    assert_true(best < 0.003);
    searcher_destroy(searcher);
    space_destroy(space);
}

/* What a trial at this point showed at the first of 27 steps, where it pauses. */
static void pause_trial(struct searcher *searcher, uint64_t trial, const double *unit)
{
    double loss = pow(unit[0] - 0.3, 2) + pow(unit[1] - 0.6, 2);
    struct measures measures = {.losses = &loss, .seconds = 1, .energy = NAN, .step = 1};
    searcher_observe(searcher, trial, &measures);
}

static void trials_that_pause_and_are_never_told_teach_it(void **state)
{
    (void)state;
    enum { PAUSED = 24, RECALLED = 15 };
    struct search search = {.strategy = "gp", .max_steps = 27};
    struct space *space = spaces_make("{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}");
    struct searcher *stays = searches_make(&search, space, 2), *anew = searches_make(&search, space, 2);
    double nearest = INFINITY;
    for (uint64_t trial = 1; trial <= PAUSED; trial++) {
        double unit[SPACES_MOST];
        char *params = ask_for(stays, trial);
        if (trial <= RECALLED)
            assert_int_equal(searcher_recall(anew, trial, params, NULL), 0);
        char *same = trial <= RECALLED ? strdup(params) : ask_for(anew, trial);
        assert_string_equal(same, params);
        space_point_of_json(space, params, unit, NULL);
        pause_trial(stays, trial, unit);
        pause_trial(anew, trial, unit);
        nearest = fmin(nearest, hypot(unit[0] - 0.3, unit[1] - 0.6));
        free(same);
        free(params);
    }
    if (nearest > 0.03)
        fail_msg("none came nearer than %g", nearest);
    searcher_destroy(stays);
    searcher_destroy(anew);
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_minimum_of_branin_is_found_in_forty_trials),
        cmocka_unit_test(brought_back_anywhere_it_proposes_the_same),
        cmocka_unit_test(asked_anew_for_each_trial_it_proposes_what_one_does_that_stays),
        cmocka_unit_test(no_point_is_refused_until_all_were_tried),
        cmocka_unit_test(garbage_does_no_harm),
        cmocka_unit_test(equal_losses_do_no_harm),
        cmocka_unit_test(a_search_in_which_all_fails_goes_on),
        cmocka_unit_test(the_first_trial_is_the_default_or_the_middle),
        cmocka_unit_test(earlier_experiments_help_when_they_agree_and_do_no_harm_when_not),
        cmocka_unit_test(the_first_trials_lie_where_earlier_experiments_were_good),
        cmocka_unit_test(what_is_seen_on_the_way_guides_to_what_is_best_at_the_end),
        cmocka_unit_test(trials_that_pause_and_are_never_told_teach_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
