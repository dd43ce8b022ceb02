/* An experiment as it stands now; see seen.h. */
#include "cli/session/seen.h"
#include "cli/data/jobs.h"
#include "cli/json.h"
#include "cli/view/running.h"
#include "cli/session/missing.h"
#include "cli/status.h"
#include "common/clock.h"
#include "scheduler/rundir/pass.h"

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

/* From what was read of it. */
static void fill_overview(struct source *source, struct seen *seen)
{
    seen->overview = (struct overview){.snapshot = seen->standing.snapshot,
                                       .experiment = seen->experiment,
                                       .best = seen->best,
                                       .running = seen->running,
                                       .directory = source_dir(source)->path,
                                       .trouble = seen->standing.trouble,
                                       .counters = seen->standing.counters,
                                       .lives = source_lives(source),
                                       .hidden = source_is_hidden(source),
                                       .jobs = jobs_exist(&seen->jobs) ? &seen->jobs : NULL,
                                       .now = clock_wall()};
}

int seen_fetch(struct console *console, struct source *source, struct seen *out, struct err *unreached, struct err *err)
{
    *out = (struct seen){0};
    *unreached = (struct err){""};
    int status = source_standing(source, &out->standing, err);
    if (status == STATUS_UNREACHABLE && !pass_is(source_dir(source))) {
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
    fill_overview(source, out);
    out->overview.waits = !source_lives(source) && rundir_is_waiting(source_dir(source));
    fetch_jobs(console, source, out->overview.lives && !out->overview.trouble && !*unreached->text, out);
    return STATUS_OK;
}

int seen_short(struct source *source, bool asks, struct seen *out, struct err *err)
{
    struct err unsaid;
    *out = (struct seen){0};
    int status = source_standing_short(source, &out->standing, err);
    if (status)
        return status;
    out->experiment = source_read(source, "experiment", json_pack("{s:b}", "brief", 1), err);
    jobs_read(source_dir(source), !asks || (source_lives(source) && !out->standing.trouble), &out->jobs, &unsaid);
    fill_overview(source, out);
    return out->experiment ? STATUS_OK : STATUS_FAILED;
}

int seen_recorded(struct source *source, struct seen *out, struct err *err)
{
    *out = (struct seen){0};
    int status = source_recorded(source, &out->standing, NULL) ? source_standing(source, &out->standing, err) : 0;
    if (status)
        return status;
    out->experiment = source_read(source, "experiment", NULL, err);
    (void)slurm_record_read(source_dir(source), &out->jobs, NULL);
    fill_overview(source, out);
    out->overview.trouble = NULL; /* which no store has */
    out->overview.counters = NULL;
    return out->experiment ? STATUS_OK : STATUS_FAILED;
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
