/* Trials that no longer count; see ignore.h. */
#include "scheduler/session/ignore.h"

#include "common/clock.h"
#include "common/map.h"
#include "common/mem.h"
#include "scheduler/core/memory.h"
#include "scheduler/store/reader.h"
#include "scheduler/store/store.h"

#include <stdlib.h>
#include <unistd.h>

struct ignoring {
    bool ignored; /* what is said of the trials */
    int lock;
    struct store *store;
    uint64_t tells;       /* the number of the last one */
    struct map seen;      /* trials that were looked at: a person may name one twice */
    struct event *events; /* one a trial that changes */
    size_t count;
};

/* --- opening --- */

static int refuse_locked(const struct rundir *dir, struct err *err)
{
    struct discovery discovery;
    if (discovery_read(dir, &discovery, NULL))
        return err_set(err, "another process works in %s, such as a loop that asks and tells; let it end first",
                       dir->path);
    return err_set(err,
                   "%s runs, and its strategy can't forget meanwhile: end it first (gannet stop %s), say this again, "
                   "and go on with gannet run %s --resume",
                   dir->path, dir->path, dir->path);
}

static int take_lock(struct ignoring *ignoring, const struct rundir *dir, struct err *err)
{
    bool taken = rundir_stays_locked(dir);
    if (!taken && rundir_try_lock(dir, &ignoring->lock, &taken, err) == 0)
        return 0;
    return taken ? refuse_locked(dir, err) : -1;
}

static enum ignore_fault open_store(struct ignoring *ignoring, const struct rundir *dir, struct err *err)
{
    struct memory memory;
    struct spec *spec = rundir_spec(dir, err);
    if (!spec)
        return IGNORE_FAILED;
    struct metrics metrics = spec_metrics(spec);
    int failed = rundir_check_store(dir, err) || !(ignoring->store = store_open(dir->store, err)) ? -1 : 0;
    failed = failed ? failed : reader_check(store_reader(ignoring->store), &metrics, err);
    failed = failed ? failed : store_look(ignoring->store, &memory, err);
    spec_destroy(spec);
    if (failed)
        return failed == STORE_DAMAGED ? IGNORE_DAMAGED : IGNORE_FAILED;
    ignoring->tells = memory.tells;
    memory_fini(&memory);
    return IGNORE_FINE;
}

static void close_all(struct ignoring *ignoring)
{
    for (size_t i = 0; i < ignoring->count; i++)
        event_fini(&ignoring->events[i]);
    free(ignoring->events);
    map_fini(&ignoring->seen);
    store_close(ignoring->store);
    if (ignoring->lock >= 0)
        close(ignoring->lock);
}

/* --- trials --- */

static void add_event(struct ignoring *ignoring, uint64_t trial)
{
    ignoring->events[ignoring->count++] = (struct event){
        .kind = EVENT_IGNORED, .time = clock_wall(), .trial = trial, .ignored = {ignoring->ignored, ++ignoring->tells}};
}

static enum ignore_fault refuse_trial(uint64_t trial, const char *state, struct err *err)
{
    if (!state) {
        err_write(err, "there is no trial %llu", (unsigned long long)trial);
        return IGNORE_NO_TRIAL;
    }
    err_write(err, "trial %llu is %s; only a trial that has ended can be ignored", (unsigned long long)trial, state);
    return IGNORE_LIVE;
}

static enum ignore_fault take_trial(struct ignoring *ignoring, uint64_t number, struct err *err)
{
    json_t *found = number ? reader_trials(store_reader(ignoring->store), &(struct trial_query){.trial = number}, err)
                           : json_array();
    const json_t *trial = json_array_get(found, 0);
    const char *state = json_string_value(json_object_get(trial, "state"));
    enum ignore_fault fault = found ? IGNORE_FINE : IGNORE_FAILED;
    if (found && !json_is_string(json_object_get(trial, "reason")))
        fault = refuse_trial(number, state, err);
    else if (found && json_is_true(json_object_get(trial, "ignored")) != ignoring->ignored &&
             !map_put(&ignoring->seen, number, ignoring))
        add_event(ignoring, number);
    json_decref(found);
    return fault;
}

enum ignore_fault ignore_trials(const struct rundir *dir, const uint64_t *trials, size_t count, bool undo,
                                size_t *changed, struct err *err)
{
    struct ignoring ignoring = {.ignored = !undo, .lock = -1};
    enum ignore_fault fault = take_lock(&ignoring, dir, err) ? IGNORE_FAILED : open_store(&ignoring, dir, err);
    if (!fault)
        ignoring.events = MEM_ARRAY(struct event, count);
    for (size_t i = 0; !fault && i < count; i++)
        fault = take_trial(&ignoring, trials[i], err);
    if (!fault && store_write(ignoring.store, ignoring.events, ignoring.count, err))
        fault = IGNORE_FAILED;
    *changed = ignoring.count;
    close_all(&ignoring);
    return fault;
}
