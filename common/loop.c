/* The event loop; see loop.h. A turn:
 *
 *     wait until something is ready or the next timer is due
 *     what is ready, then timers that are due, then what is called every turn
 *     free the watches that were removed meanwhile
 *
 * For a process that did not run for a while, stopped or without a processor, all of it has come at once. What is ready
 * goes first: a timer that ends somebody's patience then knows what came within it.
 *
 * A watch that is removed is only marked, so that nothing that the turn still walks over goes away under it. */
#include "common/loop.h"
#include "common/clock.h"
#include "common/mem.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum watch_kind { WATCH_LINK, WATCH_READ, WATCH_WRITE, WATCH_TIMER, WATCH_SIGNAL, WATCH_TURN };

enum { NOWHERE = -1 };

struct loop_watch {
    struct loop *loop;
    enum watch_kind kind;
    loop_call *call;
    void *context;
    struct link *link; /* WATCH_LINK */
    int fd;            /* WATCH_READ, WATCH_WRITE */
    int signal;        /* WATCH_SIGNAL */
    double due;        /* WATCH_TIMER: on the monotonic clock */
    uint64_t order;    /* WATCH_TIMER: among those due at once the first set comes first */
    long at;           /* WATCH_TIMER: place in the heap, or NOWHERE */
    bool removed;
};

/* Watches in the order they were added. */
struct watches {
    struct loop_watch **all;
    size_t count, capacity;
};

struct loop {
    struct watches polled, signals, turns; /* links and descriptors; signals; what is called every turn */
    struct watches timers;                 /* a heap: no timer is due before its parent, the one at (i - 1) / 2 */
    struct watches removed;                /* to be freed at the end of the turn */
    struct link_poll *items;               /* one for each of polled */
    size_t items_capacity;
    uint64_t orders;              /* how many timers were set */
    int signal_fd;                /* -1: no signal is watched */
    struct loop_watch *signal_in; /* watches signal_fd */
    sigset_t watched;             /* the signals that are read through signal_fd */
    sigset_t mask_before;         /* of the thread when the loop was made */
    struct loop_children children;
    bool running, stop;
    bool first; /* the first turn of a run is yet to come */
    double longest_turn;
};

/* --- lists of watches --- */

static void add_watch(struct watches *list, struct loop_watch *watch)
{
    MEM_GROW(list->all, list->capacity, list->count + 1);
    list->all[list->count++] = watch;
}

/* Takes out the removed ones, keeping the order. */
static void compact_watches(struct watches *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!list->all[i]->removed)
            list->all[kept++] = list->all[i];
    list->count = kept;
}

/* --- timers --- */

static bool is_before(const struct loop_watch *a, const struct loop_watch *b)
{
    return a->due < b->due || (a->due == b->due && a->order < b->order);
}

static void put_at(struct watches *heap, size_t at, struct loop_watch *timer)
{
    heap->all[at] = timer;
    timer->at = (long)at;
}

/* Moves a timer up or down until it is in order with its parent and children. */
static void settle_timer(struct watches *heap, size_t at)
{
    struct loop_watch *timer = heap->all[at];
    for (; at && is_before(timer, heap->all[(at - 1) / 2]); at = (at - 1) / 2)
        put_at(heap, at, heap->all[(at - 1) / 2]);
    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && is_before(heap->all[child + 1], heap->all[child]))
            child++;
        if (!is_before(heap->all[child], timer))
            break;
        put_at(heap, at, heap->all[child]);
    }
    put_at(heap, at, timer);
}

static void set_timer(struct loop_watch *timer, double seconds)
{
    struct loop *loop = timer->loop;
    timer->due = clock_monotonic() + (seconds > 0 ? seconds : 0);
    timer->order = loop->orders++;
    if (timer->at == NOWHERE) {
        timer->at = (long)loop->timers.count;
        add_watch(&loop->timers, timer);
    }
    settle_timer(&loop->timers, (size_t)timer->at);
}

static void clear_timer(struct loop_watch *timer)
{
    struct watches *heap = &timer->loop->timers;
    if (timer->at == NOWHERE)
        return;
    size_t hole = (size_t)timer->at;
    timer->at = NOWHERE;
    struct loop_watch *last = heap->all[--heap->count];
    if (last != timer) {
        put_at(heap, hole, last);
        settle_timer(heap, hole);
    }
}

