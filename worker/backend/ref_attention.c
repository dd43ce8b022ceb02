/* Attention; see backend.h. Shapes: B examples of T steps, N heads of K numbers, D = N K. One head of one example is a
 * struct ref_head; its rows of q, k and v lie 3D numbers apart, those of y D. */
#include "worker/backend/ref.h"

#include "worker/backend/random.h"

#include <math.h>
#include <string.h>

struct ref_head {
    const struct attention *how;
    size_t n; /* of all heads */
    size_t T, K, D;
    size_t L;               /* steps that its example has, of T */
    float scale;            /* 1 / sqrt K */
    const float *q, *k, *v; /* in qkv */
    float *kept;            /* [T] */
};

static struct ref_head head_of(size_t n, const struct attention *how, const struct tensor *y, const float *qkv,
                               float *kept)
{
    size_t T = y->size[1], D = y->size[2], K = D / how->heads;
    const float *q = qkv + n / how->heads * T * 3 * D + n % how->heads * K;
    size_t L = ref_length(how->lengths, n / how->heads, T);
    return (struct ref_head){how, n, T, K, D, L, 1 / sqrtf((float)K), q, q + D, q + 2 * D, kept + n * T};
}

/* Steps that step t looks at. */
static size_t steps_seen(const struct ref_head *head, size_t t)
{
    return head->how->causal ? t + 1 : head->L;
}

/* What dropout makes of a weight of 1. */
static float left_of(const struct ref_head *head, size_t t, size_t u)
{
    uint64_t bound = random_bound(head->how->dropped);
    uint64_t stream = random_row(head->how->stream, head->n * head->T + t, head->T);
    uint64_t draw = random_bits(stream, u / RANDOM_A_DRAW) >> 16 * (u % RANDOM_A_DRAW) & 0xffff;
    return draw < bound ? 0 : 65536.0f / (65536.0f - (float)bound);
}

static float dot(size_t K, const float *a, const float *b)
{
    float sum = 0;
    for (size_t i = 0; i < K; i++)
        sum += a[i] * b[i];
    return sum;
}

/* y = y + factor x */
static void add_times(size_t K, float factor, const float *x, float *y)
{
    for (size_t i = 0; i < K; i++)
        y[i] += factor * x[i];
}

/* The scores of step t, and the logarithm of the sum of their exponentials; the largest is taken off before exp. */
static float score_step(const struct ref_head *head, size_t t, float *scores)
{
    size_t seen = steps_seen(head, t);
    float most = -INFINITY, sum = 0;
    for (size_t u = 0; u < seen; u++) {
        scores[u] = head->scale * dot(head->K, head->q + t * 3 * head->D, head->k + u * 3 * head->D);
        most = scores[u] > most ? scores[u] : most;
    }
    for (size_t u = 0; u < seen; u++)
        sum += expf(scores[u] - most);
    return logf(sum) + most;
}

static void attend(const struct ref_head *head, float *scores, float *y)
{
    for (size_t t = 0; t < head->T; t++, y += head->D) {
        head->kept[t] = t < head->L ? score_step(head, t, scores) : 0;
        memset(y, 0, head->K * sizeof *y);
        for (size_t u = 0; t < head->L && u < steps_seen(head, t); u++)
            add_times(head->K, left_of(head, t, u) * expf(scores[u] - head->kept[t]), head->v + u * 3 * head->D, y);
    }
}

void ref_attention(void *self, const struct attention *how, const struct tensor *qkv, const struct tensor *kept,
                   const struct tensor *y)
{
    size_t T = y->size[1], D = y->size[2];
    const float *from = ref_read(self, qkv);
    float *ys = ref_write(self, y), *scores = ref_scratch(self, T);
    for (size_t n = 0; n < y->size[0] * how->heads; n++) {
        struct ref_head head = head_of(n, how, y, from, kept->at);
        attend(&head, scores, ys + n / how->heads * T * D + n % how->heads * (D / how->heads));
    }
    ref_done(self);
}

/* With p the weights of step t and s their scores: ds = p (dp - sum of p dp), where the sum is that of y dy. Adds to
 * the gradients, which lie as q, k and v do. */
static void attend_back(const struct ref_head *head, const float *y, const float *dy, float *dq)
{
    size_t K = head->K, D = head->D;
    float *dk = dq + D, *dv = dq + 2 * D;
    for (size_t t = 0; t < head->L; t++, y += D, dy += D) {
        float along = dot(K, y, dy);
        for (size_t u = 0; u < steps_seen(head, t); u++) {
            const float *q = head->q + t * 3 * D, *k = head->k + u * 3 * D;
            float p = expf(head->scale * dot(K, q, k) - head->kept[t]), left = left_of(head, t, u);
            float ds = head->scale * p * (left * dot(K, dy, head->v + u * 3 * D) - along);
            add_times(K, left * p, dy, dv + u * 3 * D);
            add_times(K, ds, k, dq + t * 3 * D);
            add_times(K, ds, q, dk + u * 3 * D);
        }
    }
}

void ref_attention_back(void *self, const struct attention *how, const struct tensor *qkv, const struct tensor *kept,
                        const struct tensor *y, const struct tensor *dy, const struct tensor *dqkv)
{
    size_t T = y->size[1], D = y->size[2];
    const float *from = ref_read(self, qkv), *ys = ref_read(self, y), *dys = ref_read(self, dy);
    float *back = ref_write(self, dqkv);
    memset(back, 0, tensor_count(dqkv) * sizeof *back);
    for (size_t n = 0; n < y->size[0] * how->heads; n++) {
        struct ref_head head = head_of(n, how, y, from, kept->at);
        size_t at = n / how->heads * T * D + n % how->heads * (D / how->heads);
        attend_back(&head, ys + at, dys + at, back + (head.q - from));
    }
    ref_done(self);
}
