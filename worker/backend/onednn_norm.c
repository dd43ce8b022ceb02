/* Batch normalisation in vector registers and divided among the threads; see backend.h for what it computes and
 * ref_norm.c for it in plain loops. It is not oneDNN's own, whose threads wait for each other in a loop that keeps a
 * processor busy: where another program has the processor of one of them, that lasts a slice of the scheduler's time.
 * Here they wait at barriers of OpenMP's, as OMP_WAIT_POLICY says.
 *
 * Each thread adds in double precision over numbers of its own; what the threads have is added in their order.
 *
 * Shapes: R rows of C channels. Rows of few channels are taken together to pieces of W numbers, a multiple of C, which
 * fill the registers; the last piece may be shorter. */
#include "worker/backend/onednn.h"

#include "common/clones.h"
#include "worker/backend/team.h"

#include <math.h>
#include <string.h>

enum {
    WIDE = 128,   /* numbers of a piece, unless a row alone has more */
    BLOCK = 4096, /* numbers that are widened, read and rounded at a time: they stay in the first cache */
    SUMS = 2,     /* that an operation makes of each channel */
    LANES = 4,    /* values of each channel that it reads */
    COPIES = 3,   /* of blocks that are BF16 */
};

/* How an operation goes through its rows. */
struct walk {
    size_t R, C, W;
    size_t count, block; /* numbers of all, of a block: whole pieces */
    size_t threads;
    double *sums; /* [threads][SUMS][W] */
    float *work;  /* [threads][LANES W + COPIES block] */
};

/* What a thread works with. */
struct norm_share {
    double *sums[SUMS];    /* [W] each, its own */
    float *lanes[LANES];   /* [W] each: values of the channels, repeated along a piece */
    float *copies[COPIES]; /* [block] each */
};

static size_t work_size(const struct walk *walk)
{
    size_t size = LANES * walk->W + COPIES * walk->block;
    return (size + 15) / 16 * 16; /* threads share no line of the cache */
}

static struct walk begin_walk(void *self, const struct tensor *x, const struct tensor *gamma)
{
    struct walk walk = {.C = gamma->size[0], .count = tensor_count(x), .threads = team_threads()};
    walk.R = walk.count / walk.C;
    walk.W = walk.C < WIDE ? WIDE / walk.C * walk.C : walk.C;
    walk.block = walk.W < BLOCK ? BLOCK / walk.W * walk.W : walk.W;
    size_t sums = walk.threads * SUMS * walk.W;
    walk.sums = (double *)(void *)ref_scratch(self, 2 * sums); /* aligned to 64 bytes */
    walk.work = ref_scratch(self, walk.threads * work_size(&walk));
    memset(walk.sums, 0, sums * sizeof *walk.sums);
    return walk;
}

static struct norm_share share_of(const struct walk *walk)
{
    struct norm_share share;
    size_t member = team_member();
    float *at = walk->work + member * work_size(walk);
    for (size_t i = 0; i < SUMS; i++)
        share.sums[i] = walk->sums + (member * SUMS + i) * walk->W;
    for (size_t i = 0; i < LANES; i++, at += walk->W)
        share.lanes[i] = at;
    for (size_t i = 0; i < COPIES; i++, at += walk->block)
        share.copies[i] = at;
    return share;
}

/* How many numbers the block that begins at `first` has. */
static size_t block_count(const struct walk *walk, size_t first)
{
    return walk->count - first < walk->block ? walk->count - first : walk->block;
}

/* --- blocks as floats --- */

static const float *read_block(const struct walk *walk, const struct tensor *x, size_t first, float *copy)
{
    if (x->type == TENSOR_F32)
        return (const float *)x->at + first;
    ref_widen(block_count(walk, first), (const uint16_t *)x->at + first, copy);
    return copy;
}

/* Where a block is to be written before store_block. */
static float *write_block(const struct tensor *y, size_t first, float *copy)
{
    return y->type == TENSOR_F32 ? (float *)y->at + first : copy;
}

static void store_block(const struct walk *walk, const struct tensor *y, size_t first, const float *copy)
{
    if (y->type != TENSOR_F32)
        ref_narrow(block_count(walk, first), copy, (uint16_t *)y->at + first);
}

/* --- passes over n numbers in pieces of W --- */

static size_t piece_size(size_t W, size_t n, size_t i)
{
    return n - i < W ? n - i : W;
}

CLONES static void sum_pieces(size_t W, size_t n, const float *x, double *sum)
{
    for (size_t i = 0; i < n; i += W) {
        size_t width = piece_size(W, n, i);
#pragma omp simd
        for (size_t c = 0; c < width; c++)
            sum[c] += (double)x[i + c];
    }
}