/* --- add and remove --- */

static struct loop_watch *make_watch(struct loop *loop, enum watch_kind kind, loop_call *call, void *context)
{
    struct loop_watch *watch = MEM_NEW(struct loop_watch);
    watch->loop = loop;
    watch->kind = kind;
    watch->call = call;
    watch->context = context;
    watch->at = NOWHERE;
    return watch;
}

static struct loop_watch *watch_polled(struct loop *loop, enum watch_kind kind, struct link *link, int fd,
                                       loop_call *call, void *context)
{
    struct loop_watch *watch = make_watch(loop, kind, call, context);
    watch->link = link;
    watch->fd = fd;
    add_watch(&loop->polled, watch);
    return watch;
}

struct loop_watch *loop_link(struct loop *loop, struct link *link, loop_call *call, void *context)
{
    return watch_polled(loop, WATCH_LINK, link, -1, call, context);
}

struct loop_watch *loop_read(struct loop *loop, int fd, loop_call *call, void *context)
{
    return watch_polled(loop, WATCH_READ, NULL, fd, call, context);
}

struct loop_watch *loop_write(struct loop *loop, int fd, loop_call *call, void *context)
{
    return watch_polled(loop, WATCH_WRITE, NULL, fd, call, context);
}

struct loop_watch *loop_timer(struct loop *loop, double seconds, loop_call *call, void *context)
{
    struct loop_watch *timer = make_watch(loop, WATCH_TIMER, call, context);
    set_timer(timer, seconds);
    return timer;
}

void loop_move(struct loop_watch *timer, double seconds)
{
    assert(timer->kind == WATCH_TIMER && !timer->removed);
    set_timer(timer, seconds);
}

struct loop_watch *loop_turn(struct loop *loop, loop_call *call, void *context)
{
    struct loop_watch *watch = make_watch(loop, WATCH_TURN, call, context);
    add_watch(&loop->turns, watch);
    return watch;
}

void loop_remove(struct loop_watch *watch)
{
    if (!watch || watch->removed)
        return;
    clear_timer(watch);
    watch->removed = true;
    add_watch(&watch->loop->removed, watch);
}

/* --- signals --- */

static void call_signal(struct loop *loop, int signal)
{
    size_t count = loop->signals.count;
    for (size_t i = 0; i < count; i++) {
        struct loop_watch *watch = loop->signals.all[i];
        if (watch->signal == signal && !watch->removed)
            watch->call(watch->context);
    }
}

/* Calls all who watch the signals that came. Those that come meanwhile have their turn next time. */
static void take_signals(void *context)
{
    enum { MOST = 16 };
    struct loop *loop = context;
    struct signalfd_siginfo came[MOST];
    ssize_t length = read(loop->signal_fd, came, sizeof came);
    for (ssize_t i = 0; i < length / (ssize_t)sizeof *came; i++)
        call_signal(loop, (int)came[i].ssi_signo);
}

struct loop_watch *loop_signal(struct loop *loop, int signal, loop_call *call, void *context)
{
    struct loop_watch *watch = make_watch(loop, WATCH_SIGNAL, call, context);
    watch->signal = signal;
    add_watch(&loop->signals, watch);
    if (loop->signal_fd >= 0 && sigismember(&loop->watched, signal))
        return watch; /* another one watches it already */
    sigaddset(&loop->watched, signal);
    pthread_sigmask(SIG_BLOCK, &loop->watched, NULL);
    loop->signal_fd = signalfd(loop->signal_fd, &loop->watched, SFD_CLOEXEC | SFD_NONBLOCK);
    assert(loop->signal_fd >= 0); /* only a lack of descriptors could do that, at the start of a program */
    if (!loop->signal_in)
        loop->signal_in = loop_read(loop, loop->signal_fd, take_signals, loop);
    return watch;
}

struct loop_children *loop_children(struct loop *loop)
{
    return &loop->children;
}

/* --- life --- */

/* SIGCHLD is blocked from the first moment: it is lost when any thread of the process takes it instead. Whoever started
 * us may have ignored it, which a program inherits, and with which the kernel keeps no child's end for its parent. */
