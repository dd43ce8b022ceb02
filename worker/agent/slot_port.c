/* Where the processes of a run on several nodes meet that begins in this slot: a port of the node, and for kernels the
 * secret by which they know each other. */
#include "common/log.h"
#include "common/mem.h"
#include "worker/agent/slot_parts.h"
#include "worker/program/gang_env.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

/* The same secret for all runs of the slot: what is signed with it says the run and something that was never said
 * before. */
static char *make_secret(void)
{
    uint64_t random[2];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return NULL; /* no kernel can meet then, and says so */
    return mem_format("%016llx%016llx", (unsigned long long)random[0], (unsigned long long)random[1]);
}

/* Of the range of the task, a slot begins with another one than its neighbours, and goes on behind the one it had. */
static uint16_t find_port(const struct agent_slot *slot)
{
    const struct task_ports *ports = &slot->host->task.ports;
    uint32_t turn = slot->port >= ports->first ? slot->port - ports->first + 1 : (uint32_t)getpid() + slot->index;
    return ports->last ? gang_env_port_of(ports, turn, slot->host->task.kernel != NULL) : gang_env_port();
}

void slot_name_port(struct agent_slot *slot)
{
    if (slot->host->task.nodes < 2)
        return;
    slot->port = find_port(slot);
    slot->secret = slot->host->task.kernel ? make_secret() : NULL;
}

/* Whether the port is one of the task's and still nobody's; one of a run that has just ended is, to who says so as
 * kernels do. */
static bool is_free(const struct agent_slot *slot, uint16_t port)
{
    const struct task_ports *ports = &slot->host->task.ports;
    bool inside = !ports->last || (port >= ports->first && port <= ports->last);
    return port && inside && gang_env_is_free(port, slot->host->task.kernel != NULL);
}

static void say_none_is_free(const struct agent_slot *slot, struct err *err)
{
    const struct task_ports *ports = &slot->host->task.ports;
    if (ports->last)
        err_write(err,
                  "network.ports is %u-%u, and none of these is free on this node for the processes of a trial to meet "
                  "at; a wider range takes 'gannet run DIRECTORY --resume --set network.ports=FIRST-LAST'",
                  ports->first, ports->last);
    else
        err_write(err, "no port of this node is free for the processes of a trial to meet at");
}

/* Else the run goes back, and comes again with another one. */
bool slot_has_port(struct agent_slot *slot)
{
    struct run *run = slot->front;
    struct talk *talk = slot->host->reporter->talk;
    struct err err;
    if (run->gang.nodes < 2 || run->gang.node || is_free(slot, run->gang.port))
        return true;
    slot->port = find_port(slot);
    if (!slot->port) {
        say_none_is_free(slot, &err);
        slot_wait_for_more(slot, err.text);
        return false;
    }
    log_info("the nodes of trial %llu can't meet at port %u; the next is %u", (unsigned long long)run->trial,
             run->gang.port, slot->port);
    struct msg msg = {.kind = MSG_PORT, .port = {.slot = slot->index, .port = slot->port}};
    if (talk->joined && !slot->retired)
        talk_send(talk, &msg);
    slot->front = NULL;
    reporter_return(slot->host->reporter, run);
    return false;
}
