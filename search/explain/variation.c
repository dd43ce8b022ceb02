/* Shares of the variation; see variation.h. */
#include "search/explain/variation.h"
#include "search/explain/draws.h"
#include "search/explain/fanova.h"
#include "search/explain/process.h"
#include "search/gp/linalg.h"
#include "search/gp/sample.h"
#include "search/gp/transform.h"
#include "common/mem.h"

#include <stdlib.h>

enum {
    PROCESSES = 16,
    EACH = 8,                 /* draws from each process */
    DRAWS = PROCESSES * EACH, /* six of them lie outside of nine in ten at each side */
    TRIALS = 300              /* that a process learns */
};

/* Of two shares the larger counts as larger when it is so by more than what functional ANOVA's sample may be off by. */
static const double margin = 1.05;

/* Processes, and what was drawn from each. */
struct functions {
    const struct gp_domain *domain;
    struct gaussian_process processes[PROCESSES];
    struct draws *draws[PROCESSES];
    double *x; /* D */
};

static void evaluate_functions(void *context, const double *unit, double *out)
{
    struct functions *functions = context;
    domain_scale(functions->domain, unit, 1, functions->x);
    for (int p = 0; p < PROCESSES; p++, out += EACH) {
        draws_values(functions->draws[p], functions->x, out);
        for (int i = 0; i < EACH; i++)
            out[i] = process_loss(&functions->processes[p], out[i]);
    }
}

static bool losses_differ(const struct history *history)
{
    for (uint32_t i = 1; i < history_count(history); i++) {
        const struct record *first = history_record(history, 0), *other = history_record(history, i);
        if (first->failed != other->failed || (!first->failed && first->loss != other->loss))
            return true;
    }
    return false;
}

static int by_number(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* The mean of a parameter's shares in all draws, and their outer twentieths cut off. */
static struct variation_share summarize_shares(const double *shares, uint32_t dimension, uint32_t d)
{
    double sorted[DRAWS];
    struct variation_share share = {0, 0, 0};
    for (uint32_t s = 0; s < DRAWS; s++) {
        sorted[s] = shares[(size_t)s * dimension + d];
        share.expected += sorted[s] / (double)DRAWS;
    }
    qsort(sorted, DRAWS, sizeof *sorted, by_number);
    share.low = sorted[DRAWS / 20];
    share.high = sorted[DRAWS - 1 - DRAWS / 20];
    return share;
}

static void compare_params(const double *together, struct variation *out)
{
    uint32_t dimension = out->count;
    for (uint32_t s = 0; s < DRAWS; s++)
        for (uint32_t i = 0; i < dimension; i++)
            for (uint32_t j = 0; j < dimension; j++)
                if (together[s * dimension + i] > margin * together[s * dimension + j])
                    out->above[i * dimension + j] += 1.0 / (double)DRAWS;
}

static void explain_draws(const struct process_data *data, const struct gannet_space *space,
                          const struct gannet_host *host, struct variation *out)
{
    struct rng rng = rng_make(0, "explain", 0);
    struct functions functions = {.domain = data->domain, .x = MEM_ARRAY(double, data->domain->width)};
    double *alone = MEM_ARRAY(double, 2 * (size_t)DRAWS * out->count), *together = alone + (size_t)DRAWS * out->count;
    for (int p = 0; p < PROCESSES; p++) {
        process_init(&functions.processes[p], data, &rng);
        functions.draws[p] = draws_create(&functions.processes[p].surrogate, EACH, &rng);
    }
    fanova(&(struct fanova_functions){DRAWS, evaluate_functions, &functions}, space, host, alone, together);
    for (uint32_t d = 0; d < out->count; d++) {
        out->alone[d] = summarize_shares(alone, out->count, d);
        out->together[d] = summarize_shares(together, out->count, d);
    }
    compare_params(together, out);
    for (int p = 0; p < PROCESSES; p++) {
        draws_destroy(functions.draws[p]);
        process_fini(&functions.processes[p]);
    }
    free(functions.x);
    free(alone);
}

void variation_init(struct variation *variation, const struct gannet_problem *problem, const struct gannet_host *host,
                    const struct history *history)
{
    struct gannet_problem plain = {.space = problem->space, .objectives = 1};
    uint32_t dimension = plain.space->count;
    struct gp_domain domain;
    struct trial_sample sample;
    *variation = (struct variation){.count = dimension,
                                    .alone = MEM_ARRAY(struct variation_share, dimension),
                                    .together = MEM_ARRAY(struct variation_share, dimension),
                                    .above = MEM_ARRAY(double, (size_t)dimension *dimension)};
    if (!losses_differ(history))
        return;
    linalg_start();
    domain_init(&domain, &plain, host);
    sample_init(&sample, history, &plain, &domain, SAMPLE_NO_COST, TRIALS, NULL, NULL);
    double *values = MEM_ARRAY(double, sample.points.count);
    transform_plain(sample_column(&sample, 0), sample.points.count, values);
    explain_draws(&(struct process_data){&domain, &sample.points, values}, plain.space, host, variation);
    free(values);
    sample_fini(&sample);
    domain_fini(&domain);
}

void variation_fini(struct variation *variation)
{
    free(variation->alone);
    free(variation->together);
    free(variation->above);
}
