/* The cores and GPUs of a slot. It takes them when it is made and when a run is to begin, keeps them while it has runs
 * and some seconds longer, and waits while another search has one of them. */
#include "worker/agent/slot_claim.h"
#include "worker/agent/slot_parts.h"

#include <stdlib.h>

#define WAIT_SECONDS   1.0 /* between two looks at what another search has */
#define UNUSED_SECONDS 5.0

/* What is given by Slurm, pretended, or a part of what the process has that started us is ours without a claim. */
struct claims *slot_claims_open(const struct agent_setup *setup, const struct topology *topology, bool in_job)
{
    const char *directory = claims_directory();
    bool is_ours = in_job || setup->source.machine || getenv("GANNET_TRIAL");
    bool is_open = setup->shared || topology->cores_shared || topology->cores_unknown;
    return is_ours || is_open || !directory ? NULL : claims_create(directory);
}

bool slot_claim(struct agent_slot *slot)
{
    struct buf why = {0};
    if (slot->claimed || !slot->host->claims)
        return true;
    slot->claimed = claims_take(slot->host->claims, &slot->names, &why);
    slot->unused_since = 0;
    if (!slot->claimed) {
        buf_text(&why, "; --share runs on it all the same");
        slot_wait(slot, buf_str(&why), WAIT_SECONDS);
    }
    buf_fini(&why);
    return slot->claimed;
}

void slot_unclaim(struct agent_slot *slot)
{
    if (slot->claimed)
        claims_return(slot->host->claims, &slot->names);
    slot->claimed = false;
}

void slot_claim_tick(struct agent_slot *slot, double now)
{
    bool is_used = slot->front || slot->server || !list_is_empty(&slot->queue);
    if (is_used || !slot->claimed)
        slot->unused_since = 0;
    else if (slot->unused_since <= 0)
        slot->unused_since = now;
    else if (now - slot->unused_since > UNUSED_SECONDS)
        slot_unclaim(slot);
}

void slot_try_again(struct agent_slot *slot)
{
    if (!slot_claim(slot))
        return;
    slot->waits = false;
    slot_tell_wait(slot);
}
