/* The trials that a model is made of: all of a short history, and of a long one as many as a model can take.
 *
 * Alphabet: n trials, W coordinates, columns: the objectives, then the limited metrics, then the cost. */
#ifndef GANNET_SEARCH_GP_SAMPLE_H
#define GANNET_SEARCH_GP_SAMPLE_H

#include "search/gp/covariance.h"
#include "search/history/history.h"

struct trial_sample {
    uint32_t columns;
    struct design points;  /* n, scaled */
    double *values;        /* column after column, points.room apart; NaN: the trial gave none */
    bool *failed;          /* n */
    struct design awaited; /* trials that run, of full depth */
};

/* Joules count where at least half of the ended trials have them, else seconds. */
enum sample_cost { SAMPLE_NO_COST, SAMPLE_SECONDS, SAMPLE_ENERGY };

/* All records when there are at most `most`; else the best half of those (ranking.h) and, evenly spread, others.
 * With a `centre` (scaled; NULL: none) three quarters are those nearest to it by these weights (1 / length^2), and the
 * rest is spread. */
void sample_init(struct trial_sample *sample, const struct history *history, const struct gannet_problem *problem,
                 const struct gp_domain *domain, enum sample_cost cost, uint32_t most, const double *centre,
                 const double *weights);
void sample_fini(struct trial_sample *sample); /* a zeroed one is fine */

/* Adds the trials that run: of more than `most` those nearest to the centre, without one the latest. */
void sample_await(struct trial_sample *sample, const struct history *history, const struct gp_domain *domain,
                  uint32_t most, const double *centre, const double *weights);

static inline const double *sample_column(const struct trial_sample *sample, uint32_t column)
{
    return sample->values + (size_t)column * sample->points.capacity;
}

/* A record and its rank: the least first, the earlier of equal ones first (for qsort). */
struct ranked_record {
    double rank;
    uint32_t index;
};
int sample_compare_ranked(const void *a, const void *b);

#endif
