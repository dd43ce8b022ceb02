/* gannet submit: an experiment as a Slurm job, from its file. */
#include "cli/command.h"
#include "cli/data/target.h"
#include "cli/session/alone.h"
#include "cli/session/notify.h"
#include "cli/session/prepare.h"
#include "cli/session/site.h"
#include "cli/session/submission.h"
#include "cli/session/watch_experiment.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/coordinator/endpoint.h"
#include "scheduler/slurm/sbatch_lines.h"
#include "scheduler/slurm/slurm_agent.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- showing what would be submitted --- */

static json_t *json_of_lines(const struct buf *lines)
{
    json_t *list = json_array();
    for (const char *at = lines->length ? buf_str(lines) : ""; *at; at += strcspn(at, "\n") + 1)
        json_array_append_new(list, json_stringn(at, strcspn(at, "\n")));
    return list;
}

/* The requests that an experiment of this shape brings: its first job's, and that of its workers. */
struct shown_requests {
    struct slurm_request first, workers;
    struct buf notes;
};

static void show_json(struct console *console, const struct rundir *dir, const struct shown_requests *shown)
{
    json_t *json = json_pack("{s:s, s:s, s:o, s:o, s:o}", "schema", "gannet.request/1", "directory", dir->path, "notes",
                             json_of_lines(&shown->notes), "request", slurm_request_json(&shown->first), "workers",
                             shown->workers.script ? slurm_request_json(&shown->workers) : json_null());
    console_json(console, json);
}

static void draw_script(const struct console *console, const char *heading, const struct slurm_request *request,
                        struct buf *out)
{
    look_heading(&console->out_look, heading, out);
    sbatch_script(request, out);
}

static void show_text(struct console *console, const struct shown_requests *shown)
{
    struct buf text = {0};
    const struct slurm_request *request = &shown->first;
    submission_draw(request, &console->out_look, &text);
    for (const char *at = shown->notes.length ? buf_str(&shown->notes) : ""; *at; at += strcspn(at, "\n") + 1)
        buf_format(&text, "note: %.*s\n", (int)strcspn(at, "\n"), at);
    draw_script(console, "The batch script, as sbatch would take it", request, &text);
    if (shown->workers.script)
        draw_script(console, "That of a worker, which the coordinator submits", &shown->workers, &text);
    look_heading(&console->out_look, "The environment", &text);
    for (uint32_t i = 0; i < request->environment_count; i++)
        buf_format(&text, "%s\n", request->environment[i]);
    console_print(console, &text);
}

/* An exit status, and a sentence. */
static int make_requests(const struct rundir *dir, const struct spec *spec, const char *comment,
                         struct shown_requests *out, struct err *err)
{
    int status = submission_request(dir, spec, comment, &out->first, &out->notes, err);
    if (!status && submission_has_workers(spec))
        status = submission_workers(dir, spec, comment, &out->workers, &out->notes, err);
    site_describe(spec, "", &out->notes);
    return status;
}

static int show_request_command(struct console *console, const struct args *args, const struct rundir *dir,
                                const struct spec *spec)
{
    struct shown_requests shown = {0};
    struct err err;
    char *comment = mem_format("gannet:%s:...%s%s", path_base(dir->path), spec->slurm.comment ? " " : "",
                               spec->slurm.comment ? spec->slurm.comment : "");
    slurm_request_init(&shown.first);
    slurm_request_init(&shown.workers);
    int status = make_requests(dir, spec, comment, &shown, &err);
    if (status)
        console_fail(console, status, &err);
    else if (args_has(args, "json"))
        show_json(console, dir, &shown);
    else
        show_text(console, &shown);
    slurm_request_fini(&shown.first);
    slurm_request_fini(&shown.workers);
    buf_fini(&shown.notes);
    free(comment);
    return status;
}

/* --- submitting --- */

/* A run directory that was made for a job that Slurm did not take; runs/ above it, too, if it is empty. */
static void take_back(const struct args *args, const struct rundir *dir)
{
    char *above = path_directory(dir->path);
    path_remove_tree(dir->path, NULL);
    if (!args_has(args, "dir"))
        rmdir(above);
    free(above);
}

/* The coordinator runs here, on this terminal, as for gannet run, and submits its workers itself. */
static int run_here(struct console *console, const struct args *args, const struct rundir *dir, const struct spec *spec)
{
    static const char *const allocating[] = {"--allocate", NULL};
    struct supervise_setup supervise = {
        .dir = dir, .only_others = true, .listen = ENDPOINT_ANYWHERE, .options = allocating};
    struct watch_setup watch = {.supervise = &supervise, .name = spec->name, .metric = spec->metric.name};
    struct err err;
    if (submission_begin(dir, spec, &err))
        return console_fail(console, STATUS_FAILED, &err);
    fprintf(console->err, "gannet: the coordinator runs here until the search has ended, and submits its workers\n");
    int result = watch_experiment(console, &watch, &err);
    if (result > 0)
        return STATUS_INTERRUPTED;
    int status =
        result ? console_fail(console, STATUS_FAILED, &err) : report_end(console, dir, args_has(args, "json"), false);
    if (status != STATUS_INTERRUPTED) /* that was the person here */
        notify_end(console, dir, result ? err.text : NULL);
    return status;
}

