/* Values of a trial on its way, in a search without a coordinator: recorded and shown to early stopping as a
 * coordinator's (scheduler/core/samples.c), in the order in which they come.
 *
 * A loop can't put a trial aside and take it up again, so its stopper stops where others pause. A trial of which stop
 * was said may go on all the same; early stopping looks at it no more. */
#include "scheduler/session/ask_tell_parts.h"
#include "common/clock.h"
#include "common/mem.h"
#include "scheduler/core/seen.h"
#include "scheduler/session/told.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what was seen --- */

void open_trial_destroy(struct open_trial *open)
{
    if (!open)
        return;
    free(open->seen);
    free(open->stop);
    free(open->params);
    free(open);
}

void ask_tell_recall_seen(const struct ask_tell *ask_tell, const struct memory_trial *from, struct open_trial *to)
{
    size_t bytes = ask_tell->config.metrics.count * sizeof *to->seen;
    if (from->seen)
        to->seen = memcpy(mem_resize(NULL, 1, bytes), from->seen, bytes);
    to->decided = from->decided;
    to->held = from->held;
    to->stop = mem_text(from->stop);
}

int ask_tell_count(struct ask_tell *ask_tell, uint64_t trial, struct open_trial *open, struct err *err)
{
    if (open->is_counted)
        return 0;
    if (open->attempt && reader_next_sample(store_reader(ask_tell->store), trial, open->attempt, &open->samples, err))
        return -1;
    open->is_counted = true;
    return 0;
}

/* --- recording --- */

/* One that waited for a worker runs here now. */
static void begin_attempt(struct ask_tell *ask_tell, uint64_t trial, struct open_trial *open)
{
    if (open->attempt)
        return;
    open->attempt = ++open->last;
    open->samples = 0;
    ask_tell_lease(ask_tell, trial, open->attempt);
}

static void record_samples(struct ask_tell *ask_tell, struct open_trial *open, const struct ask_tell_step *said,
                           double seconds)
{
    const struct metrics *metrics = &ask_tell->config.metrics;
    struct msg_sample samples[metrics->count];
    uint32_t count = 0;
    if (!open->seen)
        open->seen = MEM_ARRAY(struct memory_seen, metrics->count);
    for (uint32_t i = 0; i < metrics->count; i++)
        if (said->told[i]) {
            samples[count++] = (struct msg_sample){.metric = metrics->items[i].name,
                                                   .step = (int64_t)said->step,
                                                   .value = said->values[i],
                                                   .time = seconds};
            seen_add_value(&open->seen[i], (int64_t)said->step, said->values[i]);
        }
    ask_tell_emit(ask_tell,
                  (struct event){.kind = EVENT_SAMPLED,
                                 .trial = said->trial,
                                 .attempt = open->attempt,
                                 .sampled = {.first = open->samples, .samples = samples, .samples_count = count}});
    open->samples += count;
}

/* --- early stopping --- */

/* Whether all objectives are known at this step. */
static bool is_complete(const struct ask_tell *ask_tell, const struct open_trial *open, int64_t step)
{
    const struct metrics *metrics = &ask_tell->config.metrics;
    for (uint32_t i = 0; i < metrics->count; i++)
        if (metrics->items[i].objective && (!open->seen[i].any || open->seen[i].step != step))
            return false;
    return true;
}

static void carry_out(struct ask_tell *ask_tell, struct open_trial *open, const struct told *at,
                      const struct early_stop_decision *decision)
{
    const struct early_stop *early_stop = early_stopping_early_stop(ask_tell->early_stopping);
    struct event_decided decided = {.step = at->step,
                                    .advance = at->step - open->decided,
                                    .max_steps = early_stop->max_steps(early_stop->context),
                                    .decision = decision->action,
                                    .values = at->values,
                                    .values_count = ask_tell->config.metrics.count,
                                    .cut_off = decision->cut_off,
                                    .bracket = decision->bracket,
                                    .seconds = at->seconds,
                                    .detail = decision->why,
                                    .told = decision->rung ? ++ask_tell->tells : 0};
    ask_tell_emit(
        ask_tell,
        (struct event){.kind = EVENT_DECIDED, .trial = at->trial, .attempt = open->attempt, .decided = decided});
    open->decided = at->step;
    if (decision->action != EARLY_STOP_GO_ON)
        open->stop = mem_text(decision->why);
    if (decision->rung)
        (void)told_pass_on(at, &ask_tell->config.metrics, ask_tell->searcher, NULL); /* it was asked for */
}

static void show_step(struct ask_tell *ask_tell, struct open_trial *open, const struct ask_tell_step *said,
                      double seconds)
{
    const struct metrics *metrics = &ask_tell->config.metrics;
    bool is_over = open->stop || open->held;
    if (!ask_tell->early_stopping || is_over || said->step <= open->decided ||
        !is_complete(ask_tell, open, (int64_t)said->step))
        return;
    const struct early_stop *early_stop = early_stopping_early_stop(ask_tell->early_stopping);
    struct early_stop_decision decision;
    double values[metrics->count];
    for (uint32_t i = 0; i < metrics->count; i++)
        values[i] = open->seen[i].any && open->seen[i].step == (int64_t)said->step ? open->seen[i].last : NAN;
    early_stop->sample(early_stop->context, said->trial, said->step, values, &decision);
    struct told at = {.trial = said->trial, .values = values, .seconds = seconds, .step = said->step, .observed = true};
    carry_out(ask_tell, open, &at, &decision);
}

int ask_tell_report(struct ask_tell *ask_tell, const struct ask_tell_step *said, struct ask_tell_decision *out,
                    struct err *err)
{
    struct open_trial *open = map_get(&ask_tell->open, said->trial);
    if (!open)
        return ask_tell_refuse(ask_tell, said->trial, err);
    if (ask_tell_count(ask_tell, said->trial, open, err))
        return -1;
    double seconds = fmax(0, clock_wall() - open->since);
    if (!ask_tell->over)
        ask_tell_begin(ask_tell);
    begin_attempt(ask_tell, said->trial, open);
    record_samples(ask_tell, open, said, seconds);
    show_step(ask_tell, open, said, seconds);
    *out = (struct ask_tell_decision){.stop = open->stop || open->held,
                                      .why = open->stop ? open->stop : "it was to pause"};
    return 0;
}
