/* What gannet importance says of searches in functions whose shares are known, beside functional ANOVA of a forest on
 * the same trials.
 *
 *     build/bench/importance [TRIALS [SEEDS [FUNCTION]]]      default: 60 trials, 5 seeds, all functions of
 * tests/known.c
 *
 * A line for each function, strategy and parameter, in percent: the share that it causes by itself in truth, by the
 * forest and by us, and together with others in truth and by us; means over the seeds, and how far the farthest was
 * off. `inside`: in how many searches our interval held the truth, with one percent to spare at each end. At the end
 * how often it was sure of the order, and wrong: to call one of two that matter alike the first is wrong, too. */
#include "tests/fanova_forest.h"
#include "tests/known.h"
#include "search/explain/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const strategies[] = {"auto", "tpe", "random"};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

/* Sums over the seeds, of one parameter. */
struct sums {
    double forest, alone, together; /* what they said */
    double forest_off, alone_off, together_off;
    double off;      /* the largest of ours, together */
    double width;    /* of the intervals */
    uint32_t inside; /* intervals that hold the truth */
};

/* Of all searches of one strategy. */
struct tally {
    double forest_off, alone_off, together_off;
    uint32_t shares, inside, places, sure, wrong;
};

static void add_param(const struct known *known, const struct explained *explained, double forest, struct sums *sums)
{
    double alone = known->alone[explained->index], together = known->together[explained->index];
    double off = fabs(explained->together.expected - together);
    sums->forest += forest;
    sums->forest_off += fabs(forest - alone);
    sums->alone += explained->alone.expected;
    sums->alone_off += fabs(explained->alone.expected - alone);
    sums->together += explained->together.expected;
    sums->together_off += off;
    sums->off = fmax(sums->off, off);
    sums->width += explained->together.high - explained->together.low;
    sums->inside += together > explained->together.low - 0.01 && together < explained->together.high + 0.01;
}

/* Whether a parameter behind this place matters more. */
static bool is_wrong(const struct known *known, const struct explanation *explanation, uint32_t place)
{
    for (uint32_t i = place + 1; i < explanation->count; i++)
        if (known->together[explanation->params[i].index] >= known->together[explanation->params[place].index])
            return true;
    return false;
}

static uint32_t search_once(const struct known *known, const char *strategy, uint64_t seed, uint32_t trials,
                            struct sums *sums, struct tally *tally)
{
    struct known_search search = known_search(known, strategy, seed, trials);
    struct explanation explanation;
    double forest[KNOWN_MOST];
    explain(search.problem, space_host(search.space), search.history, &explanation);
    fanova_forest(search.history, explanation.count, forest);
    for (uint32_t i = 0; i < explanation.count; i++) {
        const struct explained *explained = &explanation.params[i];
        add_param(known, explained, forest[explained->index], &sums[explained->index]);
        if (i + 1 == explanation.count)
            continue;
        tally->places++;
        tally->sure += explain_is_sure(&explanation, i);
        tally->wrong += explain_is_sure(&explanation, i) && is_wrong(known, &explanation, i);
    }
    uint32_t count = explanation.count;
    explain_fini(&explanation);
    known_search_end(&search);
    return count;
}

static void compare_on(const struct known *known, const char *strategy, uint32_t trials, uint32_t seeds,
                       struct tally *tally)
{
    struct sums sums[KNOWN_MOST] = {{0}};
    uint32_t count = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++)
        count = search_once(known, strategy, seed, trials, sums, tally);
    for (uint32_t d = 0; d < count; d++) {
        const struct sums *sum = &sums[d];
        double percent = 100.0 / seeds;
        printf("%-12s %-7s %3u  %6.1f %7.1f %6.1f   %6.1f %6.1f %6.1f %6.1f  %3u of %u\n", known->name, strategy, d + 1,
               100 * known->alone[d], percent * sum->forest, percent * sum->alone, 100 * known->together[d],
               percent * sum->together, 100 * sum->off, percent * sum->width, sum->inside, seeds);
        tally->forest_off += sum->forest_off;
        tally->alone_off += sum->alone_off;
        tally->together_off += sum->together_off;
        tally->inside += sum->inside;
        tally->shares += seeds;
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint32_t trials = argc > 1 ? (uint32_t)atoi(argv[1]) : 60, seeds = argc > 2 ? (uint32_t)atoi(argv[2]) : 5;
    struct tally tallies[STRATEGIES] = {{0}};
    printf("%-12s %-7s %3s  %6s %7s %6s   %6s %6s %6s %6s\n", "", "", "", "alone", "", "", "together", "", "", "");
    printf("%-12s %-7s %3s  %6s %7s %6s   %6s %6s %6s %6s  %s\n", "function", "search", "", "truth", "fANOVA", "ours",
           "truth", "ours", "off", "width", "inside");
    for (uint32_t k = 0; k < known_count; k++)
        for (int s = 0; s < STRATEGIES; s++)
            if (argc < 4 || strcmp(argv[3], known_functions[k].name) == 0)
                compare_on(&known_functions[k], strategies[s], trials, seeds, &tallies[s]);
    for (int s = 0; s < STRATEGIES; s++) {
        const struct tally *tally = &tallies[s];
        printf("\n%s: alone off by %.1f %% on average (fANOVA %.1f %%), together by %.1f %%; intervals held %u of %u; "
               "sure "
               "of %u places of %u, wrong %u times",
               strategies[s], 100 * tally->alone_off / tally->shares, 100 * tally->forest_off / tally->shares,
               100 * tally->together_off / tally->shares, tally->inside, tally->shares, tally->sure, tally->places,
               tally->wrong);
    }
    printf("\n");
    return 0;
}
