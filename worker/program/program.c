/* Programs; see program.h.
 *
 * Standard output and error are files of the trial's directory, not pipes: the program never waits for the worker,
 * however much it prints, and people can follow the files. The worker reads both files behind the program. */
#include "worker/program/program.h"
#include "common/clock.h"
#include "common/command_check.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"
#include "common/trial_command.h"
#include "common/value.h"
#include "worker/program/config_file.h"
#include "worker/program/errout.h"
#include "worker/program/process_tree.h"
#include "worker/program/printed.h"
#include "worker/program/program_env.h"
#include "worker/program/program_files.h"
#include "worker/program/reading.h"
#include "worker/program/told.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct program {
    struct loop *loop;
    const struct program_calls *calls;
    void *context;
    struct proc *proc;     /* its own; NULL: it has a server */
    struct server *server; /* the persistent program that runs it, not ours; NULL: it has a process of its own */
    char *words;           /* of a persistent program that ended it and lives on: what it said of the end; else NULL */
    double begun;
    struct printed *printed;
    int outputs[PRINTED_ERR + 1];   /* the files that it writes, for reading too; -1: not open */
    off_t taken[PRINTED_ERR + 1];   /* how far these were read */
    bool tells[PHASES_COUNT];       /* the phases that it can tell of */
    struct metrics_file *file;      /* of its own, with its metrics; NULL: it prints them */
    struct stream *stream;          /* what it says of itself; NULL: it can't */
    bool asks;                      /* it has asked there whether to stop */
    uint64_t peak;                  /* memory that it was seen to have */
    double watched;                 /* when its memory was last looked at; 0: never */
    struct loop_watch *first_watch; /* looks at its memory for the first time */
    bool has_ended, went_on;
    struct proc_exit how;
    struct loop_watch *more;  /* goes on reading in the next turn */
    struct loop_watch *asked; /* when SIGTERM follows its own signal; NULL: that was not sent */
    double last;              /* seconds from that SIGTERM to SIGKILL */
    char *checkpoint;         /* its file of checkpoints */
    struct stat found;        /* the file of checkpoints at the start; zeros: it was not there */
};

/* --- its memory --- */

/* A program that stays smaller than the worker can only be measured while it runs: the first time a moment after its
 * start, which those that do nothing don't live to see, and then itself alone. It is looked at again, with all that it
 * has started, when it has grown older by a tenth: looking takes tens of microseconds a process, and a run of an hour
 * needs a hundred looks. */
#define FIRST_WATCH 0.01

static void watch_memory(struct program *program, unsigned long long (*peak_of)(pid_t pid))
{
    double now = clock_monotonic();
    if (program->watched > 0 && now - program->begun < 1.1 * (program->watched - program->begun))
        return;
    uint64_t peak = peak_of(program_pid(program));
    program->peak = peak > program->peak ? peak : program->peak;
    program->watched = now;
}

static void watch_first(void *context)
{
    struct program *program = context;
    program->first_watch = NULL;
    if (!program->has_ended)
        watch_memory(program, proc_peak);
}

/* --- reading --- */

static void on_metric(void *context, const char *name, int64_t step, double value)
{
    struct program *program = context;
    int phase = told_phase(program->tells, name);
    if (phase >= 0) {
        program->calls->phase(program->context, phase_name((enum phase)phase), value, 1);
        return;
    }
    struct msg_sample sample = {
        .metric = name, .step = step, .value = value, .time = clock_monotonic() - program->begun};
    program->calls->sample(program->context, &sample);
}

static void on_printed(void *context, const char *name, int64_t step, double value)
{
    struct program *program = context;
    if (stream_printed(program->stream, name, step))
        on_metric(program, name, step, value);
}

static struct printed *create_reader(struct program *program, const struct task *task)
{
    struct texts names = {0};
    told_names(task->metrics, &names, program->tells);
    struct printed *printed = printed_create((const char *const *)names.items, task->pattern, on_printed, program);
    printed_percent(printed, task->percent);
    texts_fini(&names);
    return printed;
}

/* Where metrics are: in its own file, or in what it prints; Python's logging writes to the error output. */
static bool read_part(struct program *program)
{
    bool more = false;
    if (program->file)
        return metrics_file_part(program->file, program->printed);
    for (int i = PRINTED_OUT; i <= PRINTED_ERR; i++)
        more |= reading_part(program->outputs[i], &program->taken[i], program->printed, (enum printed_stream)i);
    return more;
}

/* The end of the error output. */
static void read_tail(const struct program *program, struct buf *out)
{
    char bytes[2 * ERROUT_TAIL];
    struct stat file;
    int fd = program->outputs[PRINTED_ERR];
    ssize_t length = pread(fd, bytes, sizeof bytes, 0);
    if (length == (ssize_t)sizeof bytes && fstat(fd, &file) == 0)
        length = pread(fd, bytes, sizeof bytes, file.st_size - (off_t)sizeof bytes);
    if (length > 0)
        errout_tail(bytes, (size_t)length, out);
}

