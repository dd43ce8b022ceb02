/* gannet export: an experiment as other tools' files. */
#include "cli/export/export.h"
#include "cli/command.h"
#include "cli/data/target.h"
#include "cli/export/place.h"
#include "cli/format.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>

static const struct exporter *const exporters[] = {&export_csv,    &export_jsonl,       &export_trace,
                                                   &export_optuna, &export_tensorboard, &export_mlflow};

enum { EXPORTERS = sizeof exporters / sizeof *exporters };

/* What one asks for and there is not. */
static int refuse_parquet(struct console *console)
{
    return console_refuse(
        console, STATUS_USAGE,
        "gannet writes no Parquet; DuckDB and pandas make it of CSV: gannet export EXP --format csv -o t.csv && "
        "duckdb -c \"COPY (SELECT * FROM 't.csv') TO 't.parquet'\"");
}

static const struct exporter *find_exporter(const char *name, struct err *err)
{
    const char *names[EXPORTERS];
    for (size_t i = 0; i < EXPORTERS; i++) {
        names[i] = exporters[i]->name;
        if (strcmp(names[i], name) == 0)
            return exporters[i];
    }
    format_unknown("there is no export to", name, names, EXPORTERS, "formats", err);
    return NULL;
}

/* The usual place: here, by the run directory's name, since several may be of one experiment. free() it. */
static char *usual_path(struct source *source, const struct exporter *exporter, bool metrics)
{
    struct buf path = {0};
    const char *name = path_base(source_dir(source)->path);
    if (exporter == &export_mlflow) /* several experiments share it */
        buf_text(&path, exporter->ending);
    else {
        place_name(*name ? name : "experiment", false, &path);
        buf_format(&path, "%s%s", metrics ? "-metrics" : "", exporter->ending);
    }
    return buf_take(&path);
}

/* --- what came of it --- */

static void tell_sentence(void *context, const char *sentence)
{
    console_tell(context, "%s", sentence);
}

/* Where the result goes to the output there is nothing else. */
static void tell_end(struct console *console, const struct exporter *exporter, const char *path,
                     const struct export_sum *sum)
{
    struct buf text = {0}, word = {0};
    if (sum->note)
        console_tell(console, "%s", sum->note);
    if (strcmp(path, "-") == 0)
        return;
    format_safe(path, &text);
    buf_text(&text, " is written");
    if (sum->trials) {
        buf_text(&text, ": ");
        format_count(sum->trials, "trial", &text);
    }
    buf_text(&text, sum->interrupted ? ", as far as they were when it was told to end\n" : "\n");
    format_shell(path, &word);
    buf_text(&text, "  ");
    buf_format(&text, exporter->next, buf_str(&word));
    buf_text(&text, "\n");
    buf_fini(&word);
    console_print(console, &text);
}

/* --- the command --- */

static int run_exporter(struct console *console, const struct args *args, const struct exporter *exporter,
                        struct source *source, struct err *err)
{
    struct export_sum sum;
    char *usual = usual_path(source, exporter, args_has(args, "metrics"));
    const struct export_options options = {.path = args_text(args, "output", usual),
                                           .metrics = args_has(args, "metrics"),
                                           .force = args_has(args, "force"),
                                           .every = (double)args_count(args, "every", 5),
                                           .tell = tell_sentence,
                                           .context = console};
    int status = args_has(args, "follow") ? export_follow(source, exporter, &options, &sum, err)
                                          : export_run(source, exporter, &options, &sum, err);
    if (!status)
        tell_end(console, exporter, options.path, &sum);
    free(sum.note);
    free(usual);
    return status;
}

static int export_experiment(struct console *console, const struct args *args, struct source *source, struct err *err)
{
    const struct exporter *exporter = find_exporter(args_text(args, "format", ""), err);
    if (!exporter)
        return STATUS_USAGE;
    if (args_has(args, "metrics") && !exporter->takes_metrics)
        return err_write(err, "--metrics is for csv and jsonl; %s has the metrics anyway", exporter->name),
               STATUS_USAGE;
    if (strcmp(args_text(args, "output", ""), "-") == 0 && !exporter->to_output)
        return err_write(err, "%s can't be written to the standard output; name a place with -o", exporter->name),
               STATUS_USAGE;
    return run_exporter(console, args, exporter, source, err);
}

static int run_export(struct console *console, const struct args *args)
{
    const char *format = args_text(args, "format", NULL);
    if (format && strcmp(format, "parquet") == 0)
        return refuse_parquet(console);
    if (!format)
        return console_refuse(
            console, STATUS_USAGE,
            "gannet export needs a format: --format csv, jsonl, trace, optuna, tensorboard or mlflow");
    return target_visit(console, args, export_experiment);
}

static const struct option options[] = {
    OPTION_LETTER("format", 'f', TEXT, "FORMAT",
                  "csv: a table of trials; jsonl: a JSON object a line;\ntrace: for ui.perfetto.dev; optuna: a study "
                  "as a SQLite file;\ntensorboard: curves and HParams; mlflow: a file store"),
    OPTION_LETTER("output", 'o', TEXT, "PATH",
                  "where to (default: the run directory's name, here); -: the standard output"),
    {.name = "metrics", .help = "csv, jsonl: a line a metric value instead of a line a trial"},
    {.name = "follow", .help = "keep it up to date until the experiment has ended"},
    OPTION_VALUE("every", COUNT, "N", "with --follow: seconds between looks; default 5"),
    {.name = "force", .help = "replace what lies there, whatever it is"},
    {0}};

const struct command cmd_export = {
    .name = "export",
    .group = GROUP_LOOK,
    .summary = "Writes an experiment as files of other tools",
    .text = "The experiment is only read. A file appears when it is whole; one that is no such export is not\n"
            "replaced. docs/export.md says what each format has and how its tool opens it.",
    .arguments = argument_experiment,
    .options = options,
    .examples = "gannet export digits --format csv\n"
                "gannet export digits --format optuna -o digits.db   # optuna-dashboard sqlite:///digits.db\n"
                "gannet export digits --format tensorboard --follow  # curves of what runs",
    .run = run_export};
