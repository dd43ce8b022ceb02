/* A search on a virtual clock; see simulate.h. */
#include "cli/bench/simulate.h"
#include "cli/bench/agenda.h"
#include "cli/bench/stats.h"
#include "common/clock.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

/* A trial that runs. */
struct trial {
    enum ending ending;
    double value, truth, seconds;
};

struct search {
    const struct simulation *simulation;
    struct player *player;
    struct simulated *out;
    struct agenda agenda;   /* the ends of running trials */
    struct outcome outcome; /* room for what a trial comes to */

    double now;          /* the virtual clock, seconds */
    double busy;         /* worker seconds of all trials */
    uint64_t asked;      /* trials handed out */
    bool closed;         /* no more will be */
    double best_loss;    /* as the contender saw it */
    double best;         /* the true value there */
    uint64_t next_count; /* where the next standing is due */

    double thinking;  /* seconds spent on tells since the last ask */
    double *thoughts; /* milliseconds of suggestions since the last standing */
    size_t thought_count, thought_room;
};

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

/* --- standings --- */

static void add_standing(struct search *search, uint64_t trials)
{
    struct simulated *out = search->out;
    out->standings = mem_resize(out->standings, out->count + 1, sizeof *out->standings);
    out->standings[out->count++] = (struct standing){
        .trials = trials,
        .best = search->best,
        .regret = objective_regret(search->simulation->objective, search->best),
        .ask50 = stats_quantile(search->thoughts, search->thought_count, 0.5),
        .ask99 = stats_quantile(search->thoughts, search->thought_count, 0.99),
    };
    search->thought_count = 0;
}

/* Takes the standings that are due now that so many trials have ended. */
static void take_standings(struct search *search, uint64_t ended)
{
    uint64_t last = search->simulation->trials;
    while (search->next_count <= ended) {
        add_standing(search, search->next_count);
        uint64_t next = simulate_next_count(search->next_count);
        search->next_count = search->next_count == last ? UINT64_MAX : next < last ? next : last;
    }
}

/* --- the clock --- */

/* The virtual clock goes on by what passed on the real one since `then`, when asks take time. */
static double think(struct search *search, double then)
{
    double seconds = clock_monotonic() - then;
    if (search->simulation->asks_take_time)
        search->now += seconds;
    return seconds;
}

static void start_trial(struct search *search, uint64_t number, const json_t *params)
{
    const struct simulation *simulation = search->simulation;
    struct outcome *outcome = &search->outcome;
    objective_run(simulation->objective, simulation->seed, number, params, outcome);
    struct trial *trial = MEM_NEW(struct trial);
    *trial = (struct trial){.ending = outcome->ending, .value = outcome->value, .truth = outcome->truth};
    trial->seconds =
        outcome->seconds > 0 ? outcome->seconds : durations_draw(&simulation->durations, simulation->seed, number);
    if (outcome->ending != ENDING_COMPLETED && !search->out->failed++)
        search->out->failure = outcome->detail;
    agenda_add(&search->agenda, (struct agenda_entry){search->now + trial->seconds, number, trial});
    search->busy += trial->seconds;
}

/* Nothing more will be handed out: what the workers do from now on says nothing about their use. */
static void close_search(struct search *search)
{
    double room = search->now * search->simulation->workers, busy = search->busy;
    for (size_t i = 0; i < search->agenda.count; i++)
        busy -= search->agenda.heap[i].time - search->now;
    search->out->utilisation = room > 0 ? busy / room : 1;
    search->closed = true;
}

/* Asks for one trial and starts it. */
static enum searcher_answer hand_out_one(struct search *search, struct err *err)
{
    json_t *params = NULL;
    double then = clock_monotonic();
    enum searcher_answer answer = player_ask(search->player, search->asked + 1, &params, err);
    search->thinking += think(search, then);
    if (answer != SEARCHER_PROPOSED)
        return answer;
    MEM_GROW(search->thoughts, search->thought_room, search->thought_count + 1);
    search->thoughts[search->thought_count++] = search->thinking * 1e3;
    search->thinking = 0;
    start_trial(search, ++search->asked, params);
    json_decref(params);
    return answer;
}

/* Hands a trial to every free worker. -1 with a sentence. */
static int hand_out(struct search *search, struct err *err)
{
    const struct simulation *simulation = search->simulation;
    enum searcher_answer answer = SEARCHER_PROPOSED;
    while (answer == SEARCHER_PROPOSED && !search->closed && search->agenda.count < simulation->workers &&
           !atomic_load(simulation->stop)) {
        answer = hand_out_one(search, err);
        if (answer == SEARCHER_NO_MORE || search->asked == simulation->trials)
            close_search(search);
    }
    return answer == SEARCHER_BROKEN ? -1 : 0;
}

/* A trial has ended. -1 with a sentence. */
static int end_trial(struct search *search, const struct agenda_entry *end, struct err *err)
{
    const struct simulation *simulation = search->simulation;
    const struct trial *trial = end->what;
    search->now = end->time > search->now ? end->time : search->now;
    double loss = objective_loss(simulation->objective, trial->value);
    if (trial->ending == ENDING_COMPLETED && !(loss >= search->best_loss)) {
        search->best_loss = loss;
        search->best = trial->truth;
    }
    double then = clock_monotonic();
    int failed = player_tell(search->player, end->trial, trial->ending, trial->value, trial->seconds, err);
    search->thinking += think(search, then);
    take_standings(search, ++search->out->ended);
    return failed;
}

static int run(struct search *search, struct err *err)
{
    const struct simulation *simulation = search->simulation;
    struct agenda_entry end;
    if (hand_out(search, err))
        return -1;
    while (!atomic_load(simulation->stop) && agenda_next(&search->agenda, &end)) {
        int failed = end_trial(search, &end, err);
        free(end.what);
        if (failed || hand_out(search, err))
            return -1;
    }
    return atomic_load(simulation->stop) ? 1 : 0;
}

int simulate(const struct simulation *simulation, struct simulated *out, struct err *err)
{
    struct search search = {.simulation = simulation, .out = out, .best_loss = NAN, .best = NAN};
    struct player_setup setup = {.contender = simulation->contender,
                                 .objective = simulation->objective,
                                 .seed = simulation->seed,
                                 .trials = simulation->trials,
                                 .workers = simulation->workers,
                                 .stop = simulation->stop};
    *out = (struct simulated){0};
    search.next_count = simulate_next_count(0) < simulation->trials ? simulate_next_count(0) : simulation->trials;
    search.player = player_create(&setup, err);
    int result = search.player ? run(&search, err) : -1;
    if (result == 0)
        take_standings(&search, simulation->trials);
    else
        simulated_fini(out);
    struct agenda_entry left;
    while (agenda_next(&search.agenda, &left))
        free(left.what);
    agenda_fini(&search.agenda);
    outcome_fini(&search.outcome);
    free(search.thoughts);
    player_destroy(search.player);
    return result;
}

void simulated_fini(struct simulated *simulated)
{
    free(simulated->standings);
    *simulated = (struct simulated){0};
}
