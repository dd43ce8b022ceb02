/* What goes through rows one after the other, layer normalisation and cross entropy, in vector registers and divided
 * among the threads; see backend.h for what they compute and ref_norm.c and ref_loss.c for them in plain loops. Sums
 * are of floats in an order of the compiler's; those over rows add what each thread has, in the order of the threads.
 *
 * Shapes: R rows of C numbers; a loss has B rows of C classes. */
#include "worker/backend/onednn.h"

#include "common/clones.h"
#include "worker/backend/exponential.h"
#include "worker/backend/team.h"

#include <math.h>
#include <string.h>

/* --- layer normalisation: Ba et al. 2016 --- */

CLONES static float sum_of(size_t C, const float *x)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t c = 0; c < C; c++)
        sum += x[c];
    return sum;
}

CLONES static float squares_of(size_t C, const float *x, float mean)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t c = 0; c < C; c++)
        sum += (x[c] - mean) * (x[c] - mean);
    return sum;
}

CLONES static void apply_row(size_t C, const float *x, float mean, float factor, const float *gamma, const float *beta,
                             float *y)
{
#pragma omp simd
    for (size_t c = 0; c < C; c++)
        y[c] = gamma[c] * ((x[c] - mean) * factor) + beta[c];
}

void onednn_layer_norm(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                       float epsilon, const struct tensor *mean, const struct tensor *variance, const struct tensor *y)
{
    (void)self;
    size_t C = gamma->size[0], R = tensor_count(x) / C;
    const float *xs = x->at;
    float *ys = y->at, *ms = mean->at, *vs = variance->at;
#pragma omp parallel for schedule(static)
    for (size_t r = 0; r < R; r++) {
        ms[r] = sum_of(C, xs + r * C) / (float)C;
        vs[r] = squares_of(C, xs + r * C, ms[r]) / (float)C;
        apply_row(C, xs + r * C, ms[r], 1 / sqrtf(vs[r] + epsilon), gamma->at, beta->at, ys + r * C);
    }
}

/* What a row of a way back is made from; n = (x - mean) factor. */
struct back {
    size_t C;
    const float *gamma;
    float *dgamma, *dbeta; /* of this thread's rows */
};

/* Adds dy and dy n to the sums over rows; sums gamma dy and gamma dy n of the row. */
CLONES static void sum_row(const struct back *b, const float *x, const float *dy, float mean, float factor,
                           float *given, float *along)
{
    const float *gamma = b->gamma;
    float *dgamma = b->dgamma, *dbeta = b->dbeta, first = 0, second = 0;
#pragma omp simd reduction(+ : first, second)
    for (size_t c = 0; c < b->C; c++) {
        float n = (x[c] - mean) * factor;
        dbeta[c] += dy[c];
        dgamma[c] += dy[c] * n;
        first += gamma[c] * dy[c];
        second += gamma[c] * dy[c] * n;
    }
    *given = first;
    *along = second;
}

/* dx = factor (gamma dy - given / C - n along / C); dx may be dy */
CLONES static void slope_row(const struct back *b, const float *x, const float *dy, float mean, float factor,
                             float given, float along, float *dx)
{
    const float *gamma = b->gamma;
    given /= (float)b->C;
    along /= (float)b->C;
#pragma omp simd
    for (size_t c = 0; c < b->C; c++)
        dx[c] = factor * (gamma[c] * dy[c] - given - (x[c] - mean) * factor * along);
}

CLONES static void add_row(size_t C, const float *x, float *y)
{
#pragma omp simd
    for (size_t c = 0; c < C; c++)
        y[c] += x[c];
}

