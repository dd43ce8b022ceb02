/* One supervised program; see child.h.
 *
 *     running --dies--> pause --> running ...
 *             --dies for the MOST_DEATHS-th time without progress--> gone
 *             --is told to wait for the MOST_WAITS-th time without progress--> gone
 *             --leaves, or is ended--> gone
 *
 * A process that is killed and stays, because it waits in the kernel for a file server or a device, counts as dead
 * after a while: what it was needed for does not wait for it. */
#include "scheduler/supervisor/child.h"

#include "common/buf.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/texts.h"
#include "common/share.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_DEATHS = 5, MOST_WAITS = 30, SHOWN_LINES = 5 };

static const double first_pause = 0.05; /* seconds: whoever is needed comes back at once */
static const double usual_hold = 30;    /* for the kernel to let go of a process that was killed */

struct child {
    struct child_setup setup;
    struct texts argv;
    size_t lasting; /* words of argv that further starts have, too */
    char *mark, *log;
    struct proc *proc;        /* NULL: it does not run */
    struct loop_watch *pause; /* until it is started again, or `gone` is called */
    struct loop_watch *hold;  /* until the process that was killed counts as dead though it is there */
    char *killed;             /* why child_kill was called for this process; NULL: it was not */
    char *last_words;         /* why it is gone; NULL: it is not, or in order */
    bool ending, gone;
    uint32_t restarts;
    uint32_t deaths;    /* in a row: the pauses grow with them */
    uint32_t fruitless; /* since the experiment came forward last: these end it */
    uint32_t waits;     /* in a row, and since then: it was told to wait */
    uint64_t progress;
    double wait;    /* seconds before the next start; 0: as its deaths say */
    double started; /* on the monotonic clock */
};

/* --- the log --- */

/* Adds the last lines of the file. */
static void add_tail(const char *path, struct buf *out)
{
    char text[2048];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t length = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    off_t start = length > (off_t)sizeof text - 1 ? length - (off_t)sizeof text + 1 : 0;
    ssize_t got = fd < 0 ? 0 : pread(fd, text, sizeof text - 1, start);
    if (fd >= 0)
        close(fd);
    while (got > 0 && text[got - 1] == '\n')
        got--;
    text[got > 0 ? got : 0] = '\0';
    char *at = text + strlen(text);
    for (int lines = 0; at > text; at--)
        if (at[-1] == '\n' && ++lines == SHOWN_LINES)
            break;
    buf_text(out, at);
}

static char *last_words(const struct child *child, const char *how)
{
    struct buf words = {0}, tail = {0};
    add_tail(child->log, &tail);
    buf_format(&words, "%s %s", child->argv.items[0], how);
    if (tail.length)
        buf_format(&words, "; the end of %s:\n%s", child->log, buf_str(&tail));
    buf_fini(&tail);
    return buf_take(&words);
}

/* --- life and death --- */

static void note_exit(void *context, const struct proc_exit *how);

