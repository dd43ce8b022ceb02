/* An experiment as it stands now; see seen.h. */
#include "cli/session/seen.h"
#include "cli/data/jobs.h"
#include "cli/json.h"
#include "cli/view/running.h"
#include "cli/session/missing.h"
#include "cli/status.h"
#include "common/clock.h"

/* A coordinator that answers is believed; else Slurm is asked. */
static void fetch_jobs(struct console *console, struct source *source, bool answers, struct seen *seen)
{
    struct err err;
    jobs_read(source_dir(source), answers, &seen->jobs, &err);
    if (*err.text)
        console_fail(console, STATUS_OK, &err);
    const struct rundir *dir = source_dir(source);
    bool said = answers
                    ? missing_describe(dir, &seen->jobs, &seen->overview.snapshot, seen->overview.now, &seen->logs_say)
                    : !seen->overview.lives && missing_quote(dir, &seen->jobs, &seen->logs_say);
    if (said)
        seen->overview.logs_say = buf_str(&seen->logs_say);
    seen->overview.jobs = jobs_exist(&seen->jobs) ? &seen->jobs : NULL;
}

/* The first trials that run; NULL: none could be read. */
static json_t *fetch_running(struct source *source, const char *metric)
{
    enum { SHOWN = 8 };
    struct trial_query query = {.state = TRIAL_RUNNING + 1, .limit = SHOWN};
    json_t *trials = source_trials(source, &query, NULL), *trial;
    size_t index;
    json_array_foreach(trials, index, trial) running_fill(trial, metric, clock_wall());
    return trials;
}

int seen_fetch(struct console *console, struct source *source, struct seen *out, struct err *unreached, struct err *err)
{
    *out = (struct seen){0};
    *unreached = (struct err){""};
    int status = source_standing(source, &out->standing, err);
    if (status == STATUS_UNREACHABLE) {
        *unreached = *err;
        status = source_recorded(source, &out->standing, err) ? STATUS_UNREACHABLE : STATUS_OK;
    }
    if (status)
        return status;
    out->experiment = source_read(source, "experiment", NULL, err);
    out->best = out->experiment ? source_read(source, "best", NULL, err) : NULL;
    if (!out->best)
        return STATUS_FAILED;
    if (!*unreached->text && source_lives(source))
        out->running = fetch_running(source, json_text(out->experiment, "metric"));
    out->overview = (struct overview){.snapshot = out->standing.snapshot,
                                      .experiment = out->experiment,
                                      .best = out->best,
                                      .running = out->running,
                                      .directory = source_dir(source)->path,
                                      .trouble = out->standing.trouble,
                                      .counters = out->standing.counters,
                                      .lives = source_lives(source),
                                      .hidden = source_is_hidden(source),
                                      .waits = !source_lives(source) && rundir_is_waiting(source_dir(source)),
                                      .now = clock_wall()};
    fetch_jobs(console, source, out->overview.lives && !out->overview.trouble && !*unreached->text, out);
    return STATUS_OK;
}

void seen_fini(struct seen *seen)
{
    standing_fini(&seen->standing);
    slurm_record_fini(&seen->jobs);
    buf_fini(&seen->logs_say);
    json_decref(seen->experiment);
    json_decref(seen->best);
    json_decref(seen->running);
}
