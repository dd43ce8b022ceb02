/* A search without a coordinator; see ask_tell.h. Everything that happens becomes an event, as a core would emit it. */
#include "scheduler/session/ask_tell.h"

#include "common/clock.h"
#include "common/hash.h"
#include "common/lock.h"
#include "common/mem.h"
#include "common/node.h"
#include "scheduler/session/ask_tell_parts.h"
#include "scheduler/session/config.h"
#include "scheduler/core/seen.h"
#include "scheduler/core/tally.h"
#include "scheduler/session/search.h"
#include "scheduler/session/told.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- events --- */

/* Writes an event down, to be committed. */
void ask_tell_emit(struct ask_tell *ask_tell, struct event what)
{
    MEM_GROW(ask_tell->events, ask_tell->capacity, ask_tell->count + 1);
    struct event *event = &ask_tell->events[ask_tell->count++];
    *event = what;
    event->time = clock_wall();
    event_keep(event);
}

/* Seconds that the experiment has run in all. */
static double seconds_held(const struct ask_tell *ask_tell)
{
    return ask_tell->held + clock_monotonic() - ask_tell->opened;
}

static void emit_state(struct ask_tell *ask_tell, enum experiment_state state, enum reason reason)
{
    char why[320] = "";
    ask_tell->over = state == EXPERIMENT_ENDED;
    if (reason == REASON_SAME_FAILURES)
        streak_describe(&ask_tell->streak, why, sizeof why);
    ask_tell_emit(ask_tell,
                  (struct event){.kind = EVENT_EXPERIMENT, .experiment = {state, reason, why, seconds_held(ask_tell)}});
}

/* The person's own machine, as a worker with one slot. */
static void emit_worker(struct ask_tell *ask_tell)
{
    char node[NODE_SIZE];
    ask_tell_emit(ask_tell, (struct event){.kind = EVENT_WORKER,
                                           .worker = ask_tell->worker,
                                           .hello = {.worker = ask_tell->worker,
                                                     .node = node_name(node),
                                                     .version = GANNET_VERSION,
                                                     .machine = "a loop of its own (gannet ask, gannet tell)"}});
}

void ask_tell_begin(struct ask_tell *ask_tell)
{
    if (ask_tell->begun)
        return;
    ask_tell->begun = true;
    emit_state(ask_tell, EXPERIMENT_RUNNING, REASON_NONE);
    emit_worker(ask_tell);
}

void ask_tell_lease(struct ask_tell *ask_tell, uint64_t trial, uint32_t attempt)
{
    struct event event = {.kind = EVENT_LEASED, .trial = trial, .attempt = attempt, .worker = ask_tell->worker};
    event.lease.slot = ask_tell->serves ? SLOT_SERVED : SLOT_TAKES_TURNS;
    ask_tell_emit(ask_tell, event);
}

/* --- life --- */

static int refuse_loop(const struct rundir *dir, double patience, struct err *err)
{
    char owner[LOCK_TEXT] = "";
    int fd = lock_open(dir->lock);
    if (fd >= 0) {
        lock_read_text(fd, owner);
        close(fd);
    }
    return err_set(
        err,
        "another loop has been asking in %s for %.0f seconds: %s; one that serves (gannet.search, gannet ask "
        "--serve) has the search until it ends: trials side by side are its n_jobs, or a gannet run",
        dir->path, patience, *owner ? owner : "another process");
}

/* A coordinator keeps its lock for hours, another loop for milliseconds, unless it serves. */
static int take_lock(struct ask_tell *ask_tell, const struct rundir *dir, double patience, struct err *err)
{
    static const struct timespec between_looks = {0, 5 * 1000000}; /* 5 ms */
    struct discovery discovery;
    bool taken;
    double deadline = clock_monotonic() + patience;
    while (rundir_is_locked(dir) && discovery_read(dir, &discovery, NULL) && clock_monotonic() < deadline)
        nanosleep(&between_looks, NULL);
    if (rundir_try_lock(dir, &ask_tell->lock, &taken, err) == 0)
        return 0;
    return taken && discovery_read(dir, &discovery, NULL) ? refuse_loop(dir, patience, err) : -1;
}

