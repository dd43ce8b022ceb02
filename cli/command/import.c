/* gannet import: what other tools' files say, as an experiment file, and what they ran, to learn from. */
#include "cli/command.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/session/write_sketch.h"
#include "cli/start/imported.h"
#include "cli/start/user_program.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/session/past.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The experiment that they are of: the one that is written, with as many trials as there were. */
static struct spec *make_spec(const struct imported *imported, const struct rundir *dir, struct err *err)
{
    struct buf text = {0};
    struct problems problems = {0};
    char *limit = mem_format("limits={max_trials: %zu}", json_array_size(imported->trials));
    char *name = sketch_experiment_name(dir->path), *named = mem_format("name=%s", name), *base = path_absolute(".");
    const char *const overrides[] = {limit, named, "start_from=null"};
    sketch_write(&imported->sketch, &text);
    struct spec *spec = spec_read_text(buf_str(&text), text.length, "experiment.yaml", base, overrides,
                                       sizeof overrides / sizeof *overrides, &problems);
    if (!spec)
        err_write(err, "the space can't be taken over: %s", problems.count ? problems.items[0].message : "?");
    else if (spec->trial.checkpoint == CHECKPOINT_AUTO)
        spec->trial.checkpoint = CHECKPOINT_NO;
    problems_fini(&problems);
    buf_fini(&text);
    free(limit);
    free(named);
    free(name);
    free(base);
    return spec;
}

static int add_trial(struct past *past, const struct spec *spec, const json_t *trial, struct err *err)
{
    struct metrics metrics = spec_metrics(spec);
    double *values = MEM_ARRAY(double, metrics.count);
    int ending = ending_named(json_text(trial, "ending"));
    struct past_trial one = {.params = json_object_get(trial, "params"),
                             .ending = ending < 0 ? ENDING_REPORTED : (enum ending)ending,
                             .detail = json_string_value(json_object_get(trial, "detail")),
                             .values = values,
                             .steps = json_object_get(trial, "steps")};
    for (uint32_t i = 0; i < metrics.count; i++)
        if (!json_to_real(json_array_get(json_object_get(trial, "values"), i), &values[i]))
            values[i] = NAN;
    json_number(trial, "started", &one.started);
    json_number(trial, "seconds", &one.seconds);
    int failed = past_add(past, &one, err);
    free(values);
    return failed;
}

static int add_trials(struct past *past, const struct spec *spec, const json_t *trials, struct err *err)
{
    size_t index;
    const json_t *trial;
    json_array_foreach(trials, index, trial) if (add_trial(past, spec, trial, err)) return -1;
    return past_end(past, err);
}

/* Makes the experiment of the sketch in `dir`, without its start points, and adds the trials; *whence names the tool.
 * -1 with a sentence, and nothing is left. */
static int keep_past(const struct imported *imported, const struct rundir *dir, const char *whence, struct err *err)
{
    struct spec *spec = make_spec(imported, dir, err);
    struct past *past = spec ? past_create(dir, spec, whence, err) : NULL;
    int failed = !past || add_trials(past, spec, imported->trials, err);
    past_destroy(past);
    if (past && failed)
        path_remove_tree(dir->path, NULL);
    spec_destroy(spec);
    return failed ? -1 : 0;
}

static const struct importer *const importers[] = {&import_optuna, &import_wandb, &import_katib, &import_nni,
                                                   &import_csv};

enum { IMPORTERS = sizeof importers / sizeof *importers };

static void add_names(struct buf *out)
{
    for (size_t i = 0; i < IMPORTERS; i++)
        buf_format(out, " %s", importers[i]->name);
}

static const struct importer *find_importer(const char *name, struct err *err)
{
    const char *names[IMPORTERS];
    for (size_t i = 0; i < IMPORTERS; i++) {
        names[i] = importers[i]->name;
        if (strcmp(names[i], name) == 0)
            return importers[i];
    }
    format_unknown("files can't be imported from", name, names, IMPORTERS, "tools", err);
    return NULL;
}

/* --- the parts of the file that a person gives --- */

/* The command of --from in place of the one that the file has. */
static int take_program(const struct args *args, struct imported *imported, struct err *err)
{
    struct user_program program;
    const char *from = args_text(args, "from", NULL);
    struct sketch *sketch = &imported->sketch;
    if (!from)
        return 0;
    if (user_program_of_text(from, &program, err))
        return err_prefix(err, "--from");
    json_t *command = json_array();
    for (size_t i = 0; i < program.words.count; i++)
        json_array_append_new(command, json_string(program.words.items[i]));
    json_array_append_new(command, json_string("${args}"));
    json_object_set_new(sketch->trial, "command", command);
    texts_fini(&sketch->aside[SKETCH_TRIAL]);
    user_program_fini(&program);
    return 0;
}

/* The old results come to lie beside the new ones. */
static void name_past(const struct args *args, struct imported *imported, struct rundir *dir)
{
    char *usual = mem_format("runs/%s-imported", imported->sketch.name);
    const char *place = args_text(args, "dir", usual);
    rundir_name(place, dir);
    json_object_set_new(imported->sketch.more, "start_from",
                        json_pack("[s]", imported->sketch.base ? dir->path : place));
    sketch_say(&imported->sketch, SKETCH_MORE, "What was found before is learned from: %zu trials.",
               json_array_size(imported->trials));
    free(usual);
}

