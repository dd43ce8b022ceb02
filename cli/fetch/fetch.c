/* The thread that reads sections; see fetch.h. */
#include "cli/fetch/fetch.h"
#include "cli/fetch/sections.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/rundir/pass.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct section_row {
    const char *name;
    double every; /* seconds */
    section_function *read;
} rows[SECTIONS_COUNT] = {
#define SECTION(id, name, seconds, shape) {#name, seconds, section_##name},
#include "cli/fetch/section_list.h"
#undef SECTION
};

/* After which it is looked whether another coordinator has taken the place of the one that answers. Where none does one
 * may come at any time, and is looked for at each reading: until it is found the search seems to be interrupted. */
static const double open_seconds = 5;

/* How long a coordinator may take to answer before what is not asked of it is read, and it is asked again. */
static const double patience_seconds = 3;

/* What costs much processor time to read is read more seldom: a hundredth of a core at most goes into a section, for
 * the search may need the cores itself, unless what is shown would be older than a person waits for. */
static const double rest_factor = 100, longest_rest = 20;

/* Which files a source was opened from: a coordinator that comes or goes changes them. */
struct place_stamp {
    uint64_t discovery, store, identity; /* inodes; 0: there is none */
    struct timespec discovered, identified;
};

struct fetch {
    pthread_t thread;
    pthread_mutex_t lock; /* guards what stands from here to `stops` */
    pthread_cond_t changed;
    struct wants wants;
    struct section_value came[SECTIONS_COUNT];
    bool is_new[SECTIONS_COUNT];
    struct section_cost costs[SECTIONS_COUNT];
    bool stops;
    int descriptor;       /* counts what came */
    atomic_bool stop_now; /* with `stops`: breaks off what is being read */

    /* The thread's own. */
    struct rundir dir;
    struct source *source;                 /* NULL: it could not be opened */
    struct place_stamp stamp;              /* of the files as it was opened */
    double opened;                         /* when that was looked at last, on the monotonic clock */
    double trimmed;                        /* when memory was given back last */
    bool failed;                           /* the last reading: perhaps because of what has changed there */
    double read[SECTIONS_COUNT];           /* when each section was read last; 0: never */
    double took[SECTIONS_COUNT];           /* how much processor time that took */
    struct wants read_for[SECTIONS_COUNT]; /* and what for */
    struct section_memory memory[SECTIONS_COUNT];
};

void section_value_fini(struct section_value *value)
{
    json_decref(value->value);
    *value = (struct section_value){0};
}

const char *section_name(enum section section)
{
    return rows[section].name;
}

/* --- the thread --- */

static void take_stamp(const char *path, uint64_t *inode, struct timespec *changed)
{
    struct stat at = {0};
    *inode = stat(path, &at) ? 0 : at.st_ino;
    *changed = at.st_ctim;
}

/* The store is written again and again: of it the file alone is told. */
static struct place_stamp stamp_of(const struct rundir *dir)
{
    struct place_stamp stamp = {0};
    struct timespec written;
    take_stamp(dir->discovery, &stamp.discovery, &stamp.discovered);
    take_stamp(dir->store, &stamp.store, &written);
    take_stamp(dir->identity, &stamp.identity, &stamp.identified);
    return stamp;
}

/* Another store has taken the place: nothing that was read of the old one goes on in it. */
static void forget_readings(struct fetch *fetch)
{
    for (enum section i = 0; i < SECTIONS_COUNT; i++) {
        if (fetch->memory[i].free)
            fetch->memory[i].free(fetch->memory[i].data);
        fetch->memory[i] = (struct section_memory){0};
        fetch->read[i] = 0;
    }
}

/* A new file may have the number of one that was removed. */
static bool is_replaced(const struct place_stamp *was, const struct place_stamp *is)
{
    return was->store && is->store &&
           (was->store != is->store || was->identity != is->identity ||
            memcmp(&was->identified, &is->identified, sizeof was->identified) != 0);
}

/* While there is no store the last one is remembered, to be compared with the next. */
static void keep_stamp(struct fetch *fetch, const struct place_stamp *stamp)
{
    struct place_stamp was = fetch->stamp;
    fetch->stamp = *stamp;
    if (stamp->store)
        return;
    fetch->stamp.store = was.store;
    fetch->stamp.identity = was.identity;
    fetch->stamp.identified = was.identified;
}

/* A dead coordinator's successor, and a store that was locked, are found by opening it anew: when a reading failed, or
 * what is there has changed. To connect costs both sides a handshake. */
