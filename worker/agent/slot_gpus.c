/* The GPUs of a slot: why a program that ended badly did so, by what it said and by what the driver says. */
#include "common/gpu_share.h"
#include "common/mem.h"
#include "common/units.h"
#include "worker/agent/slot_parts.h"
#include "worker/program/gpu_words.h"

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

enum ending slot_judge_gpus(const struct agent_slot *slot, enum ending ending, const char *words, const char *tail,
                            struct buf *detail)
{
    const char *line = NULL;
    size_t length = 0;
    bool may_be = slot->place->gpus.count && (ending == ENDING_EXITED || ending == ENDING_CRASHED);
    enum gpu_trouble said = may_be ? gpu_words_find(words, &line, &length) : GPU_TROUBLE_NONE;
    if (may_be && said == GPU_TROUBLE_NONE)
        said = gpu_words_find(tail, &line, &length);
    if (said == GPU_TROUBLE_NONE)
        return ending;
    char *how = buf_take(detail);
    buf_text(detail, said == GPU_TROUBLE_MEMORY ? "its GPU had no memory left: " : "its GPU failed: ");
    add_line(line, length, detail);
    if (said == GPU_TROUBLE_MEMORY)
        add_sharers(slot, detail);
    if (how && !words)
        buf_format(detail, "; %s", how);
    free(how);
    return said == GPU_TROUBLE_MEMORY ? ENDING_GPU_OUT_OF_MEMORY : ENDING_GPU_FAILED;
}