static int start_process_supervisor(struct child *child, struct err *err)
{
    const char *env[] = {child->mark, NULL};
    int log = open(child->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (log < 0)
        return err_errno(err, "can't open the log file %s", child->log);
    share_file(log, child->log);
    struct proc_setup setup = {.argv = (const char *const *)child->argv.items,
                               .env = env,
                               .fd0 = -1,
                               .fd1 = log,
                               .fd2 = log,
                               .fd3 = -1,
                               .parent_death_signal = child->setup.death_signal};
    child->started = clock_monotonic();
    child->proc = proc_start(child->setup.loop, &setup, note_exit, child, err);
    close(log);
    return child->proc ? 0 : -1;
}

static void call_gone(void *context)
{
    struct child *child = context;
    child->pause = NULL;
    child->gone = true;
    child->setup.gone(child->setup.context, child, child->last_words);
}

static void drop_first_words(struct child *child)
{
    struct texts *argv = &child->argv;
    while (argv->count > child->lasting) {
        free(argv->items[--argv->count]);
        argv->items[argv->count] = NULL;
    }
}

static void start_again(void *context)
{
    struct child *child = context;
    struct err err;
    child->pause = NULL;
    child->wait = 0;
    child->restarts++;
    free(child->killed);
    child->killed = NULL;
    drop_first_words(child);
    if (start_process_supervisor(child, &err) == 0)
        return;
    child->last_words = mem_text(err.text);
    call_gone(child);
}

static void describe_exit(const struct child *child, const struct proc_exit *how, char *out, size_t size)
{
    if (child->killed)
        snprintf(out, size, "was killed: %s", child->killed);
    else if (how->by_signal)
        snprintf(out, size, "was killed by signal %d (%s)", how->number, strsignal(how->number));
    else
        snprintf(out, size, "ended with status %d", how->number);
}

/* The pause before the next start: 0.05 s, 0.1 s, 0.2 s ... A death after which it is to wait is none of those. */
static double pause_seconds(const struct child *child)
{
    if (child->wait > 0)
        return child->wait;
    double seconds = ldexp(child->setup.pause, (int)fmin(child->deaths - 1, 30));
    return child->setup.pause_most > 0 ? fmin(seconds, child->setup.pause_most) : seconds;
}

/* Counts the death that has just happened. */
static void count_death(struct child *child)
{
    uint64_t progress = child->setup.progress(child->setup.context);
    bool forward = progress > child->progress, timed = child->setup.steady > 0;
    bool steady = timed && clock_monotonic() - child->started >= child->setup.steady;
    child->waits = !(child->wait > 0) ? 0 : forward ? 1 : child->waits + 1;
    child->progress = progress;
    if (child->wait > 0)
        return;
    child->deaths = steady || (forward && !timed) ? 1 : child->deaths + 1;
    child->fruitless = steady || forward ? 1 : child->fruitless + 1;
}

static void say_death(const struct child *child, const char *words)
{
    if (child->setup.pause < 1)
        log_warning("%s %s", child->argv.items[0], words);
    else
        log_warning("%s %s; it is tried again in %.0f s, and %s may say why", child->argv.items[0], words,
                    pause_seconds(child), child->log);
}

/* Starts it again after a pause, or gives up. */
static void restart_or_give_up(struct child *child, const struct proc_exit *how)
{
    char words[128];
    describe_exit(child, how, words, sizeof words);
    count_death(child);
    if (child->fruitless < child->setup.most_deaths && child->waits < MOST_WAITS) {
        say_death(child, words);
        child->pause = loop_timer(child->setup.loop, pause_seconds(child), start_again, child);
        return;
    }
    log_warning("%s %s", child->argv.items[0], words);
    uint32_t times = child->waits ? child->waits : child->fruitless;
    char *how_often = mem_format("%s, %u times without a trial having ended in between", words, times);
    child->last_words = last_words(child, how_often);
    free(how_often);
    call_gone(child);
}

/* The process, which was this one, is no more. */
static void end_process(struct child *child, int pid, const struct proc_exit *how)
{
    loop_remove(child->hold);
    child->hold = NULL;
    child->proc = NULL;
    bool again = child->setup.again(child->setup.context, child, pid, how);
    if ((again || child->killed) && !child->ending) {
        restart_or_give_up(child, how);
        return;
    }
    char words[128];
    describe_exit(child, how, words, sizeof words);
    if (!child->ending && (how->by_signal || how->number))
        child->last_words = last_words(child, words);
    call_gone(child);
}

static void note_exit(void *context, const struct proc_exit *how)
{
    struct child *child = context;
    int pid = proc_pid(child->proc);
    proc_destroy(child->proc);
    end_process(child, pid, how);
}

static void let_go(void *context)
{
    struct child *child = context;
    int pid = proc_pid(child->proc);
    child->hold = NULL;
    log_warning("process %d of %s was killed, but the kernel does not let go of it: it may wait for a disk or a device",
                pid, child->argv.items[0]);
    proc_abandon(child->proc);
    end_process(child, pid, &(struct proc_exit){.by_signal = true, .number = SIGKILL});
}

/* Ends the process, however long that takes it. */
static void kill_process(struct child *child, double grace)
{
    proc_end(child->proc, grace);
    loop_remove(child->hold);
    child->hold = loop_timer(child->setup.loop, grace + child->setup.hold, let_go, child);
}

struct child *child_start(const struct child_setup *setup, struct err *err)
{
    struct child *child = MEM_NEW(struct child);
    child->setup = *setup;
    child->setup.pause = setup->pause > 0 ? setup->pause : first_pause;
    child->setup.hold = setup->hold > 0 ? setup->hold : usual_hold;
    child->setup.most_deaths = setup->most_deaths ? setup->most_deaths : MOST_DEATHS;
    texts_add_all(&child->argv, setup->argv);
    child->lasting = child->argv.count;
    texts_add_all(&child->argv, setup->once);
    child->mark = mem_text(setup->mark);
    child->log = mem_text(setup->log);
    child->progress = setup->progress(setup->context);
    if (start_process_supervisor(child, err) == 0)
        return child;
    child_destroy(child);
    return NULL;
}

void child_destroy(struct child *child)
{
    if (!child)
        return;
    loop_remove(child->pause);
    loop_remove(child->hold);
    proc_destroy(child->proc);
    texts_fini(&child->argv);
    free(child->mark);
    free(child->log);
    free(child->killed);
    free(child->last_words);
    free(child);
}

void child_end(struct child *child, double grace)
{
    if (child->gone)
        return;
    child->ending = true;
    if (child->proc) {
        kill_process(child, grace);
        return;
    }
    loop_remove(child->pause);
    child->pause = loop_timer(child->setup.loop, 0, call_gone, child);
}

void child_kill(struct child *child, double grace, const char *why)
{
    if (!child->proc || child->ending)
        return;
    free(child->killed);
    child->killed = mem_text(why);
    kill_process(child, grace);
}

int child_pid(const struct child *child)
{
    return child->proc ? proc_pid(child->proc) : 0;
}

bool child_is_gone(const struct child *child)
{
    return child->gone;
}

void child_delay(struct child *child, double seconds)
{
    child->wait = seconds;
}

void child_signal(const struct child *child, int number)
{
    if (child->proc)
        kill(proc_pid(child->proc), number);
}

uint32_t child_restarts(const struct child *child)
{
    return child->restarts;
}
