/* The front run of a slot: what trainers and programs have in common, from where its files are to how it ends. */
#include "worker/agent/slot_parts.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "worker/program/ending.h"

#include <signal.h>
#include <stdlib.h>

/* A program of ours may have died of the signal that ends the job so long before we get ours. */
#define JOB_SIGNAL_SECONDS 1.0 /* on a busy node the signal was seen to come some hundred milliseconds later */
/* So long the next look at its GPUs is waited for, which is due after GPU_OFTEN: a driver may not answer. */
#define GPUS_SECONDS 3.0

void slot_sample(struct agent_slot *slot, const struct msg_sample *sample)
{
    struct run *run = slot->front;
    bool whole = !run->thin.any;
    run_sample(run, slot->host->task.metrics, sample);
    if (whole && run->thin.any)
        log_info(
            "trial %llu attempt %u has reported %d values of '%s': from here on some of them are recorded, not all",
            (unsigned long long)run->trial, run->attempt, THIN_WHOLE, sample->metric);
}

void slot_note_node(struct agent_slot *slot)
{
    slot->node_before = *node_watch_read(&slot->host->node, clock_monotonic());
    frequency_begin(&slot->frequency);
    gpu_run_begin(&slot->gpu_run, slot->front->begun);
}

/* Takes what was seen of them last. */
static void look_at_gpus(struct agent_slot *slot)
{
    const struct numbers *gpus = &slot->place->gpus;
    struct gpu_reading reading;
    for (size_t i = 0; slot->host->gpus && i < gpus->count; i++) {
        gpu_watch_read(slot->host->gpus, gpus->items[i], &reading);
        gpu_run_add(&slot->gpu_run, i, &reading);
    }
}

static void count_node(struct agent_slot *slot, struct run *run)
{
    struct run_counters since;
    if (run->seconds < NODE_SHORTEST)
        return;
    node_since(&slot->node_before, node_watch_read(&slot->host->node, clock_monotonic()), run->cpu_seconds, &since);
    run_counters_merge(&run->counters, &since);
    frequency_end(&slot->frequency, &run->counters);
    look_at_gpus(slot);
    gpu_run_end(&slot->gpu_run, slot->place->gpus.count, slot->place->gpu_slots, run->seconds, &run->counters);
    if (slot->place->cores.count)
        run->counters.values[COUNT_CORES] = (double)slot->place->cores.count;
}

void slot_look_at_node(struct agent_slot *slot, double now)
{
    if (now - slot->front->begun < NODE_SHORTEST)
        return;
    frequency_look(&slot->frequency, slot->host->node.sys, now);
    look_at_gpus(slot);
    if (slot->host->gpus && slot->place->gpus.count)
        gpu_watch_want(slot->host->gpus);
}

void slot_end_front(struct agent_slot *slot, enum ending ending, const char *detail, const char *tail)
{
    struct run *run = slot->front;
    slot->front = NULL;
    run_end(run, clock_monotonic(), ending, detail, tail);
    count_node(slot, run);
    log_debug("trial %llu attempt %u on slot %u: %s%s%s", (unsigned long long)run->trial, run->attempt, slot->index,
              ending_name(run->ending), *run->detail ? ": " : "", run->detail);
    reporter_ended(slot->host->reporter, run);
}

char *slot_directory(const struct agent_slot *slot, uint64_t trial)
{
    const char *rundir = slot->host->rundir ? slot->host->rundir : slot->host->task.directory;
    return mem_format("%s/trials/%06llu", rundir, (unsigned long long)trial);
}

char *slot_origin(const struct agent_slot *slot, const struct run *run)
{
    if (!run->from)
        return NULL;
    char *directory = slot_directory(slot, run->from), *path = mem_format("%s/" RUN_CHECKPOINT, directory);
    free(directory);
    return path;
}

/* Whether a process in a job ended by SIGTERM, which Slurm sends to every process of a job that it ends. */
static bool may_end_with_job(const struct agent_slot *slot, const struct proc_exit *how)
{
    enum { ENDED_IN_SHELL = 128 + SIGTERM };
    return slot->host->in_job && how->number == (how->by_signal ? SIGTERM : ENDED_IN_SHELL);
}

void slot_forget_gone(struct slot_gone *gone)
{
    if (!gone)
        return;
    loop_remove(gone->timer);
    free(gone->tail);
    free(gone->words);
    free(gone);
}

void slot_settle(struct agent_slot *slot)
{
    struct slot_gone *gone = slot->gone;
    if (!gone)
        return;
    slot->gone = NULL;
    gone->end(slot, &gone->how, gone->tail, gone->words);
    slot_forget_gone(gone);
}

static void settle_late(void *context)
{
    slot_settle(context);
}

void slot_lose(struct agent_slot *slot, const struct proc_exit *how, const char *tail, const char *words,
               slot_end_call *end)
{
    bool is_asked = !slot->front || slot->front->state == RUN_STOPPING; /* then the end is no riddle */
    bool with_job = may_end_with_job(slot, how), by_gpus = !with_job && slot_gpus_may_say(slot, how);
    if (is_asked || slot->host->stage == AGENT_LEAVING || !(with_job || by_gpus)) {
        end(slot, how, tail, words);
        return;
    }
    double now = clock_monotonic(), patience = by_gpus ? GPUS_SECONDS : JOB_SIGNAL_SECONDS;
    slot->gone = MEM_NEW(struct slot_gone);
    *slot->gone = (struct slot_gone){.how = *how,
                                     .tail = mem_text(tail),
                                     .words = mem_text(words),
                                     .end = end,
                                     .gpus_since = by_gpus ? now : 0,
                                     .timer = loop_timer(slot->host->loop, patience, settle_late, slot)};
}

enum ending slot_judge(struct agent_slot *slot, const struct proc_exit *how, struct buf *detail)
{
    enum { KILLED_IN_SHELL = 128 + SIGKILL };
    if (may_end_with_job(slot, how) && slot->host->stage == AGENT_LEAVING) {
        buf_text(detail, "Slurm has ended the job");
        return slot->host->leave_with;
    }
    bool killed = how->number == (how->by_signal ? SIGKILL : KILLED_IN_SHELL);
    return ending_of_exit(how, killed && slot->host->calls->was_starved(slot->host->context), detail);
}
