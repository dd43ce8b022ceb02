/* The section overview: how the experiment stands. */
#include "cli/fetch/sections.h"
#include "cli/view/overview.h"
#include "common/clock.h"

static json_t *encode_overview(const struct overview *overview)
{
    struct buf why = {0};
    if (!overview_explain(overview, &why))
        buf_clear(&why);
    json_t *status = overview_json(overview);
    json_object_del(status, "workers");
    json_t *out = json_pack("{s:o, s:s, s:s, s:[]}", "status", status, "state", overview_state(overview), "explanation",
                            buf_str(&why), "jobs");
    buf_fini(&why);
    return out;
}

json_t *section_overview(const struct section_reading *reading, struct err *err)
{
    struct source *source = reading->source;
    struct experiment_standing standing;
    if (source_standing_short(source, &standing, err))
        return NULL;
    json_t *experiment = source_read(source, "experiment", NULL, err),
           *best = experiment ? source_read(source, "best", NULL, err) : NULL, *out = NULL;
    if (best)
        out = encode_overview(&(struct overview){.snapshot = standing.snapshot,
                                                 .experiment = experiment,
                                                 .best = best,
                                                 .directory = source_dir(source)->path,
                                                 .trouble = standing.trouble,
                                                 .counters = standing.counters,
                                                 .lives = source_lives(source),
                                                 .hidden = source_is_hidden(source),
                                                 .now = clock_wall()});
    json_decref(experiment);
    json_decref(best);
    standing_fini(&standing);
    return out;
}
