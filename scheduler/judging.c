/* A stopper as the core's judge; see judging.h. */
#include "scheduler/judging.h"

#include "common/mem.h"

#include <stdio.h>
#include <stdlib.h>

struct judging {
    struct stopper *stopper;
    struct metrics metrics;
    struct judge judge;
    double *losses; /* of the objectives, at hand */
};

static uint64_t until(void *context, uint64_t trial)
{
    struct judging *judging = context;
    return stopper_until(judging->stopper, trial);
}

static uint64_t max_steps(void *context)
{
    struct judging *judging = context;
    return stopper_max_steps(judging->stopper);
}

static void sample(void *context, uint64_t trial, uint64_t step, const double *values, struct judge_verdict *out)
{
    static const enum judge_action actions[] = {
        [STOPPER_GO_ON] = JUDGE_GO_ON, [STOPPER_STOP] = JUDGE_STOP, [STOPPER_PAUSE] = JUDGE_PAUSE};
    struct judging *judging = context;
    struct stopper_verdict verdict;
    metrics_losses(&judging->metrics, values, judging->losses);
    stopper_sample(judging->stopper, trial, step, judging->losses, &verdict);
    *out = (struct judge_verdict){.action = actions[verdict.action], .rung = verdict.rung};
    snprintf(out->why, sizeof out->why, "%s", verdict.why);
}

static bool next(void *context, bool last, struct judge_move *out)
{
    struct judging *judging = context;
    struct stopper_move move;
    if (!stopper_next(judging->stopper, last, &move))
        return false;
    *out = (struct judge_move){.trial = move.trial, .resume = move.resume};
    snprintf(out->why, sizeof out->why, "%s", move.why);
    return true;
}

static void resumed(void *context, uint64_t trial)
{
    struct judging *judging = context;
    stopper_resumed(judging->stopper, trial);
}

static void ended(void *context, uint64_t trial, enum ending ending)
{
    struct judging *judging = context;
    stopper_ended(judging->stopper, trial, ending);
}

struct judging *judging_create(struct stopper *stopper, const struct metrics *metrics)
{
    struct judging *judging = MEM_NEW(struct judging);
    judging->stopper = stopper;
    judging->metrics = *metrics;
    judging->losses = MEM_ARRAY(double, metrics->count);
    judging->judge = (struct judge){.context = judging,
                                    .until = until,
                                    .max_steps = max_steps,
                                    .sample = sample,
                                    .next = next,
                                    .resumed = resumed,
                                    .ended = ended};
    return judging;
}

void judging_destroy(struct judging *judging)
{
    if (!judging)
        return;
    stopper_destroy(judging->stopper);
    free(judging->losses);
    free(judging);
}

const struct judge *judging_judge(struct judging *judging)
{
    return &judging->judge;
}

static void tell_sample(void *context, uint64_t trial, uint64_t step, const double *values)
{
    struct judge_verdict verdict;
    sample(context, trial, step, values, &verdict);
}

int judging_recall(struct judging *judging, struct reader *reader, struct err *err)
{
    struct judgement_visitor visitor = {.context = judging, .sample = tell_sample, .went_on = resumed, .ended = ended};
    return reader_judgements(reader, &visitor, err);
}
