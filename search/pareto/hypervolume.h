/* The hypervolume: how much of the space of losses a set of points dominates, up to a reference point. Larger is
 * better; it is the one number that grows whenever the front does.
 *
 * Alphabet: m objectives, n points; points are n rows of m losses. Points that are not better than the reference in
 * every loss, or that lack one (NaN), count for nothing. */
#ifndef GANNET_SEARCH_PARETO_HYPERVOLUME_H
#define GANNET_SEARCH_PARETO_HYPERVOLUME_H

#include <stddef.h>
#include <stdint.h>

/* The volume, exactly. O(n log n) for two objectives, O(n^2 log n) for three; beyond, n^(m-1) at worst, and in practice
 * some milliseconds for 100 points and 5 objectives. */
double hypervolume_measure(const double *points, size_t n, uint32_t m, const double *reference);

/* A reference for these points where nobody knows a better one: a tenth of the front's range beyond its worst loss, in
 * each objective. (Ishibuchi et al.: "How to specify a reference point in hypervolume calculation", Evolutionary
 * Computation 26(3), 2018.) Where the front has no range, that of its loss from 0. Infinite and missing losses are left
 * out; without any loss it is 1. */
void hypervolume_reference(const double *points, size_t n, uint32_t m, double *reference);

#endif
