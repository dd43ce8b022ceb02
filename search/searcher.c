/* A search; see searcher.h.
 *
 * What a strategy learns in a running search and what it learns when the search is brought back must be the same. So
 * the point of a trial is always the one read from its configuration, as a recall reads it; start points are taken in
 * the same order, and what is remembered between calls follows from asks that were answered, recalls and tells. */
#include "search/searcher.h"
#include "search/guard.h"
#include "search/visited.h"
#include "search/plugin.h"
#include "search/registry.h"
#include "search/starts.h"
#include "search/strategy_settings.h"
#include "common/map.h"
#include "common/mem.h"
#include "common/rng.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Answers of a strategy for one trial that may be unusable; see gannet_ask.retry. */
enum { MOST_RETRIES = 64 };

struct searcher {
    const struct space *space;
    uint64_t seed;
    bool unique;           /* no configuration twice: nobody asked for repeats, and no trial goes on from another */
    struct plugin *plugin; /* NULL: built in */
    const struct gannet_strategy *strategy;
    void *self; /* the strategy's state */
    struct gannet_problem problem;
    struct gannet_setting *settings;
    struct starts *starts;
    double *unit;         /* D: the point at hand */
    double *losses;       /* of the trial at hand */
    double *violation;    /* of the trial at hand */
    uint64_t from;        /* the trial that the strategy's last answer goes on from; 0: none */
    bool again;           /* the strategy's last answer repeats a configuration on purpose */
    struct map live;      /* trial -> its point, D doubles, until it is told */
    struct visited seen;  /* what was proposed, when `unique`; else empty */
    bool proposed;        /* anything, ever */
    uint64_t *violations; /* of each constraint */
    uint64_t forbidden, repeated;
};

/* --- making one --- */

static int find_strategy(struct searcher *searcher, const struct searcher_setup *setup, struct err *err)
{
    if (!setup->plugin) {
        searcher->strategy = registry_choose(setup->strategy, "and those of plug-ins", err);
        return searcher->strategy ? 0 : -1;
    }
    searcher->plugin = plugin_open(setup->plugin, err);
    if (!searcher->plugin)
        return -1;
    searcher->strategy = plugin_strategy(searcher->plugin);
    if (strcmp(searcher->strategy->name, setup->strategy) == 0)
        return 0;
    return err_set(err, "the plug-in %s holds the strategy '%s', not '%s'; write strategy: {name: %s, plugin: ...}",
                   setup->plugin, searcher->strategy->name, setup->strategy, searcher->strategy->name);
}

/* Lets the strategy make its state. `why` is from foreign code: it is closed here. */
static int start_strategy(struct searcher *searcher, const struct searcher_setup *setup, struct err *err)
{
    char why[512] = "";
    searcher->problem = (struct gannet_problem){.space = space_public(setup->space),
                                                .seed = setup->seed,
                                                .max_trials = setup->max_trials,
                                                .options = searcher->settings,
                                                .objectives = setup->objectives ? setup->objectives : 1,
                                                .limits = setup->limits,
                                                .max_steps = setup->max_steps,
                                                .can_continue = setup->can_continue};
    guard_enter(plugin_path(searcher->plugin));
    searcher->self = searcher->strategy->create(&searcher->problem, space_host(setup->space), why, sizeof why);
    guard_leave();
    why[sizeof why - 1] = '\0';
    if (searcher->self)
        return 0;
    return err_set(err, "the strategy '%s' can't search this: %s", searcher->strategy->name,
                   *why ? why : "it does not say why");
}

/* Lets the strategy learn trials of earlier experiments. */
static int learn_one(struct searcher *searcher, const struct searcher_past *past, struct err *err)
{
    if (space_point_of_json(searcher->space, past->params, searcher->unit, err))
        return -1;
    bool failed = past->failed || !isfinite(past->loss);
    struct gannet_past learnt = {.source = past->source,
                                 .unit = searcher->unit,
                                 .outcome = failed ? GANNET_FAILED : GANNET_FINISHED,
                                 .loss = failed ? NAN : past->loss,
                                 .seconds = past->seconds};
    guard_enter(plugin_path(searcher->plugin));
    if (searcher->strategy->learn)
        searcher->strategy->learn(searcher->self, &learnt);
    guard_leave();
    return 0;
}

static int learn_past(struct searcher *searcher, const struct searcher_past *past, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (learn_one(searcher, &past[i], err))
            return err_prefix(err, "earlier trial %zu", i + 1);
    return 0;
}

