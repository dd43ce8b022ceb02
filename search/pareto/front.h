/* Dominance: what "better" means when there are several objectives, and the fronts that it makes.
 *
 * Losses are lower-is-better; a point dominates another when it is better in one objective and worse in none. NaN, a
 * value that a trial did not give, counts as worse than any number.
 *
 * Alphabet: m objectives, n points; points are n rows of m losses. */
#ifndef GANNET_SEARCH_PARETO_FRONT_H
#define GANNET_SEARCH_PARETO_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a dominates b. Equal points don't dominate each other. */
bool front_dominates(const double *a, const double *b, uint32_t m);

/* Non-dominated sorting: rank[i] is 0 for points that nothing dominates, 1 for those that only points of rank 0 do, and
 * so on. O(n log n) for one or two objectives; O(m n^2) at worst beyond, in practice much less. */
void front_rank(const double *points, size_t n, uint32_t m, uint32_t *rank);

/* The indices of the points that nothing dominates, rising; how many there are. Of equal ones the first only. */
size_t front_first(const double *points, size_t n, uint32_t m, size_t *index);

/* The least and the greatest loss of the first front in each objective, numbers that are not finite left out; infinity
 * and -infinity where there is none. */
void front_range(const double *points, size_t n, uint32_t m, double *low, double *high);

/* The crowding distance of each of n points of one front: how far apart its neighbours are, summed over the objectives
 * and each divided by its range; infinite at the ends. NSGA-II prefers lonely points (Deb et al. 2002, section III-B).
 */
void front_crowding(const double *points, size_t n, uint32_t m, double *distance);

#endif
