/* A search without a coordinator; see owner.h. Everything that happens becomes an event, as a core would emit it. */
#include "scheduler/owner.h"

#include "common/clock.h"
#include "common/hash.h"
#include "common/map.h"
#include "common/mem.h"
#include "common/node.h"
#include "scheduler/search.h"
#include "scheduler/store/store.h"
#include "scheduler/told.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A trial that was asked for and not told. */
struct open_trial {
    double since;     /* wall clock */
    uint32_t attempt; /* the one that runs; 0: it waits */
    uint32_t last;    /* the highest attempt number used */
};

struct owner {
    int lock;
    struct spec *spec;
    struct metrics metrics;
    struct store *store;
    struct searcher *searcher;
    struct map open; /* number -> struct open_trial */
    uint64_t next_trial, tells;
    double held, opened;  /* seconds of earlier sessions; the monotonic clock when this one began */
    bool over;            /* the search has ended */
    bool begun;           /* that the experiment goes on is written */
    uint64_t worker;      /* the number of the worker that stands for the person */
    struct event *events; /* not committed yet */
    size_t count, room;
};

/* --- events --- */

static struct event *emit(struct owner *owner, enum event_kind kind, uint64_t trial)
{
    MEM_GROW(owner->events, owner->room, owner->count + 1);
    struct event *event = &owner->events[owner->count++];
    *event = (struct event){.kind = kind, .time = clock_wall(), .trial = trial, .worker = owner->worker};
    return event;
}

static void emit_state(struct owner *owner, enum experiment_state state, enum reason reason)
{
    owner->over = state == EXPERIMENT_ENDED;
    struct event *event = emit(owner, EVENT_EXPERIMENT, 0);
    event->worker = 0;
    event->state = state;
    event->reason = reason;
    event->detail = "";
    event->held = owner->held + clock_monotonic() - owner->opened;
}

/* The person's own machine, as a worker with one slot. */
static void emit_worker(struct owner *owner)
{
    char node[NODE_SIZE];
    struct event *event = emit(owner, EVENT_WORKER, 0);
    event->hello = (struct msg_hello){.worker = owner->worker,
                                      .node = arena_text(&event->memory, node_name(node)),
                                      .version = GANNET_VERSION,
                                      .machine = "a loop of its own (gannet ask, gannet tell)"};
}

static void begin(struct owner *owner)
{
    if (owner->begun)
        return;
    owner->begun = true;
    emit_state(owner, EXPERIMENT_RUNNING, REASON_NONE);
    emit_worker(owner);
}

/* --- life --- */

/* A coordinator keeps its lock for hours, another loop for milliseconds. */
static int take_lock(struct owner *owner, const struct rundir *dir, double patience, struct err *err)
{
    static const struct timespec between_looks = {0, 5 * 1000000}; /* 5 ms */
    struct rendezvous rendezvous;
    double deadline = clock_monotonic() + patience;
    while (rundir_is_locked(dir) && rendezvous_read(dir, &rendezvous, NULL) && clock_monotonic() < deadline)
        nanosleep(&between_looks, NULL);
    if (rundir_lock(dir, &owner->lock, err) == 0)
        return 0;
    return rendezvous_read(dir, &rendezvous, NULL)
               ? err_set(err, "another loop has been asking in %s for %.0f seconds; try again", dir->path, patience)
               : -1;
}

static void keep_open(struct owner *owner, const struct memory *memory)
{
    for (uint32_t i = 0; i < memory->trial_count; i++) {
        const struct memory_trial *from = &memory->trials[i];
        struct open_trial *open = MEM_NEW(struct open_trial);
        *open = (struct open_trial){from->proposed, from->running ? from->attempt : 0, from->attempts};
        map_put(&owner->open, from->trial, open);
    }
    owner->next_trial = memory->next_trial;
    owner->tells = memory->tells;
    owner->held = memory->held;
    owner->opened = clock_monotonic();
    owner->begun = memory->next_trial > 1 && memory->reason == REASON_NONE;
}

static int recall(struct owner *owner, struct err *err)
{
    struct memory memory;
    struct ask_past past;
    if (store_look(owner->store, &memory, err))
        return -1;
    keep_open(owner, &memory);
    memory_fini(&memory);
    owner->searcher = search_create(owner->spec, store_reader(owner->store), err);
    return owner->searcher ? search_recall(owner->searcher, owner->spec, store_reader(owner->store), &past, err) : -1;
}

static int open_all(struct owner *owner, const struct rundir *dir, double patience, struct err *err)
{
    if (take_lock(owner, dir, patience, err) || !(owner->spec = rundir_spec(dir, err)) ||
        !(owner->store = store_open(dir->store, err)))
        return -1;
    owner->metrics = spec_metrics(owner->spec);
    owner->worker = hash_text(dir->path) >> 1 | 1;
    return recall(owner, err);
}

struct owner *owner_open(const struct rundir *dir, double patience, struct err *err)
{
    struct owner *owner = MEM_NEW(struct owner);
    owner->lock = -1;
    if (open_all(owner, dir, patience, err) == 0)
        return owner;
    owner_close(owner);
    return NULL;
}

static void drop_events(struct owner *owner)
{
    for (size_t i = 0; i < owner->count; i++)
        event_fini(&owner->events[i]);
    owner->count = 0;
}

void owner_close(struct owner *owner)
{
    if (!owner)
        return;
    struct map_entry entry;
    for (size_t at = 0; map_next(&owner->open, &at, &entry);)
        free(entry.value);
    map_fini(&owner->open);
    drop_events(owner);
    free(owner->events);
    searcher_destroy(owner->searcher);
    if (owner->over)
        store_close(owner->store);
    else
        store_leave(owner->store);
    spec_destroy(owner->spec);
    if (owner->lock >= 0)
        close(owner->lock);
    free(owner);
}

