/* The slots of an agent: made of a task's resources, and those of older resources that keep what runs in them. */
#ifndef GANNET_WORKER_AGENT_SLOT_SET_H
#define GANNET_WORKER_AGENT_SLOT_SET_H

#include "worker/agent/slot.h"
#include "worker/hardware/mps.h"

struct slot_set {
    struct slot_host *host;
    struct mps *mps; /* through which slots share GPUs; NULL: none */
    struct slots places;
    struct agent_slot **all; /* one a place, then retired ones */
    uint32_t count;          /* all of these */
};

/* Makes the slots that the task's resources give, in front of those that were retired before; every run gets a slot
 * among the new ones, to be told to the coordinator: one that its own slot overlaps, so that nothing else is given
 * there. -1 with a sentence when this machine can't run the task. */
int slot_set_make(struct slot_set *set, struct err *err);

/* The resources of trials change: what has not begun goes back, slots in which something runs stay until it ends, all
 * others go, and so do the places. */
void slot_set_retire(struct slot_set *set);

/* Removes the retired slots in which nothing runs any more. */
void slot_set_reap(struct slot_set *set);

/* Ends all at once; a zeroed struct is fine. */
bool slot_set_serves(const struct slot_set *set); /* whether there is a persistent program */

/* Lets persistent programs exit, which are needed no more; true when none is left. */
bool slot_set_part(struct slot_set *set);

void slot_set_fini(struct slot_set *set);

/* Whether a retired slot still has cores or GPUs of this one. */
bool slot_set_blocks(const struct slot_set *set, const struct agent_slot *slot);

/* The slot that has a run which has not ended. */
struct agent_slot *slot_set_find(const struct slot_set *set, const struct run *run);

/* After an OFFER all slots can begin, of which nothing else is said: says it of those that can't, or lack a core. */
void slot_set_tell_waits(const struct slot_set *set);

/* The slots, in an OFFER to the coordinator at `endpoint`. */
void slot_set_list(const struct slot_set *set, const char *endpoint, struct msg *offer);

#endif
