/* What the ways of simulating a search share; see simulate_search.h. */
#include "cli/bench/simulate_search.h"
#include "cli/bench/stats.h"
#include "common/clock.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

/* --- standings --- */

uint64_t simulate_next_count(uint64_t count)
{
    static const uint64_t first[] = {10, 25, 50, 100, 200};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (first[i] > count)
            return first[i];
    for (uint64_t ten = 100; ten <= UINT64_MAX / 100; ten *= 10)
        for (uint64_t digit = 2; digit <= 10; digit += digit == 2 ? 3 : 5)
            if (digit * ten > count)
                return digit * ten;
    return UINT64_MAX;
}

static void add_standing(struct search *search, uint64_t trials)
{
    struct simulated *out = search->out;
    out->standings = mem_resize(out->standings, out->count + 1, sizeof *out->standings);
    out->standings[out->count++] = (struct bench_standing){
        .trials = trials,
        .best = search->best,
        .regret = objective_regret(search->simulation->objective, search->best),
        .ask50 = stats_quantile(search->thoughts, search->thought_count, 0.5),
        .ask99 = stats_quantile(search->thoughts, search->thought_count, 0.99),
    };
    search->thought_count = 0;
}

uint64_t search_count_after(const struct search *search, uint64_t count)
{
    uint64_t next = simulate_next_count(count), last = search->simulation->trials;
    return count >= last ? UINT64_MAX : next < last ? next : last;
}

void search_stand(struct search *search, uint64_t trials)
{
    while (search->next_count <= trials) {
        add_standing(search, search->next_count);
        search->next_count = search_count_after(search, search->next_count);
    }
}

/* --- the contender --- */

double search_clock(const struct search *search)
{
    return search->simulation->contender->command ? clock_monotonic() : clock_thread();
}

enum searcher_answer search_ask(struct search *search, json_t **params, struct err *err)
{
    double then = search_clock(search);
    enum searcher_answer answer = driver_ask(search->driver, search->asked + 1, params, err);
    search->thinking += search_clock(search) - then;
    if (answer != SEARCHER_PROPOSED)
        return answer;
    MEM_GROW(search->thoughts, search->thought_capacity, search->thought_count + 1);
    search->thoughts[search->thought_count++] = search->thinking * 1e3;
    search->thinking = 0;
    search->asked++;
    return answer;
}

int search_tell(struct search *search, uint64_t trial, bool ended, const struct driver_result *told, struct err *err)
{
    double then = search_clock(search);
    int failed =
        ended ? driver_tell(search->driver, trial, told, err) : driver_observe(search->driver, trial, told, err);
    search->thinking += search_clock(search) - then;
    return failed;
}

double search_try(struct search *search, uint64_t trial, const json_t *params)
{
    const struct simulation *simulation = search->simulation;
    struct objective_outcome *outcome = &search->outcome;
    objective_run(simulation->objective, simulation->seed, trial, params, outcome);
    if (outcome->ending != ENDING_COMPLETED && !search->out->failed++)
        search->out->failure = outcome->detail;
    return outcome->seconds > 0 ? outcome->seconds : durations_draw(&simulation->durations, simulation->seed, trial);
}

void search_see(struct search *search, double value, double truth)
{
    double loss = objective_loss(search->simulation->objective, value);
    if (isnan(loss) || loss >= search->best_loss)
        return;
    search->best_loss = loss;
    search->best = truth;
}

/* --- trials --- */

void search_start_trial(struct search *search, uint64_t number, const json_t *params)
{
    struct flight *flight = MEM_NEW(struct flight);
    double seconds = search_try(search, number, params);
    const struct objective_outcome *outcome = &search->outcome;
    int64_t step = outcome->count ? outcome->samples[outcome->count - 1].step : 0;
    *flight = (struct flight){.told = {.ending = outcome->ending, .value = outcome->value, .seconds = seconds},
                              .truth = outcome->truth};
    flight->told.step = step > 0 ? (uint64_t)step : 0;
    agenda_add(&search->agenda, (struct agenda_entry){search->now + seconds, number, flight});
    search->busy += seconds;
}

void search_measure(struct search *search)
{
    double capacity = search->now * search->simulation->workers, busy = search->busy;
    for (size_t i = 0; i < search->agenda.count; i++)
        busy -= search->agenda.heap[i].time - search->now;
    search->out->utilisation = capacity > 0 ? busy / capacity : 1;
}

int search_end_trial(struct search *search, uint64_t number, struct flight *flight, struct err *err)
{
    search_see(search, flight->told.value, flight->truth);
    int failed = search_tell(search, number, true, &flight->told, err);
    search_stand(search, ++search->out->ended);
    free(flight);
    return failed;
}
