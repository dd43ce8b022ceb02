/* Thinning; see thin.h. */
#include "cli/plot/thin.h"

#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- dots --- */

struct thinning {
    const struct point *places;
    size_t count;
    struct point middle;
    double cell;     /* pixels */
    uint32_t *slots; /* of a hash table of cells: the place that is drawn there, from 1; 0: free */
    size_t mask;
};

static double distance(const struct thinning *thinning, size_t i)
{
    double x = thinning->places[i].x - thinning->middle.x, y = thinning->places[i].y - thinning->middle.y;
    return x * x + y * y;
}

static bool is_same_cell(const struct thinning *thinning, size_t a, size_t b)
{
    const struct point *one = &thinning->places[a], *other = &thinning->places[b];
    return floor(one->x / thinning->cell) == floor(other->x / thinning->cell) &&
           floor(one->y / thinning->cell) == floor(other->y / thinning->cell);
}

/* The slot of a place's cell: a taken one when something is drawn there. */
static uint32_t *find_slot(const struct thinning *thinning, size_t i)
{
    int64_t cell[2] = {(int64_t)floor(thinning->places[i].x / thinning->cell),
                       (int64_t)floor(thinning->places[i].y / thinning->cell)};
    size_t slot = (size_t)((uint64_t)cell[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)cell[1] * 0xc2b2ae3d27d4eb4fu);
    for (slot = (slot ^ slot >> 29) & thinning->mask;; slot = (slot + 1) & thinning->mask)
        if (!thinning->slots[slot] || is_same_cell(thinning, thinning->slots[slot] - 1, i))
            return &thinning->slots[slot];
}

/* How many are drawn with cells of this size. */
static size_t try_cells(struct thinning *thinning, double cell)
{
    size_t drawn = 0;
    thinning->cell = cell;
    memset(thinning->slots, 0, (thinning->mask + 1) * sizeof *thinning->slots);
    for (size_t i = 0; i < thinning->count; i++) {
        if (!isfinite(thinning->places[i].x) || !isfinite(thinning->places[i].y))
            continue;
        uint32_t *slot = find_slot(thinning, i);
        drawn += !*slot;
        if (!*slot || distance(thinning, i) > distance(thinning, *slot - 1))
            *slot = (uint32_t)i + 1;
    }
    return drawn;
}

/* The outermost ones to each side. */
static void draw_extremes(const struct point *places, size_t count, bool *drawn)
{
    size_t ends[4] = {0};
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(places[i].x) || !isfinite(places[i].y))
            continue;
        if (!any)
            ends[0] = ends[1] = ends[2] = ends[3] = i;
        any = true;
        ends[0] = places[i].x < places[ends[0]].x ? i : ends[0];
        ends[1] = places[i].x > places[ends[1]].x ? i : ends[1];
        ends[2] = places[i].y < places[ends[2]].y ? i : ends[2];
        ends[3] = places[i].y > places[ends[3]].y ? i : ends[3];
    }
    for (size_t i = 0; i < 4 && any; i++)
        drawn[ends[i]] = true;
}

static struct point middle_of(const struct point *places, size_t count)
{
    struct point sum = {0};
    double finite = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(places[i].x) && isfinite(places[i].y)) {
            sum.x += places[i].x;
            sum.y += places[i].y;
            finite++;
        }
    return finite > 0 ? (struct point){sum.x / finite, sum.y / finite} : sum;
}

void thin_dots(const struct point *places, size_t count, size_t most, bool *drawn)
{
    size_t slots = 64;
    for (size_t i = 0; i < count; i++)
        drawn[i] = isfinite(places[i].x) && isfinite(places[i].y);
    if (count <= most)
        return;
    while (slots < 2 * count)
        slots *= 2;
    struct thinning thinning = {.places = places,
                                .count = count,
                                .middle = middle_of(places, count),
                                .slots = MEM_ARRAY(uint32_t, slots),
                                .mask = slots - 1};
    double cell = 1;
    while (try_cells(&thinning, cell) > most && cell < 1e6)
        cell *= 1.25;
    memset(drawn, 0, count * sizeof *drawn);
    for (size_t i = 0; i < slots; i++)
        if (thinning.slots[i])
            drawn[thinning.slots[i] - 1] = true;
    draw_extremes(places, count, drawn);
    free(thinning.slots);
}

/* --- lines --- */

/* Writes the first, lowest, highest and last of the points [from, to), in their order; how many. */
static size_t keep_column(struct point *points, size_t from, size_t to, struct point *out)
{
    size_t keep[4] = {from, from, from, to - 1}, kept = 0;
    for (size_t i = from; i < to; i++) {
        keep[1] = points[i].y < points[keep[1]].y ? i : keep[1];
        keep[2] = points[i].y > points[keep[2]].y ? i : keep[2];
    }
    if (keep[1] > keep[2]) {
        size_t other = keep[1];
        keep[1] = keep[2];
        keep[2] = other;
    }
    for (size_t i = 0; i < 4; i++)
        if (i == 0 || keep[i] > keep[i - 1])
            out[kept++] = points[keep[i]];
    return kept;
}

size_t thin_line(struct point *points, size_t count, double across)
{
    size_t left = 0;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && floor(points[to].x / across) == floor(points[from].x / across); to++)
            continue;
        left += keep_column(points, from, to, points + left);
    }
    return left;
}
