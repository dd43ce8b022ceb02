/* Making or finding again the run directory of an experiment; see prepare.h. */
#include "cli/session/prepare.h"
#include "cli/session/data_record.h"
#include "cli/session/existing.h"
#include "cli/session/kernel_files.h"
#include "cli/session/submission.h"
#include "cli/status.h"
#include "common/clock.h"
#include "common/container.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"
#include "scheduler/coordinator/endpoint.h"
#include "scheduler/slurm/request.h"
#include "scheduler/spec/problem.h"
#include "scheduler/spec/spec_defaults.h"
#include "search/plugin.h"
#include "search/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const nothing_started = "nothing was started";

void prepare_check_container(const struct spec *spec, bool here, struct problems *problems)
{
    struct err err;
    const struct task task = {.container = spec->trial.container, .container_runtime = spec->trial.container_runtime};
    if (container_check(&task, &err))
        problems_report(problems, !here, "trial.container", false, "no_program", err.text, NULL);
}

/* Of whom nobody knows here can't be told what they may read. */
static void check_share(const struct spec *spec, struct problems *problems)
{
    struct err err;
    gid_t group;
    if (spec->share && share_find_group(spec->share, &group, &err))
        problems_report(problems, false, "share", false, "bad_value", err.text, NULL);
}

/* Warns when the strategy passes over the earlier experiments that it is given. One that can't be had is reported when
 * the search is made. */
static void check_learns(const struct spec *spec, struct problems *problems)
{
    struct err err;
    struct plugin *plugin = spec->strategy.plugin ? plugin_open(spec->strategy.plugin, &err) : NULL;
    const struct gannet_strategy *strategy = plugin                  ? plugin_strategy(plugin)
                                             : spec->strategy.plugin ? NULL
                                                                     : registry_find(spec->strategy.name);
    if (strategy && !strategy->learn) {
        char *message = mem_format("the strategy '%s' learns nothing from earlier experiments", strategy->name);
        problems_report(
            problems, true, "start_from", true, "no_effect", message,
            "gp and auto learn most from them; tpe, forest, cmaes and evolution try their best points again");
        free(message);
    }
    plugin_close(plugin);
}

/* Whether trials are continued from checkpoints, when the file does not say: of kernels that can, and of no command,
 * which would have to know about it. */
static void settle_checkpoint(struct spec *spec, const json_t *catalog)
{
    if (spec->trial.checkpoint != CHECKPOINT_AUTO)
        return;
    bool can = spec->trial.kernel && catalog_can_continue(catalog, spec->trial.kernel);
    spec->trial.checkpoint = can ? CHECKPOINT_YES : CHECKPOINT_NO;
}

/* A trial on several sockets has a process on each of them, when the file does not say how many: its threads and its
 * memory are of one socket then. */
static void settle_ranks(struct spec *spec, const json_t *catalog)
{
    struct spec_resources *resources = &spec->resources;
    if (!resources->ranks_given && resources->sockets > 1 && catalog_can_share(catalog, spec->trial.kernel))
        resources->ranks = resources->sockets;
}

/* Files that can't even be opened were reported, and an option that does not fit the kernel. */
static void check_data(const json_t *catalog, const struct spec *spec, enum program_place place,
                       struct kernel_data *seen, struct problems *problems)
{
    size_t before = problems->count;
    kernel_files_check(catalog, spec, place, problems);
    if (seen && !problems->errors && problems->count == before)
        kernel_data_check(catalog, spec, place, seen, problems);
}

static void check_kernel(struct spec *spec, enum program_place place, struct kernel_data *seen,
                         struct problems *problems)
{
    struct err err;
    json_t *catalog = catalog_read(&err);
    if (catalog)
        catalog_check(catalog, spec, problems);
    if (catalog) {
        check_data(catalog, spec, place, seen, problems);
        settle_checkpoint(spec, catalog);
        settle_ranks(spec, catalog);
    } else {
        problems_report(problems, false, "trial.kernel", false, "no_trainer", err.text, NULL);
    }
    json_decref(catalog);
}

struct spec *prepare_spec(const char *file, const char *const *overrides, size_t override_count,
                          const struct spec_defaults *defaults, enum program_place place, struct kernel_data *seen,
                          struct problems *problems)
{
    struct spec *spec = spec_read_with(file, overrides, override_count, defaults, problems);
    program_check_use(spec, place, problems);
    if (spec && spec->trial.command)
        program_check_there(spec, place, problems);
    if (spec && spec->trial.command)
        program_settle_args(spec, problems);
    if (spec && spec->trial.command)
        program_check_config(spec, problems);
    if (spec && spec->source_count)
        check_learns(spec, problems);
    if (spec && spec->trial.kernel)
        check_kernel(spec, place, seen, problems);
    else if (spec)
        settle_checkpoint(spec, NULL);
    if (!problems->errors)
        return spec;
    spec_destroy(spec);
    return NULL;
}