static int open_source(struct fetch *fetch, struct err *err)
{
    double now = clock_monotonic();
    if (fetch->source && source_lives(fetch->source) && now - fetch->opened < open_seconds)
        return 0;
    struct place_stamp stamp = stamp_of(&fetch->dir);
    bool replaced = is_replaced(&fetch->stamp, &stamp);
    if (replaced)
        forget_readings(fetch);
    fetch->opened = now;
    if (fetch->source && !fetch->failed && memcmp(&stamp, &fetch->stamp, sizeof stamp) == 0)
        return 0;
    source_close(fetch->source);
    fetch->source = NULL;
    keep_stamp(fetch, &stamp);
    if (!path_exists(fetch->dir.path))
        return err_set(err, "%s; q leaves: %s",
                       pass_is_name(fetch->dir.path) ? "the pass is gone: it was withdrawn"
                                                     : "the run directory is gone, removed or moved",
                       fetch->dir.path);
    if (replaced && rundir_check_store(&fetch->dir, err))
        return -1;
    if (source_open_dir(&fetch->dir, &fetch->source, err))
        return -1;
    source_stop_at(fetch->source, &fetch->stop_now);
    source_only_look(fetch->source);
    source_set_patience(fetch->source, patience_seconds);
    return 0;
}

static void publish_section(struct fetch *fetch, enum section section, const struct wants *wants, json_t *value,
                            const struct err *err)
{
    pthread_mutex_lock(&fetch->lock);
    struct section_value *came = &fetch->came[section];
    if (value) { /* else that stays which nobody has taken yet, with its time */
        json_decref(came->value);
        *came = (struct section_value){.value = value, .read = clock_wall(), .wants = *wants};
    }
    snprintf(came->trouble, sizeof came->trouble, "%s", err->text);
    fetch->is_new[section] = true;
    pthread_mutex_unlock(&fetch->lock);
    eventfd_write(fetch->descriptor, 1);
}

static void count_cost(struct fetch *fetch, enum section section)
{
    double took = fetch->took[section];
    pthread_mutex_lock(&fetch->lock);
    struct section_cost *cost = &fetch->costs[section];
    cost->readings++;
    cost->seconds += took;
    cost->longest = fmax(cost->longest, took);
    pthread_mutex_unlock(&fetch->lock);
}

/* A page of rows is some megabytes of JSON for a moment, in pieces between what stays: the C library gives none of that
 * back by itself, and a screen that is open for days would keep the most that it ever needed. Costs some milliseconds.
 */
static void give_memory_back(struct fetch *fetch)
{
    enum { WORTH_IT = 16 << 20 }; /* bytes that are free, and not yet the system's */
    static const double seldom = 10;
    double now = clock_monotonic();
    if (now - fetch->trimmed < seldom)
        return;
    fetch->trimmed = now;
    if (mallinfo2().fordblks > WORTH_IT)
        malloc_trim(0);
}

static void read_section(struct fetch *fetch, enum section section, const struct wants *wants)
{
    struct err err = {""};
    struct section_reading reading = {.wants = wants, .memory = &fetch->memory[section]};
    json_t *value = NULL;
    double begun = clock_thread();
    fetch->memory[section].more = false;
    if (section == SECTION_EXPERIMENTS) { /* which are others' too */
        value = rows[section].read(&reading, &err);
    } else if (open_source(fetch, &err) == 0) {
        reading.source = fetch->source;
        source_hold(fetch->source);
        value = rows[section].read(&reading, &err);
        source_release(fetch->source);
    }
    fetch->failed = !value && section != SECTION_EXPERIMENTS;
    fetch->read[section] = clock_monotonic();
    fetch->took[section] = clock_thread() - begun;
    fetch->read_for[section] = *wants;
    give_memory_back(fetch);
    count_cost(fetch, section);
    publish_section(fetch, section, wants, value, &err);
}

/* When a section is to be read next, on the monotonic clock; infinite: nobody wants it. */
static double section_due(const struct fetch *fetch, enum section section, const struct wants *wants)
{
    if (!(wants->sections & 1u << section))
        return INFINITY;
    bool same = fetch->read[section] > 0 && memcmp(wants, &fetch->read_for[section], sizeof *wants) == 0;
    double rest = fmax(rows[section].every, fmin(rest_factor * fetch->took[section], longest_rest));
    double wait = fetch->memory[section].more ? 0 : rest;
    return same ? fetch->read[section] + wait : 0;
}

