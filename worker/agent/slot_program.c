/* The front run of a slot as a program of its own. */
#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/units.h"
#include "worker/agent/slot_parts.h"
#include "common/clients.h"
#include "worker/program/gang_env.h"
#include "worker/program/gpu_work.h"
#include "worker/program/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sysexits.h>

/* A program that asks whether to stop is given so long to do it by itself, when it is to save nothing first. */
#define TOLD_SECONDS 10.0

/* It is left to end by itself for a while. */
static void wait_for_program(struct agent_slot *slot, bool is_to_save, double grace)
{
    program_tell(slot->program, is_to_save ? grace * 3 / 4 : fmin(grace / 2, TOLD_SECONDS), grace);
}

void slot_stop_program(struct agent_slot *slot, double grace)
{
    const struct task *task = &slot->host->task;
    bool keep = ending_keeps((enum ending)slot->front->stop_ending);
    if (keep && task->checkpoint && task->signal && grace > 0)
        program_ask(slot->program, task->signal, grace);
    else if (program_asks(slot->program) && grace > 0)
        wait_for_program(slot, keep, grace);
    else
        program_end(slot->program, grace);
}

/* It has gone beyond the step that it was to pause after, or has saved that; one that is to live on returns by itself
 * then. */
static void pause_program(struct agent_slot *slot, bool has_saved)
{
    double grace = slot->host->task.grace;
    run_stop(slot->front, ENDING_PAUSED, "");
    slot->front->stop_at = clock_monotonic() + grace;
    if (slot->server && has_saved)
        wait_for_program(slot, false, grace);
    else
        slot_stop_program(slot, grace);
}

/* Whether a program has taken all the steps that a trial is to take. */
static bool has_done_all(const struct agent_slot *slot)
{
    uint64_t steps = slot->host->task.max_steps;
    return steps && run_reached(slot->front, (int64_t)steps);
}

/* What of a grace is left for SIGTERM. */
static double last_of(double grace)
{
    static const double most = 5; /* what did not end by then does not mean to */
    return fmin(most, grace / 4);
}

/* Stops one that was to end by itself. */
static void stop_finished(struct agent_slot *slot, double now, const char *why)
{
    double grace = last_of(slot->host->task.grace);
    char *detail = mem_format("it had taken all %llu steps of early_stop.max_steps and %s",
                              (unsigned long long)slot->host->task.max_steps, why);
    run_stop(slot->front, ENDING_STOPPED_EARLY, detail);
    free(detail);
    slot->front->stop_at = now + grace;
    slot_stop_program(slot, grace);
}

/* It goes on: a last value without a step of its own counts as one step more, so it is the second that says so. */
static void check_further(struct agent_slot *slot, int64_t step)
{
    const struct run *run = slot->front;
    if (run->state == RUN_RUNNING && run->finish_at > 0 && step > 1 && (uint64_t)step - 1 > slot->host->task.max_steps)
        stop_finished(slot, clock_monotonic(), "went on");
}

static void on_value(void *context, const struct msg_sample *sample)
{
    struct agent_slot *slot = context;
    struct run *run = slot->front;
    const struct task *task = &slot->host->task;
    if (run->gang.node)
        return; /* the first node reports */
    bool objective = strcmp(sample->metric, task->metric) == 0;
    if (run->went_on && !run->resumed && sample->step > 0)
        run->resumed = (uint64_t)sample->step - 1; /* the first step that it takes is the one after its checkpoint's */
    slot_sample(slot, sample);
    reporter_sampled(slot->host->reporter, run);
    if (objective && run->until && sample->step > (int64_t)run->until && run->state == RUN_RUNNING)
        pause_program(slot, false);
    if (objective)
        check_further(slot, sample->step);
}

/* --- what it says on its stream --- */

/* It spent time there and says so, here or in what it prints: neither more than it has run, nor less than none. */
static void on_phase(void *context, const char *name, double seconds, uint64_t count)
{
    struct run *run = ((struct agent_slot *)context)->front;
    if (seconds >= 0 && seconds <= clock_monotonic() - run->begun)
        run_phase(run, name, seconds, count);
}

