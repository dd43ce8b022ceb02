/* The persistent program of a slot: its process stays from trial to trial, and is replaced when it has ended, grew, has
 * run as many trials as it may, or the task has changed. One that has had nothing to do for a while is ended: others
 * may want the cores and the GPU memory that it holds. */
#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/node.h"
#include "worker/agent/slot_parts.h"
#include "worker/program/program.h"

#include <stdlib.h>
#include <unistd.h>

#define IDLE_SECONDS 30.0

static char *name_log(const struct agent_slot *slot)
{
    char node[NODE_SIZE];
    const char *rundir = slot->host->rundir ? slot->host->rundir : slot->host->task.directory;
    return mem_format("%s/logs/program-%s-%d-%u.log", rundir, node_name(node), (int)getpid(), slot->index);
}

static void forget_server(struct agent_slot *slot)
{
    server_destroy(slot->server);
    slot->server = NULL;
    slot->stale = false;
    slot->idle_since = 0;
}

/* Its trial, if it had one, is judged by its output first. */
static void on_idle_gone(void *context)
{
    struct agent_slot *slot = context;
    slot->host->calls->left(slot->host->context);
    if (slot->program)
        return;
    forget_server(slot);
    slot->act(slot);
}

void slot_need_server(struct agent_slot *slot)
{
    slot->idle_since = 0;
    if (slot->server || !slot->host->task.persistent)
        return;
    char *log = name_log(slot);
    slot->server = server_create(slot->host->loop, slot->host->port, log, on_idle_gone, slot);
    free(log);
}

void slot_check_server(struct agent_slot *slot)
{
    if (!slot->server)
        return;
    slot->idle_since = clock_monotonic();
    if (server_is_gone(slot->server) || !server_pid(slot->server)) {
        forget_server(slot);
    } else if (!server_is_ending(slot->server) &&
               (slot->stale || server_is_worn(slot->server, &slot->host->task, slot->place->memory))) {
        log_info("slot %u: a new process of the persistent program takes over", slot->index);
        server_close(slot->server);
    }
}

bool slot_part_server(struct agent_slot *slot)
{
    if (slot->server && !slot->program)
        server_close(slot->server);
    return !slot->server;
}

void slot_server_tick(struct agent_slot *slot, double now)
{
    if (slot->server && slot->idle_since > 0 && now - slot->idle_since > IDLE_SECONDS)
        slot_part_server(slot);
}

static enum ending say_unserved(const struct proc_exit *how, enum ending ending, struct buf *detail)
{
    if (how->by_signal)
        buf_text(detail, " before it called gannet.serve(...) (trial.persistent)");
    else if (how->number)
        buf_text(detail, " before it called gannet.serve(...) (trial.persistent); its error output says why");
    else
        buf_text(detail, "trial.persistent is true, but the program ended without gannet.serve(...): call "
                         "gannet.serve(train) with a function that trains one trial, or leave trial.persistent out");
    return ending == ENDING_COMPLETED ? ENDING_EXITED : ending;
}

enum ending slot_judge_server(const struct agent_slot *slot, const struct proc_exit *how, enum ending ending,
                              struct buf *detail)
{
    const struct server *server = slot->server;
    if (!server || program_words(slot->program))
        return ending;
    if (server_trouble(server)) {
        buf_clear(detail);
        buf_format(detail, "its process was ended: %s", server_trouble(server));
        return ENDING_CRASHED;
    }
    if (!server_has_served(server))
        return say_unserved(how, ending, detail);
    if (ending != ENDING_COMPLETED)
        return ending;
    buf_text(detail, "its process exited with status 0 in the middle of it");
    return ENDING_EXITED;
}
