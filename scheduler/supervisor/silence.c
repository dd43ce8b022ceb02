/* Silent workers; see silence.h.
 *
 *     every few seconds -> `silent` is asked of the coordinator for one worker after the other
 *     ANSWER seconds    -> so long it has been silent
 *     ANSWER null       -> it is not known (any more): it has been silent since the last look, too
 *
 * A look adds no more than the time since the one before: what was stopped as a whole and goes on, coordinator, workers
 * and ourselves, is not silent. Neither is anybody while no coordinator answers. */
#include "scheduler/supervisor/silence.h"

#include "common/clock.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

/* The coordinator gives a worker up after 60 s; 30 more are for one that comes back by itself. */
static const double usual_every = 5, usual_most = 90;

struct watched_worker {
    bool heard;     /* the coordinator knew it once */
    bool told;      /* `silent` was called */
    double looked;  /* at the last answer, on the monotonic clock; 0: there was none */
    double seconds; /* of silence */
};

struct silence {
    struct silence_setup setup;
    struct watched_worker *workers;
    uint32_t at; /* the worker that is asked for */
    struct loop_watch *timer;
};

static void ask_next(struct silence *silence);

static void take_seconds(struct silence *silence, struct watched_worker *worker, const json_t *seconds)
{
    double now = clock_monotonic(), since = worker->looked > 0 ? now - worker->looked : 0;
    double longest = worker->seconds + fmin(since, 2 * silence->setup.every), said;
    bool known = json_to_real(seconds, &said);
    worker->heard |= known;
    worker->looked = now;
    worker->seconds = known ? fmin(said, longest) : worker->heard || silence->setup.from_start ? longest : 0;
    if (worker->seconds < silence->setup.most || worker->told)
        return;
    worker->told = true;
    silence->setup.silent(silence->setup.context, silence->at, worker->seconds);
}

static void take_answer(void *context, const json_t *answer)
{
    struct silence *silence = context;
    if (answer)
        take_seconds(silence, &silence->workers[silence->at], json_object_get(answer, "silent"));
    silence->at++;
    ask_next(silence);
}

static void begin_round(void *context)
{
    struct silence *silence = context;
    silence->timer = NULL;
    silence->at = 0;
    ask_next(silence);
}

static void ask_next(struct silence *silence)
{
    for (; silence->at < silence->setup.workers; silence->at++) {
        json_t *sign = silence->setup.sign(silence->setup.context, silence->at);
        if (sign) {
            notifier_ask(silence->setup.notifier, "silent", sign, take_answer, silence);
            return;
        }
    }
    silence->timer = loop_timer(silence->setup.loop, silence->setup.every, begin_round, silence);
}

struct silence *silence_watch(const struct silence_setup *setup)
{
    if (!setup->workers)
        return NULL;
    struct silence *silence = MEM_NEW(struct silence);
    silence->setup = *setup;
    silence->setup.every = setup->every > 0 ? setup->every : usual_every;
    silence->setup.most = setup->most > 0 ? setup->most : usual_most;
    silence->workers = MEM_ARRAY(struct watched_worker, setup->workers);
    silence->timer = loop_timer(setup->loop, silence->setup.every, begin_round, silence);
    return silence;
}

void silence_end(struct silence *silence)
{
    if (!silence)
        return;
    loop_remove(silence->timer);
    free(silence->workers);
    free(silence);
}

void silence_forget(struct silence *silence, uint32_t worker)
{
    if (silence)
        silence->workers[worker] = (struct watched_worker){0};
}
