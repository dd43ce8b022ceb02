/* Export as MLflow's file store: mlruns/EXPERIMENT/RUN with meta.yaml and a file for each parameter, metric and tag, as
 * mlflow/store/tracking/file_store.py reads them. Several experiments may share one such directory; ours are known by
 * their numbers, which are made of the experiment's identity, as are those of runs of the trials' numbers.
 *
 * What a pass writes is seen when all of it is written (whole_directory.h). */
#include "cli/export/place.h"
#include "cli/json.h"
#include "common/endings.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_VALUE = 6000, LONGEST_META = 1 << 16 };
enum { RUN_RUNNING = 1, RUN_SCHEDULED = 2, RUN_FINISHED = 3, RUN_FAILED = 4, RUN_KILLED = 5 };

struct mlflow {
    char id[24];   /* of the experiment: its directory in the store */
    char *address; /* that directory as a file: address */
    double created;
    struct whole_directory whole;
};

/* --- files --- */

/* A file of a run (or of the experiment), a directory of the store. */
static int write_file(struct mlflow *self, const char *run, const char *name, const struct buf *text, struct err *err)
{
    char *path = path_join(run, name);
    int failed = whole_directory_write(&self->whole, path, text, err);
    free(path);
    return failed;
}

/* A file of a kind by the name that a stranger gave. "a" can't be a file where "a/b" is one: then the slash goes. */
static int write_named(struct mlflow *self, const char *run, const char *kind, const char *name, const struct buf *text,
                       struct err *err)
{
    struct buf path = {0};
    buf_format(&path, "%s/", kind);
    place_name(name, true, &path);
    int failed = write_file(self, run, buf_str(&path), text, err);
    if (failed && (errno == ENOTDIR || errno == EISDIR || errno == ENAMETOOLONG)) {
        char *flat = mem_format("%s/", name); /* no name of its own, so that it is changed */
        buf_clear(&path);
        buf_format(&path, "%s/", kind);
        place_name(flat, false, &path);
        failed = write_file(self, run, buf_str(&path), text, err);
        free(flat);
    }
    buf_fini(&path);
    return failed;
}

/* --- texts --- */

static long long milliseconds(double seconds)
{
    return (long long)(seconds * 1e3 + 0.5);
}

/* A text as YAML reads it: JSON's are YAML's. */
static void add_quoted(const char *text, struct buf *out)
{
    json_t *json = json_of_text(text);
    json_add(json, out);
    json_decref(json);
}

/* A value in one line of bounded length, cut between characters. */
static void add_line(const json_t *value, struct buf *out)
{
    const char *text = json_string_value(value);
    if (text && !strpbrk(text, "\r\n\v\f\x1c\x1d\x1e"))
        buf_text(out, text);
    else
        json_add(value, out);
    if (out->length <= LONGEST_VALUE)
        return;
    size_t length = LONGEST_VALUE;
    while (length && ((unsigned char)out->data[length] & 0xc0) == 0x80)
        length--;
    out->length = length;
    out->data[length] = '\0';
}

static char *address_of(const char *path)
{
    struct buf out = {0};
    char *absolute = path_absolute(path);
    buf_text(&out, "file://");
    for (const char *at = absolute; *at; at++)
        if (isalnum((unsigned char)*at) || strchr("/-_.~", *at))
            buf_add(&out, at, 1);
        else
            buf_format(&out, "%%%02X", (unsigned char)*at);
    free(absolute);
    return buf_take(&out);
}

/* --- the experiment --- */

/* Whether an experiment beside ours has this name already: MLflow wants them to differ. */
static bool is_taken(const struct export *export, const struct mlflow *self, const char *name)
{
    struct buf meta = {0}, quoted = {0};
    bool taken = false;
    DIR *directory = opendir(export->path);
    struct dirent *entry;
    buf_format(&quoted, "\nname: ");
    add_quoted(name, &quoted);
    buf_text(&quoted, "\n");
    char *plain = mem_format("\nname: %s\n", name);
    while (directory && !taken && (entry = readdir(directory))) {
        char *path = mem_format("%s/%s/meta.yaml", export->path, entry->d_name);
        taken = strcmp(entry->d_name, self->id) != 0 && path_read(path, &meta, LONGEST_META, NULL) == 0 &&
                (strstr(buf_str(&meta), buf_str(&quoted)) || strstr(buf_str(&meta), plain));
        free(path);
    }
    if (directory)
        closedir(directory);
    free(plain);
    buf_fini(&meta);
    buf_fini(&quoted);
    return taken;
}

