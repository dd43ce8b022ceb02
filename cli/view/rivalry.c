/* Comparing contenders: the numbers; see rivalry.h. */
#include "cli/view/rivalry.h"
#include "cli/bench/stats.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct effort_row {
    const char *name, *unit;
    size_t offset;
} efforts[EFFORTS] = {[EFFORT_TRIALS] = {"trials", "trials", offsetof(struct progress_place, trials)},
                      [EFFORT_SECONDS] = {"time", "of time", offsetof(struct progress_place, seconds)},
                      [EFFORT_CORES] = {"cores", "of one core", offsetof(struct progress_place, core_seconds)}};

const char *effort_name(enum effort effort)
{
    return efforts[effort].name;
}

enum effort effort_named(const char *name)
{
    for (enum effort effort = 0; effort < EFFORTS; effort++)
        if (strcmp(efforts[effort].name, name) == 0)
            return effort;
    return EFFORT_TRIALS;
}

const char *rivalry_show_effort(enum effort effort, double passed, char *out, size_t size)
{
    char text[32];
    if (effort == EFFORT_TRIALS)
        snprintf(out, size, "%.0f trial%s", passed, passed == 1 ? "" : "s");
    else
        snprintf(out, size, "%s %s", units_show_duration(passed, text, sizeof text), efforts[effort].unit);
    return out;
}

/* --- numbers --- */

double rivalry_common(const struct rivals *rivals, enum effort effort)
{
    double common = INFINITY;
    for (size_t i = 0; i < rivals->count; i++)
        for (size_t j = 0; j < rivals->items[i].count; j++)
            common = fmin(common, trial_data_passed(&rivals->items[i].seeds[j].last, efforts[effort].offset));
    return isfinite(common) ? common : 0;
}

/* The best so far of each seed as losses: a seed without a value is worse than all. free() them. */
static double *losses_at(const struct rival *rival, enum effort effort, double passed)
{
    double *losses = MEM_ARRAY(double, rival->count + 1);
    for (size_t i = 0; i < rival->count; i++) {
        double value = trial_data_best_at(&rival->seeds[i], efforts[effort].offset, passed);
        losses[i] = isnan(value) ? INFINITY : rival->seeds[i].metrics[0].maximize ? -value : value;
    }
    return losses;
}

static double value_of(double loss, bool maximize)
{
    return isinf(loss) && loss > 0 ? NAN : maximize ? -loss : loss;
}

struct standing_at rivalry_standing(const struct rival *rival, enum effort effort, double passed)
{
    double *losses = losses_at(rival, effort, passed);
    bool maximize = rival->seeds[0].metrics[0].maximize;
    struct standing_at standing = {0};
    for (size_t i = 0; i < rival->count; i++)
        standing.none += isinf(losses[i]) && losses[i] > 0;
    standing.low = value_of(stats_quantile(losses, rival->count, 0.25), maximize);
    standing.median = value_of(stats_median(losses, rival->count), maximize);
    standing.high = value_of(stats_quantile(losses, rival->count, 0.75), maximize);
    free(losses);
    return standing;
}

/* The leader at an effort: of the best median; among equal ones of the better mean rank, that is, the first. */
static size_t find_leader(const struct rivals *rivals, enum effort effort, double passed)
{
    size_t leader = 0;
    double best = INFINITY;
    for (size_t i = 0; i < rivals->count; i++) {
        double *losses = losses_at(&rivals->items[i], effort, passed);
        double median = stats_median(losses, rivals->items[i].count);
        if (median < best) {
            best = median;
            leader = i;
        }
        free(losses);
    }
    return leader;
}

size_t rivalry_test(const struct rivals *rivals, enum effort effort, double passed, struct rank_sum *tests)
{
    size_t leader = find_leader(rivals, effort, passed), count = 0;
    double *ahead = losses_at(&rivals->items[leader], effort, passed);
    double *p = MEM_ARRAY(double, rivals->count);
    for (size_t i = 0; i < rivals->count; i++) {
        double *behind = losses_at(&rivals->items[i], effort, passed);
        tests[i] = rank_sum_test(ahead, rivals->items[leader].count, behind, rivals->items[i].count);
        if (i != leader)
            p[count++] = tests[i].p;
        free(behind);
    }
    rank_sum_holm(p, count);
    for (size_t i = rivals->count; i-- > 0;)
        if (i != leader)
            tests[i].p = p[--count];
    free(ahead);
    free(p);
    return leader;
}

/* --- the bests --- */

const struct trial_data *rivalry_best_seed(const struct rival *rival, size_t *which)
{
    const struct trial_data *best = NULL;
    for (size_t i = 0; i < rival->count; i++) {
        const struct trial_data *seed = &rival->seeds[i];
        if (seed->best_count && (!best || trial_data_is_better(seed, seed->best[seed->best_count - 1].value,
                                                               best->best[best->best_count - 1].value))) {
            best = seed;
            *which = i;
        }
    }
    return best;
}

const struct best_point *rivalry_best(const struct trial_data *data)
{
    return &data->best[data->best_count - 1];
}

json_t *rivalry_best_param(const struct trial_data *data, const char *name)
{
    for (size_t i = 0; data && i < data->param_count; i++) {
        const struct trial_param *param = &data->params[i];
        double value = param->values[rivalry_best(data)->at];
        if (strcmp(param->name, name) != 0 || isnan(value))
            continue;
        if (param->level_count)
            return json_of_text((size_t)value < param->level_count ? param->levels[(size_t)value] : "?");
        return param->whole ? json_integer((json_int_t)value) : json_of_real(value);
    }
    return json_null();
}

json_t *rivalry_param_names(const struct rivals *rivals)
{
    json_t *names = json_object();
    for (size_t i = 0; i < rivals->count; i++)
        for (size_t j = 0; j < rivals->items[i].seeds[0].param_count; j++)
            json_object_set_new(names, rivals->items[i].seeds[0].params[j].name, json_true());
    return names;
}
