/* Sums over the rows of arrays [R,C] for each column, in double precision, in an order that R and C alone decide: the
 * rows are dealt out to parts, whose sums are added in their order. */
#ifndef GANNET_WORKER_BACKEND_CUDA_SUMS_CUH
#define GANNET_WORKER_BACKEND_CUDA_SUMS_CUH

#include "worker/backend/cuda/device.cuh"

/* A block takes 32 columns, side by side in its warps, of a part of the rows: each warp every eighth of these. */
static const size_t SUMS_ROWS = 64; /* of a part, at least */
static const size_t SUMS_MOST_PARTS = 64;

static inline size_t sums_parts(size_t R)
{
    size_t parts = R / SUMS_ROWS;
    return parts < 1 ? 1 : parts > SUMS_MOST_PARTS ? SUMS_MOST_PARTS : parts;
}

/* parts[P,S,C]: each part's sums of what `of` makes of row r and column c, S = F::COUNT numbers that it adds to. */
template <typename F> static __global__ void sum_parts(F of, size_t R, size_t C, double *parts)
{
    __shared__ double room[CUDA_WARPS][F::COUNT][CUDA_WARP];
    size_t lane = threadIdx.x % CUDA_WARP, warp = threadIdx.x / CUDA_WARP, c = blockIdx.x * CUDA_WARP + lane;
    double sums[F::COUNT];
    for (int s = 0; s < F::COUNT; s++)
        sums[s] = 0;
    for (size_t r = blockIdx.y * CUDA_WARPS + warp; c < C && r < R; r += (size_t)gridDim.y * CUDA_WARPS)
        of.add(r, c, r * C + c, sums);
    for (int s = 0; s < F::COUNT; s++)
        room[warp][s][lane] = sums[s];
    __syncthreads();
    for (size_t s = warp; s < F::COUNT && c < C; s += CUDA_WARPS) {
        double sum = 0;
        for (int w = 0; w < CUDA_WARPS; w++)
            sum += room[w][s][lane];
        parts[(blockIdx.y * (size_t)F::COUNT + s) * C + c] = sum;
    }
}

/* `use` makes of the sums of column c what is wanted. */
template <typename F, typename U>
static __global__ void sum_columns(size_t C, size_t parts_count, const double *parts, F of, U use)
{
    size_t c = this_thread();
    if (c >= C)
        return;
    double sums[F::COUNT];
    for (int s = 0; s < F::COUNT; s++) {
        sums[s] = 0;
        for (size_t p = 0; p < parts_count; p++)
            sums[s] += parts[(p * F::COUNT + s) * C + c];
    }
    use.take(c, sums);
    (void)of;
}

template <typename F, typename U> static inline void sums_over_rows(struct cuda *self, size_t R, size_t C, F of, U use)
{
    size_t count = sums_parts(R);
    double *parts = (double *)cuda_scratch(self, CUDA_SCRATCH_SUMS, count * F::COUNT * C * sizeof(double));
    if (!C)
        return;
    CUDA_LAUNCH((sum_parts<F>), dim3((unsigned)((C + CUDA_WARP - 1) / CUDA_WARP), (unsigned)count), CUDA_BLOCK,
                self->stream, of, R, C, parts);
    CUDA_EACH(self, (sum_columns<F, U>), C, count, parts, of, use);
}

#endif
