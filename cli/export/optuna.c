/* Export as a study of Optuna: what its programs, plots and dashboards open (scheduler/store/optuna_write.h).
 *
 * Trial n is Optuna's number n - 1: those count from 0. Completed trials are COMPLETE, stopped ones PRUNED, failed and
 * cancelled ones FAIL - and ignored ones, so that they are not the best there either. Intermediate values are those of
 * the first objective. Limits of metrics are constraints, as Optuna's samplers and plots know them. */
#include "scheduler/store/optuna_write.h"
#include "cli/data/beside.h"
#include "cli/export/distribution.h"
#include "cli/export/export.h"
#include "cli/json.h"
#include "common/endings.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The study's user attribute by which its file is known as ours. */
static const char mark[] = "gannet";

struct optuna_export {
    struct optuna_writer *writer;
    char *temporary; /* the file until it has its name; NULL: it has */
    struct optuna_distribution *distributions;
    size_t count;
    char *metric; /* the first objective's name */
    bool limits;  /* any metric has one */
};

/* --- the study --- */

static json_t *study_of(const struct export *export)
{
    const json_t *experiment = export->experiment, *metric;
    static const char *const told[] = {"description", "seed", "strategy", "gannet", "started"};
    json_t *directions = json_array(), *names = json_array(), *about = json_object();
    size_t index;
    json_array_foreach(json_object_get(experiment, "metrics"), index, metric)
    {
        const char *goal = json_text(metric, "goal");
        if (!*goal)
            continue;
        json_array_append_new(directions, json_string(strcmp(goal, "maximize") == 0 ? "MAXIMIZE" : "MINIMIZE"));
        json_array_append(names, json_object_get(metric, "name"));
    }
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        json_object_set(about, told[i], json_object_get(experiment, told[i]));
    return json_pack("{s:O, s:o, s:{s:o}, s:{s:O, s:o}}", "name", json_object_get(experiment, "name"), "directions",
                     directions, "user", mark, about, "system", "study:metric_names", names,
                     "dashboard:objective_names", names);
}

static void read_parameters(struct optuna_export *self, const json_t *experiment)
{
    const json_t *list = json_object_get(experiment, "parameters"), *one;
    size_t index;
    self->distributions = MEM_ARRAY(struct optuna_distribution, json_array_size(list) + 1);
    json_array_foreach((json_t *)list, index, one) distribution_init(&self->distributions[self->count++], one);
    json_array_foreach(json_object_get(experiment, "metrics"), index, one)
    {
        double limit;
        self->limits |= json_number(one, "min", &limit) || json_number(one, "max", &limit);
    }
    self->metric = mem_text(json_text(experiment, "metric"));
}

/* --- a trial --- */

static const char *state_of(const json_t *trial, size_t values, size_t objectives)
{
    static const char *const states[TRIAL_STATES] = {
        [TRIAL_WAITING] = "WAITING",    [TRIAL_RUNNING] = "RUNNING", [TRIAL_PAUSED] = "RUNNING",
        [TRIAL_COMPLETED] = "COMPLETE", [TRIAL_STOPPED] = "PRUNED",  [TRIAL_FAILED] = "FAIL",
        [TRIAL_CANCELLED] = "FAIL"};
    int state = trial_state_named(json_text(trial, "state"));
    if (state < 0 || (state == TRIAL_COMPLETED && values < objectives) ||
        json_is_true(json_object_get(trial, "ignored")))
        return "FAIL";
    return states[state];
}

/* The values of all objectives; none when any lacks: Optuna has all of them or none. */
static json_t *values_of(const struct export *export, const json_t *trial, size_t *objectives)
{
    const json_t *metric, *given = json_object_get(trial, "values");
    json_t *values = json_array();
    size_t index;
    *objectives = 0;
    json_array_foreach(json_object_get(export->experiment, "metrics"), index, metric)
    {
        double number;
        if (!*json_text(metric, "goal"))
            continue;
        ++*objectives;
        if (json_number(given, json_text(metric, "name"), &number) && !isnan(number))
            json_array_append_new(values, json_of_real(number));
    }
    if (json_array_size(values) < *objectives)
        json_array_clear(values);
    return values;
}

