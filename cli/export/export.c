/* Exporting an experiment as it is now; see export.h. */
#include "cli/export/export.h"
#include "cli/data/beside.h"
#include "cli/json.h"
#include "cli/status.h"
#include "common/hash.h"
#include "common/path.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- signals --- */

static void fill_ending(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

bool export_is_told_to_end(double seconds)
{
    sigset_t ending;
    fill_ending(&ending);
    struct timespec wait = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    return sigtimedwait(&ending, NULL, &wait) > 0;
}

/* --- what is exported, and where to --- */

/* The identity of the run directory; of a store alone what is known of its beginning. */
static uint64_t id_of(struct source *source, const json_t *experiment)
{
    enum { LONGEST = 1000 };
    struct buf text = {0};
    if (path_read(source_dir(source)->identity, &text, LONGEST, NULL) || !text.length) {
        buf_clear(&text);
        buf_format(&text, "%s %s %" JSON_INTEGER_FORMAT, json_text(experiment, "name"),
                   json_text(experiment, "started"), json_integer_value(json_object_get(experiment, "seed")));
    }
    uint64_t id = hash_text(buf_str(&text));
    buf_fini(&text);
    return id;
}

static int check_place(const struct export *export, const struct exporter *exporter, bool force, struct err *err)
{
    static const char what[] = "such export";
    if (exporter->marks)
        return own_file_check(export->path, exporter->marks, force, what, err);
    bool may = force || !path_exists(export->path) || exporter->may_replace(export);
    return may ? 0 : own_file_refuse(export->path, what, err);
}

int export_open(struct source *source, const struct exporter *exporter, const struct export_options *options,
                struct export *out, struct err *err)
{
    sigset_t ending;
    *out = (struct export){.source = source, .path = options->path, .samples = options->metrics};
    if (!(out->experiment = source_read(source, "experiment", NULL, err)))
        return STATUS_FAILED;
    out->id = id_of(source, out->experiment);
    if (strcmp(options->path, "-") != 0)
        beside_sweep(options->path);
    if (check_place(out, exporter, options->force, err))
        return STATUS_USAGE;
    fill_ending(&ending);
    sigprocmask(SIG_BLOCK, &ending, NULL);
    return STATUS_OK;
}

void export_advise(const struct export *export, struct err *err)
{
    struct err was = *err;
    if (!err_is_full_disk(err))
        return;
    if (strcmp(export->path, "-") == 0)
        err_write(err, "%s; what came until then is not whole: make room there", was.text);
    else
        err_write(err, "%s; what was at '%s' before is as it was: make room there, or choose another place with -o",
                  was.text, export->path);
}

void export_close(struct export *export)
{
    json_decref((json_t *)export->experiment);
    free(export->note);
    *export = (struct export){0};
}

/* --- once --- */

struct exporting {
    struct export export;
    const struct exporter *exporter;
    struct export_sum *sum;
};

static int put_trial(void *context, json_t *trial, struct err *err)
{
    struct exporting *self = context;
    if (export_is_told_to_end(0)) {
        self->sum->interrupted = true;
        return err_set(err, "interrupted: nothing was written");
    }
    self->sum->trials++;
    return self->exporter->put(&self->export, trial, err);
}

static int write_trials(struct exporting *self, struct err *err)
{
    struct export *export = &self->export;
    struct trial_query all = {.curve = self->exporter->curves || export->samples};
    if (self->exporter->begin(export, err))
        return -1;
    int failed = source_each_trial(export->source, &all, put_trial, self, err) || self->exporter->settle(export, err);
    self->exporter->end(export);
    return failed;
}

int export_run(struct source *source, const struct exporter *exporter, const struct export_options *options,
               struct export_sum *out, struct err *err)
{
    struct exporting self = {.exporter = exporter, .sum = out};
    *out = (struct export_sum){0};
    int status = export_open(source, exporter, options, &self.export, err);
    if (!status && (exporter->write ? exporter->write(&self.export, err) : write_trials(&self, err)))
        status = out->interrupted ? STATUS_INTERRUPTED : STATUS_FAILED;
    if (status == STATUS_FAILED)
        export_advise(&self.export, err);
    out->note = self.export.note;
    self.export.note = NULL;
    export_close(&self.export);
    return status;
}