static int set_up(struct searcher *searcher, const struct searcher_setup *setup, struct err *err)
{
    if (space_dimension(setup->space) == 0)
        return err_set(err, "there is nothing to search: every parameter is a constant; give one a range or a list");
    if (find_strategy(searcher, setup, err))
        return -1;
    searcher->unique = !setup->repeat && !searcher->strategy->continues;
    searcher->settings = strategy_settings_read(searcher->strategy, setup->options, err);
    if (!searcher->settings)
        return -1;
    searcher->starts = starts_create(setup->space, setup->seed, setup->start, setup->start_count, err);
    if (!searcher->starts || start_strategy(searcher, setup, err))
        return -1;
    return learn_past(searcher, setup->past, setup->past_count, err);
}

struct searcher *searcher_create(const struct searcher_setup *setup, struct err *err)
{
    struct searcher *searcher = MEM_NEW(struct searcher);
    searcher->space = setup->space;
    searcher->seed = setup->seed;
    searcher->unit = MEM_ARRAY(double, space_dimension(setup->space));
    searcher->losses = MEM_ARRAY(double, setup->objectives ? setup->objectives : 1);
    searcher->violation = MEM_ARRAY(double, setup->limits);
    searcher->violations = MEM_ARRAY(uint64_t, space_constraint_count(setup->space));
    visited_init(&searcher->seen, space_public(setup->space));
    if (set_up(searcher, setup, err) == 0)
        return searcher;
    searcher_destroy(searcher);
    return NULL;
}

void searcher_destroy(struct searcher *searcher)
{
    if (!searcher)
        return;
    guard_enter(plugin_path(searcher->plugin));
    if (searcher->self)
        searcher->strategy->destroy(searcher->self);
    guard_leave();
    struct map_entry entry;
    for (size_t at = 0; map_next(&searcher->live, &at, &entry);)
        free(entry.value);
    map_fini(&searcher->live);
    visited_fini(&searcher->seen);
    starts_destroy(searcher->starts);
    free(searcher->settings);
    free(searcher->violations);
    free(searcher->losses);
    free(searcher->violation);
    free(searcher->unit);
    plugin_close(searcher->plugin);
    free(searcher);
}

const struct gannet_strategy *searcher_strategy(const struct searcher *searcher)
{
    return searcher->strategy;
}

/* --- which points can be used --- */

/* Whether a canonical point is allowed and new (a seek_usable; the context is the searcher). */
static bool is_usable(void *context, const double *unit)
{
    struct searcher *searcher = context;
    int64_t violated = space_violated(searcher->space, unit);
    if (violated >= 0) {
        searcher->violations[violated]++;
        searcher->forbidden++;
        return false;
    }
    bool again = searcher->again && !searcher->seen.finite;
    if (!searcher->unique || again || !visited_has(&searcher->seen, unit))
        return true;
    searcher->repeated++;
    return false;
}

/* Without constraints, counting tells when everything was proposed. */
static bool is_exhausted(const struct searcher *searcher)
{
    bool exact;
    double size = space_size(searcher->space, &exact);
    return searcher->unique && exact && space_constraint_count(searcher->space) == 0 &&
           (double)searcher->seen.points.count >= size;
}

/* --- what a trial is to try --- */

/* Takes up the point at hand as that of a trial. */
static void note_point(struct searcher *searcher, uint64_t trial)
{
    size_t bytes = space_dimension(searcher->space) * sizeof(double);
    double *unit = mem_resize(NULL, 1, bytes);
    memcpy(unit, searcher->unit, bytes);
    free(map_put(&searcher->live, trial, unit));
    if (searcher->unique)
        visited_add(&searcher->seen, unit);
    searcher->proposed = true;
    guard_enter(plugin_path(searcher->plugin));
    if (searcher->strategy->note)
        searcher->strategy->note(searcher->self, trial, unit);
    guard_leave();
}

/* From the point at hand to the proposal. The point is read back from the configuration, as a recall will read it: it
 * may differ from the one that the configuration was made of, in the last bit. */
static enum searcher_answer make_proposal(struct searcher *searcher, uint64_t trial, bool from_start,
                                          struct proposal *out, struct err *err)
{
    struct buf params = {0};
    struct value *config = MEM_ARRAY(struct value, space_count(searcher->space));
    space_config(searcher->space, searcher->unit, config);
    space_config_json(searcher->space, config, &params);
    int failed = space_point(searcher->space, config, NULL, NULL, searcher->unit, err);
    space_config_fini(searcher->space, config);
    free(config);
    if (failed) {
        buf_fini(&params);
        return SEARCHER_BROKEN;
    }
    *out = (struct proposal){.params = buf_take(&params),
                             .fingerprint = space_fingerprint(searcher->space, searcher->unit),
                             .from_start = from_start,
                             .from = searcher->problem.can_continue && searcher->from < trial ? searcher->from : 0};
    return SEARCHER_PROPOSED;
}

