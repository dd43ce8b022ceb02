/* Samples that are recorded, and others; see thin.h. */
#include "worker/program/thin.h"
#include "common/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The metric of that name, which gets its place with its first sample; NULL: there are too many. */
static struct thin_metric *metric_of(struct thin *thin, struct arena *memory, const char *name)
{
    enum { NAME_LONGEST = 200 };
    for (size_t i = 0; i < thin->count; i++)
        if (strncmp(thin->metrics[i].name, name, NAME_LONGEST) == 0)
            return &thin->metrics[i];
    if (thin->count == THIN_MOST_METRICS)
        return NULL;
    MEM_GROW(thin->metrics, thin->capacity, thin->count + 1);
    size_t length = strnlen(name, NAME_LONGEST);
    char *copy = arena_zero(memory, 1, length + 1);
    memcpy(copy, name, length);
    thin->metrics[thin->count] = (struct thin_metric){.name = copy};
    return &thin->metrics[thin->count++];
}

/* Whether it is the turn of the sample that so many came before. */
static bool is_due(uint64_t before)
{
    uint64_t every = 1;
    for (uint64_t whole = THIN_WHOLE; before >= whole && whole <= UINT64_MAX / 2; whole *= 2)
        every = whole / THIN_PER_DOUBLING;
    return before % every == 0;
}

static bool has_step(const struct thin_metric *metric, int64_t step)
{
    return metric->has_kept && metric->kept_step == step;
}

static void keep_sample(struct thin *thin, struct thin_metric *metric, const struct msg_sample *sample, thin_keep *keep,
                        void *context)
{
    metric->holds = false;
    metric->has_kept = true;
    metric->kept_step = sample->step;
    metric->kept++;
    thin->kept++;
    keep(context, sample);
}

static void hold_sample(struct thin *thin, struct thin_metric *metric, const struct msg_sample *sample)
{
    thin->any = metric->holds = true;
    metric->last = *sample;
    if (!isfinite(sample->value))
        return;
    if (!metric->low_number || sample->value < metric->low.value) {
        metric->low = *sample;
        metric->low_number = metric->count;
    }
    if (!metric->high_number || sample->value > metric->high.value) {
        metric->high = *sample;
        metric->high_number = metric->count;
    }
}

/* What others have of this step, and was not their turn. */
static void keep_beside(struct thin *thin, int64_t step, thin_keep *keep, void *context)
{
    for (size_t i = 0; i < thin->count; i++) {
        struct thin_metric *other = &thin->metrics[i];
        if (other->holds && other->last.step == step && !has_step(other, step))
            keep_sample(thin, other, &other->last, keep, context);
    }
}

void thin_take(struct thin *thin, struct arena *memory, const struct msg_sample *sample, uint32_t most, thin_keep *keep,
               void *context)
{
    enum { AT_THE_END = 3 * THIN_MOST_METRICS };
    struct thin_metric *metric = metric_of(thin, memory, sample->metric);
    if (!metric) {
        thin->crowded = true;
        return;
    }
    struct msg_sample mine = *sample;
    mine.metric = metric->name;
    bool due = is_due(metric->count++), has_room = thin->kept + 2 * THIN_MOST_METRICS + AT_THE_END < most;
    bool beside = thin->has_due_step && thin->due_step == mine.step && !has_step(metric, mine.step);
    if (!has_room || !(due || beside)) {
        hold_sample(thin, metric, &mine);
        return;
    }
    if (due) {
        thin->has_due_step = true;
        thin->due_step = mine.step;
        metric->holds = false; /* what it held is behind */
        keep_beside(thin, mine.step, keep, context);
    }
    keep_sample(thin, metric, &mine, keep, context);
}

void thin_end(struct thin *thin, thin_keep *keep, void *context)
{
    for (size_t i = 0; i < thin->count; i++) {
        struct thin_metric *metric = &thin->metrics[i];
        bool holds = metric->holds, low_first = metric->low_number < metric->high_number;
        uint64_t last = holds ? metric->count : 0;
        const struct msg_sample *first = low_first ? &metric->low : &metric->high;
        const struct msg_sample *second = low_first ? &metric->high : &metric->low;
        uint64_t first_number = low_first ? metric->low_number : metric->high_number;
        uint64_t second_number = low_first ? metric->high_number : metric->low_number;
        if (first_number && first_number != last)
            keep_sample(thin, metric, first, keep, context);
        if (second_number && second_number != first_number && second_number != last)
            keep_sample(thin, metric, second, keep, context);
        if (holds)
            keep_sample(thin, metric, &metric->last, keep, context);
        metric->low_number = metric->high_number = 0;
    }
}

void thin_print(const struct thin *thin, struct buf *out)
{
    const struct thin_metric *most = NULL;
    for (size_t i = 0; i < thin->count; i++)
        if (!most || thin->metrics[i].count > most->count)
            most = &thin->metrics[i];
    if (thin->any && most)
        buf_format(out, "of %" PRIu64 " values of '%s' %" PRIu64 " are recorded (docs/trial.md)", most->count,
                   most->name, most->kept);
    if (thin->crowded)
        buf_format(out, "%sof more than %d metrics the others are not recorded", out->length ? "; " : "",
                   THIN_MOST_METRICS);
}

void thin_fini(struct thin *thin)
{
    free(thin->metrics);
    *thin = (struct thin){0};
}
