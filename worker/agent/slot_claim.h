/* The cores and GPUs of a slot, against other searches on the machine (worker/hardware/claim.h). */
#ifndef GANNET_WORKER_AGENT_SLOT_CLAIM_H
#define GANNET_WORKER_AGENT_SLOT_CLAIM_H

#include "worker/agent/agent.h"
#include "worker/agent/slot.h"

/* Where the slots of this machine claim theirs; claims_destroy it. NULL: nothing needs to be claimed. */
struct claims *slot_claims_open(const struct agent_setup *setup, const struct topology *topology, bool in_job);

/* Whether the slot has its cores and GPUs, or could take them now. If not it waits. */
bool slot_claim(struct agent_slot *slot);
void slot_unclaim(struct agent_slot *slot);

/* Gives back what it has not used for some seconds: a search that runs few trials at a time leaves room for others. */
void slot_claim_tick(struct agent_slot *slot, double now);

/* It has waited long enough: goes on, unless another search still has what it needs. */
void slot_try_again(struct agent_slot *slot);

#endif