static int say_submitted(struct console *console, const struct args *args, const struct rundir *dir,
                         const struct spec *spec, uint32_t id)
{
    char *name = target_handle(dir);
    if (args_has(args, "json"))
        console_json(console, json_pack("{s:s, s:I, s:s, s:s, s:s}", "schema", "gannet.submission/1", "job",
                                        (json_int_t)id, "name", spec->name, "directory", dir->path, "logs", dir->logs));
    else
        submission_say(console, dir, name, id);
    fflush(console->out);
    int status = args_has(args, "wait") ? follow_submitted(console, dir, name) : STATUS_OK;
    free(name);
    return status;
}

static int check_alone(struct console *console, const struct rundir *dir)
{
    struct job_queue queue = {0};
    int status = alone_await(console, dir, &queue);
    if (!status && queue.jobs.count)
        status = console_refuse(console, STATUS_USAGE,
                                "job %u of %s is in the queue already, or runs; gannet cancel takes it back",
                                queue.jobs.items[0].id, dir->path);
    job_queue_fini(&queue);
    return status;
}

static int submit_experiment(struct console *console, const struct args *args, const struct rundir *dir,
                             const struct spec *spec)
{
    uint32_t id = 0;
    bool unclear = false;
    int status = submission_check(console, dir, spec);
    if (!status && submission_is_here(spec))
        return run_here(console, args, dir, spec);
    if (!status)
        status = submission_send(console, dir, spec, false, &id, &unclear);
    if (unclear)
        return status;
    if (id)
        return status ? status : say_submitted(console, args, dir, spec, id);
    if (!args_has(args, "resume"))
        take_back(args, dir);
    fprintf(console->err, "Nothing was submitted%s.\n", args_has(args, "resume") ? "" : ", and nothing is left behind");
    return status;
}

static int run_submit(struct console *console, const struct args *args)
{
    struct kernel_data data = {0};
    struct prepare_setup setup = {.what = args_rest(args, 0),
                                  .directory = args_text(args, "dir", NULL),
                                  .resume = args_has(args, "resume"),
                                  .data = &data,
                                  .dry = args_has(args, "dry-run"),
                                  .submit = true,
                                  .may_go_on = args_has(args, "dry-run") ? NULL : check_alone,
                                  .sbatch_args = args->rest + 1,
                                  .sbatch_args_count = args->rest_count - 1};
    struct rundir dir;
    struct spec *spec;
    struct spec_defaults defaults = {0};
    setup.overrides = args_list(args, "set", &setup.override_count);
    setup.defaults = &defaults;
    int status = site_read(console, &defaults);
    if (!status)
        status = prepare_experiment(console, &setup, &dir, &spec);
    kernel_data_fini(&data);
    spec_defaults_fini(&defaults);
    if (!status) {
        status =
            setup.dry ? show_request_command(console, args, &dir, spec) : submit_experiment(console, args, &dir, spec);
        spec_destroy(spec);
        rundir_fini(&dir);
    }
    return status;
}

static const struct argument arguments[] = {
    {"FILE", "the experiment file; with --resume also a name, run directory or .db file", true},
    {"-- OPTION...", "options of sbatch, such as --partition=debug or -N 4; they win over the file", false},
    {0}};

static const struct option options[] = {
    {.name = "dry-run",
     .short_name = 'n',
     .help = "show the batch script and what would be asked for; nothing is written"},
    {.name = "wait", .short_name = 'W', .help = "show how it goes until it has ended; Ctrl-C leaves the job alone"},
    OPTION_DIR("the run directory (default: runs/NAME); on a filesystem that the nodes see"),
    OPTION_SET("a key of the experiment file, such as slurm.nodes=4;\nmay be given several times"),
    {.name = "resume", .short_name = 'r', .help = "go on where it ended; limits, resources and slurm may be changed"},
    OPTION_JSON("the job, or with --dry-run the request, as one JSON object (docs/json.md)"),
    {0}};

const struct command cmd_submit = {
    .name = "submit",
    .group = GROUP_RUN,
    .summary = "Submits an experiment to Slurm",
    .text = "Reads and checks the file, makes the run directory and submits a job for it, as the keys under `slurm:`\n"
            "say and sbatch's options behind `--`; what they leave out, SBATCH_* variables and site files may say.\n"
            "The search goes on by itself over as many jobs as it needs.\n"
            "docs/slurm.md tells how to use it.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet submit examples/slurm.yaml\n"
                "gannet submit my.yaml --dry-run\n"
                "gannet submit my.yaml --set limits.max_trials=200 -- --partition=gpu -N 4 --time=2:00:00",
    .run = run_submit};