static void settle_limits(struct imported *imported)
{
    if (!json_object_get(imported->sketch.more, "limits"))
        json_object_set_new(imported->sketch.more, "limits", json_pack("{s:i}", "max_trials", 100));
}

/* --- what came of it --- */

static void describe_import(const struct imported *imported, const struct rundir *dir, const char *path,
                            const struct spec *spec, struct buf *out)
{
    format_safe(path, out);
    buf_text(out, " is written. It searches:\n");
    write_sketch_describe(spec, out);
    for (size_t i = 0; i < imported->sketch.left.count; i++) {
        buf_text(out, i ? "  " : "Not taken over:\n  ");
        format_safe(imported->sketch.left.items[i], out);
        buf_text(out, "\n");
    }
    if (dir) {
        buf_text(out, "\n");
        format_safe(dir->path, out);
        buf_text(out, " has the ");
        format_count(json_array_size(imported->trials), "trial", out);
        buf_text(out, " that had ended; start_from names it");
        if (imported->skipped)
            buf_format(out, "; %zu that had not ended %s left out", imported->skipped,
                       imported->skipped == 1 ? "is" : "are");
        buf_text(out, ".\nLook at it: gannet best ");
        format_shell(dir->path, out);
    }
    buf_text(out, "\nThen: gannet check ");
    format_shell(path, out);
    buf_text(out, "   what it means; the comments in the file say where to look\n");
}

/* Old results first: the file names them. */
static int write_all(struct console *console, const struct args *args, const struct importer *importer,
                     struct imported *imported, const char *path)
{
    struct err err;
    struct rundir dir = {0};
    struct spec *spec = NULL;
    bool past = json_array_size(imported->trials) > 0;
    settle_limits(imported);
    if (past)
        name_past(args, imported, &dir);
    int status = STATUS_OK;
    if (past && keep_past(imported, &dir, importer->what, &err))
        status = console_fail(console, STATUS_USAGE, &err);
    else if ((status = write_sketch(console, &imported->sketch, path, NULL, &spec)) && past)
        path_remove_tree(dir.path, NULL); /* made just now, and nothing names it */
    if (!status) {
        struct buf text = {0};
        describe_import(imported, past ? &dir : NULL, path, spec, &text);
        console_print(console, &text);
    }
    spec_destroy(spec);
    rundir_fini(&dir);
    return status;
}

static int run_importer(struct console *console, const struct args *args, const struct importer *importer)
{
    struct err err;
    struct imported imported = {0};
    char *path = NULL, *made_by = mem_format("gannet import %s %s", importer->name, args_rest(args, 1));
    const struct import_options options = {.file = args_rest(args, 1),
                                           .made_by = made_by,
                                           .study = args_text(args, "study", NULL),
                                           .metric = args_text(args, "metric", NULL),
                                           .params = args_text(args, "params", NULL)};
    const struct write_place place = {args_text(args, "output", NULL), args_has(args, "force")};
    int status = STATUS_OK;
    if (importer->read(&options, &imported, &err) || take_program(args, &imported, &err))
        status = console_fail(console, STATUS_USAGE, &err);
    else if (!json_array_size(imported.sketch.parameters))
        status = console_refuse(console, STATUS_USAGE, "%s has no parameter that could be taken over%s%s", options.file,
                                imported.sketch.left.count ? ": " : "",
                                imported.sketch.left.count ? imported.sketch.left.items[0] : "");
    else if (!(status = write_sketch_place(console, &imported.sketch, &place, &path)))
        status = write_all(console, args, importer, &imported, path);
    imported_fini(&imported);
    free(made_by);
    free(path);
    return status;
}

static int run_import(struct console *console, const struct args *args)
{
    struct err err;
    const struct importer *importer = find_importer(args_rest(args, 0), &err);
    return importer ? run_importer(console, args, importer) : console_fail(console, STATUS_USAGE, &err);
}

static const struct argument arguments[] = {{"TOOL", "optuna, wandb, katib, nni or csv", true},
                                            {"FILE", "its file: a study, a sweep, an experiment, a table", true},
                                            {0}};

static const struct option options[] = {
    OPTION_VALUE("from", TEXT, "PROGRAM", "the program that is to be searched, for trial.command"),
    OPTION_VALUE("study", TEXT, "NAME", "optuna: the study, when there are several"),
    OPTION_VALUE(
        "metric", TEXT, "NAME",
        "csv: the column of the metric: val_loss, or 'score maximize';\noptuna: the name of an objective without one"),
    OPTION_VALUE("params", TEXT, "A,B,...", "csv: the columns that are parameters"),
    OPTION_LETTER("output", 'o', TEXT, "FILE", "the file to write (default: the search's name with .yaml, here)"),
    OPTION_DIR("where the old results go (default: runs/NAME-imported)"),
    {.name = "force", .help = "replace an experiment file that is there"},
    {0}};

const struct command cmd_import = {
    .name = "import",
    .group = GROUP_RUN,
    .summary = "Takes over a search from another tool",
    .text =
        "Writes an experiment file from a file of Optuna, W&B, Katib, NNI, or a CSV table. Of Optuna and of tables\n"
        "the trials come along: as an experiment that has ended, which the new one learns from (start_from).\n"
        "What can't be taken over is said, and stays in the file as a comment.",
    .arguments = arguments,
    .words = add_names,
    .options = options,
    .examples = "gannet import optuna study.db --from train.py\n"
                "gannet import wandb sweep.yaml\n"
                "gannet import csv results.csv --metric val_loss --params lr,width",
    .run = run_import};
