/* Expected hypervolume improvement; see ehvi.h. */
#include "search/pareto/ehvi.h"
#include "search/pareto/front.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_corners(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (a[0] > b[0]) - (a[0] < b[0]);
}

size_t ehvi_front(const double *points, size_t n, const double reference[2], double *front)
{
    size_t *index = MEM_ARRAY(size_t, n);
    size_t found = front_first(points, n, 2, index), count = 0;
    for (size_t i = 0; i < found; i++) {
        const double *point = points + index[i] * 2;
        if (point[0] < reference[0] && point[1] < reference[1])
            memcpy(front + count++ * 2, point, 2 * sizeof *point);
    }
    free(index);
    qsort(front, count, 2 * sizeof *front, compare_corners);
    return count;
}

/* psi at a place, and its derivatives. */
struct psi {
    double value, by_mean, by_stddev;
};

static struct psi psi(double z, double mean, double stddev)
{
    double u = (z - mean) / stddev;
    if (stddev <= 0 || isinf(u))
        return z > mean ? (struct psi){z - mean, -1, 0} : (struct psi){0, 0, 0};
    double density = exp(-.5 * u * u) / sqrt(2 * M_PI), below = .5 * erfc(-u / sqrt(2));
    return (struct psi){stddev * density + (z - mean) * below, -below, density};
}

double ehvi_expect(const double *front, size_t count, const double reference[2], const double mean[2],
                   const double stddev[2], double gradient[4])
{
    double sum = 0, slopes[4] = {0};
    struct psi left = {0}; /* psi_1 at the left end of the step; 0 at -infinity */
    for (size_t i = 0; i <= count; i++) {
        struct psi right = psi(i < count ? front[i * 2] : reference[0], mean[0], stddev[0]);
        struct psi up = psi(i ? front[i * 2 - 1] : reference[1], mean[1], stddev[1]);
        double width = right.value - left.value;
        sum += width * up.value;
        slopes[0] += (right.by_mean - left.by_mean) * up.value;
        slopes[1] += width * up.by_mean;
        slopes[2] += (right.by_stddev - left.by_stddev) * up.value;
        slopes[3] += width * up.by_stddev;
        left = right;
    }
    if (gradient)
        memcpy(gradient, slopes, sizeof slopes);
    return sum;
}
