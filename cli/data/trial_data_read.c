/* From an experiment to columns; see trial_data_read.h. */
#include "cli/data/trial_data_read.h"

static int take_trial(void *context, json_t *trial, struct err *err)
{
    (void)err;
    trial_data_add(context, trial);
    return 0;
}

int trial_data_read(struct source *source, struct trial_data *out, struct err *err)
{
    json_t *experiment = source_read(source, "experiment", NULL, err);
    if (!experiment)
        return -1;
    struct trial_query query = {0};
    trial_data_init(out, experiment);
    if (source_each_trial(source, &query, take_trial, out, err)) {
        trial_data_fini(out);
        return -1;
    }
    trial_data_finish(out);
    return 0;
}
