/* The GPUs of a slot: why a program that ended badly did so, by what it said and by what the driver says. */
#include "common/gpu_share.h"
#include "common/log.h"
#include "common/units.h"
#include "worker/agent/slot_parts.h"
#include "worker/program/gpu_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Adds that the memory was not the run's alone, where that is so: it may be others' fault. */
static void add_sharers(const struct agent_slot *slot, struct buf *detail)
{
    const struct slot_place *place = slot->place;
    uint64_t memory = slot_gpu_memory(&slot->host->topology, place);
    char part[32], size[32];
    if (place->gpu_slots < 2)
        return;
    buf_format(detail, "; it has %s", gpu_share_words(place->gpu_slots, part, sizeof part));
    if (memory)
        buf_format(detail, "the GPU, %s, and nothing keeps the others to theirs%s",
                   units_show_size(memory, size, sizeof size), place->mps ? " but MPS" : "");
    else
        buf_text(detail, "the GPU, and nothing keeps the others to theirs");
}

static void add_line(const char *line, size_t length, struct buf *detail)
{
    enum { LONGEST = 300 };
    while (length && (*line == ' ' || *line == '\t')) {
        line++;
        length--;
    }
    buf_add(detail, line, length < LONGEST ? length : LONGEST);
}

/* --- what the driver says --- */

static bool is_watched(const struct agent_slot *slot)
{
    return slot->host->gpus && slot->place->gpus.count;
}

/* "GPU 1 (NVIDIA H100, GPU-7f3a) has fallen off the bus (Xid 79)". */
static void add_fault(const struct agent_slot *slot, size_t i, struct gpu_fault fault, struct buf *out)
{
    char words[200];
    const struct topology_gpu *gpu = &slot->host->topology.gpus[slot->place->gpus.items[i]];
    buf_format(out, "GPU %u (%s, %s) %s", gpu->index, gpu->name, gpu->uuid,
               gpu_fault_words(fault, words, sizeof words));
}

/* Adds what is wrong with the first GPU that nothing more is to be begun on; false: with none. */
static bool find_fault(const struct agent_slot *slot, struct buf *out)
{
    struct gpu_reading reading;
    for (size_t i = 0; is_watched(slot) && i < slot->place->gpus.count; i++) {
        gpu_watch_read(slot->host->gpus, slot->place->gpus.items[i], &reading);
        struct gpu_fault fault = gpu_reading_fault(&reading);
        if (fault.sign == GPU_SIGN_NONE)
            continue;
        add_fault(slot, i, fault, out);
        return true;
    }
    return false;
}

/* Adds what happened during the front run that was the hardware's fault. */
static bool find_event(const struct agent_slot *slot, struct buf *out)
{
    struct gpu_reading reading;
    for (size_t i = 0; is_watched(slot) && i < slot->place->gpus.count; i++) {
        gpu_watch_read(slot->host->gpus, slot->place->gpus.items[i], &reading);
        if (gpu_fault_blame(reading.event) < GPU_BLAME_RUN || reading.event_at < slot->front->begun)
            continue;
        add_fault(slot, i, reading.event, out);
        return true;
    }
    return find_fault(slot, out);
}

/* Says once of each event that it was the hardware's fault, but is over. */
static void log_events(struct agent_slot *slot)
{
    struct gpu_reading reading;
    double told = slot->gpu_event_told;
    for (size_t i = 0; is_watched(slot) && i < slot->place->gpus.count; i++) {
        gpu_watch_read(slot->host->gpus, slot->place->gpus.items[i], &reading);
        if (gpu_fault_blame(reading.event) != GPU_BLAME_RUN || reading.event_at <= told)
            continue;
        struct buf words = {0};
        add_fault(slot, i, reading.event, &words);
        log_warning("slot %u: %s", slot->index, buf_str(&words));
        buf_fini(&words);
        slot->gpu_event_told = fmax(slot->gpu_event_told, reading.event_at);
    }
}

void slot_gpus_tick(struct agent_slot *slot, double now)
{
    static const double patience = 1;
    struct buf why = {0};
    log_events(slot);
    if (find_fault(slot, &why)) {
        buf_text(&why, "; it is set aside until it was reset");
        slot_wait(slot, buf_str(&why), patience);
        slot->has_bad_gpu = true;
        if (slot->front && slot->front->state != RUN_STOPPING)
            slot_stop_front(slot, ENDING_GPU_FAILED, buf_str(&why), slot->host->task.grace);
    } else if (now >= slot->paused_until) {
        slot->has_bad_gpu = false;
    }
    if (slot->has_bad_gpu)
        gpu_watch_want(slot->host->gpus); /* else nobody looks whether it is well again */
    buf_fini(&why);
}

bool slot_gpus_may_say(const struct agent_slot *slot, const struct proc_exit *how)
{
    return is_watched(slot) && slot->program && slot->front && how->number;
}

bool slot_gpus_have_said(const struct agent_slot *slot, double since)
{
    struct gpu_reading reading;
    gpu_watch_want(slot->host->gpus);
    for (size_t i = 0; i < slot->place->gpus.count; i++) {
        gpu_watch_read(slot->host->gpus, slot->place->gpus.items[i], &reading);
        if (reading.at < since)
            return false;
    }
    return true;
}

/* --- the verdict --- */

static void add_how(char *how, struct buf *detail)
{
    if (how && *how)
        buf_format(detail, "; %s", how);
    free(how);
}

enum ending slot_judge_gpus(const struct agent_slot *slot, enum ending ending, const char *words, const char *tail,
                            struct buf *detail)
{
    const char *line = NULL;
    size_t length = 0;
    struct buf event = {0};
    if (!slot->place->gpus.count || (ending != ENDING_EXITED && ending != ENDING_CRASHED))
        return ending;
    enum gpu_trouble said = gpu_words_find(words, &line, &length);
    if (said == GPU_TROUBLE_NONE)
        said = gpu_words_find(tail, &line, &length);
    bool has_event = find_event(slot, &event);
    if (!has_event && said == GPU_TROUBLE_NONE)
        return ending;
    char *how = buf_take(detail);
    if (has_event)
        buf_text(detail, buf_str(&event));
    else
        buf_text(detail, said == GPU_TROUBLE_MEMORY ? "its GPU had no memory left: " : "its GPU failed: ");
    if (!has_event)
        add_line(line, length, detail);
    bool is_full = !has_event && said == GPU_TROUBLE_MEMORY;
    if (is_full)
        add_sharers(slot, detail);
    add_how(how, detail);
    buf_fini(&event);
    return is_full ? ENDING_GPU_OUT_OF_MEMORY : ENDING_GPU_FAILED;
}
