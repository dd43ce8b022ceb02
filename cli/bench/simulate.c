/* A search on a virtual clock, trial by trial; see simulate.h. */
#include "cli/bench/simulate.h"
#include "cli/bench/simulate_search.h"

#include <math.h>
#include <stdlib.h>

/* --- trial by trial --- */

/* Hands a trial to every free worker, until *closed. -1 with a sentence. */
static int hand_out(struct search *search, bool *closed, struct err *err)
{
    const struct simulation *simulation = search->simulation;
    enum searcher_answer answer = SEARCHER_PROPOSED;
    while (answer == SEARCHER_PROPOSED && !*closed && search->agenda.count < simulation->workers &&
           !atomic_load(simulation->stop)) {
        json_t *params = NULL;
        answer = search_ask(search, &params, err);
        if (answer == SEARCHER_PROPOSED)
            search_start_trial(search, search->asked, params);
        json_decref(params);
        *closed = answer == SEARCHER_NO_MORE || search->asked == simulation->trials;
        if (*closed)
            search_measure(search);
    }
    return answer == SEARCHER_BROKEN ? -1 : 0;
}

static int run_trials(struct search *search, struct err *err)
{
    const struct simulation *simulation = search->simulation;
    struct agenda_entry end;
    bool closed = false;
    int failed = hand_out(search, &closed, err);
    while (!failed && !atomic_load(simulation->stop) && agenda_next(&search->agenda, &end)) {
        search->now = end.time;
        failed = search_end_trial(search, end.trial, end.what, err) || hand_out(search, &closed, err);
    }
    while (agenda_next(&search->agenda, &end))
        free(end.what);
    return failed ? -1 : atomic_load(simulation->stop) ? 1 : 0;
}

/* --- all of it --- */

static int run_simulation(struct search *search, struct err *err)
{
    const struct simulation *simulation = search->simulation;
    bool by_steps = simulation->by_steps;
    struct driver_setup setup = {.contender = simulation->contender,
                                 .objective = simulation->objective,
                                 .seed = simulation->seed,
                                 .trials = by_steps ? 0 : simulation->trials,
                                 .steps = by_steps ? objective_steps(simulation->objective) : 0,
                                 .workers = simulation->workers,
                                 .stop = simulation->stop};
    search->driver = driver_create(&setup, err);
    if (!search->driver)
        return -1;
    return by_steps                     ? search_run_steps(search, err)
           : simulation->asks_take_time ? search_run_queued(search, err)
                                        : run_trials(search, err);
}

int simulate(const struct simulation *simulation, struct simulated *out, struct err *err)
{
    struct search search = {.simulation = simulation, .out = out, .best_loss = INFINITY, .best = NAN};
    *out = (struct simulated){0};
    search.next_count = search_count_after(&search, 0);
    int result = run_simulation(&search, err);
    if (result == 0)
        search_stand(&search, simulation->trials);
    else
        simulated_fini(out);
    agenda_fini(&search.agenda);
    objective_outcome_fini(&search.outcome);
    free(search.thoughts);
    driver_destroy(search.driver);
    return result;
}

void simulated_fini(struct simulated *simulated)
{
    free(simulated->standings);
    *simulated = (struct simulated){0};
}
