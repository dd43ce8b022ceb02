/* Where the processes of a run on several nodes meet that begins in this slot: a port of the node, and for kernels the
 * secret by which they know each other. */
#include "common/log.h"
#include "common/mem.h"
#include "worker/agent/slot.h"
#include "worker/program/gang_env.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

/* The same secret for all runs of the slot: what is signed with it says the run and something that was never said
 * before. */
static char *make_secret(void)
{
    uint64_t random[2];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return NULL; /* no kernel can meet then, and says so */
    return mem_format("%016llx%016llx", (unsigned long long)random[0], (unsigned long long)random[1]);
}

void slot_name_port(struct agent_slot *slot)
{
    if (slot->host->task.nodes < 2)
        return;
    slot->port = gang_env_port();
    slot->secret = slot->host->task.kernel ? make_secret() : NULL;
}

/* Whether the port is still nobody's; one of a run that has just ended is, to who says so as kernels do. */
static bool is_free(const struct agent_slot *slot, uint16_t port)
{
    return port && gang_env_is_free(port, slot->host->task.kernel != NULL);
}

/* Else the run goes back, and comes again with another one. */
bool slot_has_port(struct agent_slot *slot)
{
    struct run *run = slot->front;
    struct talk *talk = slot->host->report->talk;
    if (run->gang.nodes < 2 || run->gang.node || is_free(slot, run->gang.port))
        return true;
    slot->port = gang_env_port();
    if (!slot->port) {
        slot_fail_start(slot, ENDING_NOT_STARTED, "no port of its node is free for its processes to meet at", "");
        return false;
    }
    log_info("port %u, where the nodes of trial %llu were to meet, is taken; the next is %u", run->gang.port,
             (unsigned long long)run->trial, slot->port);
    struct msg msg = {.kind = MSG_PORT, .port = {.slot = slot->index, .port = slot->port}};
    if (talk->joined && !slot->retired)
        talk_send(talk, &msg);
    slot->front = NULL;
    report_return(slot->host->report, run);
    return false;
}