/* Whether the experiment asks for more than the least that any machine has, or for another machine. */
static bool may_not_fit(const struct prepare_setup *setup, const struct spec *spec)
{
    const struct spec_resources *wanted = &spec->resources;
    return wanted->cpus > 1 || wanted->sockets || wanted->per_socket || wanted->gpus || wanted->memory ||
           setup->machine->words.count;
}

/* Reports at its place in the file that not even one trial fits on this machine. */
static void check_fit(const struct prepare_setup *setup, const struct spec *spec, struct problems *problems)
{
    struct err err;
    if (!setup->machine || !may_not_fit(setup, spec))
        return;
    json_t *slots = sibling_slots(&spec->resources, setup->machine, &err);
    if (!slots)
        problems_report(problems, false, "resources", true, "does_not_fit", err.text, NULL);
    json_decref(slots);
}

/* Reports that a trial needs more nodes than there will be. */
static void check_nodes(const struct prepare_setup *setup, const struct spec *spec, struct problems *problems)
{
    char text[200];
    if (!setup->nodes || spec->resources.nodes <= setup->nodes)
        return;
    if (setup->nodes == 1)
        snprintf(text, sizeof text, "a trial takes a slot on each of %u nodes, and here is one", spec->resources.nodes);
    else
        snprintf(text, sizeof text, "a trial takes a slot on each of %u nodes, and the job has %u",
                 spec->resources.nodes, setup->nodes);
    problems_report(
        problems, false, "resources.nodes", true, "does_not_fit", text,
        "gannet submit asks Slurm for enough of them; without Slurm say --listen tcp://0.0.0.0:*, and start "
        "gannet-worker --rundir DIR on the others");
}

/* What was typed behind `--` is kept in the frozen experiment: whatever is submitted later is asked for alike. */
static int settle_slurm(const struct prepare_setup *setup, struct spec *spec, struct err *err)
{
    struct spec_slurm *slurm = &spec->slurm;
    size_t capacity = slurm->sbatch_args_count;
    if (!setup->submit)
        return 0;
    slurm->given = true;
    MEM_GROW(slurm->sbatch_args, capacity, capacity + setup->sbatch_args_count);
    for (size_t i = 0; i < setup->sbatch_args_count; i++)
        slurm->sbatch_args[slurm->sbatch_args_count++] = mem_text(setup->sbatch_args[i]);
    return slurm_settle(spec, clock_wall(), err);
}

/* Whether the coordinator can listen, when that is on this machine: nothing is made or started before that is known. */
static int check_network(const struct prepare_setup *setup, const struct spec *spec, struct err *err)
{
    bool submits_here = setup->submit && submission_is_here(spec);
    const char *listen = setup->listen ? setup->listen : submits_here ? ENDPOINT_ANYWHERE : NULL;
    return listen && !setup->dry ? endpoint_check(&spec->network, listen, err) : 0;
}

static enum program_place place_of(const struct prepare_setup *setup)
{
    return setup->own_loop ? PROGRAM_NOWHERE : setup->machine ? PROGRAM_HERE : PROGRAM_ELSEWHERE;
}

/* What the data holds, for a later --resume. */
static void keep_record(struct console *console, const struct prepare_setup *setup, const struct rundir *dir)
{
    struct err err;
    if (setup->data && !setup->dry && data_record_write(dir, setup->data->files, &err))
        console_tell(console, "gannet: %s; --resume will not know whether the data has changed", err.text);
}

/* A loop of one's own starts no program, but the file is one that workers could go on with. */
static void hint_at_trial(const struct problems *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        if (strcmp(problems->items[i].code, "missing_key") == 0 && strstr(problems->items[i].message, "'trial' "))
            problem_hint(
                &problems->items[i],
                "your own loop runs the trials; the file needs a line all the same: trial: {command: \"true\"}");
}

static int make_experiment_session(struct console *console, const struct prepare_setup *setup, struct rundir *dir,
                                   struct spec **out)
{
    struct problems problems = {0};
    struct err err;
    int status = STATUS_OK;
    struct spec *spec = prepare_spec(setup->what, setup->overrides, setup->override_count, setup->defaults,
                                     place_of(setup), setup->data, &problems);
    if (spec)
        check_share(spec, &problems);
    if (spec)
        prepare_check_container(spec, setup->machine, &problems);
    if (spec)
        check_fit(setup, spec, &problems);
    if (spec)
        check_nodes(setup, spec, &problems);
    if (setup->own_loop)
        hint_at_trial(&problems);
    prepare_show_problems(console, &problems, nothing_started);
    if (!spec || problems.errors) {
        status = STATUS_USAGE;
    } else {
        existing_name(setup, spec, dir);
        if (settle_slurm(setup, spec, &err) || check_network(setup, spec, &err) ||
            (!setup->dry && rundir_make(dir, spec, &err))) {
            bool is_there = setup->own_loop && path_exists(dir->experiment); /* another loop made it */
            status = is_there ? STATUS_USAGE : console_fail(console, STATUS_USAGE, &err);
            rundir_fini(dir);
        }
    }
    problems_fini(&problems);
    if (!status)
        keep_record(console, setup, dir);
    if (status)
        spec_destroy(spec);
    else
        *out = spec;
    return status;
}

