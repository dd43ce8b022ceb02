/* How programs are started; see program.h. */
#include "common/buf.h"
#include "common/clock.h"
#include "common/command_check.h"
#include "common/err.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"
#include "common/task.h"
#include "common/trial_command.h"
#include "common/trial_config.h"
#include "worker/hardware/rank_place.h"
#include "worker/program/gang_first.h"
#include "worker/program/gpu_work.h"
#include "worker/program/program_env.h"
#include "worker/program/program_files.h"
#include "worker/program/program_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* Whether the command or its environment names the file. */
static bool is_named(const struct task *task, const char *file)
{
    const char *name;
    json_t *json;
    char *placeholder = mem_format("${%s}", file);
    bool found = false;
    for (size_t i = 0; task->command[i]; i++)
        found |= strstr(task->command[i], placeholder) != NULL;
    json_object_foreach((json_t *)task->env, name, json) found |= strstr(json_string_value(json), placeholder) != NULL;
    free(placeholder);
    return found;
}

/* Writes the configuration with the parameters in it, under each name that the command has for it (${config.yaml},
 * ${config.json}). `write` makes a file; -1 with a sentence. */
static int config_files_write(const struct task *task, const char *directory, const json_t *params,
                              int (*write)(const char *path, const char *text, struct err *err), struct err *err)
{
    static const char *const files[] = {"config.yaml", "config.json"};
    int result = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files && result == 0; i++) {
        struct buf text = {0};
        json_t *config = is_named(task, files[i]) ? trial_config_make(task->config, params, err) : NULL;
        char *path = path_join(directory, files[i]);
        if (config) {
            trial_config_write(config, &text);
            buf_text(&text, "\n");
            result = write(path, buf_str(&text), err);
        } else if (is_named(task, files[i])) {
            result = -1;
        }
        json_decref(config);
        buf_fini(&text);
        free(path);
    }
    return result;
}

#define LOOK_SECONDS 1.0 /* between two looks for what a command needs */

/* --- its processes --- */

/* How many processes the program has on this node. */
static uint32_t program_count(const struct program_setup *setup)
{
    const struct gang *gang = &setup->run->gang;
    return !setup->task->launch_first ? gang->ranks : gang->node == 0;
}

static double last_error(void *context, uint32_t which)
{
    const struct program *program = context;
    struct program_files files = {program->directory, program->attempt};
    return program_files_written(&files, "stderr", program->first_rank + which);
}

static void on_end(void *context, const struct ranks_end *end)
{
    struct program *program = context;
    program->counts = program->first_rank + end->which;
    program->has_failed = end->has_failed;
    for (size_t i = 0; i < end->stayed->count; i++)
        numbers_add(&program->stayed, program->first_rank + end->stayed->items[i]);
    program->counters = end->counters;
    program_ended(program, &end->how);
}

/* Opens the output files of a process: the first's stay open, to be read. */
static int open_outputs(struct program *program, const struct program_setup *setup, uint32_t rank,
                        struct proc_setup *proc, struct err *err)
{
    struct program_files files = {setup->directory, setup->run->attempt};
    proc->fd1 = program_files_output(&files, "stdout", rank, err);
    proc->fd2 = proc->fd1 < 0 ? -1 : program_files_output(&files, "stderr", rank, err);
    if (rank == 0) {
        program->outputs[PRINTED_OUT] = proc->fd1;
        program->outputs[PRINTED_ERR] = proc->fd2;
    }
    return proc->fd2 < 0 ? -1 : 0;
}

static void close_outputs(const struct program *program, const struct proc_setup *proc)
{
    if (proc->fd1 == program->outputs[PRINTED_OUT])
        return;
    if (proc->fd1 >= 0)
        close(proc->fd1);
    if (proc->fd2 >= 0)
        close(proc->fd2);
}

/* All but its environment. */
static int prepare_process(struct program *program, const struct program_env *facts, const struct pin *pin,
                           uint32_t rank, struct proc_setup *proc, struct err *err)
{
    *proc = (struct proc_setup){.argv = (const char *const *)facts->command->argv.items,
                                .directory = facts->setup->task->workdir,
                                .fd0 = -1,
                                .fd3 = -1};
    pin_apply(pin, proc);
    return open_outputs(program, facts->setup, rank, proc, err);
}

