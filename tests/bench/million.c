/* What a search of very many trials keeps in memory: a strategy is told a million of them and asked now and then.
 *
 *     million [STRATEGY] [TRIALS] [ASK_EVERY]     default: auto, 1000000, 100
 *
 * Writes a line for each twentieth of the way: trials told, resident MiB, seconds so far, milliseconds of the last ask.
 */
#include "cli/bench/contender.h"
#include "common/clock.h"
#include "common/rng.h"
#include "scheduler/spec/spec.h"
#include "search/searcher.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { D = 6, SEED = 1 };

static const char experiment[] =
    "{version: 1, trial: {kernel: synth}, metric: {name: value, goal: minimize}, parameters: {"
    "a: {min: 0.0, max: 1.0}, b: {min: 0.0, max: 1.0}, c: {min: 0.0, max: 1.0}, d: {min: 0.0, max: 1.0}, "
    "layers: {min: 1, max: 1000, type: int}, kind: [0, 1, 2]}}";

static double resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

static void random_params(const struct space *space, uint64_t trial, struct buf *out)
{
    struct rng rng = rng_make(SEED, "point", trial);
    double unit[D];
    for (int i = 0; i < D; i++)
        unit[i] = rng_unit(&rng);
    space_snap(space, unit);
    buf_clear(out);
    space_json(space, unit, out);
}

/* Asks for a trial, or lets it have a random configuration. -1 with a sentence. */
static int propose(struct searcher *searcher, const struct space *space, uint64_t trial, bool ask, struct buf *params,
                   struct err *err)
{
    struct proposal proposal;
    if (!ask) {
        random_params(space, trial, params);
        return searcher_recall(searcher, trial, buf_str(params), err);
    }
    if (searcher_ask(searcher, trial, &proposal, err) != SEARCHER_PROPOSED)
        return -1;
    buf_clear(params);
    buf_text(params, proposal.params);
    free(proposal.params);
    return 0;
}

static double loss_of(const struct space *space, const char *params, uint64_t trial)
{
    struct rng rng = rng_make(SEED, "noise", trial);
    double unit[D], sum = 0.1 * rng_normal(&rng);
    struct err err;
    if (space_point_of_json(space, params, unit, &err))
        return NAN;
    for (int i = 0; i < D; i++)
        sum += (unit[i] - 0.3) * (unit[i] - 0.3);
    return trial % 50 ? sum : NAN; /* one in fifty fails */
}

static int search(struct searcher *searcher, const struct space *space, uint64_t trials, uint64_t ask_every,
                  struct err *err)
{
    struct buf params = {0};
    double start = clock_monotonic(), last_ask = 0;
    int failed = 0;
    printf("%10s %10s %10s %10s\n", "told", "MiB", "seconds", "ask ms");
    for (uint64_t trial = 1; trial <= trials && !failed; trial++) {
        bool ask = trial % ask_every == 0;
        double then = clock_monotonic();
        failed = propose(searcher, space, trial, ask, &params, err);
        last_ask = ask ? (clock_monotonic() - then) * 1e3 : last_ask;
        double loss = loss_of(space, buf_str(&params), trial);
        searcher_tell(searcher, trial, isnan(loss) ? ENDING_DIVERGED : ENDING_COMPLETED, loss, 60);
        if (trial % (trials / 20 ? trials / 20 : 1) == 0) {
            printf("%10" PRIu64 " %10.1f %10.1f %10.3f\n", trial, resident(), clock_monotonic() - start, last_ask);
            fflush(stdout);
        }
    }
    buf_fini(&params);
    return failed;
}

int main(int argc, char **argv)
{
    struct contenders contenders = {0};
    struct err err = {""};
    struct searcher *searcher = NULL;
    struct problems problems = {0};
    struct spec *spec = spec_read_text(experiment, strlen(experiment), "million", ".", NULL, 0, &problems);
    const struct space *space = spec->space;
    uint64_t trials = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
    uint64_t ask_every = argc > 3 ? strtoull(argv[3], NULL, 10) : 100;
    int failed = contenders_read(&contenders, argc > 1 ? argv[1] : "auto", &err);
    if (!failed) {
        struct searcher_setup setup = {.space = space,
                                       .strategy = contenders.items[0].name,
                                       .plugin = contenders.items[0].plugin,
                                       .options = contenders.items[0].options,
                                       .seed = SEED};
        searcher = searcher_create(&setup, &err);
        failed = !searcher || search(searcher, space, trials, ask_every ? ask_every : 1, &err);
    }
    if (failed)
        fprintf(stderr, "million: %s\n", err.text);
    searcher_destroy(searcher);
    spec_destroy(spec);
    problems_fini(&problems);
    contenders_fini(&contenders);
    return failed ? 1 : 0;
}
