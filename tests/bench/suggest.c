/* How long a suggestion takes when a strategy knows n trials: 10 real parameters, one pending trial.
 *
 *     suggest STRATEGY N [ASKS]       writes "p50 p99 mean" in milliseconds
 *
 * The strategy is told n random points of a noisy function, then asked and told again and again: the time of a
 * suggestion is that of its ask and of the tell before it. The first ask, which fits to everything at once, is left
 * out: a search does that bit by bit. */
#include "cli/bench/contender.h"
#include "cli/bench/stats.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/rng.h"
#include "scheduler/spec/spec.h"
#include "search/searcher.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 10, SEED = 1 };

static const char experiment[] =
    "{version: 1, trial: {kernel: synth}, metric: {name: value, goal: minimize}, parameters: {"
    "x1: {min: -5.0, max: 5.0}, x2: {min: -5.0, max: 5.0}, x3: {min: -5.0, max: 5.0}, x4: {min: -5.0, max: 5.0}, "
    "x5: {min: -5.0, max: 5.0}, x6: {min: -5.0, max: 5.0}, x7: {min: -5.0, max: 5.0}, x8: {min: -5.0, max: 5.0}, "
    "x9: {min: -5.0, max: 5.0}, x10: {min: -5.0, max: 5.0}}}";

/* Rosenbrock's function and some noise: curved, so that a model has something to learn. */
static double loss_of(const double *unit, uint64_t trial)
{
    struct rng rng = rng_make(SEED, "noise", trial);
    double sum = 0;
    for (int i = 0; i + 1 < D; i++) {
        double a = 4 * unit[i] - 2, b = 4 * unit[i + 1] - 2;
        sum += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a);
    }
    return log1p(sum) + 0.05 * rng_normal(&rng);
}

static void tell(struct searcher *searcher, const struct space *space, uint64_t trial, const char *params)
{
    struct err err;
    double unit[D];
    if (space_point_of_json(space, params, unit, &err) == 0)
        searcher_tell(searcher, trial, ENDING_COMPLETED, loss_of(unit, trial), 60);
}

static void teach(struct searcher *searcher, const struct space *space, uint64_t n)
{
    struct err err;
    for (uint64_t trial = 1; trial <= n; trial++) {
        struct rng rng = rng_make(SEED, "point", trial);
        struct buf params = {0};
        double unit[D];
        for (int i = 0; i < D; i++)
            unit[i] = rng_unit(&rng);
        space_snap(space, unit);
        space_json(space, unit, &params);
        if (searcher_recall(searcher, trial, buf_str(&params), &err) == 0)
            tell(searcher, space, trial, buf_str(&params));
        buf_fini(&params);
    }
}

/* Milliseconds of each suggestion; -1 with a sentence. */
static int measure(struct searcher *searcher, const struct space *space, uint64_t n, double *ms, size_t count,
                   struct err *err)
{
    char *last = NULL; /* the proposal of the trial that runs */
    for (size_t i = 0; i <= count; i++) {
        struct proposal proposal;
        double then = clock_thread();
        if (last)
            tell(searcher, space, n + i, last);
        if (searcher_ask(searcher, n + i + 1, &proposal, err) != SEARCHER_PROPOSED)
            return -1;
        if (i)
            ms[i - 1] = (clock_thread() - then) * 1e3;
        free(last);
        last = proposal.params;
    }
    free(last);
    return 0;
}

int main(int argc, char **argv)
{
    struct contenders contenders = {0};
    struct err err = {""};
    if (argc < 3)
        return fprintf(stderr, "usage: suggest STRATEGY N [ASKS]\n"), 2;
    uint64_t n = strtoull(argv[2], NULL, 10);
    size_t asks = argc > 3 ? strtoull(argv[3], NULL, 10) : 50;
    double *ms = MEM_ARRAY(double, asks + 1);
    struct problems problems = {0};
    struct spec *spec = spec_read_text(experiment, strlen(experiment), "suggest", ".", NULL, 0, &problems);
    const struct space *space = spec->space;
    struct searcher *searcher = NULL;
    if (contenders_read(&contenders, argv[1], &err) == 0) {
        struct searcher_setup setup = {.space = space,
                                       .strategy = contenders.items[0].name,
                                       .plugin = contenders.items[0].plugin,
                                       .options = contenders.items[0].options,
                                       .seed = SEED};
        searcher = searcher_create(&setup, &err);
    }
    int failed = !searcher;
    if (searcher) {
        teach(searcher, space, n);
        failed = measure(searcher, space, n, ms, asks, &err);
    }
    if (failed)
        fprintf(stderr, "suggest: %s\n", err.text);
    else
        printf("%.3g %.3g %.3g\n", stats_quantile(ms, asks, 0.5), stats_quantile(ms, asks, 0.99), stats_mean(ms, asks));
    searcher_destroy(searcher);
    spec_destroy(spec);
    problems_fini(&problems);
    contenders_fini(&contenders);
    free(ms);
    return failed;
}
