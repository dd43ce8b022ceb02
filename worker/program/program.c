/* Programs; see program.h.
 *
 * Standard output and error are files of the trial's directory, not pipes: the program never waits for the worker,
 * however much it prints, and people can follow the files. The worker reads both files behind the program. */
#include "worker/program/program.h"
#include "common/clock.h"
#include "common/container.h"
#include "common/command_check.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"
#include "common/trial_command.h"
#include "common/value.h"
#include "worker/program/buffering.h"
#include "common/clients.h"
#include "worker/program/config_file.h"
#include "worker/program/errout.h"
#include "worker/program/process_tree.h"
#include "worker/program/printed.h"
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
    struct proc *proc;
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

/* --- its files --- */

/* "DIRECTORY/NAME", and for later attempts "DIRECTORY/NAME.2". */
static char *file_name(const struct program_setup *setup, const char *name)
{
    if (setup->run->attempt <= 1)
        return mem_format("%s/%s", setup->directory, name);
    return mem_format("%s/%s.%u", setup->directory, name, setup->run->attempt);
}

/* Makes a file of the trial, empty. Other programs may have put something there before, and a pipe that nobody reads
 * would hold up the worker with all its runs. */
static int open_file(const char *path, int flags, struct err *err)
{
    struct stat at;
    int fd = open(path, flags | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_errno(err, "can't write '%s'", path);
    if (fstat(fd, &at) == 0 && S_ISREG(at.st_mode) && fcntl(fd, F_SETFL, flags) == 0) {
        share_file(fd, path);
        return fd;
    }
    close(fd);
    return err_set(err, "can't write '%s': it is no regular file; remove it", path);
}

/* Makes an output file. The program's descriptor and ours are one open file: what it writes goes to the end, wherever
 * we read. */
static int open_output(const struct program_setup *setup, const char *name, int *fd, struct err *err)
{
    char *path = file_name(setup, name);
    *fd = open_file(path, O_RDWR | O_APPEND, err);
    free(path);
    return *fd < 0 ? -1 : 0;
}

static int write_params(const char *path, const char *params, struct err *err)
{
    int fd = open_file(path, O_WRONLY, err);
    if (fd < 0)
        return -1;
    int result = path_write_all(fd, params, strlen(params)) ? err_errno(err, "can't write '%s'", path) : 0;
    close(fd);
    return result;
}

/* --- its environment --- */

static void add_params(struct texts *env, const json_t *params)
{
    const char *name;
    json_t *json;
    json_object_foreach((json_t *)params, name, json) texts_add(env, trial_command_variable(name, json));
}

/* Where to go on from, where to save, and up to which step. */
static void add_checkpoint(struct texts *env, const struct program_setup *setup, bool *went_on)
{
    char *own = mem_format("%s/" RUN_CHECKPOINT, setup->directory);
    const char *from = path_exists(own) ? own : setup->origin && path_exists(setup->origin) ? setup->origin : NULL;
    *went_on = from != NULL;
    if (from)
        texts_add(env, mem_format("GANNET_CHECKPOINT=%s", from));
    texts_add(env, mem_format("GANNET_CHECKPOINT_OUT=%s", own));
    if (setup->run->until)
        texts_add(env, mem_format("GANNET_UNTIL=%llu", (unsigned long long)setup->run->until));
    free(own);
}

/* The place, the trial, and last what the experiment file says, which wins. */
static struct texts make_env(struct program *program, const struct program_setup *setup,
                             const struct trial_command_facts *trial, const struct trial_command *command)
{
    struct texts env = {0};
    texts_add_all(&env, pin_env(setup->pin));
    texts_add(&env, mem_format("GANNET_EXPERIMENT=%s", setup->task->experiment));
    texts_add(&env, mem_format("GANNET_TRIAL=%llu", (unsigned long long)trial->number));
    texts_add(&env, mem_format("GANNET_ATTEMPT=%u", setup->run->attempt));
    texts_add(&env, mem_format("GANNET_TRIAL_DIR=%s", setup->directory));
    texts_add(&env, mem_format("GANNET_PARAMS_FILE=%s", trial->params_file));
    if (setup->deadline > 0)
        texts_add(&env, mem_format("GANNET_DEADLINE=%.0f", setup->deadline));
    texts_add(&env, mem_format("GANNET_SEED=%llu", (unsigned long long)trial->seed));
    if (setup->task->max_steps)
        texts_add(&env, mem_format("GANNET_MAX_STEPS=%llu", (unsigned long long)setup->task->max_steps));
    if (setup->task->checkpoint)
        add_checkpoint(&env, setup, &program->went_on);
    stream_env(program->stream, &env);
    if (setup->python)
        texts_add(&env, clients_python_path(setup->python));
    add_params(&env, trial->params);
    texts_add_all(&env, (const char *const *)command->env.items);
    if (!setup->task->buffered)
        buffering_env(command, setup->lines, &env);
    container_add_env(setup->task, command->argv.items[0], &env);
    return env;
}

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

static void on_exit_of(void *context, const struct proc_exit *how)
{
    struct program *program = context;
    program->has_ended = true;
    program->how = *how;
    if (how->peak_memory == 0)
        program->how.peak_memory = program->peak;
    stream_drain(program->stream);
    if (!program->more)
        read_on(program);
}

static int start_process(struct program *program, const struct program_setup *setup,
                         const struct trial_command *command, const struct trial_command_facts *trial, struct err *err)
{
    int result = -1;
    if (open_output(setup, "stdout", &program->outputs[PRINTED_OUT], err) == 0 &&
        open_output(setup, "stderr", &program->outputs[PRINTED_ERR], err) == 0) {
        struct texts env = make_env(program, setup, trial, command);
        if (setup->task->metrics_file)
            program->file =
                metrics_file_create(setup->directory, setup->task->metrics_file, setup->run->attempt, program->went_on);
        struct proc_setup proc = {.argv = (const char *const *)command->argv.items,
                                  .env = (const char *const *)env.items,
                                  .directory = setup->task->workdir,
                                  .fd0 = -1,
                                  .fd1 = program->outputs[PRINTED_OUT],
                                  .fd2 = program->outputs[PRINTED_ERR],
                                  .fd3 = -1};
        pin_apply(setup->pin, &proc);
        program->begun = clock_monotonic();
        program->proc = proc_start(program->loop, &proc, on_exit_of, program, err);
        result = program->proc ? 0 : -1;
        if (program->proc)
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

/* What an attempt that could not be started has left: the next one has a number of its own. */
static void remove_files(const struct program_setup *setup, const char *params_file)
{
    char *out = file_name(setup, "stdout"), *err = file_name(setup, "stderr");
    unlink(params_file);
    unlink(out);
    unlink(err);
    free(out);
    free(err);
}

/* Everything between a program that is allocated and one that runs. */
static int launch_program(struct program *program, const struct program_setup *setup, const json_t *params,
                          enum ending *ending, struct err *err)
{
    char *params_file = file_name(setup, "params.json");
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
            result = write_params(params_file, setup->run->params, err);
        if (result == 0)
            result = config_files_write(setup->task, setup->directory, params, write_params, err);
        if (result == 0)
            result = start_process(program, setup, &command, &trial, err);
        if (result)
            remove_files(setup, params_file);
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
    proc_end(program->proc, grace);
}

static void end_asked(void *context)
{
    struct program *program = context;
    program->asked = NULL;
    proc_end(program->proc, program->last);
}

void program_ask(struct program *program, int signal, double grace)
{
    static const double most_last = 5; /* what was not saved by then will not be */
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
    return proc_pid(program->proc);
}
