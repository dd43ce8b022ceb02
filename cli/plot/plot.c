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

void plot_subject_fini(struct plot_subject *subject)
{
    trial_data_fini(&subject->data);
    trial_curves_fini(&subject->curves);
    slot_spans_fini(&subject->spans);
    json_decref(subject->importance);
    json_decref(subject->profiles);
    *subject = (struct plot_subject){0};
}
