/* From rows of results to a report in Markdown: how one strategy did beside all others.
 *
 *     report [--of STRATEGY] [--brief] FILE.csv...
 *
 * --brief leaves out what is said of single tables.
 *
 * Files are as `gannet bench --csv` writes them; the other tools' may cover fewer seeds, tables and counts of trials.
 * So there are two kinds of comparison: ranks among those that have done every search that STRATEGY has done, and
 * pairs, each over the searches that both have done. */
#include "cli/bench/bench_summary.h"
#include "common/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The counts of trials that are reported. */
static const uint64_t counts[] = {25, 50, 100, 200};
enum { COUNTS = sizeof counts / sizeof *counts };

struct report {
    struct cube cube;
    size_t us; /* the strategy that it is about */
    bool brief;
};

/* The index of a count of trials in the cube; cube->N: it is not there. */
static size_t find_count(const struct cube *cube, uint64_t trials)
{
    size_t n = 0;
    while (n < cube->N && cube->trials[n] != trials)
        n++;
    return n;
}

/* Searches of strategy s at this place, and how many of ours it has done too. */
static size_t covered(const struct report *report, size_t w, size_t n, size_t s, size_t *ours)
{
    const struct cube *cube = &report->cube;
    size_t both = 0;
    *ours = 0;
    for (size_t t = 0; t < cube->T; t++)
        for (size_t r = 0; r < cube->R; r++)
            if (cube_at(cube, t, report->us, w, n, r)) {
                ++*ours;
                both += cube_at(cube, t, s, w, n, r) != NULL;
            }
    return both;
}

static bool is_complete(const struct report *report, size_t w, size_t n, size_t s)
{
    size_t ours;
    return covered(report, w, n, s, &ours) == ours && ours;
}

/* --- ranks --- */

/* Summaries of the complete strategies, over the searches that we have done: all[s], searches 0 for the others. */
static void rank_complete(const struct report *report, size_t w, size_t n, struct bench_summary *all)
{
    const struct cube *cube = &report->cube;
    struct bench_rows rows = {0};
    struct cube complete;
    for (size_t s = 0; s < cube->S; s++) {
        if (!is_complete(report, w, n, s))
            continue;
        for (size_t t = 0; t < cube->T; t++)
            for (size_t r = 0; r < cube->R; r++)
                if (cube_at(cube, t, report->us, w, n, r))
                    rows_add(&rows, cube_at(cube, t, s, w, n, r));
    }
    memset(all, 0, cube->S * sizeof *all);
    cube_init(&complete, &rows);
    struct bench_summary *found = MEM_ARRAY(struct bench_summary, complete.S + 1);
    if (complete.S)
        bench_summary_make(&complete, (struct summary_place){SUMMARY_ALL, 0, 0}, found);
    for (size_t s = 0, c = 0; s < cube->S && c < complete.S; s++)
        if (strcmp(cube->strategies[s], complete.strategies[c]) == 0)
            all[s] = found[c++];
    free(found);
    cube_fini(&complete);
    rows_fini(&rows);
}

static void print_ranks(const struct report *report, size_t w)
{
    const struct cube *cube = &report->cube;
    struct bench_summary *all = MEM_ARRAY(struct bench_summary, COUNTS * cube->S + 1);
    for (size_t i = 0; i < COUNTS; i++)
        if (find_count(cube, counts[i]) < cube->N)
            rank_complete(report, w, find_count(cube, counts[i]), all + i * cube->S);
    printf("Mean rank and median normalised regret of those that have done every search that %s has done:\n\n"
           "| strategy |",
           cube->strategies[report->us]);
    for (size_t i = 0; i < COUNTS; i++)
        printf(" rank at %" PRIu64 " | regret |", counts[i]);
    printf(" ms p50 | ms p99 |\n|---|%s---:|---:|\n", "---:|---:|---:|---:|---:|---:|---:|---:|");
    for (size_t s = 0; s < cube->S; s++) {
        const struct bench_summary *last = NULL;
        for (size_t i = 0; i < COUNTS; i++)
            last = all[i * cube->S + s].searches ? &all[i * cube->S + s] : last;
        if (!last)
            continue;
        printf("| %s |", cube->strategies[s]);
        for (size_t i = 0; i < COUNTS; i++) {
            const struct bench_summary *here = &all[i * cube->S + s];
            if (here->searches)
                printf(" %.2f | %.4f |", here->rank, here->regret);
            else
                printf(" | |");
        }
        printf(" %.3g | %.3g |\n", last->ask_p50, last->ask_p99);
    }
    printf("\n");
    free(all);
}

/* --- pairs --- */

/* The median regret of a strategy over the searches that another has done too. */
static double common_regret(const struct cube *cube, size_t w, size_t n, size_t s, size_t other)
{
    struct bench_rows rows = {0};
    struct cube common;
    struct bench_summary summary = {.regret = NAN};
    for (size_t t = 0; t < cube->T; t++)
        for (size_t r = 0; r < cube->R; r++)
            if (cube_at(cube, t, s, w, n, r) && cube_at(cube, t, other, w, n, r))
                rows_add(&rows, cube_at(cube, t, s, w, n, r));
    cube_init(&common, &rows);
    if (common.S)
        bench_summary_make(&common, (struct summary_place){SUMMARY_ALL, 0, 0}, &summary);
    cube_fini(&common);
    rows_fini(&rows);
    return summary.regret;
}

