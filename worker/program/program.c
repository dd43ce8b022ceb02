/* Programs; see program.h.
 *
 * Standard output and error are files of the trial's directory, not pipes: the program never waits for the worker,
 * however much it prints, and people can follow the files. The worker reads both files behind the program. */
#include "worker/program/program.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/texts.h"
#include "worker/program/process_tree.h"
#include "worker/program/program_files.h"
#include "worker/program/program_parts.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "time."

static bool is_among(const char *name, const char *const *metrics)
{
    for (; *metrics; metrics++)
        if (strcmp(*metrics, name) == 0)
            return true;
    return false;
}

/* All names that a program's output is searched for: the metrics (NULL at the end), then those of the phases that it
 * can tell of, which are set in `tells`. A name that a metric has stays the metric's. */
static void told_phase_names(const char *const *metrics, struct texts *out, bool tells[PHASES_COUNT])
{
    texts_add_all(out, metrics);
    for (int phase = PHASE_DATA; phase <= PHASE_CHECKPOINT; phase++) {
        char *name = mem_format(PREFIX "%s", phase_name((enum phase)phase));
        tells[phase] = !is_among(name, metrics);
        if (tells[phase])
            texts_add(out, name);
        else
            free(name);
    }
}

/* The phase that a name tells of; -1: it is a metric. */
static int told_phase_of(const bool tells[PHASES_COUNT], const char *name)
{
    bool prefixed = strncmp(name, PREFIX, strlen(PREFIX)) == 0;
    int phase = prefixed ? phase_named(name + strlen(PREFIX)) : -1;
    return phase >= 0 && tells[phase] ? phase : -1;
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
    if (program->ranks) {
        ranks_watch_memory(program->ranks, peak_of);
    } else {
        uint64_t peak = peak_of(server_pid(program->server));
        program->peak = peak > program->peak ? peak : program->peak;
    }
    program->watched = now;
}

static void watch_first(void *context)
{
    struct program *program = context;
    program->first_watch = NULL;
    if (!program->has_ended)
        watch_memory(program, proc_peak);
    if (!program->has_ended && program->ranks)
        ranks_count_events(program->ranks);
}

/* --- reading --- */

static void on_metric(void *context, const char *name, int64_t step, double value)
{
    struct program *program = context;
    int phase = told_phase_of(program->tells, name);
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
    told_phase_names(task->metrics, &names, program->tells);
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

/* Of the first process it is known whether it has written any, unless its metrics are elsewhere. */
static void add_tail(const struct program *program, struct buf *tail)
{
    struct program_files files = {program->directory, program->attempt};
    bool is_empty = !program->counts && !program->file && !program->taken[PRINTED_ERR];
    if (!is_empty)
        program_files_tail(&files, program->counts, program->counts ? -1 : program->outputs[PRINTED_ERR], tail);
}

static void tell_end(struct program *program)
{
    struct buf tail = {0}, others = {0};
    printed_end(program->printed);
    add_tail(program, &tail);
    program_files_tidy(&(struct program_files){program->directory, program->attempt}, program->first_rank,
                       program->count);
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
    if (!program->has_ended)          /* else it was drained */
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
    if (!program->has_ended && program->ranks)
        ranks_watch_use(program->ranks, clock_monotonic());
    if (!program->more && !program->has_ended)
        read_on(program);
}

void program_hear(struct program *program)
{
    if (program->has_ended)
        return;
    if (program->ranks)
        ranks_look(program->ranks);
    else
        server_look(program->server);
}

bool program_is_over(const struct program *program)
{
    return program->has_ended || (program->ranks ? ranks_are_gone(program->ranks) : server_has_end(program->server));
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

void program_ended(struct program *program, const struct proc_exit *how)
{
    program->has_ended = true;
    program->how = *how;
    stream_drain(program->stream);
    if (!program->more)
        read_on(program);
}

/* --- its life --- */

struct program *program_start(struct loop *loop, const struct program_setup *setup, const struct program_calls *calls,
                              void *context, enum ending *ending, struct err *err)
{
    struct program *program = MEM_NEW(struct program);
    json_t *params = json_loads(setup->run->params, JSON_REJECT_DUPLICATES, NULL);
    run_counters_clear(&program->counters);
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
    int result = json_is_object(params) ? program_launch(program, setup, params, ending, err)
                                        : err_set(err, "its parameters are no JSON object");
    json_decref(params);
    if (result) {
        program_destroy(program);
        return NULL;
    }
    program->first_watch = loop_timer(program->loop, FIRST_WATCH, watch_first, program);
    return program;
}

void program_destroy(struct program *program)
{
    if (!program)
        return;
    ranks_destroy(program->ranks);
    if (program->server)
        server_forget(program->server);
    free(program->words);
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
    if (program->ranks)
        ranks_end(program->ranks, grace);
    else if (!program->has_ended) /* else it may have a process, but not this trial */
        server_end(program->server, grace);
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
    if (program->ranks)
        ranks_signal(program->ranks, signal);
    else if (!program->has_ended)
        server_signal(program->server, signal);
    program_tell(program, grace - fmin(most_last, grace / 4), grace);
}

void program_tell(struct program *program, double wait, double grace)
{
    program->last = grace - wait;
    if (program->ranks)
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
    return program->ranks && ranks_have(program->ranks, pid);
}

pid_t program_stopped(const struct program *program)
{
    return program->ranks ? ranks_stopped(program->ranks) : process_tree_stopped(server_pid(program->server));
}

uint64_t program_memory(const struct program *program, bool exactly)
{
    if (program->ranks)
        return ranks_memory(program->ranks, exactly);
    return process_tree_memory(server_pid(program->server), exactly);
}

bool program_is_failing(const struct program *program)
{
    return program->ranks && ranks_have_failed(program->ranks);
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

const struct run_counters *program_counters(const struct program *program)
{
    return &program->counters;
}

bool program_counts_gpu(const struct program *program, const char **why)
{
    *why = program->gpu_obstacle;
    return program->counts_gpu;
}

const char *program_words(const struct program *program)
{
    return program->words;
}