/* (x - mean)^2 */
CLONES static void square_pieces(size_t W, size_t n, const float *x, const float *mean, double *sum)
{
    for (size_t i = 0; i < n; i += W) {
        size_t width = piece_size(W, n, i);
#pragma omp simd
        for (size_t c = 0; c < width; c++)
            sum[c] += (double)((x[i + c] - mean[c]) * (x[i + c] - mean[c]));
    }
}

/* y = (x - mean) scale + beta */
CLONES static void apply_pieces(size_t W, size_t n, const float *x, const float *mean, const float *scale,
                                const float *beta, float *y)
{
    for (size_t i = 0; i < n; i += W) {
        size_t width = piece_size(W, n, i);
#pragma omp simd
        for (size_t c = 0; c < width; c++)
            y[i + c] = (x[i + c] - mean[c]) * scale[c] + beta[c];
    }
}

/* dy, and dy (x - mean) */
CLONES static void sum_slopes(size_t W, size_t n, const float *x, const float *dy, const float *mean, double *given,
                              double *along)
{
    for (size_t i = 0; i < n; i += W) {
        size_t width = piece_size(W, n, i);
#pragma omp simd
        for (size_t c = 0; c < width; c++) {
            given[c] += (double)dy[i + c];
            along[c] += (double)(dy[i + c] * (x[i + c] - mean[c]));
        }
    }
}

/* dx = scale (dy - given - (x - mean) along); dx may be dy */
CLONES static void slope_pieces(size_t W, size_t n, const float *x, const float *dy, float *const *lanes, float *dx)
{
    const float *mean = lanes[0], *scale = lanes[1], *given = lanes[2], *along = lanes[3];
    for (size_t i = 0; i < n; i += W) {
        size_t width = piece_size(W, n, i);
#pragma omp simd
        for (size_t c = 0; c < width; c++)
            dx[i + c] = scale[c] * (dy[i + c] - given[c] - (x[i + c] - mean[c]) * along[c]);
    }
}

/* --- values of channels --- */

/* What all threads have of a sum of channel c: the same number in each of them. */
static double total_of(const struct walk *walk, size_t which, size_t c)
{
    double total = 0;
    for (size_t t = 0; t < walk->threads; t++)
        for (size_t i = c; i < walk->W; i += walk->C)
            total += walk->sums[(t * SUMS + which) * walk->W + i];
    return total;
}

/* Each channel's value along the piece. */
static void repeat_lane(const struct walk *walk, float *lane)
{
    for (size_t i = walk->C; i < walk->W; i++)
        lane[i] = lane[i - walk->C];
}

/* The mean of a sum over the rows, which one thread keeps. */
static void take_mean(const struct walk *walk, size_t which, float *lane, const struct tensor *kept)
{
    for (size_t c = 0; c < walk->C; c++)
        lane[c] = (float)(total_of(walk, which, c) / (double)walk->R);
    if (team_member() == 0)
        memcpy(kept->at, lane, walk->C * sizeof *lane);
    repeat_lane(walk, lane);
}

static void copy_lane(const struct walk *walk, const struct tensor *values, float *lane)
{
    memcpy(lane, values->at, walk->C * sizeof *lane);
    repeat_lane(walk, lane);
}

/* A lane of variances becomes one of gamma / sqrt(variance + epsilon). */
static void scale_lane(const struct walk *walk, const struct tensor *gamma, float epsilon, float *lane)
{
    const float *gammas = gamma->at;
    for (size_t c = 0; c < walk->C; c++)
        lane[c] = gammas[c] / sqrtf(lane[c] + epsilon);
    repeat_lane(walk, lane);
}

/* --- slots. What follows is run by all threads of a team; a loop marked `omp for` ends when all have done their part.
 */

static void measure_mean(const struct walk *walk, const struct norm_share *share, const struct tensor *x,
                         const struct tensor *mean)
{
#pragma omp for schedule(static)
    for (size_t i = 0; i < walk->count; i += walk->block)
        sum_pieces(walk->W, block_count(walk, i), read_block(walk, x, i, share->copies[0]), share->sums[0]);
    take_mean(walk, 0, share->lanes[0], mean);
}

static void measure_variance(const struct walk *walk, const struct norm_share *share, const struct tensor *x,
                             const struct tensor *variance)
{
#pragma omp for schedule(static)
    for (size_t i = 0; i < walk->count; i += walk->block)
        square_pieces(walk->W, block_count(walk, i), read_block(walk, x, i, share->copies[0]), share->lanes[0],
                      share->sums[1]);
    take_mean(walk, 1, share->lanes[1], variance);
}