/* A checkpoint is all that a run that is to go on later was still waited for. */
static void on_saved(void *context, int64_t step)
{
    struct agent_slot *slot = context;
    struct run *run = slot->front;
    bool keeps = run->stop_ending != RUN_NO_ENDING && ending_keeps((enum ending)run->stop_ending);
    bool returns = slot->server && program_asks(slot->program); /* a process that stays is not to be ended for it */
    if (run->state == RUN_STOPPING && keeps && !returns)
        program_end(slot->program, fmax(0.1, run->stop_at - clock_monotonic()));
    else if (run->state == RUN_RUNNING && run->until && step >= (int64_t)run->until)
        pause_program(slot, true);
}

static void on_asked(void *context, int64_t step, struct stream_stop *out)
{
    struct agent_slot *slot = context;
    const struct run *run = slot->front;
    bool may_save = slot->host->task.checkpoint;
    out->until = run->until;
    if (run->state == RUN_STOPPING) {
        out->reason = ending_name((enum ending)run->stop_ending);
        out->detail = *run->stop_detail ? run->stop_detail : ending_sentence((enum ending)run->stop_ending);
        out->save = may_save && ending_keeps((enum ending)run->stop_ending);
    } else if (run->until && (step >= (int64_t)run->until || run_reached(run, (int64_t)run->until))) {
        out->reason = ending_name(ENDING_PAUSED);
        out->detail = "it has come to the step after which it is to pause";
        out->save = may_save;
    }
}

/* --- its end --- */

/* Whether a program that ended by itself has only paused: it came to the step, and left a checkpoint to go on from. */
static bool has_paused(const struct agent_slot *slot)
{
    const struct run *run = slot->front;
    char *directory = slot_directory(slot, run->trial), *path = mem_format("%s/" RUN_CHECKPOINT, directory);
    bool there = run->until && run_reached(run, (int64_t)run->until) && path_exists(path);
    free(path);
    free(directory);
    return there;
}

bool slot_let_finish(struct agent_slot *slot, enum ending ending, double grace)
{
    struct run *run = slot->front;
    if (!slot->program || slot->gone || ending != ENDING_STOPPED_EARLY || grace <= 0 || !has_done_all(slot))
        return false;
    if (!(run->finish_at > 0))
        run->finish_at = clock_monotonic() + grace - last_of(grace);
    return true;
}

bool slot_is_over(const struct agent_slot *slot)
{
    return slot->program && !slot->gone && program_is_over(slot->program);
}

bool slot_let_fail(struct agent_slot *slot, double grace)
{
    if (!slot->program || slot->gone || !program_is_failing(slot->program))
        return false;
    program_end(slot->program, grace);
    return true;
}

void slot_end_finish(struct agent_slot *slot, double now)
{
    struct run *run = slot->front;
    char shown[32], detail[64];
    if (run->state != RUN_RUNNING || !(run->finish_at > 0) || now < run->finish_at)
        return;
    snprintf(detail, sizeof detail, "did not end by itself within %s (trial.grace)",
             units_show_duration(slot->host->task.grace, shown, sizeof shown));
    stop_finished(slot, now, detail);
}

/* How a program ended that was asked to: its status is that of one that was told to end. But when it had taken all of
 * its steps, the trial has all that it is to have: it does not go on later. */
static enum ending judge_stopped(struct agent_slot *slot, enum ending ending)
{
    struct run *run = slot->front;
    bool later = ending_retry((enum ending)run->stop_ending) == RETRY_LATER;
    if (!has_done_all(slot) || !(later || run->stop_ending == ENDING_STOPPED_EARLY))
        return (enum ending)run->stop_ending;
    if (ending == ENDING_COMPLETED)
        return ENDING_COMPLETED;
    if (later)
        run_stop_instead(run, ENDING_STOPPED_EARLY, "it had taken all of its steps when the time of its job was up");
    return ENDING_STOPPED_EARLY;
}

