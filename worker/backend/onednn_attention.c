/* Attention in blocks that stay in the cache; see backend.h for what it computes and ref_attention.c for it in plain
 * loops. The heads of all examples are divided among the threads. A head goes through its queries BLOCK at a time: the
 * products of matrices are oneDNN's, which takes one thread within a team, what lies between them is a pass over a
 * block.
 *
 * Shapes: B examples of T steps, N heads of K numbers, D = N K; rows of q, k and v lie 3D numbers apart, those of y D;
 * a block has R rows of queries and looks at S steps. */
#include "worker/backend/onednn.h"

#include "common/clones.h"
#include "worker/backend/random.h"
#include "worker/backend/team.h"

#include <math.h>
#include <string.h>

/* Queries of a block: two arrays of so many rows and 1000 columns fill half a cache of 1 MiB. */
enum { BLOCK = 64 };

/* A head of one example. Arrays of a way back are NULL on the way forward. */
struct onednn_head {
    const struct attention *how;
    size_t n; /* of all heads */
    size_t T, K, D;
    size_t L;    /* steps that its example has, of T */
    float scale; /* 1 / sqrt K */
    const float *q, *k, *v, *dy;
    float *kept, *y; /* kept[T] */
    float *dq, *dk, *dv;
    float *weights, *slopes; /* [BLOCK,T] each: work */
};

/* Some rows of queries. */
struct attention_block {
    size_t first, R, S;
};

static struct attention_block block_at(const struct onednn_head *head, size_t first)
{
    size_t R = head->L - first < BLOCK ? head->L - first : BLOCK;
    return (struct attention_block){first, R, head->how->causal ? first + R : head->L};
}

/* c[M,N] = alpha a[M,L] b[L,N] + beta c, each with the distance of its rows; 'T': a is [L,M], b is [N,L]. */
static void multiply(char a_order, char b_order, size_t M, size_t N, size_t L, float alpha, const float *a,
                     size_t a_row, const float *b, size_t b_row, float beta, float *c, size_t c_row)
{
    onednn_check(dnnl_sgemm(a_order, b_order, (dnnl_dim_t)M, (dnnl_dim_t)N, (dnnl_dim_t)L, alpha, a, (dnnl_dim_t)a_row,
                            b, (dnnl_dim_t)b_row, beta, c, (dnnl_dim_t)c_row),
                 "multiply");
}

/* weights[R,S] = scale q k^T */
static void score_block(const struct onednn_head *head, const struct attention_block *block)
{
    multiply('N', 'T', block->R, block->S, head->K, head->scale, head->q + block->first * 3 * head->D, 3 * head->D,
             head->k, 3 * head->D, 0, head->weights, head->T);
}

/* How many columns of row r are looked at. */
static size_t columns_seen(const struct onednn_head *head, const struct attention_block *block, size_t r)
{
    return head->how->causal ? block->first + r + 1 : block->S;
}

CLONES static void scale_row(size_t n, float factor, float *w)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        w[i] *= factor;
}

CLONES static float dot_rows(size_t n, const float *a, const float *b)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ds = scale p (dp - along) into dp. */
CLONES static void slope_scores(size_t n, float scale, float along, const float *p, float *dp)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        dp[i] = scale * p[i] * (dp[i] - along);
}

/* So many columns in whole vectors, of S: what is behind those that are seen is computed with them and forgotten, which
 * takes less than numbers one by one. */
static size_t whole_vectors(size_t seen, size_t S)
{
    enum { VECTOR = 16 };
    size_t whole = (seen + VECTOR - 1) / VECTOR * VECTOR;
    return whole < S ? whole : S;
}

/* Numbers that count for nothing in a softmax. */
static void hide_columns(float *row, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        row[i] = -INFINITY;
}

static void forget_row(float *row, size_t seen, size_t S)
{
    memset(row + seen, 0, (S - seen) * sizeof *row);
}

/* Weights of step t, or what is multiplied by them, after dropout. */
static void drop_row(const struct onednn_head *head, size_t t, size_t seen, float *row)
{
    const struct attention *how = head->how;
    if (how->dropped > 0)
        ref_drop(seen, how->dropped, random_row(how->stream, head->n * head->T + t, head->T), 0, row, row);
}

/* The softmax of each row of the scores, without the division by its sum: that is left to y, which is narrower. */
static void attend_block(const struct onednn_head *head, const struct attention_block *block)
{
    float sums[BLOCK], *y = head->y + block->first * head->D;
    score_block(head, block);
    for (size_t r = 0; r < block->R; r++) {
        float *row = head->weights + r * head->T;
        size_t seen = columns_seen(head, block, r), whole = whole_vectors(seen, block->S);
        hide_columns(row, seen, whole);
        float most = onednn_largest(whole, row);
        sums[r] = onednn_raise(whole, row, most, row);
        head->kept[block->first + r] = logf(sums[r]) + most;
        drop_row(head, block->first + r, seen, row);
        forget_row(row, seen, block->S);
    }
    multiply('N', 'N', block->R, head->K, block->S, 1, head->weights, head->T, head->v, 3 * head->D, 0, y, head->D);
    for (size_t r = 0; r < block->R; r++)
        scale_row(head->K, 1 / sums[r], y + r * head->D);
}

