/* Expected hypervolume improvement for two objectives, in closed form: by how much a point whose losses are independent
 * normals is expected to grow the hypervolume.
 *
 * A point improves the volume by the area between it, the staircase of the front and the reference r. Turned around:
 * every spot z that nothing dominates yet counts with the probability that the point dominates it, so
 *
 *     EHVI = sum over steps i of (psi_1(a_i+1) - psi_1(a_i)) psi_2(b_i),
 *     psi_k(z) = integral up to z of Phi((t - mu_k) / s_k) dt = s_k phi(u) + (z - mu_k) Phi(u),  u = (z - mu_k) / s_k,
 *
 * with a_i, b_i the losses of the front's points by rising first loss, a_0 = -infinity, b_0 = r_2, a_n+1 = r_1.
 * (Emmerich, Yang, Deutz, Wang, Fonseca: "A multicriteria generalization of Bayesian global optimization", 2016; the
 * O(n) form: Yang, Emmerich, Deutz, Baeck: "Efficient computation of expected hypervolume improvement using box
 * decomposition algorithms", J. Global Optimization 75, 2019.) */
#ifndef GANNET_SEARCH_PARETO_EHVI_H
#define GANNET_SEARCH_PARETO_EHVI_H

#include <stddef.h>

/* Makes the staircase of n points (rows of two losses): writes the corners by rising first loss to front[2 n], those
 * that are better than the reference and not dominated. Returns how many. */
size_t ehvi_front(const double *points, size_t n, const double reference[2], double *front);

/* The expected improvement over a staircase of `count` corners. The standard deviations are 0 or more. `gradient`,
 * which may be NULL, becomes its derivatives by mean[0], mean[1], stddev[0], stddev[1]. O(count). */
double ehvi_expect(const double *front, size_t count, const double reference[2], const double mean[2],
                   const double stddev[2], double gradient[4]);

#endif
