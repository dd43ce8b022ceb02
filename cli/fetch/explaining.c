/* Importance, worked out in a thread; see explaining.h. */
#include "cli/fetch/explaining.h"
#include "cli/data/importance.h"
#include "common/clock.h"
#include "common/mem.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct explaining {
    pthread_mutex_t lock; /* guards `runs`, `result` and `abandoned` */
    pthread_cond_t changed;
    bool runs;
    json_t *result;
    struct spec *spec;
    pthread_t thread;
    bool has_thread; /* one that was not joined */
    bool abandoned;  /* nobody waits for it: it frees what it works with */

    /* The thread's own while it runs. */
    struct metric metric;
    struct gannet_problem problem;
    struct history *history;

    uint64_t explained; /* the last trial that it knew, by its place in the order of ends */
    uint64_t every;     /* one of so many ended trials was told */
    bool waited;        /* for the first one */
};

struct explaining *explaining_create(struct spec *spec)
{
    struct explaining *self = MEM_NEW(struct explaining);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    self->spec = spec;
    self->metric = spec_metrics(spec).items[0];
    self->problem = (struct gannet_problem){.space = space_public(spec->space), .objectives = 1, .limits = 1};
    return self;
}

static void join_thread(struct explaining *self)
{
    if (self->has_thread)
        pthread_join(self->thread, NULL);
    self->has_thread = false;
}

static void free_work(struct explaining *self)
{
    json_decref(self->result);
    history_destroy(self->history);
    spec_destroy(self->spec);
}

static void free_state(struct explaining *self)
{
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

/* --- a thread that nobody waits for --- */

/* What the thread needed is gone once it has ended, but for its state. */
static void end_at_once(int status, void *context)
{
    struct explaining *self = context;
    pthread_mutex_lock(&self->lock);
    bool runs = self->runs;
    pthread_mutex_unlock(&self->lock);
    if (runs) {
        fflush(NULL);
        _exit(status);
    }
    free_state(self);
}

/* The libraries that the thread computes with give up their memory when a process ends as usual, under its hands: then
 * the process ends at once. With the lock held. */
static void abandon_answer(struct explaining *self)
{
    self->abandoned = true;
    pthread_detach(self->thread);
    on_exit(end_at_once, self);
}

/* What is being worked out may take seconds, which nobody who leaves waits for. */
void explaining_destroy(struct explaining *self)
{
    if (!self)
        return;
    pthread_mutex_lock(&self->lock);
    bool abandons = self->runs;
    if (abandons)
        abandon_answer(self);
    pthread_mutex_unlock(&self->lock);
    if (abandons)
        return;
    join_thread(self);
    free_work(self);
    free_state(self);
}

/* --- the thread --- */

static void *run_explanation(void *context)
{
    struct explaining *self = context;
    struct importance importance = {
        .metric = &self->metric, .problem = self->problem, .host = space_host(self->spec->space), .every = self->every};
    explain(&importance.problem, importance.host, self->history, &importance.explanation);
    json_t *result = importance_json(&importance);
    importance_fini(&importance);
    pthread_mutex_lock(&self->lock);
    json_decref(self->result);
    self->result = result;
    if (self->abandoned)
        free_work(self);
    self->runs = false;
    pthread_cond_signal(&self->changed);
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

/* Signals are for the thread that has the terminal. Without a thread nothing is explained, which is said as "not yet".
 */
static bool start_thread(struct explaining *self)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&self->thread, NULL, run_explanation, self) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    self->has_thread = started;
    return started;
}

void explaining_update(struct explaining *self, const struct learned *learned, bool ended)
{
    static const double more = 1.1;
    uint64_t known = learned->told;
    pthread_mutex_lock(&self->lock);
    bool runs = self->runs;
    pthread_mutex_unlock(&self->lock);
    bool is_new = ended ? known != self->explained
                        : known < self->explained || (double)known >= more * (double)self->explained + 1;
    if (runs || learned->count < 2 || learned->more || !is_new)
        return;
    join_thread(self);
    history_destroy(self->history);
    self->history = importance_history(&self->problem, &self->metric, 0, learned);
    self->explained = known;
    self->every = learned->every;
    pthread_mutex_lock(&self->lock);
    self->runs = start_thread(self);
    pthread_mutex_unlock(&self->lock);
}

/* Waits for the thread, some hundredths of a second at most. With the lock held. */
static void wait_a_little(struct explaining *self)
{
    double end = clock_wall() + 0.05;
    struct timespec when = {.tv_sec = (time_t)end, .tv_nsec = (long)((end - floor(end)) * 1e9)};
    pthread_cond_timedwait(&self->changed, &self->lock, &when);
}

json_t *explaining_take(struct explaining *self, const struct source *source, bool *runs)
{
    static const double moment = 2;
    double end = clock_monotonic() + moment;
    pthread_mutex_lock(&self->lock);
    while (self->runs && !self->waited && !source_is_stopped(source) && clock_monotonic() < end)
        wait_a_little(self);
    self->waited = self->waited || self->runs || self->result;
    json_t *result = json_incref(self->result);
    *runs = self->runs;
    pthread_mutex_unlock(&self->lock);
    return result;
}