static void print_pair(const struct report *report, size_t w, size_t n, size_t s)
{
    const struct cube *cube = &report->cube;
    struct summary_place place = {SUMMARY_ALL, w, n};
    struct wilcoxon test = bench_summary_pair(cube, place, report->us, s);
    if (!test.pairs && !test.equal)
        return;
    double ours = common_regret(cube, w, n, report->us, s), theirs = common_regret(cube, w, n, s, report->us);
    printf("| %s | %zu | %.4f | %.4f | %.2f | %zu | %zu | %zu | %.2g | %zu | %zu |\n", cube->strategies[s],
           test.pairs + test.equal, ours, theirs, ours == theirs ? 1 : ours / theirs, test.below, test.above,
           test.equal, test.p, bench_summary_better(cube, place, report->us, s),
           bench_summary_better(cube, place, s, report->us));
}

static void print_pairs(const struct report *report, size_t w)
{
    const struct cube *cube = &report->cube;
    for (size_t i = 0; i < COUNTS; i++) {
        size_t n = find_count(cube, counts[i]);
        if (n == cube->N || !is_complete(report, w, n, report->us))
            continue;
        printf("Pairs at %" PRIu64
               " trials, over the searches that both have done (Wilcoxon signed-rank; a table counts "
               "where p < 0.01):\n\n"
               "| %s against | searches | regret | theirs | ratio | won | lost | equal | p | tables better | worse |\n"
               "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
               counts[i], cube->strategies[report->us]);
        for (size_t s = 0; s < cube->S; s++)
            if (s != report->us)
                print_pair(report, w, n, s);
        printf("\n");
    }
}

/* --- tables --- */

/* The medians of every strategy on every table at 100 trials. */
static void print_tables(const struct report *report, size_t w)
{
    const struct cube *cube = &report->cube;
    size_t n = find_count(cube, 100);
    if (n == cube->N)
        return;
    printf("Median normalised regret at 100 trials on each table, and of how many searches:\n\n| table |");
    for (size_t s = 0; s < cube->S; s++)
        printf(" %s |", cube->strategies[s]);
    printf("\n|---|");
    for (size_t s = 0; s < cube->S; s++)
        printf("---:|");
    printf("\n");
    struct bench_summary *all = MEM_ARRAY(struct bench_summary, cube->S + 1);
    for (size_t t = 0; t < cube->T; t++) {
        bench_summary_make(cube, (struct summary_place){t, w, n}, all);
        printf("| %s |", cube->tables[t]);
        for (size_t s = 0; s < cube->S; s++)
            if (all[s].searches)
                printf(" %.4f (%zu) |", all[s].regret, all[s].searches);
            else
                printf(" |");
        printf("\n");
    }
    printf("\n");
    free(all);
}

/* Where we are significantly worse than random search, at each count. */
static void print_random(const struct report *report, size_t w)
{
    const struct cube *cube = &report->cube;
    size_t random = 0, worse = 0, tested = 0;
    while (random < cube->S && strcmp(cube->strategies[random], "random") != 0)
        random++;
    if (random == cube->S || random == report->us)
        return;
    for (size_t t = 0; t < cube->T; t++)
        for (size_t i = 0; i < COUNTS; i++) {
            size_t n = find_count(cube, counts[i]);
            if (n == cube->N)
                continue;
            struct wilcoxon test = bench_summary_pair(cube, (struct summary_place){t, w, n}, report->us, random);
            tested += test.pairs > 0;
            if (test.p >= 0.01 || test.sum <= (double)test.pairs * ((double)test.pairs + 1) / 4)
                continue;
            worse++;
            printf("- worse than random on %s at %" PRIu64 " trials: %zu won, %zu lost, p = %.2g\n", cube->tables[t],
                   counts[i], test.below, test.above, test.p);
        }
    printf("%sSignificantly worse than random search (p < 0.01) in %zu of %zu comparisons of a table and a count of "
           "trials.\n\n",
           worse ? "\n" : "", worse, tested);
}

/* --- all of it --- */

static int find_strategy(const struct cube *cube, const char *name, size_t *index)
{
    for (*index = 0; *index < cube->S; ++*index)
        if (strcmp(cube->strategies[*index], name) == 0)
            return 0;
    fprintf(stderr, "report: no file has results of '%s'; they have:", name);
    for (size_t s = 0; s < cube->S; s++)
        fprintf(stderr, " %s", cube->strategies[s]);
    fprintf(stderr, "\n");
    return -1;
}

static void print_report(const struct report *report)
{
    for (size_t w = 0; w < report->cube.W; w++) {
        printf("## %" PRIu64 " %s\n\n", report->cube.workers[w],
               report->cube.workers[w] == 1 ? "worker" : "asynchronous workers");
        print_ranks(report, w);
        print_pairs(report, w);
        if (report->brief)
            continue;
        print_tables(report, w);
        print_random(report, w);
    }
}

int main(int argc, char **argv)
{
    const char *name = "auto";
    struct bench_rows rows = {0};
    struct report report = {0};
    struct err err;
    int at = 1, failed = 0;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--of") == 0 && at + 1 < argc)
            name = argv[++at];
        else if (strcmp(argv[at], "--brief") == 0)
            report.brief = true;
        else
            at = argc;
    }
    if (at >= argc)
        return fprintf(stderr, "usage: report [--of STRATEGY] [--brief] FILE.csv...\n"), 2;
    for (; at < argc && !failed; at++)
        failed = rows_read(&rows, argv[at], &err);
    if (failed)
        fprintf(stderr, "report: %s\n", err.text);
    cube_init(&report.cube, &rows);
    if (!failed && !(failed = find_strategy(&report.cube, name, &report.us)))
        print_report(&report);
    cube_fini(&report.cube);
    rows_fini(&rows);
    return failed ? 1 : 0;
}