void onednn_layer_norm_back(void *self, const struct tensor *x, const struct tensor *dy, const struct tensor *gamma,
                            float epsilon, const struct tensor *mean, const struct tensor *variance,
                            const struct tensor *dx, const struct tensor *dgamma, const struct tensor *dbeta)
{
    size_t C = gamma->size[0], R = tensor_count(x) / C, threads = team_threads();
    const float *xs = x->at, *dys = dy->at, *ms = mean->at, *vs = variance->at;
    float *dxs = dx->at, *sums = ref_scratch(self, threads * 2 * C);
    memset(sums, 0, threads * 2 * C * sizeof *sums);
#pragma omp parallel for schedule(static)
    for (size_t r = 0; r < R; r++) {
        float *own = sums + team_member() * 2 * C, factor = 1 / sqrtf(vs[r] + epsilon), given, along;
        struct back back = {C, gamma->at, own, own + C};
        sum_row(&back, xs + r * C, dys + r * C, ms[r], factor, &given, &along);
        slope_row(&back, xs + r * C, dys + r * C, ms[r], factor, given, along, dxs + r * C);
    }
    for (size_t t = 1; t < threads; t++)
        add_row(2 * C, sums + t * 2 * C, sums);
    memcpy(dgamma->at, sums, C * sizeof *sums);
    memcpy(dbeta->at, sums + C, C * sizeof *sums);
    ref_done(self);
}

/* --- cross entropy --- */

CLONES static float largest_of_row(size_t C, const float *z)
{
    float most = -INFINITY;
#pragma omp simd reduction(max : most)
    for (size_t c = 0; c < C; c++)
        most = z[c] > most ? z[c] : most;
    return most;
}

float onednn_largest(size_t C, const float *z)
{
    return largest_of_row(C, z);
}

CLONES static float raise_row(size_t C, const float *z, float most, float *e)
{
    float sum = 0;
    if (!e) {
#pragma omp simd reduction(+ : sum)
        for (size_t c = 0; c < C; c++)
            sum += exponential(z[c] - most);
        return sum;
    }
#pragma omp simd reduction(+ : sum)
    for (size_t c = 0; c < C; c++) {
        e[c] = exponential(z[c] - most);
        sum += e[c];
    }
    return sum;
}

float onednn_raise(size_t C, const float *z, float most, float *e)
{
    return raise_row(C, z, most, e);
}

/* d = factor d - shift */
CLONES static void shift_row(size_t C, float factor, float shift, float *d)
{
#pragma omp simd
    for (size_t c = 0; c < C; c++)
        d[c] = factor * d[c] - shift;
}

/* The first of the largest of z[C]; any when one is NaN. */
static size_t place_of(size_t C, const float *z, float most)
{
    size_t at = 0;
    while (at + 1 < C && z[at] != most)
        at++;
    return at;
}

/* The loss of a row with the sum of its exponentials. */
static float loss_of(size_t C, const float *z, size_t label, float smoothing, float most, float sum)
{
    float wanted = (1 - smoothing) * z[label];
    if (smoothing > 0)
        wanted += smoothing / (float)C * sum_of(C, z);
    return logf(sum) + most - wanted;
}

/* What the rows of a loss have in common. */
struct losses {
    size_t C;
    float smoothing, share; /* share: of a row in the gradient */
};

/* The gradient of e[count], the exponentials of a row, in their place. */
static void slope_of(const struct losses *all, size_t count, size_t label, float sum, float *e)
{
    shift_row(count, all->share / sum, all->share * all->smoothing / (float)all->C, e);
    e[label] -= all->share * (1 - all->smoothing);
}

/* The loss of one row; its gradient unless dz is NULL. */
static float lose_row(const struct losses *all, const float *z, size_t label, int32_t *hit, float *dz)
{
    size_t C = all->C;
    float most = onednn_largest(C, z), sum = onednn_raise(C, z, most, dz);
    *hit = place_of(C, z, most) == label;
    if (dz)
        slope_of(all, C, label, sum, dz);
    return loss_of(C, z, label, all->smoothing, most, sum);
}

/* Short rows: SIDE of them at a time, number c of each in a vector, since ten classes fill none. */
enum { SHORT = 32, SIDE = 16 };