/* Whether a worker stands for a person: it is no process. */
static bool is_person(const struct memory *memory, uint64_t worker)
{
    for (uint32_t i = 0; i < memory->worker_count; i++)
        if (memory->workers[i].worker == worker)
            return !memory->workers[i].pid;
    return false;
}

static void keep_open(struct ask_tell *ask_tell, const struct memory *memory)
{
    for (uint32_t i = 0; i < memory->trial_count; i++) {
        const struct memory_trial *from = &memory->trials[i];
        struct open_trial *open = MEM_NEW(struct open_trial);
        *open = (struct open_trial){
            .since = from->proposed, .attempt = from->running ? from->attempt : 0, .last = from->attempts};
        ask_tell_recall_seen(ask_tell, from, open);
        if (from->running && from->slot == SLOT_SERVED && is_person(memory, from->worker))
            open->params = mem_text(from->params);
        ask_tell->left_behind += open->params != NULL;
        map_put(&ask_tell->open, from->trial, open);
    }
    ask_tell->next_trial = memory->next_trial;
    ask_tell->tells = memory->tells;
    ask_tell->tally = memory->tally;
    ask_tell->held = memory->held;
    ask_tell->opened = clock_monotonic();
    uint64_t others = memory->tally.added + memory->tally.ignored + memory->tally.skipped; /* need not be of a loop */
    ask_tell->begun = memory->next_trial > 1 + others && memory->reason == REASON_NONE;
    ask_tell->over = memory->reason != REASON_NONE && !reason_goes_on(memory->reason);
}

static int recall_search(struct ask_tell *ask_tell, struct err *err)
{
    struct memory memory;
    struct ask_past past;
    struct metrics metrics = spec_metrics(ask_tell->spec);
    if (reader_check(store_reader(ask_tell->store), &metrics, err) || store_look(ask_tell->store, &memory, err))
        return -1;
    ask_tell->config.metrics = metrics;
    keep_open(ask_tell, &memory);
    memory_fini(&memory);
    ask_tell->searcher = search_create(ask_tell->spec, store_reader(ask_tell->store), err);
    if (!ask_tell->searcher ||
        search_recall(ask_tell->searcher, ask_tell->spec, store_reader(ask_tell->store), &past, err) ||
        search_early_stopping(ask_tell->spec, false, &ask_tell->early_stopping, err))
        return -1;
    config_fill(ask_tell->spec, NULL, searcher_strategy(ask_tell->searcher), &ask_tell->config);
    return ask_tell->early_stopping
               ? early_stopping_recall(ask_tell->early_stopping, store_reader(ask_tell->store), err)
               : 0;
}

static int open_all(struct ask_tell *ask_tell, const struct rundir *dir, double patience, struct err *err)
{
    if (take_lock(ask_tell, dir, patience, err) || !(ask_tell->spec = rundir_spec(dir, err)) ||
        rundir_check_store(dir, err) || !(ask_tell->store = store_open(dir->store, err)))
        return -1;
    ask_tell->worker = hash_text(dir->path) >> 1 | 1;
    return recall_search(ask_tell, err);
}

struct ask_tell *ask_tell_open(const struct rundir *dir, double patience, struct err *err)
{
    struct ask_tell *ask_tell = MEM_NEW(struct ask_tell);
    ask_tell->lock = -1;
    if (open_all(ask_tell, dir, patience, err) == 0)
        return ask_tell;
    ask_tell_close(ask_tell);
    return NULL;
}

bool ask_tell_is_damaged(const struct rundir *dir)
{
    struct spec *spec = rundir_spec(dir, NULL);
    struct metrics metrics = spec ? spec_metrics(spec) : (struct metrics){0};
    int found = spec ? store_check(dir->store, &metrics, NULL, NULL) : 0;
    spec_destroy(spec);
    return found == STORE_DAMAGED;
}

