/* A search that is brought back goes on exactly like one that was never interrupted. */
#include "tests/claims.h"
#include "tests/searches.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

/* FEW use up a space of 17 configurations; each ask of the rest looks long for what is not there. */
enum { EVENTS = 120, FEW = 60, AT_ONCE = 5 };

/* What happened, in order: a proposal, or how a trial ended. */
struct event {
    uint64_t trial;
    char *params; /* of a proposal; NULL: it ended */
    double loss;
    enum ending ending;
};

/* A search by a few workers at once, as chance has it. */
struct course {
    struct rng rng;
    uint64_t running[AT_ONCE];
    size_t running_count;
    uint64_t trials;
};

static void start_one(struct course *course, struct searcher *searcher, struct event *event)
{
    event->trial = ++course->trials;
    event->params = searches_ask(searcher, event->trial);
    course->running[course->running_count++] = event->trial;
}

static void end_one(struct course *course, struct searcher *searcher, struct event *event)
{
    static const enum ending endings[] = {ENDING_COMPLETED, ENDING_COMPLETED, ENDING_STOPPED_EARLY, ENDING_DIVERGED,
                                          ENDING_LOST};
    size_t at = rng_below(&course->rng, course->running_count);
    event->trial = course->running[at];
    event->ending = endings[rng_below(&course->rng, 5)];
    event->loss = rng_unit(&course->rng);
    course->running[at] = course->running[--course->running_count];
    searcher_tell(searcher, event->trial, event->ending, event->loss, 1);
}

/* The next event of the course: proposals are asked of the searcher. */
static struct event go_on(struct course *course, struct searcher *searcher)
{
    struct event event = {0};
    bool start = course->running_count == 0 || (course->running_count < AT_ONCE && rng_below(&course->rng, 2));
    if (start)
        start_one(course, searcher, &event);
    else
        end_one(course, searcher, &event);
    return event;
}

/* The same event of the past: proposals are recalled. Nothing is recalled of asks that gave none. */
static void recall(struct searcher *searcher, const struct event *event)
{
    struct err err = {{0}};
    if (!event->params) {
        searcher_tell(searcher, event->trial, event->ending, event->loss, 1);
    } else if (*event->params == '{') {
        char *params = mem_text(event->params);
        for (char *c = params; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        if (searcher_recall(searcher, event->trial, params, &err))
            fail_msg("%s", err.text);
        free(params);
    }
}

/* Runs a search; then brings it back at several places and lets it go on: all proposals must be the same. */
static void continues(const struct search *search, const struct space *space, uint64_t seed, int count)
{
    struct event events[EVENTS];
    struct course course = {.rng = rng_make(seed, "course", 0)}, states[EVENTS];
    struct searcher *searcher = searches_make(search, space, seed);
    for (int i = 0; i < count; i++) {
        states[i] = course;
        events[i] = go_on(&course, searcher);
    }
    searcher_destroy(searcher);
    for (int cut = 0; cut < count; cut += 1 + (int)rng_below(&course.rng, 30)) {
        searcher = searches_make(search, space, seed);
        for (int i = 0; i < cut; i++)
            recall(searcher, &events[i]);
        struct course again = states[cut];
        for (int i = cut; i < count; i++) {
            struct event event = go_on(&again, searcher);
            if (event.params && strcmp(event.params, events[i].params) != 0)
                fail_msg("%s, seed %d, cut at %d: event %d is %s, not %s", search->strategy, (int)seed, cut, i,
                         event.params, events[i].params);
            free(event.params);
        }
        searcher_destroy(searcher);
    }
    for (int i = 0; i < count; i++)
        free(events[i].params);
}

static const struct search searches[] = {
    {.strategy = "random"},
    {.strategy = "sobol"},
    {.strategy = "grid", .options = "{'levels': 3}"},
    {.strategy = "grid", .options = "{'levels': 4, 'order': 'shuffled'}"},
    {.strategy = "tpe", .options = "{'startup_trials': 5}"},
    {.strategy = "forest", .options = "{'startup_trials': 5, 'trees': 10, 'candidates': 50}"},
    {.strategy = "cmaes"},
    {.strategy = "evolution", .options = "{'startup_trials': 3, 'population': 5}"},
    {.strategy = "pbt", .options = "{'population': 3}", .can_continue = true},
    {.strategy = "evolution", .options = "{'startup_trials': 3, 'population': 5, 'survival': 'oldest'}"},
    {.strategy = "cmaes", .options = "{'startup_trials': 2, 'population': 5, 'sigma': 0.02}"},
    {.strategy = "hello"},
    {.strategy = "hello", .options = "{'step': 0.001}"},
};
enum { SEARCHES = sizeof searches / sizeof *searches };

static void searches_of_random_spaces_continue(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct rng rng = rng_make(seed, "recall", 0);
        struct space *space = seed % 2 ? spaces_random(&rng) : spaces_random_finite(&rng);
        for (int s = 0; s < SEARCHES; s++) {
            struct err err = {{0}};
            struct searcher *possible = searches_try(&searches[s], space, seed, &err);
            if (possible) /* some grids are too large to shuffle */
                continues(&searches[s], space, seed, EVENTS);
            searcher_destroy(possible);
        }
        space_destroy(space);
    }
}

/* With start points on and off the sequences, one twice, and constraints that forbid much. */
static void searches_with_start_points_and_constraints_continue(void **state)
{
    (void)state;
    struct space *infinite =
        spaces_make_with("{'lr': {'min': 1e-5, 'max': 1.0, 'log': true}, 'opt': ['sgd', 'adam'], 'n': {'min': 1, "
                         "'max': 64, 'log': true},"
                         " 'm': {'min': 0.0, 'max': 1.0, 'when': {'opt': 'sgd'}}, 'w': {'mean': 0, 'stddev': 1}}",
                         "n * lr < 0.3 and (n > 20 or w > 0)");
    struct space *finite = spaces_make_with("{'a': {'min': 1, 'max': 5}, 'opt': ['sgd', 'adam'],"
                                            " 'm': {'values': [0.1, 0.5, 0.9], 'when': {'opt': 'sgd'}}}",
                                            "a != 3 or opt == 'adam'");
    /* Infinite, but half of its points are one configuration. */
    struct space *both = spaces_make("{'opt': ['sgd', 'adam'], 'm': {'min': 0.0, 'max': 1.0, 'when': {'opt': 'sgd'}}}");
    for (int s = 0; s < SEARCHES; s++)
        for (uint64_t seed = 0; seed < 2; seed++) {
            struct search search = searches[s];
            search.start[0] = "{'opt': 'adam'}";
            continues(&search, both, seed, EVENTS);
            search.start[0] = "{'lr': 1e-5, 'opt': 'sgd'}";
            search.start[1] = "{'n': 2}";
            search.start[2] = "{'lr': 0.00123456789012345, 'opt': 'adam', 'n': 4, 'w': 1.5}";
            search.start[3] = "{'lr': 0.00123456789012345, 'opt': 'adam', 'n': 4, 'w': 1.5}";
            continues(&search, infinite, seed, EVENTS);
            search.start[0] = search.start[1] = "{'a': 1, 'opt': 'adam'}";
            search.start[2] = "{'opt': 'sgd', 'm': 0.9}";
            search.start[3] = NULL;
            continues(&search, finite, seed, FEW);
            search.repeat = true;
            continues(&search, finite, seed, EVENTS);
        }
    space_destroy(both);
    space_destroy(infinite);
    space_destroy(finite);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_of_random_spaces_continue),
        cmocka_unit_test(searches_with_start_points_and_constraints_continue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