const struct spec *owner_spec(const struct owner *owner)
{
    return owner->spec;
}

struct reader *owner_reader(struct owner *owner)
{
    return store_reader(owner->store);
}

int owner_commit(struct owner *owner, struct err *err)
{
    int failed = store_write(owner->store, owner->events, owner->count, err);
    drop_events(owner);
    return failed;
}

/* --- asking --- */

static void record_trial(struct owner *owner, uint64_t trial, const struct proposal *proposal)
{
    begin(owner);
    struct event *event = emit(owner, EVENT_PROPOSED, trial);
    event->params = arena_text(&event->memory, proposal->params);
    event->fingerprint = proposal->fingerprint;
    event->told_before = owner->tells;
    event->from_start = proposal->from_start;
    struct open_trial *open = MEM_NEW(struct open_trial);
    *open = (struct open_trial){event->time, 1, 1};
    map_put(&owner->open, trial, open);
    emit(owner, EVENT_LEASED, trial)->attempt = 1;
}

enum searcher_answer owner_ask(struct owner *owner, uint64_t *trial, char **params, struct err *err)
{
    uint64_t most = owner->spec->limits.max_trials;
    struct proposal proposal = {0};
    if (most && owner->next_trial > most) {
        err_write(err, "all %llu trials of limits.max_trials were asked for", (unsigned long long)most);
        return SEARCHER_NO_MORE;
    }
    enum searcher_answer answer = searcher_ask(owner->searcher, owner->next_trial, &proposal, err);
    if (answer == SEARCHER_NO_MORE)
        err_write(err, "the strategy has nothing left to propose");
    else if (answer == SEARCHER_LATER)
        err_write(err, "the strategy waits for a trial to be told");
    if (answer != SEARCHER_PROPOSED)
        return answer;
    *trial = owner->next_trial++;
    record_trial(owner, *trial, &proposal);
    *params = proposal.params;
    return answer;
}

/* --- telling --- */

/* A success needs a finite value of every objective. */
static enum ending judge(const struct owner *owner, const struct owner_result *result)
{
    if (result->ending != ENDING_COMPLETED)
        return result->ending;
    for (uint32_t i = 0; i < owner->metrics.count; i++)
        if (owner->metrics.items[i].objective && !isfinite(result->values[i]))
            return isnan(result->values[i]) ? ENDING_NO_VALUE : ENDING_DIVERGED;
    return ENDING_COMPLETED;
}

static void add_samples(const struct owner *owner, const double *values, struct event *event)
{
    event->samples = arena_zero(&event->memory, owner->metrics.count, sizeof *event->samples);
    for (uint32_t i = 0; values && i < owner->metrics.count; i++)
        if (!isnan(values[i]))
            event->samples[event->samples_count++] =
                (struct msg_sample){.metric = owner->metrics.items[i].name, .value = values[i], .time = event->seconds};
}

/* The run and the trial end in one. */
static void record_end(struct owner *owner, const struct open_trial *open, const struct owner_result *result,
                       enum ending ending, double seconds)
{
    begin(owner);
    struct event *run = emit(owner, EVENT_RUN_ENDED, result->trial);
    run->attempt = open->attempt ? open->attempt : open->last + 1;
    run->ending = ending;
    run->detail = arena_text(&run->memory, result->detail);
    run->tail = "";
    run->started = open->since;
    run->seconds = seconds;
    add_samples(owner, result->values, run);
    struct event *end = emit(owner, EVENT_TRIAL_ENDED, result->trial);
    end->ending = ending;
    end->detail = arena_text(&end->memory, result->detail);
    end->seconds = seconds;
    end->told = ++owner->tells;
    if (ending == ENDING_COMPLETED)
        event_set_values(end, &owner->metrics, result->values);
}

/* Whether the search is over by this trial, and why. */
static void check_end(struct owner *owner, const struct owner_result *result, enum ending ending)
{
    const struct spec_metric *first = &owner->spec->metric;
    uint64_t most = owner->spec->limits.max_trials;
    bool reached = ending == ENDING_COMPLETED && first->has_target &&
                   metrics_feasible(&owner->metrics, result->values) &&
                   (first->maximize ? result->values[0] >= first->target : result->values[0] <= first->target);
    if (reached)
        emit_state(owner, EXPERIMENT_ENDED, REASON_TARGET);
    else if (most && owner->tells >= most)
        emit_state(owner, EXPERIMENT_ENDED, REASON_MAX_TRIALS);
}

static int refuse(const struct owner *owner, uint64_t trial, struct err *err)
{
    if (trial && trial < owner->next_trial)
        return err_set(err, "trial %llu has ended already", (unsigned long long)trial);
    return err_set(err, "there is no trial %llu; %llu were asked for", (unsigned long long)trial,
                   (unsigned long long)owner->next_trial - 1);
}

int owner_tell(struct owner *owner, const struct owner_result *result, struct err *err)
{
    struct open_trial *open = map_remove(&owner->open, result->trial);
    if (!open)
        return refuse(owner, result->trial, err);
    enum ending ending = judge(owner, result);
    double seconds = fmax(0, clock_wall() - open->since);
    record_end(owner, open, result, ending, seconds);
    check_end(owner, result, ending);
    struct told told = {.trial = result->trial, .ending = ending, .seconds = seconds};
    if (ending == ENDING_COMPLETED)
        told.values = result->values;
    told_pass_on(&told, &owner->metrics, owner->searcher);
    free(open);
    return 0;
}