/* With p the weights, ds = scale p (dp - sum of p dp), where the sum is that of y dy. */
static void attend_block_back(const struct onednn_head *head, const struct attention_block *block)
{
    size_t R = block->R, S = block->S, K = head->K, D = head->D, T = head->T;
    const float *y = head->y + block->first * D, *dy = head->dy + block->first * D;
    const float *q = head->q + block->first * 3 * D;
    score_block(head, block);
    multiply('N', 'T', R, S, K, 1, dy, D, head->v, 3 * D, 0, head->slopes, T);
    for (size_t r = 0; r < R; r++) {
        float *p = head->weights + r * T, *ds = head->slopes + r * T;
        size_t seen = columns_seen(head, block, r), whole = whole_vectors(seen, S);
        onednn_raise(whole, p, head->kept[block->first + r], p);
        drop_row(head, block->first + r, seen, ds);
        slope_scores(whole, head->scale, dot_rows(K, y + r * D, dy + r * D), p, ds);
        drop_row(head, block->first + r, seen, p);
        forget_row(p, seen, S);
        forget_row(ds, seen, S);
    }
    multiply('T', 'N', S, K, R, 1, head->weights, T, dy, D, 1, head->dv, 3 * D);
    multiply('N', 'N', R, K, S, 1, head->slopes, T, head->k, 3 * D, 0, head->dq + block->first * 3 * D, 3 * D);
    multiply('T', 'N', S, K, R, 1, head->slopes, T, q, 3 * D, 1, head->dk, 3 * D);
}

/* The gradients that blocks add to. */
static void clear_head(const struct onednn_head *head)
{
    for (size_t t = 0; t < head->T; t++) {
        memset(head->dk + t * 3 * head->D, 0, head->K * sizeof(float));
        memset(head->dv + t * 3 * head->D, 0, head->K * sizeof(float));
    }
}

/* What comes of padding: nothing. */
static void clear_padding(const struct onednn_head *head)
{
    for (size_t t = head->L; t < head->T; t++) {
        float *at = head->dq ? head->dq + t * 3 * head->D : head->y + t * head->D;
        memset(at, 0, head->K * sizeof *at);
        if (!head->dq)
            head->kept[t] = 0;
    }
}

static void go_through_head(const struct onednn_head *head)
{
    if (head->dk)
        clear_head(head);
    for (size_t first = 0; first < head->L; first += BLOCK) {
        struct attention_block block = block_at(head, first);
        (head->dk ? attend_block_back : attend_block)(head, &block);
    }
    clear_padding(head);
}

/* --- all heads --- */

/* What the heads are taken from. */
struct attention_task {
    const struct attention *how;
    size_t T, D;
    const float *qkv, *dy;
    float *kept, *y, *dqkv;
    float *work; /* of each thread, one after the other */
};

/* Of the n-th head of all examples. */
static void do_head(const struct attention_task *task, size_t n)
{
    size_t T = task->T, D = task->D, K = D / task->how->heads;
    size_t row = n / task->how->heads * T, column = n % task->how->heads * K, at = row * D + column;
    const float *q = task->qkv + row * 3 * D + column;
    float *dq = task->dqkv ? task->dqkv + row * 3 * D + column : NULL;
    float *work = task->work + team_member() * 2 * BLOCK * T;
    struct onednn_head head = {.how = task->how, .n = n, .T = T, .K = K, .D = D, .scale = 1 / sqrtf((float)K)};
    head.L = ref_length(task->how->lengths, n / task->how->heads, T);
    head.q = q;
    head.k = q + D;
    head.v = q + 2 * D;
    head.kept = task->kept + n * T;
    head.y = task->y + at;
    head.dq = dq;
    head.weights = work;
    head.slopes = work + BLOCK * T;
    if (dq) {
        head.dy = task->dy + at;
        head.dk = dq + D;
        head.dv = dq + 2 * D;
    }
    go_through_head(&head);
}

static void do_heads(const struct attention_task *task, size_t count)
{
#pragma omp parallel for schedule(static)
    for (size_t n = 0; n < count; n++)
        do_head(task, n);
}

void onednn_attention(void *self, const struct attention *how, const struct tensor *qkv, const struct tensor *kept,
                      const struct tensor *y)
{
    size_t T = y->size[1];
    struct attention_task task = {.how = how, .T = T, .D = y->size[2], .kept = kept->at};
    task.qkv = ref_read(self, qkv);
    task.y = ref_write(self, y);
    task.work = ref_scratch(self, team_threads() * 2 * BLOCK * T);
    do_heads(&task, y->size[0] * how->heads);
    ref_done(self);
}

void onednn_attention_back(void *self, const struct attention *how, const struct tensor *qkv, const struct tensor *kept,
                           const struct tensor *y, const struct tensor *dy, const struct tensor *dqkv)
{
    size_t T = y->size[1];
    struct attention_task task = {.how = how, .T = T, .D = y->size[2], .kept = kept->at};
    task.qkv = ref_read(self, qkv);
    task.dy = ref_read(self, dy);
    task.y = (float *)(uintptr_t)ref_read(self, y); /* is only read */
    task.dqkv = ref_write(self, dqkv);
    task.work = ref_scratch(self, team_threads() * 2 * BLOCK * T);
    do_heads(&task, y->size[0] * how->heads);
    ref_done(self);
}
