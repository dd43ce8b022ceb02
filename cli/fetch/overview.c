/* The section overview: how the experiment stands. */
#include "cli/fetch/sections.h"
#include "cli/data/jobs.h"
#include "cli/view/job_list.h"
#include "cli/view/overview.h"
#include "common/clock.h"
#include "common/json.h"

#include <string.h>

/* The lines of a text, as an array. */
static json_t *lines_of(const char *text)
{
    json_t *lines = json_array();
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length)
            json_array_append_new(lines, json_stringn_nocheck(text, length));
        text += length + (text[length] == '\n');
    }
    return lines;
}

/* What was submitted to Slurm, a line a job below a heading. */
static json_t *encode_jobs(const struct overview *overview)
{
    struct buf text = {0};
    if (overview->jobs)
        job_list_draw(overview->jobs, overview->now, &(struct look){0}, &text);
    json_t *lines = lines_of(buf_str(&text));
    buf_fini(&text);
    return lines;
}

static json_t *encode_overview(const struct overview *overview)
{
    struct buf why = {0}, reason = {0};
    if (!overview_explain(overview, &why))
        buf_clear(&why);
    if (!overview->lives && overview->snapshot.state == EXPERIMENT_ENDED)
        overview_add_reason(overview, &reason);
    json_t *status = overview_json(overview);
    json_object_del(status, "workers");
    json_t *out =
        json_pack("{s:o, s:s, s:o, s:o, s:o, s:O, s:O?}", "status", status, "state", overview_state(overview),
                  "explanation", json_of_text(buf_str(&why)), "reason", json_of_text(buf_str(&reason)), "jobs",
                  encode_jobs(overview), "best", overview->best, "goal", json_object_get(overview->experiment, "goal"));
    json_object_set(out, "started", json_object_get(overview->experiment, "started"));
    json_object_set(out, "ended", json_object_get(overview->experiment, "ended"));
    buf_fini(&why);
    buf_fini(&reason);
    return out;
}

json_t *section_overview(const struct section_reading *reading, struct err *err)
{
    struct source *source = reading->source;
    struct experiment_standing standing;
    struct slurm_record jobs = {0};
    struct err unsaid;
    if (source_standing_short(source, &standing, err))
        return NULL;
    json_t *experiment = source_read(source, "experiment", NULL, err),
           *best = experiment ? source_read(source, "best", NULL, err) : NULL, *out = NULL;
    jobs_read(source_dir(source), source_lives(source) && !standing.trouble, &jobs, &unsaid);
    if (best)
        out =
            encode_overview(&(struct overview){.snapshot = standing.snapshot,
                                               .experiment = experiment,
                                               .best = best,
                                               .directory = source_dir(source)->path,
                                               .trouble = standing.trouble,
                                               .counters = standing.counters,
                                               .lives = source_lives(source),
                                               .hidden = source_is_hidden(source),
                                               .waits = !source_lives(source) && rundir_is_waiting(source_dir(source)),
                                               .jobs = jobs_exist(&jobs) ? &jobs : NULL,
                                               .now = clock_wall()});
    json_decref(experiment);
    json_decref(best);
    slurm_record_fini(&jobs);
    standing_fini(&standing);
    return out;
}