/* Whether a program that ended by itself says that it has saved a checkpoint and is to go on later. */
static bool wants_to_go_on(const struct agent_slot *slot, const struct proc_exit *how, struct buf *detail)
{
    if (how->by_signal || how->number != EX_TEMPFAIL || !slot->host->task.checkpoint)
        return false;
    if (program_saved(slot->program)) {
        buf_clear(detail);
        return true;
    }
    buf_text(detail, " (it would go on later if it had saved a checkpoint)");
    return false;
}

/* The sentence that says what was missed, and what was there. */
static void miss_value(const struct task *task, const char *others, struct buf *detail)
{
    if (task->metrics_file)
        buf_format(detail, "there is no value of '%s' in its file %s (trial.metrics_from)", task->metric,
                   task->metrics_file);
    else
        buf_format(detail, "it printed no value of '%s'", task->metric);
    if (task->pattern)
        buf_format(detail, " that fits the pattern \"%s\"", task->pattern);
    else if (task->persistent && !task->metrics_file)
        buf_text(detail, "; the function that gannet.serve calls may return it, or tell it by trial.metric");
    else
        buf_format(detail, "; write it as %s=0.5 on a line", task->metric);
    if (*others)
        buf_format(detail, "; %s", others);
}

/* The last of some lines. */
static const char *last_line(const char *lines)
{
    const char *last = strrchr(lines, '\n');
    return last ? last + 1 : lines;
}

/* Of several processes: which one the ending is about, and its last line of error output. */
static void name_rank(const struct agent_slot *slot, const char *tail, struct buf *detail)
{
    uint32_t rank;
    const struct numbers *stayed = program_stayed(slot->program);
    if (program_failed_in(slot->program, &rank)) {
        char *how = buf_take(detail);
        buf_format(detail, "rank %u: %s%s%s", rank, how, *tail ? ": " : "", last_line(tail));
        free(how);
    } else if (stayed->count) {
        char shown[32];
        buf_format(detail, "%srank%s ", detail->length ? "; " : "", stayed->count == 1 ? "" : "s");
        numbers_show(stayed, detail);
        buf_format(detail, " did not end within %s of rank 0 (trial.grace) and had to be ended",
                   units_show_duration(slot->host->task.grace, shown, sizeof shown));
    }
}

/* Gives the run to a new process: the one that it was given to had left, and knew nothing of it. That one had ended
 * trials before, so this comes to an end. */
static void begin_anew(struct agent_slot *slot)
{
    log_info("slot %u: the persistent program left before it had read of trial %llu, which a new process gets",
             slot->index, (unsigned long long)slot->front->trial);
    program_destroy(slot->program);
    slot->program = NULL;
    slot->front->state = RUN_STARTING;
    slot_check_server(slot);
    slot->host->calls->left(slot->host->context);
    slot_begin_program(slot);
    slot->act(slot);
}

static void take_gpu_work(struct agent_slot *slot)
{
    const char *why;
    if (!program_counts_gpu(slot->program, &why))
        return;
    char *directory = slot_directory(slot, slot->front->trial);
    gpu_work_take(directory, slot->host->task.profile, why, slot->front);
    free(directory);
}