/* Starts one process; `pin` is its own. */
static int start_process(struct program *program, const struct program_env *facts, const struct pin *pin,
                         uint32_t local, struct err *err)
{
    struct proc_setup proc;
    int result = prepare_process(program, facts, pin, program->first_rank + local, &proc, err);
    if (result == 0) {
        struct texts env = program_env_make(facts, pin, local);
        proc.env = (const char *const *)env.items;
        result = ranks_add(program->ranks, &proc, err);
        texts_fini(&env);
    }
    close_outputs(program, &proc);
    return result;
}

/* One of several, with its part of the slot. */
static int start_rank(struct program *program, const struct program_env *facts, uint32_t local, struct err *err)
{
    const struct program_setup *setup = facts->setup;
    struct slot_place place;
    rank_place_make(setup->topology, setup->place, setup->task->bind, local, setup->run->gang.ranks, &place);
    struct pin *pin = pin_create(setup->topology, &place, setup->marks);
    int result = start_process(program, facts, pin, local, err);
    pin_destroy(pin);
    slot_place_fini(&place);
    return result;
}

static int start_processes(struct program *program, const struct program_env *facts, struct err *err)
{
    const struct program_setup *setup = facts->setup;
    uint32_t count = program_count(setup);
    struct ranks_setup ranks = {.events = setup->events,
                                .leads = setup->run->gang.node == 0,
                                .grace = setup->task->grace,
                                .later = setup->task->checkpoint ? EX_TEMPFAIL : 0,
                                .spoke = last_error,
                                .ended = on_end,
                                .context = program};
    program->ranks = ranks_create(program->loop, &ranks);
    if (count == 1 && (setup->run->gang.ranks == 1 || setup->task->launch_first))
        return start_process(program, facts, setup->pin, 0, err);
    for (uint32_t i = 0; i < count; i++)
        if (start_rank(program, facts, i, err))
            return count > 1 ? err_prefix(err, "rank %u", program->first_rank + i) : -1;
    return 0;
}

/* --- the process of a persistent program --- */

static void on_began(void *context)
{
    struct program *program = context;
    program->calls->began(program->context);
}

static void on_served(void *context, const struct server_end *end)
{
    struct program *program = context;
    struct proc_exit how = {.number = end->status, .user = end->cpu, .peak_memory = end->peak};
    if (program->peak > end->peak)
        how.peak_memory = program->peak; /* it has started others */
    program->words = mem_text(end->detail);
    program->counters = end->counters;
    program_ended(program, &how);
}

/* The kernel's number is that of all its trials. */
static void on_server_gone(void *context, const struct proc_exit *how)
{
    struct program *program = context;
    struct proc_exit own = *how;
    if (program->peak)
        own.peak_memory = program->peak;
    program_ended(program, &own);
}

static const struct server_calls server_calls = {on_began, on_served, on_server_gone};

/* What the server is told of the trial. */
static json_t *make_line(const struct program_env *facts)
{
    const struct program_setup *setup = facts->setup;
    struct program_files files = {setup->directory, setup->run->attempt};
    char *out = program_files_name(&files, "stdout", 0), *err = program_files_name(&files, "stderr", 0);
    json_t *line = json_object(), *variables = json_object();
    struct texts env = program_env_trial(facts);
    json_object_set_new(line, "trial", json_of_u64(setup->run->trial));
    json_object_set_new(line, "attempt", json_integer(setup->run->attempt));
    json_object_set(line, "params", (json_t *)facts->trial->params);
    json_object_set_new(line, "stdout", json_of_text(out));
    json_object_set_new(line, "stderr", json_of_text(err));
    program_env_object(&env, variables);
    json_object_set_new(line, "env", variables);
    texts_fini(&env);
    free(out);
    free(err);
    return line;
}

/* Gives the trial to the server, whose process is started with what belongs to no trial. */
static int begin_served(struct program *program, const struct program_env *facts, struct err *err)
{
    const struct program_setup *setup = facts->setup;
    struct proc_setup proc;
    if (prepare_process(program, facts, setup->pin, 0, &proc, err))
        return -1;
    struct texts env = program_env_server(facts);
    proc.env = (const char *const *)env.items;
    json_t *line = make_line(facts);
    int result =
        server_begin(setup->server, &proc, setup->run->trial, setup->run->attempt, line, &server_calls, program, err);
    program->server = result == 0 ? setup->server : NULL;
    json_decref(line);
    texts_fini(&env);
    return result;
}

