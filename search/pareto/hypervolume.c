/* The hypervolume; see hypervolume.h.
 *
 * Two objectives are a staircase. With more, points are taken from the worst last loss to the best, and each adds what
 * it dominates and no later one does. All later points are at least as good in the last loss, so what they take away
 * is a matter of the other losses alone: a volume of one dimension less, of the later points limited to the box of
 * this one. (The exclusive volumes and limit sets of While, Bradstreet, Barone: "A fast way of calculating exact
 * hypervolumes", IEEE TEVC 16(1), 2012, sections III and IV.) */
#include "search/pareto/hypervolume.h"
#include "search/pareto/front.h"
#include "common/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A point where qsort can compare it. */
struct volume_row {
    const double *losses;
    uint32_t by; /* the loss that it is sorted by */
};

/* The worst first. */
static int compare_rows(const void *left, const void *right)
{
    const struct volume_row *a = left, *b = right;
    double x = a->losses[a->by], y = b->losses[b->by];
    return (x < y) - (x > y);
}

static struct volume_row *sorted_rows(const double *points, size_t n, uint32_t m, uint32_t by)
{
    struct volume_row *rows = MEM_ARRAY(struct volume_row, n);
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct volume_row){points + i * m, by};
    qsort(rows, n, sizeof *rows, compare_rows);
    return rows;
}

/* Of points that are all below the reference. */
static double measure_volume(const double *points, size_t n, uint32_t m, const double *reference);

static double measure_line(const double *points, size_t n, const double *reference)
{
    double least = reference[0];
    for (size_t i = 0; i < n; i++)
        least = fmin(least, points[i]);
    return reference[0] - least;
}

/* From the best second loss up: each step of the staircase is as wide as the first loss is better than before. */
static double measure_staircase(const double *points, size_t n, const double *reference)
{
    struct volume_row *rows = sorted_rows(points, n, 2, 1);
    double volume = 0, edge = reference[0];
    for (size_t i = n; i-- > 0;) {
        const double *point = rows[i].losses;
        if (point[0] >= edge)
            continue;
        volume += (edge - point[0]) * (reference[1] - point[1]);
        edge = point[0];
    }
    free(rows);
    return volume;
}

/* What `point` dominates and none of the rows does; `point` has the worst last loss of all. In `limited` there is room
 * for all rows. */
static double exclusive(const double *point, const struct volume_row *rows, size_t count, uint32_t m,
                        const double *reference, double *limited)
{
    double box = 1;
    for (uint32_t k = 0; k + 1 < m; k++)
        box *= reference[k] - point[k];
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k + 1 < m; k++)
            limited[i * (m - 1) + k] = fmax(rows[i].losses[k], point[k]);
    return (box - measure_volume(limited, count, m - 1, reference)) * (reference[m - 1] - point[m - 1]);
}

static double measure_slices(const double *points, size_t n, uint32_t m, const double *reference)
{
    struct volume_row *rows = sorted_rows(points, n, m, m - 1);
    double *limited = MEM_ARRAY(double, n *(m - 1));
    double volume = 0;
    for (size_t i = 0; i < n; i++)
        volume += exclusive(rows[i].losses, rows + i + 1, n - i - 1, m, reference, limited);
    free(limited);
    free(rows);
    return volume;
}

/* The points of the first front, in the order they had. Returns how many. */
static size_t keep_front(double *points, size_t n, uint32_t m)
{
    size_t *index = MEM_ARRAY(size_t, n);
    size_t count = front_first(points, n, m, index);
    for (size_t i = 0; i < count; i++)
        memmove(points + i * m, points + index[i] * m, m * sizeof *points);
    free(index);
    return count;
}

static double measure_volume(const double *points, size_t n, uint32_t m, const double *reference)
{
    if (m == 1)
        return measure_line(points, n, reference);
    if (m == 2)
        return measure_staircase(points, n, reference);
    double *front = MEM_ARRAY(double, n *m);
    memcpy(front, points, n * m * sizeof *points);
    double volume = measure_slices(front, keep_front(front, n, m), m, reference);
    free(front);
    return volume;
}

static bool is_below(const double *point, uint32_t m, const double *reference)
{
    for (uint32_t k = 0; k < m; k++)
        if (!(point[k] < reference[k]))
            return false;
    return true;
}

double hypervolume_measure(const double *points, size_t n, uint32_t m, const double *reference)
{
    double *below = MEM_ARRAY(double, n *m);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (is_below(points + i * m, m, reference))
            memcpy(below + count++ * m, points + i * m, m * sizeof *points);
    double volume = measure_volume(below, count, m, reference);
    free(below);
    return volume;
}

void hypervolume_reference(const double *points, size_t n, uint32_t m, double *reference)
{
    double *low = MEM_ARRAY(double, m);
    front_range(points, n, m, low, reference);
    for (uint32_t k = 0; k < m; k++) {
        double high = reference[k], range = high > low[k] ? high - low[k] : high != 0 ? fabs(high) : 1;
        reference[k] = isfinite(high) ? high + .1 * range : 1;
    }
    free(low);
}
