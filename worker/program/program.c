/* Programs; see program.h.
 *
 * Standard output and error are files of the trial's directory, not pipes: the program never waits for the worker,
 * however much it prints, and people can follow the files. The worker reads both files behind the program. */
#include "worker/program/program.h"
#include "common/clock.h"
#include "common/command_check.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"
#include "common/trial_command.h"
#include "common/value.h"
#include "worker/hardware/rank_place.h"
#include "worker/program/config_file.h"
#include "worker/program/gang_first.h"
#include "worker/program/process_tree.h"
#include "worker/program/program_env.h"
#include "worker/program/program_files.h"
#include "worker/program/printed.h"
#include "worker/program/ranks.h"
#include "worker/program/reading.h"
#include "worker/program/told.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

struct program {
    struct loop *loop;
    const struct program_calls *calls;
    void *context;
    struct ranks *ranks; /* its processes */
    uint32_t first_rank; /* of those on this node, among all of the gang */
    char *directory;     /* the trial's */
    uint32_t attempt;
    double begun;
    struct printed *printed;
    int outputs[PRINTED_ERR + 1];   /* the files that it writes, for reading too; -1: not open */
    off_t taken[PRINTED_ERR + 1];   /* how far these were read */
    bool tells[PHASES_COUNT];       /* the phases that it can tell of */
    struct metrics_file *file;      /* of its own, with its metrics; NULL: it prints them */
    struct stream *stream;          /* what it says of itself; NULL: it can't */
    bool asks;                      /* it has asked there whether to stop */
    double watched;                 /* when its memory was last looked at; 0: never */
    struct loop_watch *first_watch; /* looks at its memory for the first time */
    bool has_ended, went_on;
    struct proc_exit how;
    uint32_t counts;          /* the rank of the process whose end is that of the program */
    bool has_failed;          /* that one failed, of several */
    struct numbers stayed;    /* ranks that did not end by themselves */
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
    ranks_watch_memory(program->ranks, peak_of);
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

static void tell_end(struct program *program)
{
    struct buf tail = {0}, others = {0};
    printed_end(program->printed);
    struct program_files files = {program->directory, program->attempt};
    program_files_tail(&files, program->counts, program->counts ? -1 : program->outputs[PRINTED_ERR], &tail);
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
    program->has_ended = true;
    program->how = end->how;
    program->counts = program->first_rank + end->which;
    program->has_failed = end->has_failed;
    for (size_t i = 0; i < end->stayed->count; i++)
        numbers_add(&program->stayed, program->first_rank + end->stayed->items[i]);
    stream_drain(program->stream);
    if (!program->more)
        read_on(program);
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

/* Starts one process; `pin` is its own. */
static int start_process(struct program *program, const struct program_env *facts, const struct pin *pin,
                         uint32_t local, struct err *err)
{
    const struct program_setup *setup = facts->setup;
    struct proc_setup proc = {.argv = (const char *const *)facts->command->argv.items,
                              .directory = setup->task->workdir,
                              .fd0 = -1,
                              .fd3 = -1};
    int result = open_outputs(program, setup, program->first_rank + local, &proc, err);
    if (result == 0) {
        struct texts env = program_env_make(facts, pin, local);
        proc.env = (const char *const *)env.items;
        pin_apply(pin, &proc);
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
    struct ranks_setup ranks = {.leads = setup->run->gang.node == 0,
                                .grace = setup->task->grace,
                                .later = setup->task->checkpoint ? EX_TEMPFAIL : 0,
                                .spoke = last_error,
                                .ended = on_end,
                                .context = program};
    program->ranks = ranks_create(program->loop, &ranks);
    if (setup->task->metrics_file && setup->run->gang.node == 0)
        program->file =
            metrics_file_create(setup->directory, setup->task->metrics_file, setup->run->attempt, program->went_on);
    program->begun = clock_monotonic();
    if (count == 1 && (setup->run->gang.ranks == 1 || setup->task->launch_first))
        return start_process(program, facts, setup->pin, 0, err);
    for (uint32_t i = 0; i < count; i++)
        if (start_rank(program, facts, i, err))
            return count > 1 ? err_prefix(err, "rank %u", program->first_rank + i) : -1;
    return 0;
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

static int prepare_files(const struct program_setup *setup, const struct trial_command_facts *trial, struct err *err)
{
    if (check_there(setup->task, err) || share_make_directory(setup->directory, err) ||
        program_files_write(trial->params_file, setup->run->params, err))
        return -1;
    if (gang_first_write(setup, err))
        return -1;
    return config_files_write(setup->task, setup->directory, trial->params, program_files_write, err);
}

/* Everything between a program that is allocated and one that runs. */
static int launch_program(struct program *program, const struct program_setup *setup, const json_t *params,
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
    struct program_env facts = {setup, &trial, &command, program->stream, origin};
    int result = trial_command_make(setup->task, &trial, &command, err);
    program->went_on = origin;
    if (result == 0) {
        *ending = ENDING_NOT_STARTED;
        result = prepare_files(setup, &trial, err);
        if (result == 0)
            result = start_processes(program, &facts, err);
        if (result == 0)
            program->first_watch = loop_timer(program->loop, FIRST_WATCH, watch_first, program);
        else
            remove_files(program, setup, params_file);
    }
    trial_command_fini(&command);
    free(params_file);
    free(origin);
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
    program->directory = mem_text(setup->directory);
    program->attempt = setup->run->attempt;
    program->first_rank = setup->run->gang.node * setup->run->gang.ranks;
    program->outputs[PRINTED_OUT] = program->outputs[PRINTED_ERR] = -1;
    program->printed = create_reader(program, setup->task);
    if (setup->port)
        program->stream = stream_create(setup->port, setup->run->trial, setup->run->attempt, &stream_calls, program);
    stream_share(program->stream, setup->run->gang.ranks * setup->run->gang.nodes);
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
    ranks_destroy(program->ranks);
    numbers_fini(&program->stayed);
    free(program->directory);
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
    ranks_end(program->ranks, grace);
}

static void end_asked(void *context)
{
    struct program *program = context;
    program->asked = NULL;
    ranks_end(program->ranks, program->last);
}

void program_ask(struct program *program, int signal, double grace)
{
    static const double most_last = 5; /* what was not saved by then will not be */
    ranks_signal(program->ranks, signal);
    program_tell(program, grace - fmin(most_last, grace / 4), grace);
}

void program_tell(struct program *program, double wait, double grace)
{
    program->last = grace - wait;
    ranks_expect_end(program->ranks);
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

bool program_has(const struct program *program, pid_t pid)
{
    return ranks_have(program->ranks, pid);
}

uint64_t program_memory(const struct program *program, bool exactly)
{
    return ranks_memory(program->ranks, exactly);
}

bool program_is_failing(const struct program *program)
{
    return ranks_have_failed(program->ranks);
}

const struct numbers *program_stayed(const struct program *program)
{
    return &program->stayed;
}

bool program_failed_in(const struct program *program, uint32_t *rank)
{
    *rank = program->counts;
    return program->has_failed;
}
