/* Dominance and fronts; see front.h.
 *
 * Sorting is ENS-BS: points are taken in lexicographic order, so that none is dominated by a later one, and each goes
 * into the first front that has nobody to dominate it, found by halving. With two objectives only the newest member of
 * a front has to be looked at, since it has the least second loss of all. (Zhang, Tian, Cheng, Jin: "An efficient
 * approach to nondominated sorting for evolutionary multiobjective optimization", IEEE TEVC 19(2), 2015, algorithm 4.)
 */
#include "search/pareto/front.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

#define NOBODY SIZE_MAX

static bool less(double a, double b)
{
    return a < b || (isnan(b) && !isnan(a));
}

bool front_dominates(const double *a, const double *b, uint32_t m)
{
    bool better = false;
    for (uint32_t k = 0; k < m; k++) {
        if (less(b[k], a[k]))
            return false;
        better = better || less(a[k], b[k]);
    }
    return better;
}

/* A point to be sorted. */
struct front_row {
    const double *losses;
    uint32_t m;
    size_t index;
};

/* By the first loss, then the second, ...; equal points by index. */
static int compare_rows(const void *left, const void *right)
{
    const struct front_row *a = left, *b = right;
    for (uint32_t k = 0; k < a->m; k++) {
        if (less(a->losses[k], b->losses[k]))
            return -1;
        if (less(b->losses[k], a->losses[k]))
            return 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

static struct front_row *sorted_rows(const double *points, size_t n, uint32_t m)
{
    struct front_row *rows = MEM_ARRAY(struct front_row, n);
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct front_row){points + i * m, m, i};
    qsort(rows, n, sizeof *rows, compare_rows);
    return rows;
}

/* The fronts as far as they are made: each a chain of places among the rows, the newest member first. */
struct fronts {
    const struct front_row *rows;
    uint32_t m;
    size_t *newest; /* of each front */
    size_t *before; /* of each row: the member before it, or NOBODY */
    uint32_t count;
};

static bool front_has_better(const struct fronts *fronts, uint32_t front, size_t at)
{
    for (size_t i = fronts->newest[front]; i != NOBODY; i = fronts->before[i]) {
        if (front_dominates(fronts->rows[i].losses, fronts->rows[at].losses, fronts->m))
            return true;
        if (fronts->m <= 2)
            return false;
    }
    return false;
}

/* What a front dominates, all fronts before it dominate as well: halving finds the first that does not. */
static uint32_t front_for(const struct fronts *fronts, size_t at)
{
    uint32_t low = 0, high = fronts->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (front_has_better(fronts, middle, at))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void front_rank(const double *points, size_t n, uint32_t m, uint32_t *rank)
{
    struct front_row *rows = sorted_rows(points, n, m);
    struct fronts fronts = {.rows = rows, .m = m, .newest = MEM_ARRAY(size_t, n), .before = MEM_ARRAY(size_t, n)};
    for (size_t i = 0; i < n; i++) {
        uint32_t front = front_for(&fronts, i);
        fronts.before[i] = front == fronts.count ? NOBODY : fronts.newest[front];
        fronts.count += front == fronts.count;
        fronts.newest[front] = i;
        rank[rows[i].index] = front;
    }
    free(fronts.newest);
    free(fronts.before);
    free(rows);
}

static bool same_losses(const double *a, const double *b, uint32_t m)
{
    for (uint32_t k = 0; k < m; k++)
        if (less(a[k], b[k]) || less(b[k], a[k]))
            return false;
    return true;
}

static int compare_index(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

size_t front_first(const double *points, size_t n, uint32_t m, size_t *index)
{
    struct front_row *rows = sorted_rows(points, n, m);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        bool beaten = i && same_losses(rows[i - 1].losses, rows[i].losses, m);
        size_t looked =
            m <= 2 && count ? count - 1 : 0; /* from which member on: of two objectives the newest will do */
        for (size_t j = count; j-- > looked && !beaten;)
            beaten = front_dominates(points + index[j] * m, rows[i].losses, m);
        if (!beaten)
            index[count++] = rows[i].index;
    }
    free(rows);
    qsort(index, count, sizeof *index, compare_index);
    return count;
}

void front_range(const double *points, size_t n, uint32_t m, double *low, double *high)
{
    size_t *index = MEM_ARRAY(size_t, n);
    size_t count = front_first(points, n, m, index);
    for (uint32_t k = 0; k < m; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            double loss = points[index[i] * m + k];
            low[k] = isfinite(loss) ? fmin(low[k], loss) : low[k];
            high[k] = isfinite(loss) ? fmax(high[k], loss) : high[k];
        }
    }
    free(index);
}

/* One loss of a point. */
struct indexed_loss {
    double loss;
    size_t index;
};

static int compare_entries(const void *left, const void *right)
{
    const struct indexed_loss *a = left, *b = right;
    if (less(a->loss, b->loss) || less(b->loss, a->loss))
        return less(a->loss, b->loss) ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

void front_crowding(const double *points, size_t n, uint32_t m, double *distance)
{
    struct indexed_loss *entries = MEM_ARRAY(struct indexed_loss, n);
    for (size_t i = 0; i < n; i++)
        distance[i] = 0;
    for (uint32_t k = 0; k < m && n; k++) {
        for (size_t i = 0; i < n; i++)
            entries[i] = (struct indexed_loss){points[i * m + k], i};
        qsort(entries, n, sizeof *entries, compare_entries);
        double range = entries[n - 1].loss - entries[0].loss;
        distance[entries[0].index] = distance[entries[n - 1].index] = INFINITY;
        for (size_t i = 1; i + 1 < n && range > 0 && isfinite(range); i++)
            distance[entries[i].index] += (entries[i + 1].loss - entries[i - 1].loss) / range;
    }
    free(entries);
}
