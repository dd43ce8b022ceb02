/* See objective.h. */
#include "worker/boost/objective.h"

#include "common/mem.h"
#include "worker/boost/each.h"

#include <math.h>
#include <stdlib.h>

/* Rows that are summed up together. The sums of the blocks are added in their order, so threads change nothing. */
enum { BLOCK = 4096 };

static double mean_target(const struct objective *objective)
{
    double sum = 0;
    for (size_t n = 0; n < objective->count; n++)
        sum += (double)objective->targets[n];
    return sum / (double)objective->count;
}

void objective_begin(const struct objective *objective, float *begin)
{
    if (objective->kind == OBJECTIVE_SQUARES) {
        begin[0] = (float)mean_target(objective);
        return;
    }
    size_t classes = objective->kind == OBJECTIVE_LOGISTIC ? 2 : objective->scores;
    double *share = MEM_ARRAY(double, classes);
    for (size_t n = 0; n < objective->count; n++)
        share[objective->labels[n]] += 1 / (double)objective->count;
    for (size_t k = 0; k < classes; k++) /* a class that the training part lacks is unlikely, not impossible */
        share[k] = log(fmax(share[k], .5 / (double)objective->count));
    for (size_t k = 0; k < objective->scores; k++)
        begin[k] = (float)(objective->kind == OBJECTIVE_LOGISTIC ? share[1] - share[0] : share[k]);
    free(share);
}

/* --- one row: the loss, and whether it is right --- */

struct row_loss {
    double loss;
    int right;
};

static struct row_loss predict_square(const struct objective *objective, size_t n, const float *scores, float *out)
{
    double off = (double)scores[n] - (double)objective->targets[n];
    out[n] = scores[n];
    return (struct row_loss){off * off, 0};
}

/* -log p = log(1 + exp(score of the wrong class)), from the score: p itself is rounded to 1, and what is left of it to
 * 0, long before that is large. NaN stays NaN. */
static struct row_loss predict_logistic(const struct objective *objective, size_t n, const float *scores, float *out)
{
    float p = 1 / (1 + expf(-scores[n])), wrong = objective->labels[n] ? -scores[n] : scores[n];
    out[n] = p;
    return (struct row_loss){(double)(fmaxf(wrong, 0) + log1pf(expf(-fabsf(wrong)))),
                             (p >= .5f) == (objective->labels[n] == 1)};
}

static struct row_loss predict_softmax(const struct objective *objective, size_t n, const float *scores, float *out)
{
    size_t N = objective->count, K = objective->scores, likeliest = 0;
    float sum = 0;
    for (size_t k = 1; k < K; k++)
        likeliest = scores[k * N + n] > scores[likeliest * N + n] ? k : likeliest;
    float most = scores[likeliest * N + n];
    for (size_t k = 0; k < K; k++)
        sum += out[k * N + n] = expf(scores[k * N + n] - most);
    for (size_t k = 0; k < K; k++)
        out[k * N + n] /= sum;
    size_t label = (size_t)objective->labels[n];
    return (struct row_loss){(double)(logf(sum) + most - scores[label * N + n]), likeliest == label};
}

/* --- all rows --- */

typedef struct row_loss predict_row(const struct objective *objective, size_t n, const float *scores, float *out);

static predict_row *const predict[] = {[OBJECTIVE_SQUARES] = predict_square,
                                       [OBJECTIVE_LOGISTIC] = predict_logistic,
                                       [OBJECTIVE_SOFTMAX] = predict_softmax};

static struct row_loss predict_block(const struct objective *objective, size_t block, const float *scores, float *out)
{
    struct row_loss sum = {0};
    for (size_t n = block * BLOCK; n < objective->count && n < (block + 1) * BLOCK; n++) {
        struct row_loss row = predict[objective->kind](objective, n, scores, out);
        sum.loss += row.loss;
        sum.right += row.right;
    }
    return sum;
}

/* What is predicted, block by block. */
struct score_prediction {
    const struct objective *objective;
    const float *scores;
    float *out;
    struct row_loss *sums;
};

static void predict_one_block(void *context, size_t block)
{
    const struct score_prediction *prediction = context;
    prediction->sums[block] = predict_block(prediction->objective, block, prediction->scores, prediction->out);
}

struct objective_loss objective_predict(const struct objective *objective, const float *scores, float *out, int threads)
{
    size_t blocks = (objective->count + BLOCK - 1) / BLOCK;
    struct row_loss *sums = MEM_ARRAY(struct row_loss, blocks);
    double loss = 0, right = 0, count = (double)objective->count;
    each_do(blocks > 1 ? threads : 1, blocks, predict_one_block,
            &(struct score_prediction){objective, scores, out, sums});
    for (size_t block = 0; block < blocks; block++) {
        loss += sums[block].loss;
        right += sums[block].right;
    }
    free(sums);
    return (struct objective_loss){loss / count, objective->kind == OBJECTIVE_SQUARES ? NAN : right / count};
}

/* --- derivatives --- */

static void derive_squares(const struct objective *objective, const float *predicted, struct gradients *out)
{
    double most = 0;
    for (size_t n = 0; n < objective->count; n++)
        most = fmax(most, fabs((double)predicted[n] - (double)objective->targets[n]));
    gradients_set_range(out, most, 1);
    for (size_t n = 0; n < objective->count; n++)
        gradients_put(out, n, (double)predicted[n] - (double)objective->targets[n], 1);
}

/* The derivatives of one score, block by block. */
struct derivation {
    const struct objective *objective;
    const float *predicted; /* of the score */
    int32_t label;
    struct gradients *out;
};

static void derive_block(void *context, size_t block)
{
    const struct derivation *derivation = context;
    const struct objective *objective = derivation->objective;
    for (size_t n = block * BLOCK; n < objective->count && n < (block + 1) * BLOCK; n++) {
        double p = (double)derivation->predicted[n];
        gradients_put(derivation->out, n, p - (objective->labels[n] == derivation->label), p * (1 - p));
    }
}

void objective_derive(const struct objective *objective, const float *predicted, size_t k, struct gradients *out,
                      int threads)
{
    if (objective->kind == OBJECTIVE_SQUARES) {
        derive_squares(objective, predicted, out);
        return;
    }
    struct derivation derivation = {objective, predicted + k * objective->count,
                                    objective->kind == OBJECTIVE_LOGISTIC ? 1 : (int32_t)k, out};
    size_t blocks = (objective->count + BLOCK - 1) / BLOCK;
    gradients_set_range(out, 1, .25);
    each_do(blocks > 1 ? threads : 1, blocks, derive_block, &derivation);
}
