/* Telling the coordinator; see notifier.h.
 *
 *     tell       -> connect to the coordinator that the discovery names, ASK, one at a time
 *     ANSWER     -> the next one; the connection is closed behind the last
 *     no answer, no connection  -> after a while connect anew: it may be another coordinator by now */
#include "scheduler/supervisor/notifier.h"

#include "common/clock.h"
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
    void (*answered)(void *context, const json_t *answer); /* NULL: nobody wants to know */
    void *context;
};

struct notifier {
    struct loop *loop;
    struct link_context *links;
    const struct rundir *dir;
    struct ring untold; /* of struct news */
    struct link *link;
    struct loop_watch *watch, *timer;
    double opened; /* when the link was made */
    bool asked;    /* the first of them, and not answered yet */
    struct buf bytes;
};

static void tell_news_supervisor(struct notifier *notifier);

static void close_connection(struct notifier *notifier)
{
    loop_remove(notifier->watch);
    link_close(notifier->link);
    notifier->watch = NULL;
    notifier->link = NULL;
    notifier->asked = false;
}

static void on_timeout(void *context)
{
    struct notifier *notifier = context;
    notifier->timer = NULL;
    if (notifier->asked || clock_monotonic() - notifier->opened > answer_seconds)
        close_connection(notifier);
    tell_news_supervisor(notifier);
}

static void set_timer(struct notifier *notifier, double seconds)
{
    loop_remove(notifier->timer);
    notifier->timer = loop_timer(notifier->loop, seconds, on_timeout, notifier);
}

static struct news take_first(struct notifier *notifier)
{
    struct news news = *(struct news *)ring_front(&notifier->untold);
    free(news.what);
    free(news.arguments);
    ring_pop(&notifier->untold);
    return news;
}

static void hand_on(const struct news *news, const struct buf *bytes)
{
    struct msg msg;
    if (!news->answered || msg_decode(&msg, bytes->data, bytes->length, NULL))
        return;
    bool fine = msg.kind == MSG_ANSWER && !msg.answer.status;
    json_t *answer = fine ? json_loads(msg.answer.text, 0, NULL) : NULL;
    msg_fini(&msg);
    news->answered(news->context, answer);
    json_decref(answer);
}

static void receive_answer_supervisor(void *context)
{
    struct notifier *notifier = context;
    uint64_t peer;
    if (link_receive(notifier->link, &peer, &notifier->bytes) != LINK_OK || !notifier->asked)
        return;
    notifier->asked = false;
    struct news news = take_first(notifier);
    hand_on(&news, &notifier->bytes);
    tell_news_supervisor(notifier);
}

static void open_connection(struct notifier *notifier)
{
    struct discovery discovery;
    struct key_pair mine = {0};
    if (discovery_read(notifier->dir, &discovery, NULL) || !discovery_is_here(&discovery))
        return;
    if (rundir_read_key(notifier->dir, "operator", &mine, NULL) == 0)
        notifier->link = link_connect(notifier->links, discovery.control, &mine, discovery.public_key, NULL);
    keys_wipe(&mine);
    notifier->opened = clock_monotonic();
    if (notifier->link)
        notifier->watch = loop_link(notifier->loop, notifier->link, receive_answer_supervisor, notifier);
}

static bool send_news(struct notifier *notifier)
{
    const struct news *news = ring_front(&notifier->untold);
    struct msg msg = {.kind = MSG_ASK, .ask = {.what = news->what, .arguments = news->arguments}};
    buf_clear(&notifier->bytes);
    msg_encode(&msg, &notifier->bytes);
    return link_send(notifier->link, 0, notifier->bytes.data, notifier->bytes.length) == LINK_OK;
}

/* Goes on with whatever can be done now. */
static void tell_news_supervisor(struct notifier *notifier)
{
    loop_remove(notifier->timer);
    notifier->timer = NULL;
    if (!notifier->untold.count) {
        close_connection(notifier);
        return;
    }
    if (!notifier->link)
        open_connection(notifier);
    if (notifier->link && !notifier->asked)
        notifier->asked = send_news(notifier);
    set_timer(notifier, notifier->asked ? answer_seconds : notifier->link ? connect_seconds : retry_seconds);
}

struct notifier *notifier_open(struct loop *loop, struct link_context *links, const struct rundir *dir)
{
    struct notifier *notifier = MEM_NEW(struct notifier);
    notifier->loop = loop;
    notifier->links = links;
    notifier->dir = dir;
    ring_init(&notifier->untold, sizeof(struct news));
    return notifier;
}

void notifier_close(struct notifier *notifier)
{
    if (!notifier)
        return;
    loop_remove(notifier->timer);
    close_connection(notifier);
    while (notifier->untold.count)
        take_first(notifier);
    ring_fini(&notifier->untold);
    buf_fini(&notifier->bytes);
    free(notifier);
}

void notifier_ask(struct notifier *notifier, const char *what, json_t *arguments,
                  void (*answered)(void *context, const json_t *answer), void *context)
{
    char *text = json_dumps(arguments, JSON_COMPACT);
    *(struct news *)ring_push(&notifier->untold) = (struct news){mem_text(what), text, answered, context};
    json_decref(arguments);
    if (notifier->untold.count == 1)
        tell_news_supervisor(notifier);
}

void notifier_tell(struct notifier *notifier, const char *what, json_t *arguments)
{
    notifier_ask(notifier, what, arguments, NULL, NULL);
}

bool notifier_has_told(const struct notifier *notifier)
{
    return !notifier->untold.count;
}
