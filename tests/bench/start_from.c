/* What an ask costs that also learns from earlier experiments (start_from): 10 real parameters, sources of 200 trials.
 *
 *     start_from [STRATEGY [ASKS [SOURCES...]]]      default: auto, 40 asks, 0, 1, 10 and 20 sources
 *
 * A line for each number of sources: milliseconds of processor time of an ask and the tell before it, from the first
 * ask of the search on - the first one, the median of the others, their mean - and how many covariance matrices were
 * factored for each (LAPACK's dpotrf, which is counted on its way), and of how many rows they were on the average. */
#include "cli/bench/contender.h"
#include "cli/bench/stats.h"
#include "common/clock.h"
#include "common/hash.h"
#include "common/mem.h"
#include "common/rng.h"
#include "scheduler/spec/spec.h"
#include "search/searcher.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 10, SEED = 1, SOURCE_TRIALS = 200 };

static const char experiment[] =
    "{version: 1, trial: {kernel: synth}, metric: {name: value, goal: minimize}, parameters: {"
    "x1: {min: -5.0, max: 5.0}, x2: {min: -5.0, max: 5.0}, x3: {min: -5.0, max: 5.0}, x4: {min: -5.0, max: 5.0}, "
    "x5: {min: -5.0, max: 5.0}, x6: {min: -5.0, max: 5.0}, x7: {min: -5.0, max: 5.0}, x8: {min: -5.0, max: 5.0}, "
    "x9: {min: -5.0, max: 5.0}, x10: {min: -5.0, max: 5.0}}}";

/* --- factorisations --- */

static struct factored {
    uint64_t count, rows;
} factored;

typedef void factor_call(const char *upper, const int *size, double *a, const int *leading, int *info);
factor_call dpotrf_;

/* In the place of the library's, which it calls. */
void dpotrf_(const char *upper, const int *size, double *a, const int *leading, int *info)
{
    void *symbol = dlsym(RTLD_NEXT, "dpotrf_");
    factor_call *real;
    memcpy(&real, &symbol, sizeof real);
    factored.count++;
    factored.rows += (uint64_t)*size;
    real(upper, size, a, leading, info);
}

/* --- trials --- */

/* Rosenbrock's function, moved a little in each earlier experiment, and some noise. */
static double loss_of(const double *unit, uint32_t source, uint64_t trial)
{
    struct rng rng = rng_make(SEED + source, "noise", trial);
    double sum = 0;
    for (int i = 0; i + 1 < D; i++) {
        double a = 4 * unit[i] - 2 + 0.02 * source, b = 4 * unit[i + 1] - 2;
        sum += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a);
    }
    return log1p(sum) + 0.05 * rng_normal(&rng);
}

static struct searcher_past *make_past(const struct space *space, uint32_t sources)
{
    struct searcher_past *past = MEM_ARRAY(struct searcher_past, (size_t)sources * SOURCE_TRIALS + 1);
    for (uint32_t i = 0; i < sources * SOURCE_TRIALS; i++) {
        uint32_t source = i / SOURCE_TRIALS + 1;
        struct rng rng = rng_make(SEED, "past", i);
        struct buf params = {0};
        double unit[D];
        for (int d = 0; d < D; d++)
            unit[d] = rng_unit(&rng);
        space_snap(space, unit);
        space_json(space, unit, &params);
        past[i] = (struct searcher_past){
            .source = source - 1, .params = buf_take(&params), .loss = loss_of(unit, source, i), .seconds = 60};
    }
    return past;
}

static void free_past(struct searcher_past *past, uint32_t sources)
{
    for (uint32_t i = 0; i < sources * SOURCE_TRIALS; i++)
        free((char *)(uintptr_t)past[i].params);
    free(past);
}

static void tell(struct searcher *searcher, const struct space *space, uint64_t trial, const char *params)
{
    struct err err;
    double unit[D];
    if (space_point_of_json(space, params, unit, &err) == 0)
        searcher_tell(searcher, trial, ENDING_COMPLETED, loss_of(unit, 0, trial), 60);
}

/* --- the measurement --- */

/* Milliseconds of each ask and the tell before it, and the hash of all proposals; -1 with a sentence. */
static int measure(struct searcher *searcher, const struct space *space, double *ms, size_t asks, uint64_t *hash,
                   struct err *err)
{
    char *last = NULL;
    for (size_t i = 0; i < asks; i++) {
        struct proposal proposal;
        double then = clock_thread();
        if (last)
            tell(searcher, space, i, last);
        free(last);
        last = NULL;
        if (searcher_ask(searcher, i + 1, &proposal, err) != SEARCHER_PROPOSED)
            return -1;
        ms[i] = (clock_thread() - then) * 1e3;
        last = proposal.params;
        *hash = hash_bytes(*hash, last, strlen(last));
    }
    free(last);
    return 0;
}

static int run(const struct contender *contender, const struct space *space, size_t asks, uint32_t sources,
               struct err *err)
{
    struct searcher_past *past = make_past(space, sources);
    double *ms = MEM_ARRAY(double, asks);
    struct searcher_setup setup = {.space = space,
                                   .strategy = contender->name,
                                   .plugin = contender->plugin,
                                   .options = contender->options,
                                   .seed = SEED,
                                   .past = past,
                                   .past_count = (size_t)sources * SOURCE_TRIALS};
    factored = (struct factored){0};
    struct searcher *searcher = searcher_create(&setup, err);
    uint64_t hash = HASH_START;
    int failed = !searcher || measure(searcher, space, ms, asks, &hash, err);
    if (!failed)
        printf("%8" PRIu32 " %8.1f %8.1f %8.1f %12.1f %8.0f  %016" PRIx64 "\n", sources, ms[0],
               stats_quantile(ms + 1, asks - 1, 0.5), stats_mean(ms + 1, asks - 1),
               (double)factored.count / (double)asks, (double)factored.rows / fmax(1, (double)factored.count), hash);
    fflush(stdout);
    searcher_destroy(searcher);
    free_past(past, sources);
    free(ms);
    return failed;
}

int main(int argc, char **argv)
{
    static const uint32_t usual[] = {0, 1, 10, 20};
    struct contenders contenders = {0};
    struct err err = {""};
    struct problems problems = {0};
    struct spec *spec = spec_read_text(experiment, strlen(experiment), "start_from", ".", NULL, 0, &problems);
    size_t asks = argc > 2 ? strtoull(argv[2], NULL, 10) : 40;
    int failed = contenders_read(&contenders, argc > 1 ? argv[1] : "auto", &err);
    if (asks < 2)
        failed = err_set(&err, "usage: start_from [STRATEGY [ASKS [SOURCES...]]], with 2 asks at least");
    printf("%8s %8s %8s %8s %12s %8s  %s\n", "sources", "ms first", "p50", "mean", "factored", "rows", "proposals");
    for (int i = 3; i < argc && !failed; i++)
        failed = run(&contenders.items[0], spec->space, asks, (uint32_t)strtoul(argv[i], NULL, 10), &err);
    for (size_t i = 0; i < sizeof usual / sizeof *usual && argc <= 3 && !failed; i++)
        failed = run(&contenders.items[0], spec->space, asks, usual[i], &err);
    if (failed)
        fprintf(stderr, "start_from: %s\n", err.text);
    spec_destroy(spec);
    problems_fini(&problems);
    contenders_fini(&contenders);
    return failed ? 1 : 0;
}