/* What has no number in its distribution is told beside: `param.NAME`. */
static json_t *params_of(const struct optuna_export *self, const json_t *trial, json_t *user)
{
    json_t *params = json_object(), *value;
    const char *name;
    json_object_foreach(json_object_get(trial, "params"), name, value)
    {
        size_t i = 0;
        double number;
        while (i < self->count && strcmp(self->distributions[i].name, name) != 0)
            i++;
        if (i < self->count && distribution_number(&self->distributions[i], value, &number)) {
            json_object_set_new(params, name, json_pack("[f, s]", number, self->distributions[i].text));
            continue;
        }
        char *key = mem_format("param.%s", name);
        json_object_set(user, key, value);
        free(key);
    }
    return params;
}

static json_t *steps_of(const struct optuna_export *self, const json_t *trial)
{
    json_t *steps = json_array();
    const json_t *sample;
    size_t index;
    json_array_foreach(json_object_get(trial, "curve"), index, sample)
    {
        if (strcmp(json_text(sample, "metric"), self->metric) == 0)
            json_array_append_new(
                steps, json_pack("[O, O]", json_object_get(sample, "step"), json_object_get(sample, "value")));
    }
    return steps;
}

/* How far a value lies beyond a limit; what JSON can't say is the largest number that it can. */
static void add_violation(json_t *constraints, double violation)
{
    violation = isnan(violation) ? 1e308 : fmax(-1e308, fmin(1e308, violation));
    json_array_append_new(constraints, json_real(violation));
}

/* At or below 0 they are kept. Of what ended without values there is nothing to say. */
static json_t *constraints_of(const struct export *export, const json_t *trial)
{
    json_t *constraints = json_array(), *given = json_object_get(trial, "values");
    const json_t *metric;
    size_t index;
    json_array_foreach(json_object_get(export->experiment, "metrics"), index, metric)
    {
        double limit, value = NAN;
        json_number(given, json_text(metric, "name"), &value);
        if (json_number(metric, "min", &limit))
            add_violation(constraints, limit - value);
        if (json_number(metric, "max", &limit))
            add_violation(constraints, value - limit);
    }
    return constraints;
}

/* User attributes: what a person asks of a trial beside its values. */
static json_t *attributes_of(const json_t *trial)
{
    static const char *const told[] = {"trial", "reason", "detail",   "seconds", "node",
                                       "slot",  "job",    "attempts", "verdict", "figure"};
    static const char *const flags[] = {"ignored", "added"};
    json_t *user = json_object(), *value;
    const char *name;
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (json_object_get(trial, told[i]) && !json_is_null(json_object_get(trial, told[i])))
            json_object_set(user, told[i], json_object_get(trial, told[i]));
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (json_is_true(json_object_get(trial, flags[i])))
            json_object_set_new(user, flags[i], json_true());
    json_object_foreach(json_object_get(trial, "metrics"), name, value)
    {
        char *key = mem_format("metric.%s", name);
        json_object_set(user, key, value);
        free(key);
    }
    return user;
}

static json_t *of_trial(const struct export *export, const json_t *trial)
{
    const struct optuna_export *self = export->state;
    size_t objectives;
    json_t *user = attributes_of(trial), *values = values_of(export, trial, &objectives), *out = json_object();
    const json_t *ended = json_object_get(trial, "ended"), *started = json_object_get(trial, "started");
    json_int_t number = json_integer_value(json_object_get(trial, "trial"));
    json_object_set_new(out, "trial", json_integer(number));
    json_object_set_new(out, "number", json_integer(number - 1));
    json_object_set_new(out, "state", json_string(state_of(trial, json_array_size(values), objectives)));
    json_object_set(out, "started", (json_t *)(json_is_null(started) ? ended : started));
    json_object_set(out, "completed", (json_t *)ended);
    json_object_set_new(out, "params", params_of(self, trial, user));
    json_object_set_new(out, "steps", steps_of(self, trial));
    if (self->limits && json_array_size(values))
        json_object_set_new(out, "system", json_pack("{s:o}", "constraints", constraints_of(export, trial)));
    json_object_set_new(out, "values", values);
    json_object_set_new(out, "user", user);
    return out;
}

