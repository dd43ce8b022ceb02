/* Telling the coordinator; see herald.h.
 *
 *     tell       -> connect to the coordinator that the rendezvous names, ASK, one at a time
 *     ANSWER     -> the next one; the connection is closed behind the last
 *     no answer  -> after a while connect anew: it may be another coordinator by now */
#include "scheduler/herald.h"

#include "common/mem.h"
#include "common/msg.h"
#include "common/ring.h"

#include <stdlib.h>

static const double connect_seconds = 0.01; /* a local socket is connected in about that time */
static const double retry_seconds = 0.2;    /* a coordinator that died is back in about that time */
static const double answer_seconds = 2;     /* its turns are short: who does not answer by then has died */

/* One thing to tell. */
struct news {
    char *what, *arguments;
};

struct herald {
    struct loop *loop;
    struct link_context *links;
    const struct rundir *dir;
    struct ring untold; /* of struct news */
    struct link *link;
    struct loop_watch *watch, *timer;
    bool asked; /* the first of them, and not answered yet */
    struct buf bytes;
};

static void tell(struct herald *herald);

static void disconnect(struct herald *herald)
{
    loop_remove(herald->watch);
    link_close(herald->link);
    herald->watch = NULL;
    herald->link = NULL;
    herald->asked = false;
}

static void timeout(void *context)
{
    struct herald *herald = context;
    herald->timer = NULL;
    if (herald->asked)
        disconnect(herald);
    tell(herald);
}

static void set_timer(struct herald *herald, double seconds)
{
    loop_remove(herald->timer);
    herald->timer = loop_timer(herald->loop, seconds, timeout, herald);
}

static void drop_first(struct herald *herald)
{
    struct news *news = ring_front(&herald->untold);
    free(news->what);
    free(news->arguments);
    ring_pop(&herald->untold);
}

static void receive(void *context)
{
    struct herald *herald = context;
    uint64_t peer;
    if (link_receive(herald->link, &peer, &herald->bytes) != LINK_OK || !herald->asked)
        return;
    herald->asked = false;
    drop_first(herald);
    tell(herald);
}

static void connect(struct herald *herald)
{
    struct rendezvous rendezvous;
    if (rendezvous_read(herald->dir, &rendezvous, NULL) || !rendezvous_is_here(&rendezvous))
        return;
    herald->link = link_connect(herald->links, rendezvous.control, NULL, NULL, NULL);
    if (herald->link)
        herald->watch = loop_link(herald->loop, herald->link, receive, herald);
}

static bool ask(struct herald *herald)
{
    const struct news *news = ring_front(&herald->untold);
    struct msg msg = {.kind = MSG_ASK, .ask = {.what = news->what, .arguments = news->arguments}};
    buf_clear(&herald->bytes);
    msg_encode(&msg, &herald->bytes);
    return link_send(herald->link, 0, herald->bytes.data, herald->bytes.length) == LINK_OK;
}

/* Goes on with whatever can be done now. */
static void tell(struct herald *herald)
{
    loop_remove(herald->timer);
    herald->timer = NULL;
    if (!herald->untold.count) {
        disconnect(herald);
        return;
    }
    if (!herald->link)
        connect(herald);
    if (herald->link && !herald->asked)
        herald->asked = ask(herald);
    set_timer(herald, herald->asked ? answer_seconds : herald->link ? connect_seconds : retry_seconds);
}

struct herald *herald_open(struct loop *loop, struct link_context *links, const struct rundir *dir)
{
    struct herald *herald = MEM_NEW(struct herald);
    herald->loop = loop;
    herald->links = links;
    herald->dir = dir;
    ring_init(&herald->untold, sizeof(struct news));
    return herald;
}

void herald_close(struct herald *herald)
{
    if (!herald)
        return;
    loop_remove(herald->timer);
    disconnect(herald);
    while (herald->untold.count)
        drop_first(herald);
    ring_fini(&herald->untold);
    buf_fini(&herald->bytes);
    free(herald);
}

void herald_tell(struct herald *herald, const char *what, json_t *arguments)
{
    char *text = json_dumps(arguments, JSON_COMPACT);
    *(struct news *)ring_push(&herald->untold) = (struct news){mem_text(what), text};
    json_decref(arguments);
    if (herald->untold.count == 1)
        tell(herald);
}