static enum section first_due(const struct fetch *fetch, const struct wants *wants, double *when)
{
    enum section first = 0;
    *when = INFINITY;
    for (enum section i = 0; i < SECTIONS_COUNT; i++) {
        double due = section_due(fetch, i, wants);
        if (due < *when || (due == *when && fetch->read[i] < fetch->read[first])) {
            *when = due;
            first = i;
        }
    }
    return first;
}

/* Waits for other wants or the end, at most until `when`. With the lock held. */
static void wait_until(struct fetch *fetch, double when)
{
    struct timespec end = {.tv_sec = (time_t)floor(when), .tv_nsec = (long)((when - floor(when)) * 1e9)};
    if (isinf(when))
        pthread_cond_wait(&fetch->changed, &fetch->lock);
    else
        pthread_cond_timedwait(&fetch->changed, &fetch->lock, &end);
}

static void *run_fetch(void *context)
{
    struct fetch *fetch = context;
    pthread_mutex_lock(&fetch->lock);
    while (!fetch->stops) {
        struct wants wants = fetch->wants;
        double when;
        enum section section = first_due(fetch, &wants, &when);
        if (when > clock_monotonic()) {
            wait_until(fetch, when);
            continue;
        }
        pthread_mutex_unlock(&fetch->lock);
        read_section(fetch, section, &wants);
        pthread_mutex_lock(&fetch->lock);
    }
    pthread_mutex_unlock(&fetch->lock);
    return NULL;
}

/* --- from outside --- */

/* Signals are for the thread that has the terminal. */
static int start_thread(struct fetch *fetch)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&fetch->thread, NULL, run_fetch, fetch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void fetch_free(struct fetch *fetch)
{
    for (enum section i = 0; i < SECTIONS_COUNT; i++) {
        section_value_fini(&fetch->came[i]);
        if (fetch->memory[i].free)
            fetch->memory[i].free(fetch->memory[i].data);
    }
    source_close(fetch->source);
    rundir_fini(&fetch->dir);
    pthread_cond_destroy(&fetch->changed);
    pthread_mutex_destroy(&fetch->lock);
    if (fetch->descriptor >= 0)
        close(fetch->descriptor);
    free(fetch);
}

struct fetch *fetch_start(const struct rundir *dir, struct err *err)
{
    struct fetch *fetch = MEM_NEW(struct fetch);
    rundir_name(dir->path, &fetch->dir);
    free(fetch->dir.store);
    fetch->dir.store = mem_text(dir->store); /* a .db file may have another name */
    pthread_mutex_init(&fetch->lock, NULL);
    init_condition(&fetch->changed);
    fetch->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    errno = fetch->descriptor < 0 ? errno : start_thread(fetch);
    if (fetch->descriptor >= 0 && errno == 0)
        return fetch;
    err_write_errno(err, "can't start the thread that reads the experiment");
    fetch_free(fetch);
    return NULL;
}

void fetch_stop(struct fetch *fetch)
{
    if (!fetch)
        return;
    pthread_mutex_lock(&fetch->lock);
    fetch->stops = true;
    atomic_store(&fetch->stop_now, true);
    pthread_cond_signal(&fetch->changed);
    pthread_mutex_unlock(&fetch->lock);
    pthread_join(fetch->thread, NULL);
    fetch_free(fetch);
}

int fetch_descriptor(const struct fetch *fetch)
{
    return fetch->descriptor;
}

void fetch_want(struct fetch *fetch, const struct wants *wants)
{
    pthread_mutex_lock(&fetch->lock);
    fetch->wants = *wants;
    pthread_cond_signal(&fetch->changed);
    pthread_mutex_unlock(&fetch->lock);
}

bool fetch_take(struct fetch *fetch, enum section section, struct section_value *out)
{
    eventfd_t count;
    (void)eventfd_read(fetch->descriptor, &count);
    pthread_mutex_lock(&fetch->lock);
    struct section_value *came = &fetch->came[section];
    bool is_new = fetch->is_new[section];
    if (is_new && came->value) {
        section_value_fini(out);
        *out = *came;
    } else if (is_new) {
        memcpy(out->trouble, came->trouble, sizeof out->trouble);
    }
    if (is_new)
        *came = (struct section_value){0};
    fetch->is_new[section] = false;
    pthread_mutex_unlock(&fetch->lock);
    return is_new;
}

struct section_cost fetch_cost(struct fetch *fetch, enum section section)
{
    pthread_mutex_lock(&fetch->lock);
    struct section_cost cost = fetch->costs[section];
    pthread_mutex_unlock(&fetch->lock);
    return cost;
}
