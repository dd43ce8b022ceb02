/* The section overview: how the experiment stands. */
#include "cli/fetch/sections.h"
#include "cli/session/seen.h"
#include "cli/view/job_list.h"
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
    struct seen seen;
    json_t *out = NULL;
    if (seen_short(source, true, &seen, err) == 0 && (seen.best = source_read(source, "best", NULL, err))) {
        seen.overview.best = seen.best;
        seen.overview.waits = !source_lives(source) && rundir_is_waiting(source_dir(source));
        out = encode_overview(&seen.overview);
    }
    seen_fini(&seen);
    return out;
}