/* --- the whole --- */

static int start_program(struct program *program, const struct program_env *facts, struct err *err)
{
    const struct program_setup *setup = facts->setup;
    if (setup->task->metrics_file && setup->run->gang.node == 0)
        program->file =
            metrics_file_create(setup->directory, setup->task->metrics_file, setup->run->attempt, program->went_on);
    program->begun = clock_monotonic();
    return setup->server ? begin_served(program, facts, err) : start_processes(program, facts, err);
}

/* What the command needs must be on this node, in the same words as where the experiment file was read; what is in an
 * image is not looked for here. */
static int look_for_all(const struct task *task, struct err *err)
{
    const char *own = json_string_value(json_object_get(task->env, "PATH")), *path = own ? own : getenv("PATH");
    struct command_place place = {.command = task->command,
                                  .base = task->base,
                                  .workdir = task->workdir,
                                  .path = path && !strstr(path, "${") ? path : getenv("PATH")};
    return command_check_sentence(&place, err);
}

/* What an attempt that could not be started has left: the next one has a number of its own. */
static void remove_files(const struct program *program, const struct program_setup *setup, const char *params_file)
{
    struct program_files files = {setup->directory, setup->run->attempt};
    unlink(params_file);
    gang_first_remove(setup);
    for (uint32_t i = 0; i < program_count(setup); i++) {
        program_files_remove(&files, "stdout", program->first_rank + i);
        program_files_remove(&files, "stderr", program->first_rank + i);
    }
}

/* Looking takes ten system calls and reads a file: programs that last no time are looked for now and then, and when one
 * could not be started or has failed. */
static int check_there(const struct program_setup *setup, struct err *err)
{
    double now = clock_monotonic();
    if (setup->task->container || (*setup->found > 0 && now - *setup->found < LOOK_SECONDS))
        return 0;
    *setup->found = 0;
    if (look_for_all(setup->task, err))
        return -1;
    *setup->found = now;
    return 0;
}

/* What is said of a start that has failed: what is missing, when something is. */
static void find_missing(const struct program_setup *setup, struct err *err)
{
    struct err missing;
    *setup->found = 0;
    if (!err_is_shortage(err) && check_there(setup, &missing))
        *err = missing;
}

static int prepare_files(const struct program_setup *setup, const struct trial_command_facts *trial, struct err *err)
{
    if (check_there(setup, err) || share_make_directory(setup->directory, err) ||
        program_files_write(trial->params_file, setup->run->params, err))
        return -1;
    if (gang_first_write(setup, err))
        return -1;
    return config_files_write(setup->task, setup->directory, trial->params, program_files_write, err);
}

int program_launch(struct program *program, const struct program_setup *setup, const json_t *params,
                   enum ending *ending, struct err *err)
{
    struct program_files files = {setup->directory, setup->run->attempt};
    char *params_file = program_files_name(&files, "params.json", 0), *origin = program_env_origin(setup);
    struct trial_command_facts trial = {.number = setup->run->trial,
                                        .seed = setup->run->seed,
                                        .params = params,
                                        .directory = setup->directory,
                                        .params_file = params_file,
                                        .cpus = pin_threads(setup->pin),
                                        .gpus = setup->gpus};
    struct trial_command command = {0};
    struct program_env facts = {setup, &trial, &command, program->stream, origin, false};
    int result = trial_command_make(setup->task, &trial, &command, err);
    program->went_on = origin;
    program->count = program_count(setup);
    if (result == 0) {
        *ending = ENDING_NOT_STARTED;
        result = prepare_files(setup, &trial, err);
        if (result == 0 && gpu_work_is_wanted(setup)) {
            program->counts_gpu = true;
            program->gpu_obstacle = gpu_work_prepare(setup, &command);
        }
        facts.counts_gpu = program->counts_gpu && !program->gpu_obstacle;
        if (result == 0 && (result = start_program(program, &facts, err)) != 0)
            find_missing(setup, err);
        if (result)
            remove_files(program, setup, params_file);
    }
    trial_command_fini(&command);
    free(params_file);
    free(origin);
    return result;
}
