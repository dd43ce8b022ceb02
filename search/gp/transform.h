/* From losses to values that a Gaussian process can explain: about 0 and about 1 in size, however wild the losses are.
 * Only the order of the bad half counts, so a loss of 1e18 is as harmless as any; the good half keeps its distances,
 * stretched towards the best. */
#ifndef GANNET_SEARCH_GP_TRANSFORM_H
#define GANNET_SEARCH_GP_TRANSFORM_H

#include <stdint.h>

/* n losses to values[n], lower still better; NaN, a failure, becomes worse than all others. `losses` and `values` may
 * be the same. */
void transform(const double *losses, uint32_t n, double *values);

/* The same without taming: values keep the distances of losses. (When those are beyond all numbers they are tamed after
 * all.) */
void transform_plain(const double *losses, uint32_t n, double *values);

/* Gives values mean 0 and variance 1, whatever their size; equal ones, but for rounding, become 0. NaN stays and counts
 * for nothing. Returns what 1 was; NaN when they are too far apart for numbers, and then leaves them alone. */
double transform_standardize(double *values, uint32_t n);

#endif
