/* Telling the coordinator of dead workers; see obituary.h.
 *
 *     add        -> connect to the coordinator that the rendezvous names, ASK worker_dead, one at a time
 *     ANSWER     -> the next one; the connection is closed behind the last
 *     no answer  -> after a while connect anew: it may be another coordinator by now */
#include "scheduler/obituary.h"

#include "common/mem.h"
#include "common/msg.h"
#include "common/ring.h"

#include <stdlib.h>

static const double connect_seconds = 0.01; /* a local socket is connected in about that time */
static const double retry_seconds = 0.2;    /* a coordinator that died is back in about that time */
static const double answer_seconds = 2;     /* its turns are short: who does not answer by then has died */

struct obituary {
    struct loop *loop;
    struct link_context *links;
    const struct rundir *dir;
    struct ring dead; /* of int: processes still to be told of */
    struct link *link;
    struct loop_watch *watch, *timer;
    bool asked; /* the first of them, and not answered yet */
    struct buf bytes;
};

static void tell(struct obituary *obituary);

static void disconnect(struct obituary *obituary)
{
    loop_remove(obituary->watch);
    link_close(obituary->link);
    obituary->watch = NULL;
    obituary->link = NULL;
    obituary->asked = false;
}

static void timeout(void *context)
{
    struct obituary *obituary = context;
    obituary->timer = NULL;
    if (obituary->asked)
        disconnect(obituary);
    tell(obituary);
}

static void set_timer(struct obituary *obituary, double seconds)
{
    loop_remove(obituary->timer);
    obituary->timer = loop_timer(obituary->loop, seconds, timeout, obituary);
}

static void receive(void *context)
{
    struct obituary *obituary = context;
    uint64_t peer;
    if (link_receive(obituary->link, &peer, &obituary->bytes) != LINK_OK || !obituary->asked)
        return;
    obituary->asked = false;
    ring_pop(&obituary->dead);
    tell(obituary);
}

static void connect(struct obituary *obituary)
{
    struct rendezvous rendezvous;
    if (rendezvous_read(obituary->dir, &rendezvous, NULL) || !rendezvous_is_here(&rendezvous))
        return;
    obituary->link = link_connect(obituary->links, rendezvous.control, NULL, NULL, NULL);
    if (obituary->link)
        obituary->watch = loop_link(obituary->loop, obituary->link, receive, obituary);
}

static bool ask(struct obituary *obituary)
{
    const int *pid = ring_front(&obituary->dead);
    char *arguments = mem_format("{\"pid\": %d}", *pid);
    struct msg msg = {.kind = MSG_ASK, .ask = {.what = "worker_dead", .arguments = arguments}};
    buf_clear(&obituary->bytes);
    msg_encode(&msg, &obituary->bytes);
    free(arguments);
    return link_send(obituary->link, 0, obituary->bytes.data, obituary->bytes.length) == LINK_OK;
}

/* Goes on with whatever can be done now. */
static void tell(struct obituary *obituary)
{
    loop_remove(obituary->timer);
    obituary->timer = NULL;
    if (!obituary->dead.count) {
        disconnect(obituary);
        return;
    }
    if (!obituary->link)
        connect(obituary);
    if (obituary->link && !obituary->asked)
        obituary->asked = ask(obituary);
    set_timer(obituary, obituary->asked ? answer_seconds : obituary->link ? connect_seconds : retry_seconds);
}

struct obituary *obituary_open(struct loop *loop, struct link_context *links, const struct rundir *dir)
{
    struct obituary *obituary = MEM_NEW(struct obituary);
    obituary->loop = loop;
    obituary->links = links;
    obituary->dir = dir;
    ring_init(&obituary->dead, sizeof(int));
    return obituary;
}

void obituary_close(struct obituary *obituary)
{
    if (!obituary)
        return;
    loop_remove(obituary->timer);
    disconnect(obituary);
    ring_fini(&obituary->dead);
    buf_fini(&obituary->bytes);
    free(obituary);
}

void obituary_add(struct obituary *obituary, int pid)
{
    *(int *)ring_push(&obituary->dead) = pid;
    if (obituary->dead.count == 1)
        tell(obituary);
}
