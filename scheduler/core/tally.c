/* Results and limits; see tally.h. */
#include "scheduler/core/tally.h"
#include "scheduler/core/core.h"

#include <math.h>
#include <stdio.h>

enum ending tally_check_values(const struct metrics *metrics, const double *values, const bool *reported,
                               uint32_t *culprit)
{
    for (*culprit = 0; *culprit < metrics->count; ++*culprit)
        if (metrics->items[*culprit].objective && !isfinite(values[*culprit]))
            return !reported || reported[*culprit] ? ENDING_DIVERGED : ENDING_NO_VALUE;
    return ENDING_COMPLETED;
}

const char *tally_detail(const struct metrics *metrics, uint32_t culprit, const char *detail, char *out, size_t size)
{
    if (!culprit || (detail && *detail))
        return detail;
    snprintf(out, size, "the metric is '%s'", metrics->items[culprit].name);
    return out;
}

static bool is_better(bool maximize, double value, double than)
{
    return maximize ? value > than : value < than;
}

void tally_add(struct tally *tally, bool maximize, uint64_t trial, const struct event_end *end)
{
    enum trial_state state = ending_state(end->ending);
    bool counts = (state == TRIAL_COMPLETED || state == TRIAL_STOPPED) && end->has_value && !isnan(end->value);
    tally->ended[state]++;
    if (!counts || end->infeasible || (tally->has_best && !is_better(maximize, end->value, tally->best)))
        return;
    tally->has_best = true;
    tally->best_trial = trial;
    tally->best = end->value;
}

void tally_add_added(struct tally *tally, bool maximize, uint64_t trial, const struct event_end *end)
{
    tally_add(tally, maximize, trial, end);
    tally->added++;
}

void tally_ignore(struct tally *tally, uint64_t trial, enum ending ending, bool added)
{
    uint64_t *ended = &tally->ended[ending_state(ending)];
    *ended -= *ended > 0;
    tally->ignored++;
    tally->added -= added && tally->added > 0;
    tally->has_best = tally->has_best && tally->best_trial != trial;
}

void tally_count_again(struct tally *tally, enum ending ending, bool added)
{
    tally->ended[ending_state(ending)]++;
    tally->ignored -= tally->ignored > 0;
    tally->added += added;
    tally->has_best = false;
}

void tally_offer(struct tally *tally, bool maximize, uint64_t trial, double value)
{
    if (tally->has_best && is_better(maximize, tally->best, value))
        return;
    tally->has_best = true;
    tally->best_trial = trial;
    tally->best = value;
}

enum reason tally_reached(const struct tally *tally, const struct streak *streak, const struct core_config *config,
                          double held)
{
    bool maximize = config->metrics.items[0].maximize;
    if (config->has_target && tally->has_best && !is_better(maximize, config->target, tally->best))
        return REASON_TARGET;
    if (config->time > 0 && held >= config->time)
        return REASON_TIME;
    if (config->has_max_failures && tally->ended[TRIAL_FAILED] > config->max_failures)
        return REASON_FAILURES;
    if (streak_is_reached(streak, tally, config->same_failures))
        return REASON_SAME_FAILURES;
    return REASON_NONE;
}

uint64_t tally_last_trial(const struct tally *tally, const struct core_config *config)
{
    return config->max_trials ? config->max_trials + tally->ignored + tally->added + tally->skipped : 0;
}

bool tally_all_asked(const struct tally *tally, const struct core_config *config, uint64_t next_trial)
{
    return config->max_trials && next_trial > tally_last_trial(tally, config);
}
