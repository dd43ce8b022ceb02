/* What all stoppers share, and the list of them; see stopper.h. */
#include "search/stop/stopper.h"
#include "search/stop/kind.h"
#include "search/strategy_settings.h"
#include "common/buf.h"
#include "common/map.h"
#include "common/mem.h"
#include "common/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct stop_kind *const kinds[] = {&stop_asha, &stop_hyperband, &stop_median, &stop_patience,
                                                &stop_extrapolate};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A trial that was sampled and has not ended. */
struct followed_trial {
    uint64_t step;   /* the last one seen */
    double losses[]; /* what counts of it: the last ones, or the best so far */
};

struct stopper {
    const struct stop_kind *kind;
    struct gannet_setting *settings;
    struct stop_problem problem;
    bool use_best;
    void *self;
    struct map follows; /* trial -> struct followed_trial */
};

/* --- which there are --- */

const struct stopper_info *stopper_info(size_t i)
{
    return i < KINDS ? &kinds[i]->info : NULL;
}

static const struct stop_kind *kind_find(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i]->info.name, name) == 0)
            return kinds[i];
    return NULL;
}

const struct stopper_info *stopper_find(const char *name)
{
    const struct stop_kind *kind = kind_find(name);
    return kind ? &kind->info : NULL;
}

static int refuse_name(const char *name, struct err *err)
{
    const char *names[KINDS];
    for (size_t i = 0; i < KINDS; i++)
        names[i] = kinds[i]->info.name;
    struct buf list = {0};
    suggest_list(&list, names, KINDS);
    const char *meant = suggest_nearest(name, names, KINDS);
    err_write(err, "there is no early stopping '%s'%s%s%s; there are: %s", name, meant ? " (did you mean '" : "",
              meant ? meant : "", meant ? "'?)" : "", buf_str(&list));
    buf_fini(&list);
    return -1;
}

/* --- making one --- */

static int set_up(struct stopper *stopper, const struct stopper_setup *setup, struct err *err)
{
    const struct stop_kind *kind = stopper->kind = kind_find(setup->name);
    if (!kind)
        return refuse_name(setup->name, err);
    if (kind->most_objectives && setup->objectives > kind->most_objectives)
        return err_set(err,
                       "early stopping by '%s' looks at one metric, but the experiment has %u; asha and hyperband "
                       "compare several",
                       setup->name, setup->objectives);
    struct settings_owner owner = {"early stopping", kind->info.name, "early_stop", kind->info.options};
    stopper->settings = strategy_settings_read_table(&owner, setup->options, err);
    if (!stopper->settings)
        return -1;
    uint64_t given = kind->max_steps_row < 0 ? 0 : (uint64_t)stopper->settings[kind->max_steps_row].number;
    stopper->problem = (struct stop_problem){.options = stopper->settings,
                                             .seed = setup->seed,
                                             .objectives = setup->objectives,
                                             .can_pause = setup->can_pause,
                                             .sign = setup->maximize ? -1 : 1,
                                             .given_steps = given,
                                             .max_steps = given};
    stopper->self = kind->create(&stopper->problem, err);
    return stopper->self ? 0 : -1;
}

struct stopper *stopper_create(const struct stopper_setup *setup, struct err *err)
{
    struct stopper *stopper = MEM_NEW(struct stopper);
    stopper->use_best = setup->use_best;
    if (set_up(stopper, setup, err) == 0)
        return stopper;
    stopper_destroy(stopper);
    return NULL;
}

void stopper_destroy(struct stopper *stopper)
{
    if (!stopper)
        return;
    if (stopper->self)
        stopper->kind->destroy(stopper->self);
    struct map_entry entry;
    for (size_t at = 0; map_next(&stopper->follows, &at, &entry);)
        free(entry.value);
    map_fini(&stopper->follows);
    free(stopper->settings);
    free(stopper);
}

/* --- at work --- */

uint64_t stopper_until(struct stopper *stopper, uint64_t trial)
{
    return stopper->kind->until && stopper->problem.can_pause ? stopper->kind->until(stopper->self, trial) : 0;
}

uint64_t stopper_max_steps(const struct stopper *stopper)
{
    return stopper->problem.max_steps;
}

static struct followed_trial *follow_trial(struct stopper *stopper, uint64_t trial)
{
    struct followed_trial *follow = map_get(&stopper->follows, trial);
    if (follow)
        return follow;
    uint32_t objectives = stopper->problem.objectives;
    follow = mem_zero(1, sizeof *follow + objectives * sizeof(double));
    for (uint32_t i = 0; i < objectives; i++)
        follow->losses[i] = INFINITY;
    map_put(&stopper->follows, trial, follow);
    return follow;
}

/* It has done as many steps as the options give a trial. */
static bool is_complete(const struct stopper *stopper, const struct followed_trial *follow)
{
    uint64_t given = stopper->problem.given_steps;
    return given && follow->step >= given;
}

void stopper_sample(struct stopper *stopper, uint64_t trial, uint64_t step, const double *losses,
                    struct stopper_decision *out)
{
    struct followed_trial *at = follow_trial(stopper, trial);
    *out = (struct stopper_decision){.action = STOPPER_GO_ON, .cut_off = NAN};
    if (step <= at->step)
        return;
    at->step = step;
    for (uint32_t i = 0; i < stopper->problem.objectives; i++) {
        double loss = isfinite(losses[i]) ? losses[i] : INFINITY;
        at->losses[i] = stopper->use_best ? fmin(at->losses[i], loss) : loss;
    }
    struct stop_point point = {trial, step, at->losses};
    stopper->kind->sample(stopper->self, &point, out);
    if (is_complete(stopper, at)) {
        out->action = STOPPER_STOP;
        out->cut_off = NAN; /* it is not why */
        snprintf(out->why, sizeof out->why, "it has done all of early_stop.max_steps, %llu", (unsigned long long)step);
    }
    if (!isfinite(out->cut_off))
        out->cut_off = NAN;
}

bool stopper_next(struct stopper *stopper, bool last, struct stopper_move *out)
{
    *out = (struct stopper_move){.cut_off = NAN};
    return stopper->kind->next && stopper->kind->next(stopper->self, last, out);
}

void stopper_resumed(struct stopper *stopper, uint64_t trial)
{
    if (stopper->kind->resumed)
        stopper->kind->resumed(stopper->self, trial);
}

void stopper_ended(struct stopper *stopper, uint64_t trial, enum ending ending)
{
    struct followed_trial *at = map_remove(&stopper->follows, trial);
    struct stop_problem *problem = &stopper->problem;
    bool failed = ending_state(ending) == TRIAL_FAILED && !ending_is_blameless(ending);
    bool completed = ending == ENDING_COMPLETED || (ending == ENDING_STOPPED_EARLY && at && is_complete(stopper, at));
    if (completed && at && !problem->given_steps && at->step > problem->max_steps)
        problem->max_steps = at->step;
    stopper->kind->ended(stopper->self, trial, failed, completed, at ? at->losses : NULL);
    free(at);
}