static int write_experiment(const struct export *export, struct mlflow *self, struct err *err)
{
    struct buf text = {0};
    const char *name = json_text(export->experiment, "name");
    char *other = is_taken(export, self, name) ? mem_format("%s %.6s", name, self->id) : mem_text(name);
    buf_format(&text,
               "artifact_location: %s\ncreation_time: %lld\nexperiment_id: '%s'\nlast_update_time: %lld\n"
               "lifecycle_stage: active\nname: ",
               self->address, milliseconds(self->created), self->id, milliseconds(self->created));
    add_quoted(other, &text);
    buf_text(&text, "\n");
    int failed = write_file(self, self->id, "meta.yaml", &text, err);
    buf_clear(&text);
    buf_text(&text, json_text(export->experiment, "description"));
    if (!failed && text.length)
        failed = write_file(self, self->id, "tags/mlflow.note.content", &text, err);
    free(other);
    buf_fini(&text);
    return failed;
}

static int begin_mlflow(struct export *export, struct err *err)
{
    struct mlflow *self = MEM_NEW(struct mlflow);
    export->state = self;
    snprintf(self->id, sizeof self->id, "%" PRIu64, export->id % 900000000000000000u + 100000000000000000u);
    self->whole.place = export->path;
    char *directory = path_join(export->path, self->id);
    self->address = address_of(directory);
    free(directory);
    self->created = place_seconds(json_object_get(export->experiment, "started"), 0);
    int failed = whole_directory_make(&self->whole, ".trash", err) || write_experiment(export, self, err) ? -1 : 0;
    if (failed)
        export_mlflow.end(export);
    return failed;
}

/* --- a run --- */

static int status_of(const json_t *trial)
{
    static const int statuses[TRIAL_STATES] = {
        [TRIAL_WAITING] = RUN_SCHEDULED,  [TRIAL_RUNNING] = RUN_RUNNING,  [TRIAL_PAUSED] = RUN_RUNNING,
        [TRIAL_COMPLETED] = RUN_FINISHED, [TRIAL_STOPPED] = RUN_FINISHED, [TRIAL_FAILED] = RUN_FAILED,
        [TRIAL_CANCELLED] = RUN_KILLED};
    int state = trial_state_named(json_text(trial, "state"));
    return state < 0 ? RUN_FAILED : statuses[state];
}

/* A run that is put once more has the status of the moment first of all. */
static int write_meta(struct mlflow *self, const json_t *trial, const char *run, double started, struct err *err)
{
    struct buf text = {0};
    const char *id = path_base(run);
    const json_t *ended = json_object_get(trial, "ended");
    buf_format(&text, "artifact_uri: %s/%s/artifacts\nend_time: ", self->address, id);
    if (json_is_null(ended))
        buf_text(&text, "null");
    else
        buf_format(&text, "%lld", milliseconds(place_seconds(ended, started)));
    buf_format(
        &text,
        "\nentry_point_name: ''\nexperiment_id: '%s'\nlifecycle_stage: active\nrun_id: %s\nrun_name: trial "
        "%" JSON_INTEGER_FORMAT "\nsource_name: ''\nsource_type: 4\nsource_version: ''\nstart_time: %lld\nstatus: %d\n"
        "tags: []\nuser_id: gannet\n",
        self->id, id, json_integer_value(json_object_get(trial, "trial")), milliseconds(started), status_of(trial));
    int failed = write_file(self, run, "meta.yaml", &text, err);
    buf_fini(&text);
    return failed;
}

static int write_values(struct mlflow *self, const char *run, const char *kind, const json_t *values, struct err *err)
{
    const char *name;
    json_t *value;
    int failed = 0;
    json_object_foreach((json_t *)values, name, value)
    {
        struct buf text = {0};
        add_line(value, &text);
        failed = write_named(self, run, kind, name, &text, err);
        buf_fini(&text);
        if (failed)
            break;
    }
    return failed;
}

static int write_tags(struct mlflow *self, const char *run, const json_t *trial, struct err *err)
{
    static const char *const told[] = {"state",   "reason",  "detail",  "node",  "slot",    "job",
                                       "seconds", "verdict", "ignored", "added", "feasible"};
    json_t *tags = json_object();
    char *name = mem_format("trial %" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(trial, "trial")));
    json_object_set_new(tags, "mlflow.runName", json_string(name));
    json_object_set_new(tags, "mlflow.source.name", json_string("gannet"));
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        json_t *value = json_object_get(trial, told[i]);
        char *key = mem_format("gannet.%s", told[i]);
        if (value && !json_is_null(value) && !json_is_false(value))
            json_object_set(tags, key, value);
        free(key);
    }
    int failed = write_values(self, run, "tags", tags, err);
    json_decref(tags);
    free(name);
    return failed;
}

/* --- metrics --- */

/* The lines of each metric: "MILLISECONDS VALUE STEP". */
struct curves {
    struct curve {
        const char *metric; /* the trial's */
        struct buf lines;
    } * items;
    size_t count, capacity;
};

