/* The list of pictures; see plot.h. */
#include "cli/plot/plot.h"

#include <string.h>

const struct plot_kind *const plot_kinds[] = {
#define X(name) &plot_##name,
    PLOT_KINDS(X)
#undef X
        NULL};

const struct plot_kind *plot_find(const char *name)
{
    for (size_t i = 0; plot_kinds[i]; i++)
        if (strcmp(plot_kinds[i]->name, name) == 0)
            return plot_kinds[i];
    return NULL;
}

static const char *goal_of(const struct trial_metric *metric)
{
    return metric->maximize ? "maximize" : "minimize";
}

int plot_check_comparable(const struct plot_subject *subjects, size_t count, struct err *err)
{
    const struct trial_data *first = &subjects[0].data;
    for (size_t i = 1; i < count; i++) {
        const struct trial_data *other = &subjects[i].data;
        if (!first->metric_count || !other->metric_count)
            return err_set(err, "%s and %s can't be compared: one has no metric", first->name, other->name);
        const struct trial_metric *one = &first->metrics[0], *two = &other->metrics[0];
        if (strcmp(one->name, two->name) != 0 || one->maximize != two->maximize)
            return err_set(err, "%s is to %s %s and %s to %s %s: what they came to can't be compared", first->name,
                           goal_of(one), one->name, other->name, goal_of(two), two->name);
    }
    return 0;
}

void plot_subject_fini(struct plot_subject *subject)
{
    trial_data_fini(&subject->data);
    trial_curves_fini(&subject->curves);
    slot_spans_fini(&subject->spans);
    json_decref(subject->importance);
    json_decref(subject->profiles);
    json_decref(subject->failures);
    *subject = (struct plot_subject){0};
}
