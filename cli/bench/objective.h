/* The objective of a benchmark: an experiment file whose kernel is `table` or `synth`, so that this process can tell at
 * once what a trial would come to. One objective serves many searches side by side: the table is read once.
 *
 * Values are in the metric's own units; objective_loss turns them into losses. Simulated seconds are counted, never
 * slept. */
#ifndef GANNET_CLI_BENCH_OBJECTIVE_H
#define GANNET_CLI_BENCH_OBJECTIVE_H

#include "common/endings.h"
#include "common/err.h"
#include "scheduler/spec/spec.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct bench_objective;

/* Takes the spec over, also when it fails, and opens its kernel. NULL with a sentence: another kernel, an option that
 * would end this process (crash, hang, ...), or a space so large that the best of a table can't be known. */
struct bench_objective *objective_open(struct spec *spec, struct err *err);
void objective_close(struct bench_objective *objective); /* NULL is fine */

const struct spec *objective_spec(const struct bench_objective *objective);

/* What it is called in results: its file's name without folder and ending. */
const char *objective_name(const struct bench_objective *objective);

/* The best value there is, and the median one, both without noise: of all configurations when there are at most
 * SCALE_MOST (regret_scale.h). Otherwise of synth the function's known minimum, and the median of the first
 * SCALE_POINTS proposals of random search. */
double objective_optimum(const struct bench_objective *objective);
double objective_median(const struct bench_objective *objective);

/* Of a whole trial: its samples, and the step of the last one. */
size_t objective_steps(const struct bench_objective *objective);
int64_t objective_last_step(const struct bench_objective *objective);

/* Where a value lies between the best (0) and the median (1); NaN of NaN. */
double objective_regret(const struct bench_objective *objective, double value);

/* A value as a loss, and back. */
double objective_loss(const struct bench_objective *objective, double value);

/* One value of the objective on a trial's way. */
struct objective_sample {
    int64_t step;
    double value;
};

/* What a trial comes to. {0} is an empty one; the memory for samples is kept from trial to trial. */
struct objective_outcome {
    enum ending ending; /* COMPLETED, BAD_CONFIG, DIVERGED or NO_VALUE */
    double value;       /* as the strategy sees it; NaN: none */
    double truth;       /* without noise, where the kernel knows it; else the value */
    double seconds;     /* simulated; 0: the objective does not say */
    struct objective_sample *samples;
    size_t count, capacity;
    struct err detail; /* why it failed */
};

void objective_outcome_fini(struct objective_outcome *outcome);

/* Runs trial `number` of a search of this seed. `params` is the object of its parameters. Noise and repeats are drawn
 * from (seed, number) as in an experiment with that seed. From any thread. */
void objective_run(struct bench_objective *objective, uint64_t seed, uint64_t number, const json_t *params,
                   struct objective_outcome *out);

#endif
