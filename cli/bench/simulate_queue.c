/* A search on a virtual clock whose strategy takes its time; see simulate.h.
 *
 * As in a coordinator the strategy thinks beside the workers: it does one thing after the other - a tell, an ask - in
 * the order in which they came to it, and what it proposes waits in a queue until a worker is free. As many proposals
 * are kept ahead as scheduler/core/proposals.c keeps for a strategy that uses its history: one for every free worker,
 * and one for every eight that will be. What it does takes the time that it took on this processor.
 *
 *     workers                       strategy
 *                                   ask(1) ask(2) ...        one after the other; each starts when the one before is
 * done trial 1 starts  <--------     proposal 1 trial 1 ends    -------->     tell(1) ask(n)           behind what was
 * asked before takes a ready proposal, or waits */
#include "cli/bench/simulate_parts.h"
#include "common/mem.h"
#include "common/ring.h"

#include <math.h>
#include <stdlib.h>

/* What the strategy is to do: a tell, or, without a trial, an ask. */
struct job {
    uint64_t trial;
    struct flight *flight;
};

/* What the strategy proposes. */
struct ready {
    uint64_t trial;
    json_t *params;
};

struct office {
    struct search *search;
    struct ring jobs;  /* of struct job */
    struct ring ready; /* of struct ready: proposals that no worker has taken yet */
    uint64_t ordered;  /* asks in all */
    uint64_t open;     /* asks that are not answered yet */
    uint64_t aside;    /* of these, those taken out of the queue: all but one wait for a tell */
    uint64_t started;  /* trials */
    bool later;        /* the strategy wants to be told first */
    bool no_more;
    bool measured;
    double done;          /* when what is at hand will be done; INFINITY: nothing is */
    struct ready product; /* what it comes to; without params: nothing */
};

/* --- the strategy --- */

/* Asks for as many proposals as are to be ready or on their way. */
static void order(struct office *office)
{
    const struct simulation *simulation = office->search->simulation;
    uint64_t workers = simulation->workers, soon = workers + workers / 8, busy = office->search->agenda.count;
    while (office->ready.count + office->open + busy < soon && office->ordered < simulation->trials) {
        *(struct job *)ring_push(&office->jobs) = (struct job){0};
        office->open++;
        office->ordered++;
    }
}

/* The next job that can be done now; false: there is none. Asks that were put off come first. */
static bool next_job(struct office *office, struct job *job)
{
    const struct job *front;
    while (!office->aside || office->later) {
        if (!(front = ring_front(&office->jobs)))
            return false;
        *job = *front;
        ring_pop(&office->jobs);
        if (job->flight)
            return true;
        office->aside += !office->no_more;
    }
    *job = (struct job){0};
    return true;
}

/* -1 with a sentence. */
static int ask(struct office *office, struct err *err)
{
    struct search *search = office->search;
    json_t *params = NULL;
    enum searcher_answer answer = search_ask(search, &params, err);
    office->later = answer == SEARCHER_LATER;
    office->no_more = answer == SEARCHER_NO_MORE;
    if (answer == SEARCHER_PROPOSED) {
        office->aside--;
        office->product = (struct ready){search->asked, params};
    }
    if (office->no_more)
        office->aside = 0;
    return answer == SEARCHER_BROKEN ? -1 : 0;
}

static int tell(struct office *office, const struct job *job, struct err *err)
{
    office->later = false;
    return search_end_trial(office->search, job->trial, job->flight, err);
}

/* Lets the strategy do its next job, whose product is there when the clock has gone on by the time that it took. -1
 * with a sentence. */
static int think(struct office *office, struct err *err)
{
    struct job job;
    if (isfinite(office->done) || !next_job(office, &job))
        return 0;
    double then = search_clock(office->search);
    int failed = job.flight ? tell(office, &job, err) : ask(office, err);
    office->done = office->search->now + search_clock(office->search) - then;
    return failed;
}

static void finish(struct office *office)
{
    office->search->now = office->done;
    office->done = INFINITY;
    if (!office->product.params)
        return;
    *(struct ready *)ring_push(&office->ready) = office->product;
    office->product = (struct ready){0};
    office->open--;
}

/* --- the workers --- */

static void hand_out(struct office *office)
{
    struct search *search = office->search;
    const struct ready *ready;
    while (search->agenda.count < search->simulation->workers && (ready = ring_front(&office->ready))) {
        search_start_trial(search, ready->trial, ready->params);
        json_decref(ready->params);
        ring_pop(&office->ready);
        office->started++;
    }
    bool all = office->started == search->simulation->trials || (office->no_more && !office->ready.count);
    if (all && !office->measured)
        search_measure(search);
    office->measured = office->measured || all;
}

/* A trial ends; false: none runs. */
static bool end_next(struct office *office)
{
    struct search *search = office->search;
    struct agenda_entry end;
    if (!agenda_next(&search->agenda, &end))
        return false;
    search->now = end.time;
    *(struct job *)ring_push(&office->jobs) = (struct job){end.trial, end.what};
    return true;
}

/* --- all of it --- */

static int run(struct office *office, struct err *err)
{
    struct search *search = office->search;
    const atomic_bool *stop = search->simulation->stop;
    for (bool more = true; more && !atomic_load(stop);) {
        order(office);
        hand_out(office);
        if (think(office, err))
            return -1;
        bool thinks = isfinite(office->done);
        if (thinks && (!search->agenda.count || office->done <= search->agenda.heap[0].time))
            finish(office);
        else
            more = end_next(office);
    }
    return atomic_load(stop) ? 1 : 0;
}

static void clear(struct office *office)
{
    struct agenda_entry end;
    const struct job *job;
    const struct ready *ready;
    for (; (job = ring_front(&office->jobs)); ring_pop(&office->jobs))
        free(job->flight);
    for (; (ready = ring_front(&office->ready)); ring_pop(&office->ready))
        json_decref(ready->params);
    while (agenda_next(&office->search->agenda, &end))
        free(end.what);
    json_decref(office->product.params);
    ring_fini(&office->jobs);
    ring_fini(&office->ready);
}

int search_run_queued(struct search *search, struct err *err)
{
    struct office office = {.search = search, .done = INFINITY};
    ring_init(&office.jobs, sizeof(struct job));
    ring_init(&office.ready, sizeof(struct ready));
    int result = run(&office, err);
    clear(&office);
    return result;
}