struct rows_side {
    float z[SHORT][SIDE], most[SIDE], sum[SIDE], total[SIDE]; /* total: the sum of z */
    int32_t first[SIDE];                                      /* of the largest */
};

/* z becomes exp(z - most). */
CLONES static void raise_side(size_t C, struct rows_side *side)
{
    for (size_t r = 0; r < SIDE; r++) {
        side->most[r] = side->z[0][r];
        side->sum[r] = side->total[r] = 0;
        side->first[r] = 0;
    }
    for (size_t c = 0; c < C; c++)
#pragma omp simd
        for (size_t r = 0; r < SIDE; r++) {
            bool more = side->z[c][r] > side->most[r];
            side->most[r] = more ? side->z[c][r] : side->most[r];
            side->first[r] = more ? (int32_t)c : side->first[r];
            side->total[r] += side->z[c][r];
        }
    for (size_t c = 0; c < C; c++)
#pragma omp simd
        for (size_t r = 0; r < SIDE; r++) {
            side->z[c][r] = exponential(side->z[c][r] - side->most[r]);
            side->sum[r] += side->z[c][r];
        }
}

/* The rows of a loss, as the slot has them. */
struct loss_rows {
    const float *z;
    const int32_t *labels;
    float *losses, *dz; /* dz: may be NULL */
    int32_t *hits;
};

/* From row n on, `count` of at most SIDE; what is beside them is zeros. */
static void lose_side(const struct losses *all, const struct loss_rows *rows, size_t n, size_t count)
{
    struct rows_side side;
    size_t C = all->C;
    for (size_t c = 0; c < C; c++)
        for (size_t r = 0; r < SIDE; r++)
            side.z[c][r] = r < count ? rows->z[(n + r) * C + c] : 0;
    raise_side(C, &side);
    for (size_t r = 0; r < count; r++) {
        size_t label = (size_t)rows->labels[n + r];
        const float *z = rows->z + (n + r) * C;
        rows->hits[n + r] = side.first[r] == rows->labels[n + r];
        rows->losses[n + r] = logf(side.sum[r]) + side.most[r] - (1 - all->smoothing) * z[label];
        if (all->smoothing > 0)
            rows->losses[n + r] -= all->smoothing / (float)C * side.total[r];
    }
    for (size_t r = 0; rows->dz && r < count; r++) {
        float *dz = rows->dz + (n + r) * C, factor = all->share / side.sum[r];
        for (size_t c = 0; c < C; c++)
            dz[c] = factor * side.z[c][r] - all->share * all->smoothing / (float)C;
        dz[rows->labels[n + r]] -= all->share * (1 - all->smoothing);
    }
}

/* The s-th of as many rows as are done at a time. */
static void lose_some(const struct losses *all, const struct loss_rows *rows, size_t B, size_t s)
{
    size_t C = all->C;
    if (C <= SHORT)
        lose_side(all, rows, s * SIDE, B - s * SIDE < SIDE ? B - s * SIDE : SIDE);
    else
        rows->losses[s] =
            lose_row(all, rows->z + s * C, (size_t)rows->labels[s], &rows->hits[s], rows->dz ? rows->dz + s * C : NULL);
}

void onednn_softmax_loss(void *self, const struct tensor *z, const struct tensor *labels, float smoothing,
                         const struct tensor *losses, const struct tensor *hits, const struct tensor *dz)
{
    enum { SHARE_FROM = 4096 /* numbers: some microseconds */ };
    (void)self;
    size_t B = z->size[0], C = z->size[1], count = C <= SHORT ? (B + SIDE - 1) / SIDE : B;
    const struct losses all = {C, smoothing, 1 / (float)B};
    const struct loss_rows rows = {z->at, labels->at, losses->at, dz ? dz->at : NULL, hits->at};
#pragma omp parallel for schedule(static) if (B * C >= SHARE_FROM)
    for (size_t s = 0; s < count; s++)
        lose_some(&all, &rows, B, s);
}