static void drop_events(struct ask_tell *ask_tell)
{
    for (size_t i = 0; i < ask_tell->count; i++)
        event_fini(&ask_tell->events[i]);
    ask_tell->count = 0;
}

void ask_tell_close(struct ask_tell *ask_tell)
{
    if (!ask_tell)
        return;
    struct map_entry entry;
    for (size_t at = 0; map_next(&ask_tell->open, &at, &entry);)
        open_trial_destroy(entry.value);
    map_fini(&ask_tell->open);
    drop_events(ask_tell);
    free(ask_tell->events);
    searcher_destroy(ask_tell->searcher);
    early_stopping_destroy(ask_tell->early_stopping);
    if (ask_tell->over)
        store_close(ask_tell->store);
    else
        store_leave(ask_tell->store);
    spec_destroy(ask_tell->spec);
    if (ask_tell->lock >= 0)
        close(ask_tell->lock);
    free(ask_tell);
}

void ask_tell_serve(struct ask_tell *ask_tell)
{
    ask_tell->serves = true;
}

const struct spec *ask_tell_spec(const struct ask_tell *ask_tell)
{
    return ask_tell->spec;
}

struct reader *ask_tell_reader(struct ask_tell *ask_tell)
{
    return store_reader(ask_tell->store);
}

int ask_tell_commit(struct ask_tell *ask_tell, struct err *err)
{
    int failed = store_write(ask_tell->store, ask_tell->events, ask_tell->count, err);
    drop_events(ask_tell);
    return failed;
}

/* --- asking --- */

static void record_trial(struct ask_tell *ask_tell, uint64_t trial, const struct proposal *proposal)
{
    ask_tell_begin(ask_tell);
    ask_tell_emit(ask_tell, (struct event){.kind = EVENT_PROPOSED,
                                           .trial = trial,
                                           .worker = ask_tell->worker,
                                           .proposed = {.params = proposal->params,
                                                        .fingerprint = proposal->fingerprint,
                                                        .told_before = ask_tell->tells,
                                                        .from_start = proposal->from_start}});
    struct open_trial *open = MEM_NEW(struct open_trial);
    *open = (struct open_trial){.since = clock_wall(), .attempt = 1, .last = 1, .is_counted = true};
    map_put(&ask_tell->open, trial, open);
    ask_tell_lease(ask_tell, trial, 1);
}

/* Whether a limit is reached; says which. */
static bool has_ended(const struct ask_tell *ask_tell, struct err *err)
{
    enum reason reached = tally_reached(&ask_tell->tally, &ask_tell->streak, &ask_tell->config, seconds_held(ask_tell));
    if (reached != REASON_NONE)
        err_write(err, "%s", reason_sentence(reached));
    return reached != REASON_NONE;
}

/* Whether nothing is proposed any more; says so. */
static bool has_all(const struct ask_tell *ask_tell, struct err *err)
{
    bool all = tally_all_asked(&ask_tell->tally, &ask_tell->config, ask_tell->next_trial);
    if (all)
        err_write(err, "all %llu trials of limits.max_trials were asked for",
                  (unsigned long long)ask_tell->config.max_trials);
    return all;
}

/* The first of those that were left behind. */
static uint64_t find_left_behind(const struct ask_tell *ask_tell)
{
    uint64_t first = 0;
    struct map_entry entry;
    for (size_t at = 0; map_next(&ask_tell->open, &at, &entry);) {
        const struct open_trial *open = entry.value;
        if (open->params && (!first || entry.key < first))
            first = entry.key;
    }
    return first;
}