static void end_program(struct agent_slot *slot, const struct proc_exit *how, const char *tail, const char *others)
{
    struct run *run = slot->front;
    if (slot->server && server_left_early(slot->server) && run->state == RUN_RUNNING) {
        begin_anew(slot);
        return;
    }
    struct buf detail = {0};
    if (how->number)
        slot->host->found = 0; /* something that it needs may be gone */
    enum ending ending = slot_judge(slot, how, &detail);
    const char *words = program_words(slot->program);
    if (words && *words && how->number) {
        buf_clear(&detail);
        buf_text(&detail, words);
    }
    ending = slot_judge_server(slot, how, ending, &detail);
    if (run->state != RUN_STOPPING)
        ending = slot_judge_gpus(slot, ending, words && *words ? words : NULL, tail, &detail);
    name_rank(slot, tail, &detail);
    if (run->state == RUN_STOPPING)
        ending = judge_stopped(slot, ending);
    else if (wants_to_go_on(slot, how, &detail))
        ending = ENDING_REQUEUED;
    else if (ending == ENDING_COMPLETED && has_paused(slot))
        ending = ENDING_PAUSED;
    else if (ending == ENDING_COMPLETED && !run_has_value(run) && !run->went_on && !run->gang.node) {
        ending = ENDING_NO_VALUE;
        miss_value(&slot->host->task, others, &detail);
        if (how->left_others)
            buf_text(&detail,
                     "; it left processes in the background, which end with it: let the program wait for them");
    }
    run_work(run, clock_monotonic() - run->begun - run->launch);
    run_profile(run, how->user + how->system, how->peak_memory, NULL, 0);
    run_counters_merge(&run->counters, program_counters(slot->program));
    take_gpu_work(slot);
    program_destroy(slot->program);
    slot->program = NULL;
    slot_end_front(slot, ending, buf_str(&detail), tail);
    slot_check_server(slot);
    slot->host->calls->left(slot->host->context); /* what it has put in the background ends with it */
    buf_fini(&detail);
    slot->act(slot);
}

static void on_program_gone(void *context, const struct proc_exit *how, const char *tail, const char *others)
{
    slot_lose(context, how, tail, others, end_program);
}

/* What came before was the start of its process, unless another trial had that. */
static void on_began(void *context)
{
    struct agent_slot *slot = context;
    slot->front->launch = clock_monotonic() - slot->front->begun;
}

static const struct program_calls program_calls = {on_value, on_phase, on_saved, on_asked, on_began, on_program_gone};

/* What all programs of the worker share, before the first of them: the socket of their streams, without which they are
 * read by what they print, and the modules for them. */
static void prepare_host(struct slot_host *host)
{
    enum { MOST = 1024 };
    struct err err;
    struct rlimit files = {.rlim_cur = MOST};
    if (host->has_looked)
        return;
    getrlimit(RLIMIT_NOFILE, &files);
    host->has_looked = true;
    host->python = clients_python();
    host->port =
        stream_port_create(host->loop, (uint32_t)(files.rlim_cur / 4 < MOST ? files.rlim_cur / 4 : MOST), &err);
    if (!host->port)
        log_warning("programs can't say how they go, but what they print is read: %s", err.text);
}

void slot_begin_program(struct agent_slot *slot)
{
    struct err err;
    enum ending ending;
    struct gang *gang = &slot->front->gang;
    if (!slot_has_port(slot))
        return;
    prepare_host(slot->host);
    slot_need_server(slot);
    gang->ranks = slot->host->task.ranks;
    if (gang->nodes == 1 && gang->ranks > 1)
        gang->port = gang_env_port();
    char *directory = slot_directory(slot, slot->front->trial), *origin = slot_origin(slot, slot->front);
    struct program_setup setup = {.task = &slot->host->task,
                                  .run = slot->front,
                                  .directory = directory,
                                  .origin = origin,
                                  .pin = slot->pin,
                                  .events = slot->host->events,
                                  .topology = &slot->host->topology,
                                  .place = slot->place,
                                  .marks = (const char *const *)slot->host->marks.items,
                                  .server = slot->server,
                                  .port = slot->host->port,
                                  .python = slot->host->python,
                                  .gpus = (uint32_t)slot->place->gpus.count,
                                  .lines = slot->host->lines,
                                  .cupti = slot->host->cupti,
                                  .deadline = slot->host->deadline,
                                  .found = &slot->host->found};
    slot->program = program_start(slot->host->loop, &setup, &program_calls, slot, &ending, &err);
    if (slot->program) {
        slot_started(slot);
        slot->front->state = RUN_RUNNING;
        slot->front->went_on = program_went_on(slot->program);
        slot->front->launch = clock_monotonic() - slot->front->begun;
    } else {
        slot_fail_or_wait(slot, ending, &err);
        slot_check_server(slot);
    }
    free(origin);
    free(directory);
}
