/* The default strategy: a person names no method and gets a mixture that suits their search.
 *
 * The methods ("arms") are built-in strategies behind their public listener; all of them learn everything, whoever
 * proposed it. The Gaussian process carries the search; Parzen estimators insure it where its assumptions are wrong,
 * which is why neither may be chosen by how well it did so far on few trials. Which arm answers for a trial is drawn
 * from the seed and the trial's number alone, so nothing needs to be remembered of past asks. The shares were found by
 * leaving out one arm after the other: tests/bench/ablation. */
#include "search/registry.h"
#include "search/strategy_settings.h"
#include "common/err.h"
#include "common/mem.h"
#include "common/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 2, OPTION_COST = ARMS };

/* Arm i's share is option i. */
static const struct gannet_strategy *const arm_list[ARMS] = {&gp_strategy, &tpe_strategy};

static const char *const costs[] = {"none", "time", "energy", NULL};

static const struct gannet_option options[] = {
    {"gp", GANNET_NUMBER, 0, 1, NULL, "0.95", "share of proposals by the Gaussian process"},
    {"tpe", GANNET_NUMBER, 0, 1, NULL, "0.05", "share of proposals by Parzen estimators"},
    [OPTION_COST] = {.name = "cost",
                     .type = GANNET_WORD,
                     .words = costs,
                     .default_value = "none",
                     .help = "what trials are weighed by: one that takes less time, or fewer joules, and is nearly as "
                             "promising comes first (time while joules are known of less than half of the trials)"},
    {.name = NULL},
};

struct arm {
    const struct gannet_strategy *strategy; /* NULL: it has no share */
    struct gannet_problem problem;
    struct gannet_setting *settings;
    void *self;
};

struct mixture {
    const struct gannet_problem *problem;
    struct arm arms[ARMS];
};

static void destroy_auto(void *self)
{
    struct mixture *mixture = self;
    for (int i = 0; i < ARMS; i++) {
        if (mixture->arms[i].self)
            mixture->arms[i].strategy->destroy(mixture->arms[i].self);
        free(mixture->arms[i].settings);
    }
    free(mixture);
}

static bool has_option(const struct gannet_strategy *strategy, const char *name)
{
    for (const struct gannet_option *option = strategy->options; option && option->name; option++)
        if (strcmp(option->name, name) == 0)
            return true;
    return false;
}

/* What of our options an arm has too is passed on, the rest is default. */
static struct gannet_setting *settings_of(const struct gannet_strategy *strategy, const struct gannet_problem *problem)
{
    struct err err;
    json_t *object = json_object();
    for (size_t i = OPTION_COST; options[i].name; i++)
        if (has_option(strategy, options[i].name))
            json_object_set_new(object, options[i].name, json_string(problem->options[i].word));
    struct gannet_setting *settings = strategy_settings_read(strategy, object, &err);
    json_decref(object);
    return settings;
}

static bool start_arm(struct arm *arm, const struct gannet_strategy *strategy, const struct gannet_problem *problem,
                      const struct gannet_host *host, char *why, size_t why_size)
{
    arm->strategy = strategy;
    arm->settings = settings_of(strategy, problem);
    arm->problem = *problem;
    arm->problem.options = arm->settings;
    arm->self = strategy->create(&arm->problem, host, why, why_size);
    return arm->self;
}

static void *create_auto(const struct gannet_problem *problem, const struct gannet_host *host, char *why,
                         size_t why_size)
{
    struct mixture *mixture = MEM_NEW(struct mixture);
    double sum = 0;
    mixture->problem = problem;
    for (int i = 0; i < ARMS; i++) {
        sum += problem->options[i].number;
        if (problem->options[i].number > 0 &&
            !start_arm(&mixture->arms[i], arm_list[i], problem, host, why, why_size)) {
            destroy_auto(mixture);
            return NULL;
        }
    }
    if (sum > 0)
        return mixture;
    snprintf(why, why_size, "the shares of all methods are 0; leave one of them above 0");
    destroy_auto(mixture);
    return NULL;
}

/* The first trial is the process', which begins with the middle of all ranges. */
static struct arm *choose_auto(struct mixture *mixture, uint64_t trial)
{
    if (trial == 1 && mixture->arms[0].self)
        return &mixture->arms[0];
    struct rng rng = rng_make(mixture->problem->seed, "auto", trial);
    double sum = 0, draw = rng_unit(&rng);
    struct arm *last = NULL;
    for (int i = 0; i < ARMS; i++)
        sum += mixture->problem->options[i].number;
    draw *= sum;
    for (int i = 0; i < ARMS; i++) {
        if (!mixture->arms[i].self)
            continue;
        last = &mixture->arms[i];
        draw -= mixture->problem->options[i].number;
        if (draw < 0)
            break;
    }
    return last;
}

static enum gannet_answer ask_auto(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size)
{
    struct arm *arm = choose_auto(self, ask->trial);
    return arm->strategy->ask(arm->self, ask, unit, why, why_size);
}

/* --- what the arms learn --- */

static void learn_auto(void *self, const struct gannet_past *past)
{
    struct mixture *mixture = self;
    for (struct arm *arm = mixture->arms; arm < mixture->arms + ARMS; arm++)
        if (arm->self && arm->strategy->learn)
            arm->strategy->learn(arm->self, past);
}

static void note_auto(void *self, uint64_t trial, const double *unit)
{
    struct mixture *mixture = self;
    for (struct arm *arm = mixture->arms; arm < mixture->arms + ARMS; arm++)
        if (arm->self && arm->strategy->note)
            arm->strategy->note(arm->self, trial, unit);
}

static void observe_auto(void *self, const struct gannet_outcome_of_trial *so_far)
{
    struct mixture *mixture = self;
    for (struct arm *arm = mixture->arms; arm < mixture->arms + ARMS; arm++)
        if (arm->self && arm->strategy->observe)
            arm->strategy->observe(arm->self, so_far);
}

static void tell_auto(void *self, const struct gannet_outcome_of_trial *told)
{
    struct mixture *mixture = self;
    for (struct arm *arm = mixture->arms; arm < mixture->arms + ARMS; arm++)
        if (arm->self && arm->strategy->tell)
            arm->strategy->tell(arm->self, told);
}

const struct gannet_strategy auto_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "auto",
    .summary = "the default: the method that suits the search, mostly a Gaussian process",
    .options = options,
    .uses_history = true,
    .create = create_auto,
    .learn = learn_auto,
    .ask = ask_auto,
    .note = note_auto,
    .observe = observe_auto,
    .tell = tell_auto,
    .destroy = destroy_auto,
};