/* The attempt of before is lost; another one begins here, which begins anew. */
static void begin_again(struct ask_tell *ask_tell, uint64_t trial, struct open_trial *open)
{
    static const char why[] = "the program that had asked for it ended before it told";
    ask_tell_begin(ask_tell);
    ask_tell_emit(ask_tell, (struct event){.kind = EVENT_RUN_ENDED,
                                           .trial = trial,
                                           .attempt = open->attempt,
                                           .worker = ask_tell->worker,
                                           .run = {.ending = ENDING_LOST,
                                                   .given_up = true,
                                                   .detail = why,
                                                   .started = open->since,
                                                   .seconds = fmax(0, clock_wall() - open->since)}});
    free(open->seen);
    open->seen = NULL;
    open->since = clock_wall();
    open->attempt = ++open->last;
    open->samples = 0;
    open->is_counted = true;
    ask_tell_lease(ask_tell, trial, open->attempt);
}

static char *give_left_behind(struct ask_tell *ask_tell, uint64_t trial)
{
    struct open_trial *open = map_get(&ask_tell->open, trial);
    char *params = open->params;
    open->params = NULL;
    ask_tell->left_behind--;
    begin_again(ask_tell, trial, open);
    return params;
}

enum searcher_answer ask_tell_ask(struct ask_tell *ask_tell, uint64_t *trial, char **params, struct err *err)
{
    struct proposal proposal = {0};
    if (has_ended(ask_tell, err))
        return SEARCHER_NO_MORE;
    if (ask_tell->serves && ask_tell->left_behind) {
        *trial = find_left_behind(ask_tell);
        *params = give_left_behind(ask_tell, *trial);
        return SEARCHER_PROPOSED;
    }
    if (has_all(ask_tell, err))
        return SEARCHER_NO_MORE;
    enum searcher_answer answer = searcher_ask(ask_tell->searcher, ask_tell->next_trial, &proposal, err);
    if (answer == SEARCHER_NO_MORE)
        err_write(err, "the strategy has nothing left to propose");
    else if (answer == SEARCHER_LATER)
        err_write(err, "the strategy waits for a trial to be told");
    if (answer != SEARCHER_PROPOSED)
        return answer;
    *trial = ask_tell->next_trial++;
    record_trial(ask_tell, *trial, &proposal);
    *params = proposal.params;
    return answer;
}

/* --- telling --- */

/* The values as samples, which are written to `out`; how many. A metric that was reported on the way has its samples.
 */
static uint32_t fill_samples(const struct ask_tell *ask_tell, const struct open_trial *open,
                             const struct ask_tell_result *result, double seconds, struct msg_sample *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; result->values && i < ask_tell->config.metrics.count; i++)
        if (!isnan(result->values[i]) && !(open->seen && open->seen[i].any))
            out[count++] = (struct msg_sample){
                .metric = ask_tell->config.metrics.items[i].name, .value = result->values[i], .time = seconds};
    return count;
}

static bool has_values(const struct ask_tell_result *result)
{
    return result->ending == ENDING_COMPLETED || result->ending == ENDING_STOPPED_EARLY;
}

/* Early stopping hears of every end. */
static void note_end(struct ask_tell *ask_tell, const struct ask_tell_result *result, struct event_end *end)
{
    if (!ask_tell->early_stopping)
        return;
    const struct early_stop *early_stop = early_stopping_early_stop(ask_tell->early_stopping);
    early_stop->ended(early_stop->context, result->trial, result->ending);
    end->watched = true;
    end->max_steps = early_stop->max_steps(early_stop->context);
}

