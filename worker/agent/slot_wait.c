/* A start that fails (no such program, a trainer that dies before it is ready) fails its run, and pauses the slot for a
 * growing while, so that a broken node does not burn through an experiment's trials. One that fails for want of room,
 * descriptors, processes or memory is nobody's fault and passes: the run goes back, and the slot asks for no other
 * before it has waited, longer each time, until a start succeeds. */
#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "worker/agent/slot_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_PAUSE   0.1
#define LONGEST_PAUSE 10.0
#define FIRST_WAIT    1.0
#define LONGEST_WAIT  30.0

void slot_fail_start(struct agent_slot *slot, enum ending ending, const char *why, const char *tail)
{
    if (ending == ENDING_NOT_STARTED) {
        slot->pause = slot->pause > 0 ? fmin(2 * slot->pause, LONGEST_PAUSE) : FIRST_PAUSE;
        slot->paused_until = clock_monotonic() + slot->pause;
        log_warning("slot %u: trial %llu could not start: %s", slot->index, (unsigned long long)slot->front->trial,
                    why);
    }
    slot_end_front(slot, ending, why, tail);
}

void slot_tell_wait(const struct agent_slot *slot)
{
    struct talk *talk = slot->host->reporter->talk;
    struct msg msg = {.kind = MSG_WAITS, .waits = {.slot = slot->index, .why = slot->waits ? slot->lacks : ""}};
    if (talk->joined && !slot->retired)
        talk_send(talk, &msg);
}

void slot_wait(struct agent_slot *slot, const char *why, double seconds)
{
    bool is_news = !slot->lacks || strcmp(slot->lacks, why) != 0;
    char *lacks = mem_text(why);
    if (is_news)
        log_warning("slot %u waits: %s", slot->index, why);
    free(slot->lacks);
    slot->lacks = lacks;
    slot->paused_until = clock_monotonic() + seconds;
    if (is_news || !slot->waits) {
        slot->waits = true;
        slot_tell_wait(slot);
    }
}

/* The wait is told before the run goes back: else it would come again at once. */
void slot_wait_for_more(struct agent_slot *slot, const char *why)
{
    struct run *run = slot->front;
    slot->pause = slot->lacks ? fmin(2 * slot->pause, LONGEST_WAIT) : FIRST_WAIT;
    slot_wait(slot, why, slot->pause);
    slot->front = NULL;
    reporter_return(slot->host->reporter, run);
}

void slot_fail_or_wait(struct agent_slot *slot, enum ending ending, const struct err *err)
{
    if (ending == ENDING_NOT_STARTED && err_is_shortage(err) && slot->front->state == RUN_STARTING)
        slot_wait_for_more(slot, err->text);
    else
        slot_fail_start(slot, ending, err->text, "");
}

void slot_started(struct agent_slot *slot)
{
    if (slot->lacks)
        log_info("slot %u goes on", slot->index);
    free(slot->lacks);
    slot->lacks = NULL;
    slot->pause = 0;
}
