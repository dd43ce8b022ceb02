/* L-BFGS in a box; see minimize.h. */
#include "search/gp/minimize.h"
#include "common/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 8 }; /* steps remembered */

struct minimize_state {
    const struct minimize *problem;
    uint32_t used;       /* evaluations */
    uint32_t pairs;      /* steps made; of them the last PAIRS are remembered */
    double *x, *g;       /* the best point and its gradient */
    double *next, *ng;   /* a trial point and its gradient */
    double *direction;   /* from x */
    double *step, *turn; /* PAIRS x count: differences of points and of gradients */
    double value;
};

static double dot_product(const double *a, const double *b, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double evaluate_at(struct minimize_state *state, const double *x, double *gradient)
{
    state->used++;
    double value = state->problem->function(state->problem->context, x, gradient);
    return isfinite(value) ? value : INFINITY;
}

/* Whether a coordinate stands at a bound and would leave the box downhill. */
static bool is_bound(const struct minimize_state *state, uint32_t i)
{
    const struct minimize *problem = state->problem;
    return (state->x[i] <= problem->low[i] && state->g[i] > 0) || (state->x[i] >= problem->high[i] && state->g[i] < 0);
}

/* direction = - (approximate inverse Hessian) gradient, by the two loops over the remembered steps. */
static void find_direction(struct minimize_state *state)
{
    uint32_t n = state->problem->count, kept = state->pairs < PAIRS ? state->pairs : PAIRS;
    double factors[PAIRS];
    double *q = state->direction;
    for (uint32_t i = 0; i < n; i++)
        q[i] = is_bound(state, i) ? 0 : -state->g[i];
    for (uint32_t k = 0; k < kept; k++) {
        uint32_t at = (state->pairs - 1 - k) % PAIRS;
        const double *s = state->step + (size_t)at * n, *y = state->turn + (size_t)at * n;
        factors[k] = dot_product(s, q, n) / dot_product(s, y, n);
        for (uint32_t i = 0; i < n; i++)
            q[i] -= factors[k] * y[i];
    }
    if (kept) {
        uint32_t at = (state->pairs - 1) % PAIRS;
        const double *s = state->step + (size_t)at * n, *y = state->turn + (size_t)at * n;
        double scale = dot_product(s, y, n) / dot_product(y, y, n);
        for (uint32_t i = 0; i < n; i++)
            q[i] *= scale;
    }
    for (uint32_t k = kept; k-- > 0;) {
        uint32_t at = (state->pairs - 1 - k) % PAIRS;
        const double *s = state->step + (size_t)at * n, *y = state->turn + (size_t)at * n;
        double back = factors[k] - dot_product(y, q, n) / dot_product(s, y, n);
        for (uint32_t i = 0; i < n; i++)
            q[i] += back * s[i];
    }
    for (uint32_t i = 0; i < n; i++)
        if (is_bound(state, i))
            q[i] = 0;
}

/* next = x + length * direction, kept in the box. Returns what a straight line would lose on the way. */
static double reach_point(struct minimize_state *state, double length)
{
    const struct minimize *problem = state->problem;
    double slope = 0;
    for (uint32_t i = 0; i < problem->count; i++) {
        state->next[i] = fmin(fmax(state->x[i] + length * state->direction[i], problem->low[i]), problem->high[i]);
        slope += state->g[i] * (state->next[i] - state->x[i]);
    }
    return slope;
}

/* Goes along the direction as far as it pays; false when it doesn't at all. */
static bool search_line(struct minimize_state *state, double length, double *value)
{
    for (int halvings = 0; halvings < 12 && state->used < state->problem->evaluations; halvings++, length *= 0.4) {
        double slope = reach_point(state, length);
        if (!(slope < 0))
            return false;
        *value = evaluate_at(state, state->next, state->ng);
        if (*value <= state->value + 1e-4 * slope)
            return true;
    }
    return false;
}

/* Takes the trial point as the new best one and remembers the step to it. */
static void accept_point(struct minimize_state *state, double value)
{
    uint32_t n = state->problem->count;
    double *s = state->step + (size_t)(state->pairs % PAIRS) * n, *y = state->turn + (size_t)(state->pairs % PAIRS) * n;
    for (uint32_t i = 0; i < n; i++) {
        s[i] = state->next[i] - state->x[i];
        y[i] = state->ng[i] - state->g[i];
    }
    if (dot_product(s, y, n) > 1e-10 * dot_product(y, y, n))
        state->pairs++;
    memcpy(state->x, state->next, n * sizeof(double));
    memcpy(state->g, state->ng, n * sizeof(double));
    state->value = value;
}

static void descend_once(struct minimize_state *state)
{
    uint32_t n = state->problem->count;
    while (state->used < state->problem->evaluations) {
        find_direction(state);
        double size = sqrt(dot_product(state->direction, state->direction, n)), value;
        if (!(size > 0))
            return;
        double before = state->value;
        bool first = state->pairs == 0;
        if (!search_line(state, first ? fmin(1, 0.3 / size) : 1, &value)) {
            if (first)
                return;
            state->pairs = 0; /* the remembered steps mislead; once more along the gradient */
            continue;
        }
        accept_point(state, value);
        if (before - value < state->problem->tolerance && !first)
            return;
    }
}

double minimize(const struct minimize *problem, double *x)
{
    uint32_t n = problem->count;
    double *memory = MEM_ARRAY(double, (size_t)n *(4 + 2 * PAIRS));
    struct minimize_state state = {.problem = problem,
                                   .x = x,
                                   .g = memory,
                                   .next = memory + n,
                                   .ng = memory + 2 * n,
                                   .direction = memory + 3 * n,
                                   .step = memory + 4 * n,
                                   .turn = memory + (4 + PAIRS) * n};
    state.value = evaluate_at(&state, x, state.g);
    if (isfinite(state.value))
        descend_once(&state);
    free(memory);
    return state.value;
}