/* One question to the strategy; its answer is left at hand, canonical. A coordinate that it does not write is NaN, not
 * what was there before: the answer must not depend on that. */
static enum searcher_answer ask_strategy(struct searcher *searcher, uint64_t trial, uint32_t retry, struct err *err)
{
    char why[512] = "";
    const char *name = searcher->strategy->name;
    struct gannet_ask ask = {.trial = trial,
                             .retry = retry,
                             .random = rng_mix(rng_make(searcher->seed, "ask", trial).state, retry),
                             .from = &searcher->from,
                             .again = &searcher->again};
    searcher->from = 0;
    searcher->again = false;
    for (uint32_t c = 0; c < space_dimension(searcher->space); c++)
        searcher->unit[c] = NAN;
    guard_enter(plugin_path(searcher->plugin));
    enum gannet_answer answer = searcher->strategy->ask(searcher->self, &ask, searcher->unit, why, sizeof why);
    guard_leave();
    why[sizeof why - 1] = '\0';
    switch (answer) {
    case GANNET_PROPOSED:
        space_snap(searcher->space, searcher->unit);
        return SEARCHER_PROPOSED;
    case GANNET_NO_MORE:
        if (searcher->proposed)
            return SEARCHER_NO_MORE;
        err_write(err, "the strategy '%s' has nothing to try%s", name,
                  space_constraint_count(searcher->space) ? "; do the constraints forbid everything?" : "");
        return SEARCHER_BROKEN;
    case GANNET_LATER:
        if (searcher->live.count > 0)
            return SEARCHER_LATER;
        err_write(err, "the strategy '%s' wants to wait for a trial, but none runs", name);
        return SEARCHER_BROKEN;
    case GANNET_ERROR:
        err_write(err, "the strategy '%s' failed: %s", name, *why ? why : "it does not say why");
        return SEARCHER_BROKEN;
    }
    err_write(err, "the strategy '%s' gave an answer that means nothing (%d)", name, (int)answer);
    return SEARCHER_BROKEN;
}

/* The sentence for a search that constraints leave nothing to. */
static enum searcher_answer give_up(const struct searcher *searcher, uint64_t tried, struct err *err)
{
    uint32_t worst = 0;
    for (uint32_t i = 1; i < space_constraint_count(searcher->space); i++)
        if (searcher->violations[i] > searcher->violations[worst])
            worst = i;
    err_write(err, "of %llu configurations tried none %s; most violate '%s'", (unsigned long long)tried,
              searcher->proposed ? "is both new and allowed by the constraints" : "satisfies the constraints",
              space_constraint(searcher->space, worst));
    return SEARCHER_BROKEN;
}

/* The strategy had its chances: look without it. Without constraints only what was tried before is passed over: where
 * that is all there is, a continuous range is as narrow as a few of the digits that values keep. */
static enum searcher_answer seek_one(struct searcher *searcher, uint64_t trial, struct err *err)
{
    uint64_t tried = 0;
    searcher->from = 0;
    searcher->again = false;
    switch (seek_point(searcher->space, searcher->seed, trial, is_usable, searcher, searcher->unit, &tried)) {
    case SEEK_FOUND:
        return SEARCHER_PROPOSED;
    case SEEK_NONE:
        return searcher->proposed ? SEARCHER_NO_MORE : give_up(searcher, tried, err);
    case SEEK_GAVE_UP:
        break;
    }
    return space_constraint_count(searcher->space) ? give_up(searcher, tried, err) : SEARCHER_NO_MORE;
}

static enum searcher_answer find_proposal(struct searcher *searcher, uint64_t trial, struct proposal *out,
                                          struct err *err)
{
    if (map_get(&searcher->live, trial)) {
        err_write(err, "trial %llu has a configuration already", (unsigned long long)trial);
        return SEARCHER_BROKEN;
    }
    searcher->from = 0;
    searcher->again = false;
    if (starts_take(searcher->starts, trial, is_usable, searcher, searcher->unit))
        return make_proposal(searcher, trial, true, out, err);
    if (is_exhausted(searcher))
        return SEARCHER_NO_MORE;
    enum searcher_answer answer = SEARCHER_PROPOSED;
    bool usable = false;
    for (uint32_t retry = 0; retry <= MOST_RETRIES && answer == SEARCHER_PROPOSED && !usable; retry++) {
        answer = ask_strategy(searcher, trial, retry, err);
        usable = answer == SEARCHER_PROPOSED && is_usable(searcher, searcher->unit);
    }
    if (answer == SEARCHER_PROPOSED && !usable)
        answer = seek_one(searcher, trial, err);
    return answer == SEARCHER_PROPOSED ? make_proposal(searcher, trial, false, out, err) : answer;
}

