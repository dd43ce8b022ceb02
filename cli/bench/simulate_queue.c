/* A search on a virtual clock whose strategy takes its time; see simulate.h.
 *
 * As in a coordinator the strategy thinks beside the workers: it does one thing after the other - a tell, an ask - in
 * the order in which they came to it, and what it proposes waits in a queue until a worker is free. As many proposals
 * are kept ahead as scheduler/core/proposals.c keeps for a strategy that uses its history: one for every free worker,
 * and one for every eight that will be. What it does takes the time that it took on this processor.
 *
 *     workers                       strategy
 *                                   ask(1) ask(2) ...        one after the other
 *     trial 1 starts    <--------   proposal 1
 *     trial 1 ends      -------->   tell(1) ask(n)           behind what was asked before
 *     takes a ready proposal, or waits
 */
#include "cli/bench/simulate_search.h"
#include "common/ring.h"

#include <math.h>
#include <stdlib.h>

/* What the strategy is to do: a tell, or, without a trial, an ask. */
struct strategy_job {
    uint64_t trial;
    struct flight *flight;
};

/* What the strategy proposes. */
struct proposal_ready {
    uint64_t trial;
    json_t *params;
};

struct queued {
    struct search *search;
    struct ring jobs;  /* of struct strategy_job */
    struct ring ready; /* of struct proposal_ready: proposals that no worker has taken yet */
    uint64_t ordered;  /* asks in all */
    uint64_t open;     /* asks that are not answered yet */
    uint64_t aside;    /* of these, those taken out of the queue: all but one wait for a tell */
    uint64_t started;  /* trials */
    bool later;        /* the strategy wants to be told first */
    bool no_more;
    bool measured;
    double done;                   /* when what is at hand will be done; INFINITY: nothing is */
    struct proposal_ready product; /* what it comes to; without params: nothing */
};

/* --- the strategy --- */

/* Asks for as many proposals as are to be ready or on their way. */
static void order_proposals(struct queued *queued)
{
    const struct simulation *simulation = queued->search->simulation;
    uint64_t workers = simulation->workers, soon = workers + workers / 8, busy = queued->search->agenda.count;
    while (queued->ready.count + queued->open + busy < soon && queued->ordered < simulation->trials) {
        *(struct strategy_job *)ring_push(&queued->jobs) = (struct strategy_job){0};
        queued->open++;
        queued->ordered++;
    }
}

/* The next job that can be done now; false: there is none. Asks that were put off come first. */
static bool next_job(struct queued *queued, struct strategy_job *job)
{
    const struct strategy_job *front;
    while (!queued->aside || queued->later) {
        if (!(front = ring_front(&queued->jobs)))
            return false;
        *job = *front;
        ring_pop(&queued->jobs);
        if (job->flight)
            return true;
        queued->aside += !queued->no_more;
    }
    *job = (struct strategy_job){0};
    return true;
}

/* -1 with a sentence. */
static int ask_strategy_bench(struct queued *queued, struct err *err)
{
    struct search *search = queued->search;
    json_t *params = NULL;
    enum searcher_answer answer = search_ask(search, &params, err);
    queued->later = answer == SEARCHER_LATER;
    queued->no_more = answer == SEARCHER_NO_MORE;
    if (answer == SEARCHER_PROPOSED) {
        queued->aside--;
        queued->product = (struct proposal_ready){search->asked, params};
    }
    if (queued->no_more)
        queued->aside = 0;
    return answer == SEARCHER_BROKEN ? -1 : 0;
}

static int tell_strategy(struct queued *queued, const struct strategy_job *job, struct err *err)
{
    queued->later = false;
    return search_end_trial(queued->search, job->trial, job->flight, err);
}

/* Lets the strategy do its next job, whose product is there when the clock has gone on by the time that it took. -1
 * with a sentence. */
static int think_once(struct queued *queued, struct err *err)
{
    struct strategy_job job;
    if (isfinite(queued->done) || !next_job(queued, &job))
        return 0;
    double then = search_clock(queued->search);
    int failed = job.flight ? tell_strategy(queued, &job, err) : ask_strategy_bench(queued, err);
    queued->done = queued->search->now + search_clock(queued->search) - then;
    return failed;
}

static void finish_thought(struct queued *queued)
{
    queued->search->now = queued->done;
    queued->done = INFINITY;
    if (!queued->product.params)
        return;
    *(struct proposal_ready *)ring_push(&queued->ready) = queued->product;
    queued->product = (struct proposal_ready){0};
    queued->open--;
}

/* --- the workers --- */

static void hand_out(struct queued *queued)
{
    struct search *search = queued->search;
    const struct proposal_ready *ready;
    while (search->agenda.count < search->simulation->workers && (ready = ring_front(&queued->ready))) {
        search_start_trial(search, ready->trial, ready->params);
        json_decref(ready->params);
        ring_pop(&queued->ready);
        queued->started++;
    }
    bool all = queued->started == search->simulation->trials || (queued->no_more && !queued->ready.count);
    if (all && !queued->measured)
        search_measure(search);
    queued->measured = queued->measured || all;
}

/* A trial ends; false: none runs. */
static bool end_next(struct queued *queued)
{
    struct search *search = queued->search;
    struct agenda_entry end;
    if (!agenda_next(&search->agenda, &end))
        return false;
    search->now = end.time;
    *(struct strategy_job *)ring_push(&queued->jobs) = (struct strategy_job){end.trial, end.what};
    return true;
}

/* --- all of it --- */

static int run_queued(struct queued *queued, struct err *err)
{
    struct search *search = queued->search;
    const atomic_bool *stop = search->simulation->stop;
    for (bool more = true; more && !atomic_load(stop);) {
        order_proposals(queued);
        hand_out(queued);
        if (think_once(queued, err))
            return -1;
        bool thinks = isfinite(queued->done);
        if (thinks && (!search->agenda.count || queued->done <= search->agenda.heap[0].time))
            finish_thought(queued);
        else
            more = end_next(queued);
    }
    return atomic_load(stop) ? 1 : 0;
}

static void clear_queued(struct queued *queued)
{
    struct agenda_entry end;
    const struct strategy_job *job;
    const struct proposal_ready *ready;
    for (; (job = ring_front(&queued->jobs)); ring_pop(&queued->jobs))
        free(job->flight);
    for (; (ready = ring_front(&queued->ready)); ring_pop(&queued->ready))
        json_decref(ready->params);
    while (agenda_next(&queued->search->agenda, &end))
        free(end.what);
    json_decref(queued->product.params);
    ring_fini(&queued->jobs);
    ring_fini(&queued->ready);
}

int search_run_queued(struct search *search, struct err *err)
{
    struct queued queued = {.search = search, .done = INFINITY};
    ring_init(&queued.jobs, sizeof(struct strategy_job));
    ring_init(&queued.ready, sizeof(struct proposal_ready));
    int result = run_queued(&queued, err);
    clear_queued(&queued);
    return result;
}
