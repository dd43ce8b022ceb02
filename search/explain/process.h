/* One Gaussian process of many that explain the trials, each as probable as what it says of them: how fast the loss
 * changes along each parameter, how noisy it is, and whether what adds up is the loss or its logarithm are all drawn
 * from what the trials leave open, not set to the most probable. The most probable alone would be far too sure of the
 * places where a search has not looked.
 *
 * Alphabet: n trials. */
#ifndef GANNET_SEARCH_EXPLAIN_PROCESS_H
#define GANNET_SEARCH_EXPLAIN_PROCESS_H

#include "search/gp/surrogate.h"
#include "common/rng.h"

/* What is known: losses as they are but for their size (mean 0, variance 1), since it is their variation that is
 * explained; a failed trial is a little worse than the worst. */
struct process_data {
    const struct gp_domain *domain;
    const struct design *points; /* n */
    const double *losses;        /* n, not all the same */
};

/* The scale on which a process sees losses: loss = least + bend (exp(mean + spread value) - 1), or, with a bend of
 * INFINITY, loss = mean + spread value. */
struct loss_curve {
    double least, bend, mean, spread;
};

struct gaussian_process {
    struct surrogate surrogate; /* has learned the losses on the scale */
    struct loss_curve scale;
};

void process_init(struct gaussian_process *process, const struct process_data *data, struct rng *rng);
void process_fini(struct gaussian_process *process);

/* The loss that a value of the surrogate stands for. */
double process_loss(const struct gaussian_process *process, double value);

#endif