/* --- going on --- */

int prepare_once(struct console *console, const struct prepare_setup *setup, struct rundir *dir)
{
    struct spec *spec;
    int status = STATUS_OK;
    if (!setup->what || !existing_is_file(setup->what)) {
        status = existing_find(console, setup, dir);
        return status ? status : existing_keep(console, setup, dir);
    }
    if (existing_is_there(setup, dir) ||
        ((status = make_experiment_session(console, setup, dir, &spec)) && existing_is_there(setup, dir)))
        return existing_keep(console, setup, dir); /* of before, or another loop was faster */
    if (!status)
        spec_destroy(spec);
    return status;
}

int prepare_find(struct console *console, const struct prepare_setup *setup, struct rundir *dir)
{
    if (!setup->what || !existing_is_file(setup->what))
        return existing_find(console, setup, dir);
    int status = existing_place(console, setup, dir);
    if (status || path_exists(dir->experiment))
        return status;
    console_refuse(console, STATUS_NOT_FOUND,
                   "there is no experiment in %s yet; gannet ask %s makes it and proposes its first trial", dir->path,
                   setup->what);
    rundir_fini(dir);
    return STATUS_NOT_FOUND;
}

/* Finds the run directory of what is to be resumed; of an experiment file also its spec as it is written now. */
static int find_experiment(struct console *console, const struct prepare_setup *setup, struct rundir *dir,
                           struct spec **fresh)
{
    struct problems problems = {0};
    int status = STATUS_OK;
    *fresh = NULL;
    if (!existing_is_file(setup->what) && setup->directory)
        return console_refuse(console, STATUS_USAGE,
                              "--resume takes a file and --dir, or the experiment itself: gannet run %s --resume",
                              setup->directory);
    if (!existing_is_file(setup->what))
        return existing_find(console, setup, dir);
    *fresh = prepare_spec(setup->what, setup->overrides, setup->override_count, setup->defaults, PROGRAM_NOWHERE, NULL,
                          &problems);
    prepare_show_problems(console, &problems, nothing_started);
    problems_fini(&problems);
    if (!*fresh)
        return STATUS_USAGE;
    existing_name(setup, *fresh, dir);
    if (!path_exists(dir->experiment)) {
        status = console_refuse(console, STATUS_NOT_FOUND,
                                "%s has no experiment to resume; without --resume it is started there", dir->path);
        rundir_fini(dir);
        spec_destroy(*fresh);
    }
    return status;
}

static int resume_experiment(struct console *console, const struct prepare_setup *setup, struct rundir *dir,
                             struct spec **out)
{
    struct problems problems = {0};
    struct spec_defaults network = {.only = "network"}; /* what is about Slurm is kept as it was submitted */
    struct err err = {""};
    struct spec *fresh;
    int status = find_experiment(console, setup, dir, &fresh);
    if (status)
        return status;
    if (setup->may_go_on && (status = setup->may_go_on(console, dir))) {
        rundir_fini(dir);
        spec_destroy(fresh);
        return status;
    }
    if (setup->defaults)
        network.items = setup->defaults->items, network.count = setup->defaults->count;
    *out =
        rundir_resume(dir, fresh, setup->overrides, setup->override_count, &network, &problems, setup->checked, &err);
    if (*out)
        check_fit(setup, *out, &problems);
    if (*out)
        check_nodes(setup, *out, &problems);
    if (*out)
        program_check_there(*out, place_of(setup), &problems);
    if (*out)
        data_record_compare(dir, &problems);
    prepare_show_problems(console, &problems, nothing_started);
    if (!*out || problems.errors || settle_slurm(setup, *out, &err) || check_network(setup, *out, &err) ||
        (!setup->dry && (rundir_freeze(dir, *out, &err) || rundir_complete(dir, &err)))) {
        status = *err.text ? console_fail(console, STATUS_USAGE, &err) : STATUS_USAGE;
        spec_destroy(*out);
        rundir_fini(dir);
    }
    problems_fini(&problems);
    spec_destroy(fresh);
    return status;
}

int prepare_experiment(struct console *console, const struct prepare_setup *setup, struct rundir *dir,
                       struct spec **spec)
{
    int status = setup->resume ? resume_experiment(console, setup, dir, spec)
                               : make_experiment_session(console, setup, dir, spec);
    if (!status && !setup->dry)
        rundir_register(dir);
    return status;
}

int prepare_find_quietly(struct console *console, const struct prepare_setup *setup, struct rundir *dir)
{
    struct console silent = *console;
    silent.err = fopen("/dev/null", "we");
    if (!silent.err)
        return STATUS_FAILED;
    int status = prepare_find(&silent, setup, dir);
    fclose(silent.err);
    return status;
}

void prepare_show_problems(struct console *console, struct problems *problems, const char *consequence)
{
    struct buf text = {0};
    problems_show(problems, &text);
    problems_summary(problems, consequence, &text);
    console_write(console->err, &text);
    buf_fini(&text);
}
