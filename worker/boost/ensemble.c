/* See ensemble.h. */
#include "worker/boost/ensemble.h"

#include "common/clock.h"
#include "common/mem.h"
#include "common/rng.h"
#include "worker/boost/each.h"

#include <math.h>
#include <stdlib.h>

static void init_part(struct ensemble_part *part, const struct bins *bins, const struct objective *objective,
                      const float *begin, int threads)
{
    size_t count = objective->count;
    *part = (struct ensemble_part){
        .bins = bins,
        .objective = *objective,
        .scores = MEM_ARRAY(float, objective->scores *count),
        .predicted = MEM_ARRAY(float, objective->scores *count),
    };
    for (size_t i = 0; i < objective->scores * count; i++)
        part->scores[i] = begin[i / count];
    part->loss = objective_predict(objective, part->scores, part->predicted, threads);
}

static void fini_part(struct ensemble_part *part)
{
    free(part->scores);
    free(part->predicted);
}

/* Trees of different scores are grown side by side, those of one score with all threads at each. */
static void init_workers(struct ensemble *ensemble)
{
    int threads = ensemble->rules.grow.threads, scores = (int)ensemble->training.objective.scores;
    ensemble->workers = scores < threads ? scores : threads;
    if (scores > 1)
        ensemble->rules.grow.threads = 1;
    ensemble->growers = MEM_ARRAY(struct grower *, (size_t)ensemble->workers);
    ensemble->gradients = MEM_ARRAY(struct gradients, (size_t)ensemble->workers);
    ensemble->counts = MEM_ARRAY(struct grow_counts, (size_t)ensemble->workers);
    for (int i = 0; i < ensemble->workers; i++) {
        ensemble->growers[i] = grower_make(ensemble->training.bins, ensemble->rules.grow.max_leaves);
        gradients_init(&ensemble->gradients[i], ensemble->training.objective.count);
    }
}

void ensemble_init(struct ensemble *ensemble, const struct ensemble_rules *rules, const struct bins *training,
                   const struct objective *training_objective, const struct bins *validation,
                   const struct objective *validation_objective)
{
    float *begin = MEM_ARRAY(float, training_objective->scores);
    objective_begin(training_objective, begin);
    *ensemble = (struct ensemble){.rules = *rules, .rows = MEM_ARRAY(uint32_t, training_objective->count)};
    init_part(&ensemble->training, training, training_objective, begin, rules->grow.threads);
    init_part(&ensemble->validation, validation, validation_objective, begin, rules->grow.threads);
    init_workers(ensemble);
    free(begin);
}

void ensemble_fini(struct ensemble *ensemble)
{
    for (int i = 0; i < ensemble->workers; i++) {
        grower_free(ensemble->growers[i]);
        gradients_fini(&ensemble->gradients[i]);
    }
    for (size_t i = 0; i < ensemble->tree_count; i++)
        boosted_tree_fini(&ensemble->trees[i]);
    fini_part(&ensemble->training);
    fini_part(&ensemble->validation);
    free(ensemble->growers);
    free(ensemble->gradients);
    free(ensemble->counts);
    free(ensemble->trees);
    free(ensemble->rows);
    *ensemble = (struct ensemble){0};
}

/* --- what a tree sees --- */

/* So many of 0 .. count-1, rising, each set equally likely (Knuth, "The Art of Computer Programming", volume 2,
 * algorithm S). */
static size_t draw_some(struct rng *rng, uint32_t *out, size_t count, double share)
{
    size_t wanted = (size_t)fmax(1, floor(share * (double)count + .5)), taken = 0;
    for (size_t i = 0; i < count && taken < wanted; i++)
        if (wanted == count || rng_below(rng, count - i) < wanted - taken)
            out[taken++] = (uint32_t)i;
    return taken;
}

static void draw_rows(struct ensemble *ensemble)
{
    struct rng rng = rng_make(ensemble->rules.seed, "rows", ensemble->rounds);
    ensemble->row_count =
        draw_some(&rng, ensemble->rows, ensemble->training.objective.count, ensemble->rules.subsample);
}

/* --- a round --- */

/* Rows that the tree was not grown by, and those of validation. */
static void score_others(struct ensemble *ensemble, const struct boosted_tree *tree, size_t k)
{
    struct ensemble_part *training = &ensemble->training, *validation = &ensemble->validation;
    size_t count = training->objective.count, next = 0;
    float *scores = training->scores + k * count;
    for (size_t n = 0; n < count && ensemble->row_count < count; n++) {
        if (next < ensemble->row_count && ensemble->rows[next] == n)
            next++;
        else
            scores[n] += boosted_tree_value(tree, training->bins, n);
    }
    boosted_tree_predict(tree, validation->bins, validation->scores + k * validation->objective.count);
}