static void add_point(struct curves *curves, const char *metric, double time, const json_t *value, json_int_t step)
{
    size_t i = 0;
    while (i < curves->count && strcmp(curves->items[i].metric, metric) != 0)
        i++;
    if (i == curves->count) {
        MEM_GROW(curves->items, curves->capacity, curves->count + 1);
        curves->items[curves->count++] = (struct curve){.metric = metric};
    }
    struct buf *out = &curves->items[i].lines;
    buf_format(out, "%lld ", milliseconds(time));
    if (json_is_string(value)) /* nan, inf, -inf */
        buf_text(out, json_string_value(value));
    else
        json_add(value, out);
    buf_format(out, " %" JSON_INTEGER_FORMAT "\n", step);
}

static void collect_curves(const json_t *trial, double started, struct curves *curves)
{
    const char *name;
    size_t index;
    json_t *value, *list = json_object_get(trial, "curve");
    json_array_foreach(list, index, value)
    {
        double time = 0;
        json_number(value, "time", &time);
        if (!json_is_null(json_object_get(value, "value")))
            add_point(curves, json_text(value, "metric"), started + time, json_object_get(value, "value"),
                      json_integer_value(json_object_get(value, "step")));
    }
    if (json_array_size(list))
        return;
    json_object_foreach(json_object_get(trial, "metrics"), name, value) if (!json_is_null(value))
        add_point(curves, name, started, value, 0); /* measured elsewhere */
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct curve *)a)->metric, ((const struct curve *)b)->metric);
}

/* Sorted: of "val" and "val/loss" the first one has its name in every run, in whatever order they were reported. */
static int write_metrics(struct mlflow *self, const char *run, const json_t *trial, double started, struct err *err)
{
    struct curves curves = {0};
    int failed = 0;
    collect_curves(trial, started, &curves);
    if (curves.count)
        qsort(curves.items, curves.count, sizeof *curves.items, compare_names);
    for (size_t i = 0; i < curves.count; i++) {
        if (!failed)
            failed = write_named(self, run, "metrics", curves.items[i].metric, &curves.items[i].lines, err);
        buf_fini(&curves.items[i].lines);
    }
    free(curves.items);
    return failed;
}

static int make_directories(struct mlflow *self, const char *run, struct err *err)
{
    static const char *const kinds[] = {"params", "metrics", "tags", "artifacts"};
    int failed = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !failed; i++) {
        char *path = path_join(run, kinds[i]);
        failed = whole_directory_make(&self->whole, path, err);
        free(path);
    }
    return failed;
}

/* A trial that has not begun is no run yet. */
static int put_mlflow(struct export *export, const json_t *trial, struct err *err)
{
    struct mlflow *self = export->state;
    const json_t *began = json_object_get(trial, "started"), *ended = json_object_get(trial, "ended");
    if (json_is_null(began) && json_is_null(ended))
        return 0;
    double started = place_seconds(json_is_null(began) ? ended : began, self->created);
    char *run = mem_format("%s/%016" PRIx64 "%016" PRIx64, self->id, export->id,
                           (uint64_t)json_integer_value(json_object_get(trial, "trial")));
    int failed = make_directories(self, run, err) || write_meta(self, trial, run, started, err) ||
                 write_values(self, run, "params", json_object_get(trial, "params"), err) ||
                 write_tags(self, run, trial, err) || write_metrics(self, run, trial, started, err);
    free(run);
    return failed ? -1 : 0;
}

static int settle_mlflow(struct export *export, struct err *err)
{
    struct mlflow *self = export->state;
    return whole_directory_settle(&self->whole, err);
}

static void drop_mlflow(struct export *export)
{
    struct mlflow *self = export->state;
    whole_directory_drop(&self->whole);
}

static void end_mlflow(struct export *export)
{
    struct mlflow *self = export->state;
    whole_directory_drop(&self->whole);
    free(self->address);
    free(self);
    export->state = NULL;
}

/* Whether it is a file store, or may become one. */
static bool is_store(const struct export *export)
{
    char *trash = path_join(export->path, ".trash");
    bool is = path_is_directory(trash) || place_may_replace(export);
    free(trash);
    return is;
}

const struct exporter export_mlflow = {.name = "mlflow",
                                       .what = "MLflow's file store: a directory that `mlflow ui` opens",
                                       .next = "MLFLOW_ALLOW_FILE_STORE=true mlflow ui --backend-store-uri %s",
                                       .ending = "mlruns",
                                       .curves = true,
                                       .may_replace = is_store,
                                       .begin = begin_mlflow,
                                       .put = put_mlflow,
                                       .settle = settle_mlflow,
                                       .drop = drop_mlflow,
                                       .end = end_mlflow};
