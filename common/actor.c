/* A thread with an inbox; see actor.h.
 *
 *     loop's thread                         actor's thread
 *     actor_start  ------------------------> born
 *                  <------------------------ alive
 *     actor_send   -- inbox --------------->
 *                                            work on all that wait
 *     receive      <-- outbox, eventfd -----
 *     actor_stop   -- stopping ------------> finish the inbox, end
 *                  <------------------------ joined; what came back meanwhile is received */
#include "common/actor.h"
#include "common/mem.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Messages in order. */
struct messages {
    struct message *first, **end; /* end: where the next one is hung on */
};

struct actor {
    actor_work *work;
    void *state;
    void (*receive)(void *context, struct message *message);
    void *context;
    char name[16];
    pthread_t thread;
    int wake; /* eventfd: there is something in the outbox */
    struct loop_watch *watch;

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    struct messages inbox, outbox;
    bool alive, stopping;
};

static void messages_init(struct messages *messages)
{
    *messages = (struct messages){.end = &messages->first};
}

static void messages_add(struct messages *messages, struct message *more)
{
    *messages->end = more;
    for (; more; more = more->next)
        messages->end = &more->next;
}

static struct message *messages_take(struct messages *messages)
{
    struct message *first = messages->first;
    messages_init(messages);
    return first;
}

static void deliver_messages(void *context)
{
    struct actor *actor = context;
    eventfd_t count;
    eventfd_read(actor->wake, &count);
    pthread_mutex_lock(&actor->lock);
    struct message *message = messages_take(&actor->outbox);
    pthread_mutex_unlock(&actor->lock);
    for (struct message *next; message; message = next) {
        next = message->next;
        message->next = NULL;
        actor->receive(actor->context, message);
    }
}

/* Waits for messages. NULL: there are none and there will be none. */
static struct message *wait_for_messages(struct actor *actor)
{
    pthread_mutex_lock(&actor->lock);
    while (!actor->inbox.first && !actor->stopping)
        pthread_cond_wait(&actor->changed, &actor->lock);
    struct message *messages = messages_take(&actor->inbox);
    pthread_mutex_unlock(&actor->lock);
    return messages;
}

/* The loop is called only when there was nothing in the outbox: it takes all at once, and else it is on its way. */
static void send_back(struct actor *actor, struct message *messages)
{
    if (!messages)
        return;
    pthread_mutex_lock(&actor->lock);
    bool first = !actor->outbox.first;
    messages_add(&actor->outbox, messages);
    pthread_mutex_unlock(&actor->lock);
    if (first)
        eventfd_write(actor->wake, 1);
}

void actor_answer(struct actor *actor, struct message *messages)
{
    send_back(actor, messages);
}

static void *run_thread(void *argument)
{
    struct actor *actor = argument;
    pthread_setname_np(pthread_self(), actor->name);
    pthread_mutex_lock(&actor->lock);
    actor->alive = true;
    pthread_cond_signal(&actor->changed);
    pthread_mutex_unlock(&actor->lock);
    for (struct message *messages; (messages = wait_for_messages(actor));)
        send_back(actor, actor->work(actor->state, messages));
    return NULL;
}

/* Signals of a crash come to the thread that crashed; a blocked one would end the process before its handler. */
static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* The thread takes no other signals: they belong to the loop. */
static int start_thread(struct actor *actor)
{
    sigset_t others, before;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigdelset(&others, crashes[i]);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    int why = pthread_create(&actor->thread, NULL, run_thread, actor);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return why;
}

static void wait_until_alive(struct actor *actor)
{
    pthread_mutex_lock(&actor->lock);
    while (!actor->alive)
        pthread_cond_wait(&actor->changed, &actor->lock);
    pthread_mutex_unlock(&actor->lock);
}

static struct actor *make_actor(const char *name, actor_work *work, void *state)
{
    struct actor *actor = MEM_NEW(struct actor);
    actor->work = work;
    actor->state = state;
    snprintf(actor->name, sizeof actor->name, "%s", name);
    pthread_mutex_init(&actor->lock, NULL);
    pthread_cond_init(&actor->changed, NULL);
    messages_init(&actor->inbox);
    messages_init(&actor->outbox);
    return actor;
}

static void free_actor(struct actor *actor)
{
    if (actor->wake >= 0)
        close(actor->wake);
    pthread_cond_destroy(&actor->changed);
    pthread_mutex_destroy(&actor->lock);
    free(actor);
}

struct actor *actor_start(struct loop *loop, const char *name, actor_work *work, void *state,
                          void (*receive)(void *context, struct message *message), void *context, struct err *err)
{
    struct actor *actor = make_actor(name, work, state);
    actor->receive = receive;
    actor->context = context;
    actor->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (actor->wake < 0 || (errno = start_thread(actor))) {
        err_write_errno(err, "can't start the thread '%s'", name);
        free_actor(actor);
        return NULL;
    }
    wait_until_alive(actor);
    actor->watch = loop_read(loop, actor->wake, deliver_messages, actor);
    return actor;
}

/* The thread is woken when the lock is free: it would run into it at once. */
void actor_send(struct actor *actor, struct message *messages)
{
    pthread_mutex_lock(&actor->lock);
    assert(!actor->stopping);
    messages_add(&actor->inbox, messages);
    pthread_mutex_unlock(&actor->lock);
    pthread_cond_signal(&actor->changed);
}

void actor_stop(struct actor *actor)
{
    if (!actor)
        return;
    pthread_mutex_lock(&actor->lock);
    actor->stopping = true;
    pthread_cond_signal(&actor->changed);
    pthread_mutex_unlock(&actor->lock);
    pthread_join(actor->thread, NULL);
    loop_remove(actor->watch);
    deliver_messages(actor);
    free_actor(actor);
}
