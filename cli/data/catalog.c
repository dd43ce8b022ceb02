/* The kernels there are; see catalog.h. */
#include "cli/data/catalog.h"
#include "cli/json.h"
#include "cli/data/sibling.h"
#include "common/mem.h"
#include "common/suggest.h"

#include <stdlib.h>
#include <string.h>

json_t *catalog_read(struct err *err)
{
    json_t *catalog = sibling_ask("gannet-trainer", (const char *const[]){"--kernels", "--json", NULL}, err);
    if (catalog && !json_is_array(catalog)) {
        json_decref(catalog);
        err_write(err,
                  "gannet-trainer --kernels --json did not list kernels; are gannet and gannet-trainer of the same "
                  "version?");
        return NULL;
    }
    return catalog;
}

/* Whether a row's name is this one; "x*" is any name that begins with x. */
static bool row_covers(const char *row, const char *name)
{
    size_t length = strlen(row);
    if (length && row[length - 1] == '*')
        return strncmp(row, name, length - 1) == 0;
    return strcmp(row, name) == 0;
}

static bool has_row(const json_t *table, const char *name)
{
    size_t index;
    const json_t *row;
    json_array_foreach(table, index, row) if (row_covers(json_text(row, "name"), name)) return true;
    return false;
}

/* Reports a name that is not in a table of the catalog: "the kernel 'mlp' has no option 'epoch'". */
static void report_unknown(struct problems *problems, const json_t *table, const char *what, const char *name,
                           const char *key, bool at_key)
{
    size_t count = json_array_size(table), index;
    const char **names = MEM_ARRAY(const char *, count + 1);
    const json_t *row;
    json_array_foreach(table, index, row) names[index] = json_text(row, "name");
    const char *near = suggest_nearest(name, names, count);
    struct buf hint = {0};
    if (near)
        buf_format(&hint, "did you mean '%s'?", near);
    else
        buf_text(&hint, "there are: ");
    if (!near)
        suggest_list(&hint, names, count);
    char *message = mem_format("%s '%s'", what, name);
    problems_report(problems, false, key, at_key, "unknown_name", message, buf_str(&hint));
    free(message);
    buf_fini(&hint);
    free(names);
}

static void check_options(const json_t *kernel, const struct spec *spec, struct problems *problems)
{
    const char *name;
    json_t *value;
    char *what = mem_format("the kernel '%s' has no option", spec->trial.kernel);
    json_object_foreach(spec->trial.options, name, value)
    {
        char *key = mem_format("trial.options.%s", name);
        if (!has_row(json_object_get(kernel, "options"), name))
            report_unknown(problems, json_object_get(kernel, "options"), what, name, key, true);
        free(key);
    }
    free(what);
}

/* Options without a default must be given. */
static void check_needed(const json_t *kernel, const struct spec *spec, struct problems *problems)
{
    size_t index;
    const json_t *row;
    json_array_foreach(json_object_get(kernel, "options"), index, row)
    {
        const char *name = json_text(row, "name");
        if (!json_is_null(json_object_get(row, "default")) || json_object_get(spec->trial.options, name))
            continue;
        char *message = mem_format("the kernel '%s' needs the option '%s'", spec->trial.kernel, name);
        problems_report(problems, false, "trial.options", true, "missing_option", message, json_text(row, "help"));
        free(message);
    }
}

/* What may be a parameter of the experiment may also be fixed in trial.options, not the other way round. */
static void check_params(const json_t *kernel, const struct spec *spec, struct problems *problems)
{
    char *what = mem_format("the kernel '%s' has no parameter", spec->trial.kernel);
    for (uint32_t i = 0; i < space_count(spec->space); i++) {
        const char *name = space_param(spec->space, i)->name;
        char *key = mem_format("parameters.%s", name);
        if (!has_row(json_object_get(kernel, "params"), name))
            report_unknown(problems, json_object_get(kernel, "params"), what, name, key, true);
        free(key);
    }
    free(what);
}

/* `metrics` is written for people: "val_loss, val_accuracy"; "*" is any. */
static void check_metric(const json_t *kernel, const struct spec *spec, struct problems *problems)
{
    const char *metrics = json_text(kernel, "metrics");
    bool reported = strchr(metrics, '*') != NULL || !*metrics;
    for (const char *at = metrics; *at && !reported;) {
        size_t length = strcspn(at, ", ");
        reported = length == strlen(spec->metric.name) && strncmp(at, spec->metric.name, length) == 0;
        at += length + strspn(at + length, ", ");
    }
    if (reported)
        return;
    char *message = mem_format("the kernel '%s' does not report '%s'", spec->trial.kernel, spec->metric.name);
    char *hint = mem_format("it reports %s", metrics);
    problems_report(problems, false, "metric.name", false, "unknown_name", message, hint);
    free(message);
    free(hint);
}

static bool can_continue(const json_t *kernel)
{
    return json_is_true(json_object_get(kernel, "checkpoint"));
}

void catalog_check(const json_t *catalog, const struct spec *spec, struct problems *problems)
{
    if (!spec->trial.kernel)
        return;
    const json_t *kernel = json_named(catalog, spec->trial.kernel);
    if (!kernel) {
        report_unknown(problems, catalog, "there is no kernel", spec->trial.kernel, "trial.kernel", false);
        return;
    }
    check_options(kernel, spec, problems);
    check_needed(kernel, spec, problems);
    check_params(kernel, spec, problems);
    check_metric(kernel, spec, problems);
    if (spec->trial.checkpoint == CHECKPOINT_YES && !can_continue(kernel))
        problems_report(problems, false, "trial.checkpoint", false, "bad_value",
                        "trials of this kernel can't be continued from checkpoints", "leave it out, or write false");
}

bool catalog_can_continue(const json_t *catalog, const char *kernel)
{
    return can_continue(json_named(catalog, kernel));
}