/* --- the file --- */

static int make_file(struct optuna_export *self, const char *path, struct err *err)
{
    self->temporary = beside_name(path);
    int fd = mkostemp(self->temporary, O_CLOEXEC);
    if (fd < 0) {
        free(self->temporary);
        self->temporary = NULL;
        return err_errno(err, "can't write '%s'", path);
    }
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    close(fd);
    self->writer = optuna_create(self->temporary, err);
    return self->writer ? 0 : -1;
}

static int begin_optuna(struct export *export, struct err *err)
{
    struct optuna_export *self = MEM_NEW(struct optuna_export);
    export->state = self;
    read_parameters(self, export->experiment);
    json_t *study = study_of(export);
    int failed = make_file(self, export->path, err) || optuna_put_study(self->writer, study, err);
    json_decref(study);
    if (failed)
        export_optuna.end(export);
    return failed;
}

static int put_optuna(struct export *export, const json_t *trial, struct err *err)
{
    struct optuna_export *self = export->state;
    json_t *json = of_trial(export, trial);
    int failed = optuna_put_trial(self->writer, json, err);
    json_decref(json);
    return failed;
}

/* The journal of a file that lay there before must not be taken for one of the new file. */
static int name_file(struct optuna_export *self, const char *path, struct err *err)
{
    static const char *const beside[] = {"-journal", "-wal", "-shm"};
    int fd = open(self->temporary, O_RDONLY | O_CLOEXEC);
    bool failed = fd < 0 || fsync(fd);
    if (fd >= 0)
        close(fd);
    for (size_t i = 0; !failed && i < sizeof beside / sizeof *beside; i++) {
        char *name = mem_format("%s%s", path, beside[i]);
        unlink(name);
        free(name);
    }
    if (failed || rename(self->temporary, path))
        return err_errno(err, "can't write '%s'", path);
    free(self->temporary);
    self->temporary = NULL;
    return 0;
}

static int settle_optuna(struct export *export, struct err *err)
{
    struct optuna_export *self = export->state;
    if (optuna_keep(self->writer, err))
        return -1;
    if (!self->temporary)
        return 0;
    optuna_end(self->writer);
    self->writer = NULL;
    if (name_file(self, export->path, err))
        return -1;
    if (!export->follows)
        return 0;
    self->writer = optuna_go_on(export->path, err);
    return self->writer ? 0 : -1;
}

static void end_optuna(struct export *export)
{
    struct optuna_export *self = export->state;
    optuna_end(self->writer);
    if (self->temporary)
        unlink(self->temporary);
    free(self->temporary);
    for (size_t i = 0; i < self->count; i++)
        distribution_fini(&self->distributions[i]);
    free(self->distributions);
    free(self->metric);
    free(self);
    export->state = NULL;
}

static bool is_ours(const struct export *export)
{
    return path_is_file(export->path) && optuna_has_mark(export->path, mark);
}

const struct exporter export_optuna = {.name = "optuna",
                                       .what = "a SQLite file that Optuna and its dashboard open as a study",
                                       .next = "optuna-dashboard sqlite:///%s",
                                       .ending = ".optuna.db",
                                       .curves = true,
                                       .may_replace = is_ours,
                                       .begin = begin_optuna,
                                       .put = put_optuna,
                                       .settle = settle_optuna,
                                       .end = end_optuna};
