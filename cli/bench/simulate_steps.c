/* A search on a virtual clock, step by step, so that trials can be stopped or paused on their way; see simulate.h.
 *
 * What a free worker does next: take up the paused trial that the stopper wants to go on, else ask for a new one. The
 * search is over when all steps of its budget have run; what runs or waits then is left as it is. */
#include "cli/bench/simulate_search.h"
#include "common/map.h"
#include "common/mem.h"
#include "search/stop/stopper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A trial that runs or is paused. */
struct stepped_trial {
    uint64_t number;
    struct driver_result told;        /* what it has come to so far */
    struct objective_sample *samples; /* of the whole trial */
    size_t count, total;              /* samples, and steps: one more when the trial fails behind its last sample */
    size_t reached;                   /* steps run */
    double step_seconds;
    enum ending ending; /* of the whole trial */
    double value, truth;
};

struct stepping {
    struct search *search;
    struct stopper *stopper; /* NULL: nothing is stopped early */
    struct map trials;       /* by number */
    uint64_t budget, whole;  /* steps of the search, and of a whole trial */
    bool no_more;            /* the contender has nothing left */
};

/* --- trials --- */

static void trial_destroy(struct stepped_trial *trial)
{
    free(trial->samples);
    free(trial);
}

/* Lets the trial run its next step. */
static void advance_trial(struct stepping *stepping, struct stepped_trial *trial)
{
    struct search *search = stepping->search;
    agenda_add(&search->agenda, (struct agenda_entry){search->now + trial->step_seconds, trial->number, trial});
    search->busy += trial->step_seconds;
}

static void start_trial(struct stepping *stepping, const json_t *params)
{
    struct search *search = stepping->search;
    struct stepped_trial *trial = MEM_NEW(struct stepped_trial);
    double seconds = search_try(search, search->asked, params);
    const struct objective_outcome *outcome = &search->outcome;
    bool fails = outcome->ending != ENDING_COMPLETED;
    *trial = (struct stepped_trial){.number = search->asked,
                                    .told = {.ending = outcome->ending, .value = NAN},
                                    .samples = MEM_ARRAY(struct objective_sample, outcome->count + 1),
                                    .count = outcome->count,
                                    .total = outcome->count + fails,
                                    .step_seconds = seconds / (double)stepping->whole,
                                    .ending = outcome->ending,
                                    .value = outcome->value,
                                    .truth = outcome->truth};
    memcpy(trial->samples, outcome->samples, outcome->count * sizeof *trial->samples);
    map_put(&stepping->trials, trial->number, trial);
    if (stepping->stopper)
        stopper_until(stepping->stopper, trial->number);
    advance_trial(stepping, trial);
}

/* The trial is over: told and forgotten. -1 with a sentence. */
static int end_trial(struct stepping *stepping, struct stepped_trial *trial, enum ending ending, struct err *err)
{
    struct search *search = stepping->search;
    if (stepping->stopper)
        stopper_ended(stepping->stopper, trial->number, ending);
    trial->told.ending = ending;
    if (ending == ENDING_COMPLETED)
        search_see(search, trial->told.value = trial->value, trial->truth);
    else if (ending != ENDING_STOPPED_EARLY)
        trial->told.value = NAN;
    search->out->ended++;
    search->out->stopped += ending == ENDING_STOPPED_EARLY;
    int failed = search_tell(search, trial->number, true, &trial->told, err);
    map_remove(&stepping->trials, trial->number);
    trial_destroy(trial);
    return failed;
}

/* --- steps --- */

static void take_sample(struct stepping *stepping, struct stepped_trial *trial, const struct objective_sample *sample)
{
    const struct bench_objective *objective = stepping->search->simulation->objective;
    double so_far = objective_loss(objective, trial->told.value);
    trial->told.step = sample->step > 0 ? (uint64_t)sample->step : 0;
    if (!objective_spec(objective)->metric.use_best || !(so_far <= objective_loss(objective, sample->value)))
        trial->told.value = sample->value;
}

/* What the stopper says of the sample; the strategy hears of it at a rung. */
static int early_stop(struct stepping *stepping, struct stepped_trial *trial, const struct objective_sample *sample,
                      enum stopper_action *action, struct err *err)
{
    struct stopper_decision decision = {.action = STOPPER_GO_ON};
    double loss = objective_loss(stepping->search->simulation->objective, sample->value);
    if (stepping->stopper)
        stopper_sample(stepping->stopper, trial->number, trial->told.step, &loss, &decision);
    *action = decision.action;
    return decision.rung ? search_tell(stepping->search, trial->number, false, &trial->told, err) : 0;
}