static void tell_end(struct program *program)
{
    struct buf tail = {0}, others = {0};
    printed_end(program->printed);
    read_tail(program, &tail);
    printed_others(program->printed, &others);
    const struct program_calls *calls = program->calls;
    calls->gone(program->context, &program->how, buf_str(&tail), buf_str(&others));
    buf_fini(&tail);
    buf_fini(&others);
}

/* Reads a part a turn until there is no more, then tells the end if that has come. */
static void read_on(void *context)
{
    struct program *program = context;
    program->more = NULL;
    stream_read(program->stream); /* first: what was told there does not count again when it was printed, too */
    if (read_part(program))
        program->more = loop_timer(program->loop, 0, read_on, program);
    else if (program->has_ended)
        tell_end(program);
}

void program_look(struct program *program)
{
    if (!program->has_ended)
        watch_memory(program, process_tree_peak);
    if (!program->more && !program->has_ended)
        read_on(program);
}

/* --- what it says on its stream --- */

static void on_phase(void *context, const char *name, double seconds, uint64_t count)
{
    struct program *program = context;
    program->calls->phase(program->context, name, seconds, count);
}

static void on_saved(void *context, int64_t step)
{
    struct program *program = context;
    program->calls->saved(program->context, step);
}

static void on_asked(void *context, int64_t step, struct stream_stop *out)
{
    struct program *program = context;
    program->asks = true;
    program->calls->asked(program->context, step, out);
}

static const struct stream_calls stream_calls = {on_metric, on_phase, on_saved, on_asked};

/* --- the process --- */

static void on_end(struct program *program, const struct proc_exit *how)
{
    program->has_ended = true;
    program->how = *how;
    if (how->peak_memory == 0)
        program->how.peak_memory = program->peak;
    stream_drain(program->stream);
    if (!program->more)
        read_on(program);
}

static void on_exit_of(void *context, const struct proc_exit *how)
{
    on_end(context, how);
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
    on_end(program, &how);
}

/* The kernel's number is that of all its trials. */
static void on_server_gone(void *context, const struct proc_exit *how)
{
    struct program *program = context;
    struct proc_exit own = *how;
    if (program->peak)
        own.peak_memory = program->peak;
    on_end(program, &own);
}

static const struct server_calls server_calls = {on_began, on_served, on_server_gone};

/* What the server is told of the trial. */
static json_t *make_line(const struct program_setup *setup, const json_t *params, const struct texts *env)
{
    char *out = program_file_name(setup, "stdout"), *err = program_file_name(setup, "stderr");
    json_t *line = json_object(), *variables = json_object();
    json_object_set_new(line, "trial", json_of_u64(setup->run->trial));
    json_object_set_new(line, "attempt", json_integer(setup->run->attempt));
    json_object_set(line, "params", (json_t *)params);
    json_object_set_new(line, "stdout", json_of_text(out));
    json_object_set_new(line, "stderr", json_of_text(err));
    program_env_object(env, variables);
    json_object_set_new(line, "env", variables);
    free(out);
    free(err);
    return line;
}

/* `env` is the trial's, which the process is told. */
static int begin_served(struct program *program, const struct program_setup *setup, struct proc_setup *proc,
                        const struct trial_command *command, const json_t *params, const struct texts *env,
                        struct err *err)
{
    struct texts of_process = {0};
    program_env_server(setup, command, &of_process);
    proc->env = (const char *const *)of_process.items;
    json_t *line = make_line(setup, params, env);
    int result =
        server_begin(setup->server, proc, setup->run->trial, setup->run->attempt, line, &server_calls, program, err);
    program->server = result == 0 ? setup->server : NULL;
    json_decref(line);
    texts_fini(&of_process);
    return result;
}

static int start_own(struct program *program, struct proc_setup *proc, const struct texts *env, struct err *err)
{
    proc->env = (const char *const *)env->items;
    program->proc = proc_start(program->loop, proc, on_exit_of, program, err);
    return program->proc ? 0 : -1;
}

static int start_process(struct program *program, const struct program_setup *setup,
                         const struct trial_command *command, const struct trial_command_facts *trial, struct err *err)
{
    int result = -1;
    if (program_open_output(setup, "stdout", &program->outputs[PRINTED_OUT], err) == 0 &&
        program_open_output(setup, "stderr", &program->outputs[PRINTED_ERR], err) == 0) {
        struct texts env = {0};
        (setup->server ? program_env_trial : program_env_whole)(setup, program->stream, trial, command,
                                                                &program->went_on, &env);
        if (setup->task->metrics_file)
            program->file =
                metrics_file_create(setup->directory, setup->task->metrics_file, setup->run->attempt, program->went_on);
        struct proc_setup proc = {.argv = (const char *const *)command->argv.items,
                                  .directory = setup->task->workdir,
                                  .fd0 = -1,
                                  .fd1 = program->outputs[PRINTED_OUT],
                                  .fd2 = program->outputs[PRINTED_ERR],
                                  .fd3 = -1};
        pin_apply(setup->pin, &proc);
        program->begun = clock_monotonic();
        result = setup->server ? begin_served(program, setup, &proc, command, trial->params, &env, err)
                               : start_own(program, &proc, &env, err);
        if (result == 0)
            program->first_watch = loop_timer(program->loop, FIRST_WATCH, watch_first, program);
        texts_fini(&env);
    }
    return result;
}