struct loop *loop_create(void)
{
    struct loop *loop = MEM_NEW(struct loop);
    sigset_t child;
    loop->signal_fd = -1;
    sigemptyset(&loop->watched);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    signal(SIGCHLD, SIG_DFL);
    pthread_sigmask(SIG_BLOCK, &child, &loop->mask_before);
    return loop;
}

static void free_removed(struct loop *loop)
{
    if (!loop->removed.count)
        return;
    compact_watches(&loop->polled);
    compact_watches(&loop->signals);
    compact_watches(&loop->turns);
    for (size_t i = 0; i < loop->removed.count; i++)
        free(loop->removed.all[i]);
    loop->removed.count = 0;
}

static void remove_all(struct watches *list)
{
    while (list->count)
        loop_remove(list->all[--list->count]);
    free(list->all);
}

void loop_destroy(struct loop *loop)
{
    if (!loop)
        return;
    assert(!loop->running);
    while (loop->timers.count)
        loop_remove(loop->timers.all[0]);
    free(loop->timers.all);
    remove_all(&loop->polled);
    remove_all(&loop->signals);
    remove_all(&loop->turns);
    for (size_t i = 0; i < loop->removed.count; i++)
        free(loop->removed.all[i]);
    free(loop->removed.all);
    free(loop->items);
    if (loop->children.has_null)
        close(loop->children.null);
    if (loop->signal_fd >= 0)
        close(loop->signal_fd);
    pthread_sigmask(SIG_SETMASK, &loop->mask_before, NULL);
    free(loop);
}

/* --- turns --- */

static void fill_items(struct loop *loop)
{
    MEM_GROW(loop->items, loop->items_capacity, loop->polled.count);
    for (size_t i = 0; i < loop->polled.count; i++) {
        const struct loop_watch *watch = loop->polled.all[i];
        loop->items[i] = (struct link_poll){.link = watch->link,
                                            .fd = watch->fd,
                                            .want_read = watch->kind != WATCH_WRITE,
                                            .want_write = watch->kind == WATCH_WRITE};
    }
}

static double time_to_wait(const struct loop *loop)
{
    if (loop->first)
        return 0;
    if (!loop->timers.count)
        return -1;
    double seconds = loop->timers.all[0]->due - clock_monotonic();
    return seconds > 0 ? seconds : 0;
}

/* Timers that are due now, of those that were set before this turn. */
static void call_timers(struct loop *loop, uint64_t orders)
{
    double now = clock_monotonic();
    while (loop->timers.count && loop->timers.all[0]->due <= now && loop->timers.all[0]->order < orders) {
        struct loop_watch *timer = loop->timers.all[0];
        clear_timer(timer);
        timer->call(timer->context);
        if (timer->at == NOWHERE)
            loop_remove(timer);
    }
}

static void call_ready(struct loop *loop, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct loop_watch *watch = loop->polled.all[i];
        if ((loop->items[i].can_read || loop->items[i].can_write) && !watch->removed)
            watch->call(watch->context);
    }
}

static void call_turns(struct loop *loop)
{
    size_t count = loop->turns.count;
    for (size_t i = 0; i < count; i++)
        if (!loop->turns.all[i]->removed)
            loop->turns.all[i]->call(loop->turns.all[i]->context);
}

static int take_turn(struct loop *loop, struct err *err)
{
    free_removed(loop);
    fill_items(loop);
    size_t count = loop->polled.count;
    if (link_wait(loop->items, count, time_to_wait(loop), err))
        return -1;
    double start = clock_monotonic();
    uint64_t orders = loop->orders;
    loop->first = false;
    call_ready(loop, count);
    call_timers(loop, orders);
    call_turns(loop);
    double seconds = clock_monotonic() - start;
    if (seconds > loop->longest_turn)
        loop->longest_turn = seconds;
    return 0;
}

int loop_run(struct loop *loop, struct err *err)
{
    int result = 0;
    assert(!loop->running);
    loop->running = loop->first = true;
    for (loop->stop = false; !loop->stop && result == 0;)
        result = take_turn(loop, err);
    loop->running = false;
    return result;
}

void loop_stop(struct loop *loop)
{
    loop->stop = true;
}

double loop_longest_turn(const struct loop *loop)
{
    return loop->longest_turn;
}
