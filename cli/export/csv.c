/* Export as CSV (RFC 4180): a line a trial, all that `gannet trials --csv` has; or, with --metrics, a line a metric
 * value.
 */
#include "cli/data/trial_names.h"
#include "cli/export/export.h"
#include "cli/export/lines.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/columns.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

struct csv {
    struct lines lines;
    struct trial_columns columns; /* of trials */
    json_t *names;                /* a trial that has all that the columns are of */
};

/* --- columns --- */

/* Parameters and metrics are known before any trial has them. */
static void add_known(const json_t *experiment, json_t *all)
{
    size_t index;
    json_t *one, *params = json_object(), *metrics = json_object();
    json_array_foreach(json_object_get(experiment, "parameters"), index, one)
        json_object_set_new(params, json_text(one, "name"), json_null());
    json_array_foreach(json_object_get(experiment, "metrics"), index, one)
        json_object_set_new(metrics, json_text(one, "name"), json_null());
    json_t *known = json_pack("{s:o, s:o}", "params", params, "metrics", metrics);
    trial_names_add(all, known);
    json_decref(known);
}

/* All that occurs now. */
static int find_columns(struct csv *csv, const struct export *export, struct err *err)
{
    json_t *names = trial_names(export->source, &(struct trial_query){0}, err);
    if (!names)
        return -1;
    csv->names = json_object();
    if (export->follows || !json_array_size(names))
        add_known(export->experiment, csv->names);
    trial_names_add(csv->names, json_array_get(names, 0));
    json_decref(names);
    json_t *list = json_pack("[O]", csv->names);
    columns_all(list, &csv->columns);
    json_decref(list);
    return 0;
}

static bool has_new(const json_t *known, const json_t *given)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)given, name, value)
    {
        if (!json_object_get(known, name))
            return true;
    }
    return false;
}

/* Columns that came later: the file is written anew with them; what went to the output can't be. */
static void look_for_new(struct export *export, const json_t *trial)
{
    static const char *const parts[] = {"params", "metrics", "profile"};
    struct csv *csv = export->state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!has_new(json_object_get(csv->names, parts[i]), json_object_get(trial, parts[i])))
            continue;
        if (strcmp(export->path, "-") != 0)
            export->again = true;
        else if (!export->note)
            export->note =
                mem_text("metrics or phases that came later have no column: the first line had been written");
    }
}

/* --- lines --- */

static int begin_csv(struct export *export, struct err *err)
{
    struct csv *csv = MEM_NEW(struct csv);
    csv->lines.fd = -1;
    export->state = csv;
    if ((export->samples || find_columns(csv, export, err) == 0) && lines_open(&csv->lines, export->path, err) == 0) {
        if (export->samples)
            buf_text(&csv->lines.text, "trial,step,time,metric,value\r\n");
        else
            columns_csv_names(&csv->columns, &csv->lines.text);
        return 0;
    }
    export_csv.end(export);
    return -1;
}

static void add_sample(const json_t *trial, const json_t *sample, struct buf *out)
{
    static const char *const members[] = {"step", "time", "metric", "value"};
    json_add(json_object_get(trial, "trial"), out);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const json_t *value = json_object_get(sample, members[i]);
        buf_text(out, ",");
        if (json_is_string(value))
            format_csv(json_string_value(value), out);
        else if (!json_is_null(value))
            json_add(value, out);
    }
    buf_text(out, "\r\n");
}

static int put_csv(struct export *export, const json_t *trial, struct err *err)
{
    struct csv *csv = export->state;
    size_t index;
    const json_t *sample;
    (void)err;
    if (!export->samples) {
        look_for_new(export, trial);
        columns_csv_trial(trial, &csv->columns, &csv->lines.text);
    } else {
        json_array_foreach(json_object_get(trial, "curve"), index, sample) add_sample(trial, sample, &csv->lines.text);
    }
    lines_flow(&csv->lines);
    return 0;
}

static int settle_csv(struct export *export, struct err *err)
{
    struct csv *csv = export->state;
    return lines_settle(&csv->lines, export->follows, err);
}

static void drop_csv(struct export *export)
{
    struct csv *csv = export->state;
    lines_drop(&csv->lines);
}

static void end_csv(struct export *export)
{
    struct csv *csv = export->state;
    lines_close(&csv->lines);
    columns_fini(&csv->columns);
    json_decref(csv->names);
    free(csv);
    export->state = NULL;
}

static const struct own_mark marks[] = {{"trial,state,reason,attempts,started,ended,seconds,node,slot,", NULL},
                                        {"trial,step,time,metric,value\r\n", NULL},
                                        {0}};

const struct exporter export_csv = {.name = "csv",
                                    .what =
                                        "a table (RFC 4180): a line a trial, or with --metrics a line a metric value",
                                    .next = "python3 -c 'import pandas, sys; print(pandas.read_csv(sys.argv[1]))' %s",
                                    .ending = ".csv",
                                    .marks = marks,
                                    .to_output = true,
                                    .appends = true,
                                    .takes_metrics = true,
                                    .begin = begin_csv,
                                    .put = put_csv,
                                    .settle = settle_csv,
                                    .drop = drop_csv,
                                    .end = end_csv};
