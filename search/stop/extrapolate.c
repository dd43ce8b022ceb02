/* The stopper extrapolate: forecasts a trial's loss at its last step from its curve so far (curve.h), and stops it when
 * it will hardly be better than the best completed trial. (Domhan, Springenberg, Hutter, IJCAI 2015.) */
#include "search/stop/kind.h"
#include "search/stop/curve.h"
#include "common/map.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum extrapolate_option { ROW_MIN_STEPS, ROW_MAX_STEPS, ROW_CHANCE, ROW_MIN_TRIALS, ROW_INTERVAL };

static const struct gannet_option options[] = {
    [ROW_MIN_STEPS] = {"min_steps", GANNET_INTEGER, 3, 1e9, NULL, "4", "no trial is stopped before this step"},
    [ROW_MAX_STEPS] = STOP_MAX_STEPS,
    [ROW_CHANCE] = {"chance", GANNET_NUMBER, 0, 1, NULL, "0.05",
                    "a trial stops when it is less probable than this to become the best"},
    [ROW_MIN_TRIALS] = {"min_trials", GANNET_INTEGER, 1, 1e6, NULL, "2",
                        "trials that must be complete before any stops"},
    [ROW_INTERVAL] = {"interval", GANNET_INTEGER, 1, 1e6, NULL, "1", "steps from one look to the next"},
    {.name = NULL},
};

/* Points that are kept of a curve. A forecast costs some 30 us with so many: 15 members with a power each. When they
 * are full every other one goes. */
enum { MOST = 64 };

struct curve_points {
    double t[MOST], y[MOST];
    size_t count;
};

struct extrapolate {
    const struct stop_problem *problem;
    struct map curves; /* trial -> struct curve_points */
    double best;       /* loss of completed trials; INFINITY: there is none */
    uint64_t completed;
};

static void *create_extrapolate(const struct stop_problem *problem, struct err *err)
{
    (void)err;
    struct extrapolate *self = MEM_NEW(struct extrapolate);
    self->problem = problem;
    self->best = INFINITY;
    return self;
}

static void destroy_extrapolate(void *state)
{
    struct extrapolate *self = state;
    struct map_entry entry;
    for (size_t at = 0; map_next(&self->curves, &at, &entry);)
        free(entry.value);
    map_fini(&self->curves);
    free(self);
}

static void add_to_curve(struct curve_points *points, double t, double y)
{
    if (points->count == MOST) {
        for (size_t i = 0; i < MOST / 2; i++) {
            points->t[i] = points->t[2 * i];
            points->y[i] = points->y[2 * i];
        }
        points->count = MOST / 2;
    }
    points->t[points->count] = t;
    points->y[points->count++] = y;
}

static double option_extrapolate(const struct extrapolate *self, enum extrapolate_option row)
{
    return self->problem->options[row].number;
}

static bool is_looked_at(const struct extrapolate *self, const struct curve_points *points, uint64_t step)
{
    uint64_t first = (uint64_t)option_extrapolate(self, ROW_MIN_STEPS),
             interval = (uint64_t)option_extrapolate(self, ROW_INTERVAL);
    bool enough = self->completed >= (uint64_t)option_extrapolate(self, ROW_MIN_TRIALS) && isfinite(self->best);
    return enough && points->count >= 3 && step >= first && (step - first) % interval == 0 &&
           step < self->problem->max_steps;
}

static void sample_extrapolate(void *state, const struct stop_point *point, struct stopper_decision *out)
{
    struct extrapolate *self = state;
    struct curve_points *points = map_get(&self->curves, point->trial);
    if (!points) {
        points = MEM_NEW(struct curve_points);
        map_put(&self->curves, point->trial, points);
    }
    if (isfinite(point->losses[0]))
        add_to_curve(points, (double)point->step, point->losses[0]);
    if (!is_looked_at(self, points, point->step))
        return;
    double sign = self->problem->sign, last = (double)self->problem->max_steps;
    struct curve_forecast forecast = curve_forecast(points->t, points->y, points->count, last, self->best);
    out->rung = true;
    out->cut_off = sign * self->best;
    out->action = forecast.chance < option_extrapolate(self, ROW_CHANCE) ? STOPPER_STOP : STOPPER_GO_ON;
    snprintf(out->why, sizeof out->why,
             "step %llu: heads for %.6g at step %.0f; better than the best, %.6g, with a probability of %.2g",
             (unsigned long long)point->step, sign * forecast.mean, last, sign * self->best, forecast.chance);
}

static void ended_extrapolate(void *state, uint64_t trial, bool failed, bool completed, const double *losses)
{
    (void)failed;
    struct extrapolate *self = state;
    if (completed && losses) {
        self->completed++;
        self->best = fmin(self->best, losses[0]);
    }
    free(map_remove(&self->curves, trial));
}

const struct stop_kind stop_extrapolate = {
    .info = {"extrapolate", "forecasts each curve's end; stops trials that will hardly become the best", options,
             false},
    .max_steps_row = ROW_MAX_STEPS,
    .most_objectives = 1,
    .create = create_extrapolate,
    .sample = sample_extrapolate,
    .ended = ended_extrapolate,
    .destroy = destroy_extrapolate,
};