static struct boosted_tree grow_one(struct ensemble *ensemble, size_t k, int worker)
{
    struct ensemble_part *training = &ensemble->training;
    size_t F = training->bins->inputs, K = training->objective.scores, N = training->objective.count;
    uint32_t *inputs = MEM_ARRAY(uint32_t, F);
    struct rng rng = rng_make(ensemble->rules.seed, "inputs", ensemble->rounds * K + k);
    objective_derive(&training->objective, training->predicted, k, &ensemble->gradients[worker],
                     ensemble->rules.grow.threads);
    struct grow_sample sample = {
        .bins = training->bins,
        .gradients = &ensemble->gradients[worker],
        .rows = ensemble->row_count < N ? ensemble->rows : NULL,
        .count = ensemble->row_count,
        .inputs = inputs,
        .input_count = draw_some(&rng, inputs, F, ensemble->rules.inputs),
        .counts = &ensemble->counts[worker],
    };
    struct boosted_tree tree =
        grow_tree(ensemble->growers[worker], &sample, &ensemble->rules.grow, training->scores + k * N);
    score_others(ensemble, &tree, k);
    free(inputs);
    return tree;
}

/* The trees of a round that are this worker's. */
static void grow_share(void *context, size_t worker)
{
    struct ensemble *ensemble = context;
    size_t K = ensemble->training.objective.scores;
    struct boosted_tree *trees = ensemble->trees + ensemble->rounds * K;
    for (size_t k = worker; k < K; k += (size_t)ensemble->workers)
        trees[k] = grow_one(ensemble, k, (int)worker);
}

static void measure_parts(struct ensemble *ensemble)
{
    struct ensemble_part *parts[] = {&ensemble->training, &ensemble->validation};
    for (int i = 0; i < 2; i++)
        parts[i]->loss = objective_predict(&parts[i]->objective, parts[i]->scores, parts[i]->predicted,
                                           ensemble->workers > 1 ? ensemble->workers : ensemble->rules.grow.threads);
}

/* Of workers that grow side by side the seconds of one on average. */
static void take_counts(struct ensemble *ensemble, struct operation_count *histograms, struct operation_count *splits)
{
    for (int i = 0; i < ensemble->workers; i++) {
        struct grow_counts *counts = &ensemble->counts[i];
        counts->histograms.seconds /= ensemble->workers;
        counts->splits.seconds /= ensemble->workers;
        operation_merge(histograms, &counts->histograms);
        operation_merge(splits, &counts->splits);
    }
}

/* Trees are what is left of the time when their parts are timed, too. */
static void count_round(struct ensemble *ensemble, double seconds, uint64_t timed, struct operation_count *operations)
{
    struct operation_count *trees = &operations[OPERATION_trees], *histograms = &operations[OPERATION_histograms],
                           *splits = &operations[OPERATION_splits];
    double before = histograms->seconds + splits->seconds;
    take_counts(ensemble, histograms, splits);
    trees->calls++;
    if (timed >> OPERATION_trees & 1)
        operation_time(trees, fmax(0, seconds - (histograms->seconds + splits->seconds - before)));
}

void ensemble_grow(struct ensemble *ensemble, struct phase_time *phases, uint64_t timed,
                   struct operation_count operations[OPERATIONS_COUNT])
{
    size_t K = ensemble->training.objective.scores;
    double begun = clock_monotonic();
    MEM_GROW(ensemble->trees, ensemble->capacity, (ensemble->rounds + 1) * K);
    for (int i = 0; i < ensemble->workers; i++)
        ensemble->counts[i] =
            (struct grow_counts){.timed = timed >> OPERATION_histograms & 1 || timed >> OPERATION_splits & 1};
    draw_rows(ensemble);
    each_do(ensemble->workers, (size_t)ensemble->workers, grow_share, ensemble);
    ensemble->rounds++;
    ensemble->tree_count += K;
    double grown = clock_monotonic();
    measure_parts(ensemble);
    phase_add(&phases[PHASE_UPDATE], grown - begun);
    phase_add(&phases[PHASE_EVALUATION], clock_monotonic() - grown);
    count_round(ensemble, grown - begun, timed, operations);
}

void ensemble_take(struct ensemble *ensemble, size_t round, size_t k, struct boosted_tree tree)
{
    struct ensemble_part *training = &ensemble->training, *validation = &ensemble->validation;
    size_t K = training->objective.scores;
    MEM_GROW(ensemble->trees, ensemble->capacity, (round + 1) * K);
    ensemble->trees[ensemble->tree_count++] = tree;
    boosted_tree_predict(&tree, training->bins, training->scores + k * training->objective.count);
    boosted_tree_predict(&tree, validation->bins, validation->scores + k * validation->objective.count);
    if (k + 1 < K)
        return;
    ensemble->rounds = round + 1;
    measure_parts(ensemble);
}
