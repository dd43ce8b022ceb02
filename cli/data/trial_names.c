/* The names in trials; see trial_names.h. */
#include "cli/data/trial_names.h"

#include "common/endings.h"

#include <string.h>

/* Values that call for a column of their own: columns_usual depends on them. */
static bool is_telling(const char *name, const json_t *value)
{
    int state = strcmp(name, "state") == 0 ? trial_state_named(json_string_value(value)) : -1;
    return state == TRIAL_FAILED || state == TRIAL_CANCELLED ||
           (strcmp(name, "feasible") == 0 && json_is_false(value)) ||
           ((strcmp(name, "ignored") == 0 || strcmp(name, "added") == 0) && json_is_true(value));
}

void trial_names_add(json_t *all, const json_t *trial)
{
    const char *name;
    json_t *part;
    json_object_foreach((json_t *)trial, name, part)
    {
        json_t *known = json_object_get(all, name);
        if (!known || json_is_null(known) || is_telling(name, part))
            json_object_set_new(all, name, json_copy(part));
        else if (json_is_object(part) && json_is_object(known))
            json_object_update_missing(known, part);
    }
}

int trial_names_visit(void *all, json_t *trial, struct err *err)
{
    (void)err;
    trial_names_add(all, trial);
    return 0;
}

json_t *trial_names_list(json_t *all, int failed)
{
    json_t *list = failed ? NULL : json_array();
    if (list && json_object_size(all))
        json_array_append(list, all);
    json_decref(all);
    return list;
}

json_t *trial_names(struct source *source, const struct trial_query *query, struct err *err)
{
    json_t *all = json_object();
    return trial_names_list(all, source_each_trial(source, query, trial_names_visit, all, err));
}