/* A step of a trial was run. -1 with a sentence. */
static int step_trial(struct stepping *stepping, struct stepped_trial *trial, struct err *err)
{
    enum stopper_action action;
    trial->told.seconds += trial->step_seconds;
    stepping->search->out->steps++;
    if (trial->reached++ >= trial->count)
        return end_trial(stepping, trial, trial->ending, err);
    const struct objective_sample *sample = &trial->samples[trial->reached - 1];
    take_sample(stepping, trial, sample);
    if (early_stop(stepping, trial, sample, &action, err))
        return -1;
    if (trial->reached == trial->total)
        return end_trial(stepping, trial, ENDING_COMPLETED, err);
    if (action == STOPPER_STOP)
        return end_trial(stepping, trial, ENDING_STOPPED_EARLY, err);
    if (action == STOPPER_GO_ON)
        advance_trial(stepping, trial);
    return 0;
}

/* --- free workers --- */

/* Makes the stopper's next move with a paused trial; *moved: it had one. -1 with a sentence. */
static int move_paused(struct stepping *stepping, bool last, bool *moved, struct err *err)
{
    struct stopper_move next;
    *moved = stepping->stopper && stopper_next(stepping->stopper, last, &next);
    struct stepped_trial *trial = *moved ? map_get(&stepping->trials, next.trial) : NULL;
    if (!trial) {
        *moved = false;
        return 0;
    }
    if (!next.resume)
        return end_trial(stepping, trial, ENDING_STOPPED_EARLY, err);
    stopper_resumed(stepping->stopper, next.trial);
    stopper_until(stepping->stopper, next.trial);
    advance_trial(stepping, trial);
    return 0;
}

/* Asks for a new trial and starts it; *moved: there was one. */
static int ask_trial_bench(struct stepping *stepping, bool *moved, struct err *err)
{
    json_t *params = NULL;
    enum searcher_answer answer = search_ask(stepping->search, &params, err);
    *moved = answer == SEARCHER_PROPOSED;
    stepping->no_more = answer == SEARCHER_NO_MORE;
    if (*moved)
        start_trial(stepping, params);
    json_decref(params);
    return answer == SEARCHER_BROKEN ? -1 : 0;
}

/* Gives every free worker something to do. -1 with a sentence. */
static int hand_out(struct stepping *stepping, struct err *err)
{
    struct search *search = stepping->search;
    const struct simulation *simulation = search->simulation;
    bool moved = true;
    int failed = 0;
    while (moved && !failed && search->agenda.count < simulation->workers && !atomic_load(simulation->stop)) {
        failed = move_paused(stepping, false, &moved, err);
        if (!moved && !failed && !stepping->no_more)
            failed = ask_trial_bench(stepping, &moved, err);
        if (!moved && !failed && !search->agenda.count)
            failed = move_paused(stepping, true, &moved, err);
    }
    return failed;
}

static int run_steps(struct stepping *stepping, struct err *err)
{
    struct search *search = stepping->search;
    const struct simulation *simulation = search->simulation;
    struct agenda_entry entry;
    if (hand_out(stepping, err))
        return -1;
    while (!atomic_load(simulation->stop) && search->out->steps < stepping->budget &&
           agenda_next(&search->agenda, &entry)) {
        search->now = entry.time > search->now ? entry.time : search->now;
        if (step_trial(stepping, entry.what, err))
            return -1;
        search_stand(search, search->out->steps / stepping->whole);
        if (hand_out(stepping, err))
            return -1;
    }
    return atomic_load(simulation->stop) ? 1 : 0;
}

/* --- the stopper --- */

/* The contender's stopper; when it may be told the last step and the person does not say it, it is. */
static struct stopper *make_stopper(const struct simulation *simulation, struct err *err)
{
    const struct contender *contender = simulation->contender;
    json_t *options = contender->stop_options ? json_deep_copy(contender->stop_options) : json_object();
    const struct stopper_info *info = stopper_find(contender->stopper);
    for (const struct gannet_option *row = info ? info->options : NULL; row && row->name; row++)
        if (strcmp(row->name, "max_steps") == 0 && !json_object_get(options, row->name))
            json_object_set_new(options, row->name, json_integer(objective_last_step(simulation->objective)));
    struct stopper_setup setup = {.name = contender->stopper,
                                  .options = options,
                                  .seed = simulation->seed,
                                  .objectives = 1,
                                  .can_pause = true,
                                  .use_best = objective_spec(simulation->objective)->metric.use_best};
    struct stopper *stopper = stopper_create(&setup, err);
    json_decref(options);
    return stopper;
}

int search_run_steps(struct search *search, struct err *err)
{
    const struct simulation *simulation = search->simulation;
    uint64_t whole = objective_steps(simulation->objective);
    struct stepping stepping = {.search = search, .whole = whole, .budget = simulation->trials * whole};
    if (simulation->contender->stopper && !(stepping.stopper = make_stopper(simulation, err)))
        return -1;
    int result = run_steps(&stepping, err);
    search_measure(search);
    struct map_entry entry;
    for (size_t at = 0; map_next(&stepping.trials, &at, &entry);)
        trial_destroy(entry.value);
    map_fini(&stepping.trials);
    stopper_destroy(stepping.stopper);
    return result;
}