/* With the mean and the variance in the first two lanes. */
static void apply_lanes(const struct walk *walk, const struct norm_share *share, const struct tensor *x,
                        const struct tensor *gamma, const struct tensor *beta, float epsilon, const struct tensor *y)
{
    float *const *lanes = share->lanes;
    scale_lane(walk, gamma, epsilon, lanes[1]);
    copy_lane(walk, beta, lanes[2]);
#pragma omp for schedule(static)
    for (size_t i = 0; i < walk->count; i += walk->block) {
        const float *from = read_block(walk, x, i, share->copies[0]);
        float *to = write_block(y, i, share->copies[1]);
        apply_pieces(walk->W, block_count(walk, i), from, lanes[0], lanes[1], lanes[2], to);
        store_block(walk, y, i, to);
    }
}

void onednn_batch_norm(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                       float epsilon, const struct tensor *mean, const struct tensor *variance, const struct tensor *y)
{
    struct walk walk = begin_walk(self, x, gamma);
#pragma omp parallel
    {
        struct norm_share share = share_of(&walk);
        measure_mean(&walk, &share, x, mean);
        measure_variance(&walk, &share, x, variance);
        apply_lanes(&walk, &share, x, gamma, beta, epsilon, y);
    }
    ref_done(self);
}

void onednn_batch_norm_apply(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                             float epsilon, const struct tensor *mean, const struct tensor *variance,
                             const struct tensor *y)
{
    struct walk walk = begin_walk(self, x, gamma);
#pragma omp parallel
    {
        struct norm_share share = share_of(&walk);
        copy_lane(&walk, mean, share.lanes[0]);
        copy_lane(&walk, variance, share.lanes[1]);
        apply_lanes(&walk, &share, x, gamma, beta, epsilon, y);
    }
    ref_done(self);
}

/* dbeta = sum dy and dgamma = sum dy n for n = (x - mean) / sqrt(variance + epsilon), and what slope_pieces takes. */
static void measure_slopes(const struct walk *walk, const struct norm_share *share, const struct tensor *variance,
                           float epsilon, const struct tensor *dgamma, const struct tensor *dbeta)
{
    const float *variances = variance->at;
    float *dgammas = dgamma->at, *dbetas = dbeta->at, R = (float)walk->R;
    for (size_t c = 0; c < walk->C; c++) {
        float factor = 1 / sqrtf(variances[c] + epsilon), given = (float)total_of(walk, 0, c);
        float along = (float)(total_of(walk, 1, c) * (double)factor);
        share->lanes[2][c] = given / R;
        share->lanes[3][c] = along * factor / R;
        if (team_member() == 0)
            dbetas[c] = given, dgammas[c] = along;
    }
    repeat_lane(walk, share->lanes[2]);
    repeat_lane(walk, share->lanes[3]);
}

static void sum_back(const struct walk *walk, const struct norm_share *share, const struct tensor *x,
                     const struct tensor *dy)
{
#pragma omp for schedule(static)
    for (size_t i = 0; i < walk->count; i += walk->block)
        sum_slopes(walk->W, block_count(walk, i), read_block(walk, x, i, share->copies[0]),
                   read_block(walk, dy, i, share->copies[1]), share->lanes[0], share->sums[0], share->sums[1]);
}

static void slope_back(const struct walk *walk, const struct norm_share *share, const struct tensor *x,
                       const struct tensor *dy, const struct tensor *dx)
{
#pragma omp for schedule(static)
    for (size_t i = 0; i < walk->count; i += walk->block) {
        const float *xs = read_block(walk, x, i, share->copies[0]), *dys = read_block(walk, dy, i, share->copies[1]);
        float *to = write_block(dx, i, share->copies[2]);
        slope_pieces(walk->W, block_count(walk, i), xs, dys, share->lanes, to);
        store_block(walk, dx, i, to);
    }
}

void onednn_batch_norm_back(void *self, const struct tensor *x, const struct tensor *dy, const struct tensor *gamma,
                            float epsilon, const struct tensor *mean, const struct tensor *variance,
                            const struct tensor *dx, const struct tensor *dgamma, const struct tensor *dbeta)
{
    struct walk walk = begin_walk(self, x, gamma);
#pragma omp parallel
    {
        struct norm_share share = share_of(&walk);
        copy_lane(&walk, mean, share.lanes[0]);
        copy_lane(&walk, variance, share.lanes[1]);
        scale_lane(&walk, gamma, epsilon, share.lanes[1]);
        sum_back(&walk, &share, x, dy);
        measure_slopes(&walk, &share, variance, epsilon, dgamma, dbeta);
        slope_back(&walk, &share, x, dy, dx);
    }
    ref_done(self);
}