/* The run and the trial end in one. */
static void record_end(struct ask_tell *ask_tell, const struct open_trial *open, const struct ask_tell_result *result,
                       double seconds)
{
    struct msg_sample samples[ask_tell->config.metrics.count];
    struct event run = {
        .kind = EVENT_RUN_ENDED,
        .trial = result->trial,
        .attempt = open->attempt ? open->attempt : open->last + 1,
        .worker = ask_tell->worker,
        .run = {.ending = result->ending, .detail = result->detail, .started = open->since, .seconds = seconds}};
    run.run.sampled.samples = samples;
    run.run.sampled.samples_count = fill_samples(ask_tell, open, result, seconds, samples);
    run.run.sampled.first = open->samples;
    struct event end = {.kind = EVENT_TRIAL_ENDED, .trial = result->trial, .worker = ask_tell->worker};
    end.end = (struct event_end){
        .ending = result->ending, .detail = result->detail, .seconds = seconds, .told = ++ask_tell->tells};
    end.end.step = open->decided;
    note_end(ask_tell, result, &end.end);
    if (has_values(result))
        event_set_values(&end.end, &ask_tell->config.metrics, result->values);
    streak_note(&ask_tell->streak, &ask_tell->tally, result->ending, result->detail, NULL);
    tally_add(&ask_tell->tally, ask_tell->config.metrics.items[0].maximize, result->trial, &end.end);
    if (!ask_tell->over)
        ask_tell_begin(ask_tell);
    ask_tell_emit(ask_tell, run);
    ask_tell_emit(ask_tell, end);
}

/* Whether the search is over, and why. What is told after its end changes nothing about that. */
static void check_end(struct ask_tell *ask_tell)
{
    if (ask_tell->over)
        return;
    enum reason reached = tally_reached(&ask_tell->tally, &ask_tell->streak, &ask_tell->config, seconds_held(ask_tell));
    if (reached == REASON_NONE && !ask_tell->open.count &&
        tally_all_asked(&ask_tell->tally, &ask_tell->config, ask_tell->next_trial))
        reached = REASON_MAX_TRIALS;
    if (reached != REASON_NONE)
        emit_state(ask_tell, EXPERIMENT_ENDED, reached);
}

int ask_tell_refuse(const struct ask_tell *ask_tell, uint64_t trial, struct err *err)
{
    if (trial && trial < ask_tell->next_trial)
        return err_set(err, "trial %llu has ended already", (unsigned long long)trial);
    return err_set(err, "there is no trial %llu; %llu were asked for", (unsigned long long)trial,
                   (unsigned long long)ask_tell->next_trial - 1);
}

/* A trial that was given up on its way is worth what it came to. */
static void judge_result(const struct ask_tell *ask_tell, const struct open_trial *open, struct ask_tell_result *result,
                         double *values, char *detail, size_t size)
{
    const struct metrics *metrics = &ask_tell->config.metrics;
    uint32_t culprit;
    if (result->ending == ENDING_STOPPED_EARLY) {
        bool is_whole = seen_values(metrics, open->seen, values);
        result->values = is_whole ? values : NULL;
        result->ending = is_whole ? ENDING_STOPPED_EARLY : ENDING_NO_VALUE;
        result->detail = open->stop ? open->stop : result->detail;
    } else if (result->ending == ENDING_COMPLETED) {
        result->ending = tally_check_values(metrics, result->values, NULL, &culprit);
        if (result->ending != ENDING_COMPLETED)
            result->detail = tally_detail(metrics, culprit, result->detail, detail, size);
    }
}

int ask_tell_tell(struct ask_tell *ask_tell, const struct ask_tell_result *said, struct err *err)
{
    const struct metrics *metrics = &ask_tell->config.metrics;
    struct ask_tell_result result = *said;
    char detail[256];
    double values[metrics->count];
    struct open_trial *open = map_get(&ask_tell->open, result.trial);
    if (!open || ask_tell_count(ask_tell, result.trial, open, err))
        return open ? -1 : ask_tell_refuse(ask_tell, result.trial, err);
    map_remove(&ask_tell->open, result.trial);
    ask_tell->left_behind -= open->params != NULL;
    judge_result(ask_tell, open, &result, values, detail, sizeof detail);
    double seconds = fmax(0, clock_wall() - open->since);
    record_end(ask_tell, open, &result, seconds);
    struct told told = {.trial = result.trial, .ending = result.ending, .seconds = seconds, .step = open->decided};
    check_end(ask_tell);
    if (has_values(&result))
        told.values = result.values;
    (void)told_pass_on(&told, metrics, ask_tell->searcher, err); /* it was asked for: nothing can be unfit */
    open_trial_destroy(open);
    return 0;
}
