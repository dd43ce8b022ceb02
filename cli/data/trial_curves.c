/* Learning curves; see trial_curves.h. */
#include "cli/data/trial_curves.h"

#include "cli/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_point(struct trial_curves *curves, double step, double value)
{
    MEM_GROW(curves->points, curves->point_capacity, curves->point_count + 1);
    curves->points[curves->point_count++] = (struct curve_point){step, value};
}

static struct cut_off *cut_at(struct trial_curves *curves, double step)
{
    for (size_t i = 0; i < curves->cut_count; i++)
        if (curves->cuts[i].step == step)
            return &curves->cuts[i];
    MEM_GROW(curves->cuts, curves->cut_capacity, curves->cut_count + 1);
    struct cut_off *cut = &curves->cuts[curves->cut_count++];
    *cut = (struct cut_off){.step = step, .worst_that_went_on = NAN, .value = NAN};
    return cut;
}

/* Whether a pause at this place of the decisions was followed by going on. */
static bool goes_on_later(const json_t *decisions, size_t at)
{
    const char *next = json_text(json_array_get(decisions, at + 1), "decision");
    return strcmp(next, "went_on") == 0;
}

/* What was compared with, as late as is known of these trials. */
static void note_cut_off(struct cut_off *cut, uint64_t trial, const json_t *decision)
{
    double value;
    if (trial < cut->trial || !json_number(decision, "cut_off", &value))
        return;
    cut->trial = trial;
    cut->value = value;
}

/* `completed`: a stop was no comparison, for it had done all of its steps. */
static void add_decisions(struct trial_curves *curves, uint64_t trial, const json_t *decisions, bool completed,
                          bool maximize)
{
    size_t index;
    const json_t *row;
    json_array_foreach(decisions, index, row)
    {
        double step, value;
        const char *decision = json_text(row, "decision");
        bool stops = strcmp(decision, "stops") == 0, paused = strcmp(decision, "pauses") == 0;
        if (!json_number(row, "step", &step) || !json_number(row, "value", &value) || (stops && completed))
            continue;
        struct cut_off *cut = cut_at(curves, step);
        note_cut_off(cut, trial, row);
        if (stops || (paused && !goes_on_later(decisions, index))) {
            cut->ended++;
            continue;
        }
        if (paused) /* what it was compared with when it went on */
            note_cut_off(cut, trial, json_array_get(decisions, index + 1));
        cut->went_on++;
        if (isnan(cut->worst_that_went_on) ||
            (maximize ? value < cut->worst_that_went_on : value > cut->worst_that_went_on))
            cut->worst_that_went_on = value;
    }
}

void trial_curves_add(struct trial_curves *curves, const json_t *trial, const char *metric, bool maximize)
{
    size_t index, first = curves->point_count;
    const json_t *sample;
    json_array_foreach(json_object_get(trial, "curve"), index, sample)
    {
        double step, value;
        if (strcmp(json_text(sample, "metric"), metric) == 0 && json_number(sample, "step", &step) &&
            json_number(sample, "value", &value))
            add_point(curves, step, value);
    }
    int state = trial_state_named(json_text(trial, "state"));
    if (curves->point_count == first || state < 0)
        return;
    uint64_t number = (uint64_t)json_integer_value(json_object_get(trial, "trial"));
    MEM_GROW(curves->curves, curves->capacity, curves->count + 1);
    curves->curves[curves->count++] = (struct trial_curve){
        .trial = number, .state = (uint8_t)state, .first = first, .count = curves->point_count - first};
    add_decisions(curves, number, json_object_get(trial, "decisions"), state == TRIAL_COMPLETED, maximize);
}

static int compare_cuts(const void *a, const void *b)
{
    const struct cut_off *one = a, *other = b;
    return (one->step > other->step) - (one->step < other->step);
}

void trial_curves_finish(struct trial_curves *curves)
{
    if (curves->cut_count)
        qsort(curves->cuts, curves->cut_count, sizeof *curves->cuts, compare_cuts);
}

void trial_curves_fini(struct trial_curves *curves)
{
    free(curves->curves);
    free(curves->points);
    free(curves->cuts);
    *curves = (struct trial_curves){0};
}