enum searcher_answer searcher_ask(struct searcher *searcher, uint64_t trial, struct proposal *out, struct err *err)
{
    enum searcher_answer answer = find_proposal(searcher, trial, out, err);
    if (answer == SEARCHER_PROPOSED)
        note_point(searcher, trial);
    return answer;
}

enum searcher_answer searcher_ask_again(struct searcher *searcher, uint64_t trial, const char *params,
                                        struct proposal *out, struct err *err)
{
    struct err unfit;
    enum searcher_answer answer = find_proposal(searcher, trial, out, err);
    if (space_point_of_json(searcher->space, params, searcher->unit, &unfit) == 0)
        note_point(searcher, trial);
    return answer;
}

void searcher_rejections(const struct searcher *searcher, uint64_t *forbidden, uint64_t *repeated)
{
    *forbidden = searcher->forbidden;
    *repeated = searcher->repeated;
}

/* --- what it learns: its own past, how trials stand, and what came of them --- */

int searcher_add(struct searcher *searcher, uint64_t trial, const char *params, struct err *err)
{
    if (map_get(&searcher->live, trial))
        return err_set(err, "trial %llu has a configuration already", (unsigned long long)trial);
    if (space_point_of_json(searcher->space, params, searcher->unit, err))
        return err_prefix(err, "trial %llu", (unsigned long long)trial);
    note_point(searcher, trial);
    return 0;
}

int searcher_recall(struct searcher *searcher, uint64_t trial, const char *params, struct err *err)
{
    /* While there are start points, the ask of back then took one. */
    if (!map_get(&searcher->live, trial))
        starts_take(searcher->starts, trial, is_usable, searcher, searcher->unit);
    return searcher_add(searcher, trial, params, err);
}

static enum gannet_outcome outcome_of(const struct searcher *searcher, enum ending ending, const double *losses)
{
    if (ending_is_blameless(ending))
        return GANNET_VOID;
    if (ending != ENDING_COMPLETED && ending != ENDING_STOPPED_EARLY)
        return GANNET_FAILED;
    for (uint32_t i = 0; i < searcher->problem.objectives; i++)
        if (!isfinite(losses[i]))
            return GANNET_FAILED;
    return GANNET_FINISHED;
}

/* What a strategy is shown of a trial; a failed one has no losses. */
static struct gannet_outcome_of_trial outcome_for_strategy(struct searcher *searcher, uint64_t trial,
                                                           const double *unit, enum gannet_outcome outcome,
                                                           const struct measures *measured)
{
    for (uint32_t i = 0; i < searcher->problem.objectives; i++)
        searcher->losses[i] = outcome == GANNET_FINISHED ? measured->losses[i] : NAN;
    for (uint32_t i = 0; i < searcher->problem.limits; i++)
        searcher->violation[i] = measured->violation ? measured->violation[i] : NAN;
    return (struct gannet_outcome_of_trial){.trial = trial,
                                            .unit = unit,
                                            .outcome = outcome,
                                            .loss = searcher->losses[0],
                                            .losses = searcher->losses,
                                            .violation = searcher->violation,
                                            .seconds = measured->seconds,
                                            .energy = measured->energy,
                                            .step = measured->step};
}

void searcher_observe(struct searcher *searcher, uint64_t trial, const struct measures *so_far)
{
    const double *unit = map_get(&searcher->live, trial);
    if (!unit || !searcher->strategy->observe)
        return;
    struct gannet_outcome_of_trial shown = outcome_for_strategy(searcher, trial, unit, GANNET_FINISHED, so_far);
    guard_enter(plugin_path(searcher->plugin));
    searcher->strategy->observe(searcher->self, &shown);
    guard_leave();
}

void searcher_tell_all(struct searcher *searcher, uint64_t trial, enum ending ending, const struct measures *measured)
{
    double *unit = map_remove(&searcher->live, trial);
    if (!unit)
        return;
    enum gannet_outcome outcome = outcome_of(searcher, ending, measured->losses);
    struct gannet_outcome_of_trial told = outcome_for_strategy(searcher, trial, unit, outcome, measured);
    guard_enter(plugin_path(searcher->plugin));
    if (searcher->strategy->tell)
        searcher->strategy->tell(searcher->self, &told);
    guard_leave();
    free(unit);
}

void searcher_tell(struct searcher *searcher, uint64_t trial, enum ending ending, double loss, double seconds)
{
    assert(searcher->problem.objectives == 1);
    struct measures measured = {.losses = &loss, .seconds = seconds, .energy = NAN};
    searcher_tell_all(searcher, trial, ending, &measured);
}