/* What the command needs must be on this node, in the same words as where the experiment file was read; what is in an
 * image is not looked for here. */
static int check_there(const struct task *task, struct err *err)
{
    if (task->container)
        return 0;
    const char *own = json_string_value(json_object_get(task->env, "PATH")), *path = own ? own : getenv("PATH");
    struct command_place place = {.command = task->command,
                                  .base = task->base,
                                  .workdir = task->workdir,
                                  .path = path && !strstr(path, "${") ? path : getenv("PATH")};
    return command_check_sentence(&place, err);
}

/* Everything between a program that is allocated and one that runs. */
static int launch_program(struct program *program, const struct program_setup *setup, const json_t *params,
                          enum ending *ending, struct err *err)
{
    char *params_file = program_file_name(setup, "params.json");
    struct trial_command_facts trial = {.number = setup->run->trial,
                                        .seed = setup->run->seed,
                                        .params = params,
                                        .directory = setup->directory,
                                        .params_file = params_file,
                                        .cpus = pin_threads(setup->pin),
                                        .gpus = setup->gpus};
    struct trial_command command = {0};
    int result = trial_command_make(setup->task, &trial, &command, err);
    if (result == 0) {
        *ending = ENDING_NOT_STARTED;
        result = check_there(setup->task, err);
        if (result == 0)
            result = share_make_directory(setup->directory, err);
        if (result == 0)
            result = program_write_params(params_file, setup->run->params, err);
        if (result == 0)
            result = config_files_write(setup->task, setup->directory, params, program_write_params, err);
        if (result == 0)
            result = start_process(program, setup, &command, &trial, err);
        if (result)
            program_remove_files(setup, params_file);
    }
    trial_command_fini(&command);
    free(params_file);
    return result;
}

struct program *program_start(struct loop *loop, const struct program_setup *setup, const struct program_calls *calls,
                              void *context, enum ending *ending, struct err *err)
{
    struct program *program = MEM_NEW(struct program);
    json_t *params = json_loads(setup->run->params, JSON_REJECT_DUPLICATES, NULL);
    program->loop = loop;
    program->calls = calls;
    program->context = context;
    program->outputs[PRINTED_OUT] = program->outputs[PRINTED_ERR] = -1;
    program->printed = create_reader(program, setup->task);
    if (setup->port)
        program->stream = stream_create(setup->port, setup->run->trial, setup->run->attempt, &stream_calls, program);
    program->checkpoint = mem_format("%s/" RUN_CHECKPOINT, setup->directory);
    if (!setup->task->checkpoint || stat(program->checkpoint, &program->found))
        program->found = (struct stat){0};
    *ending = ENDING_BAD_CONFIG;
    int result = json_is_object(params) ? launch_program(program, setup, params, ending, err)
                                        : err_set(err, "its parameters are no JSON object");
    json_decref(params);
    if (result == 0)
        return program;
    program_destroy(program);
    return NULL;
}

void program_destroy(struct program *program)
{
    if (!program)
        return;
    proc_destroy(program->proc);
    if (program->server)
        server_forget(program->server);
    free(program->words);
    loop_remove(program->first_watch);
    loop_remove(program->more);
    loop_remove(program->asked);
    stream_destroy(program->stream);
    free(program->checkpoint);
    printed_destroy(program->printed);
    metrics_file_destroy(program->file);
    for (int i = 0; i <= PRINTED_ERR; i++)
        if (program->outputs[i] >= 0)
            close(program->outputs[i]);
    free(program);
}

void program_end(struct program *program, double grace)
{
    if (program->server && !program->has_ended) /* then it may have a process, but not this trial */
        server_end(program->server, grace);
    else if (!program->server)
        proc_end(program->proc, grace);
}

static void end_asked(void *context)
{
    struct program *program = context;
    program->asked = NULL;
    program_end(program, program->last);
}

void program_ask(struct program *program, int signal, double grace)
{
    static const double most_last = 5; /* what was not saved by then will not be */
    if (program->server && !program->has_ended)
        server_signal(program->server, signal);
    else if (!program->server)
        proc_signal(program->proc, signal);
    program_tell(program, grace - fmin(most_last, grace / 4), grace);
}

void program_tell(struct program *program, double wait, double grace)
{
    program->last = grace - wait;
    if (!program->asked)
        program->asked = loop_timer(program->loop, wait, end_asked, program);
}

bool program_asks(const struct program *program)
{
    return program->asks;
}

/* What tells one file from another in its place. */
static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool program_saved(const struct program *program)
{
    struct stat now;
    return stat(program->checkpoint, &now) == 0 && !is_same(&now, &program->found);
}

bool program_went_on(const struct program *program)
{
    return program->went_on;
}

pid_t program_pid(const struct program *program)
{
    return program->server ? server_pid(program->server) : proc_pid(program->proc);
}

const char *program_words(const struct program *program)
{
    return program->words;
}
