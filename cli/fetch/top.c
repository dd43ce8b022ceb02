/* The section top: the best trials, and those on their way. */
#include "cli/fetch/sections.h"
#include "cli/json.h"
#include "cli/view/running.h"
#include "common/clock.h"

enum { MOST = 20 };

static json_t *read_running(struct source *source, const char *metric)
{
    struct trial_query query = {.state = TRIAL_RUNNING + 1, .limit = MOST};
    json_t *trials = source_lives(source) ? source_trials(source, &query, NULL) : NULL, *trial;
    size_t index;
    json_array_foreach(trials, index, trial) running_fill(trial, metric, clock_wall());
    return trials ? trials : json_array();
}

/* The names of the parameters, in the order of the experiment file. */
static json_t *names_of(const json_t *experiment)
{
    json_t *names = json_array(), *parameter;
    size_t index;
    json_array_foreach(json_object_get(experiment, "parameters"), index, parameter)
        json_array_append(names, json_object_get(parameter, "name"));
    return names;
}

json_t *section_top(const struct section_reading *reading, struct err *err)
{
    struct trial_query best = {.by_value = true, .limit = MOST}; /* not brief: the step is shown */
    json_t *experiment = source_read(reading->source, "experiment", NULL, err),
           *trials = experiment ? source_trials(reading->source, &best, err) : NULL, *out = NULL;
    if (trials)
        out = json_pack("{s:O, s:o, s:o}", "best", trials, "running",
                        read_running(reading->source, json_text(experiment, "metric")), "names", names_of(experiment));
    json_decref(experiment);
    json_decref(trials);
    return out;
}
