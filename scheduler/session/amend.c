/* Changes of the past; see amend.h. */
#include "scheduler/session/amend.h"

#include "common/clock.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/core/memory.h"
#include "scheduler/store/reader.h"

#include <stdlib.h>
#include <unistd.h>

static int refuse_locked(const struct rundir *dir, struct err *err)
{
    struct discovery discovery;
    if (discovery_read(dir, &discovery, NULL))
        return err_set(err, "another process works in %s, such as a loop that asks and tells; let it end first",
                       dir->path);
    return err_set(err,
                   "%s runs, but its coordinator does not answer yet, or any more: nothing was changed; say this again "
                   "in a moment",
                   dir->path);
}

static int take_lock(struct amendment *amendment, const struct rundir *dir, struct err *err)
{
    bool taken = rundir_stays_locked(dir);
    if (!taken && rundir_try_lock(dir, &amendment->lock, &taken, err) == 0)
        return 0;
    return taken ? refuse_locked(dir, err) : -1;
}

static enum amend_fault open_store(struct amendment *amendment, const struct rundir *dir, struct err *err)
{
    struct memory memory;
    amendment->spec = rundir_spec(dir, err);
    if (!amendment->spec)
        return AMEND_FAILED;
    struct metrics metrics = spec_metrics(amendment->spec);
    int failed = rundir_check_store(dir, err) || !(amendment->store = store_open(dir->store, err)) ? -1 : 0;
    failed = failed ? failed : reader_check(store_reader(amendment->store), &metrics, err);
    failed = failed ? failed : store_look(amendment->store, &memory, err);
    if (failed)
        return failed == STORE_DAMAGED ? AMEND_DAMAGED : AMEND_FAILED;
    amendment->tells = memory.tells;
    amendment->next_trial = memory.next_trial;
    memory_fini(&memory);
    return AMEND_FINE;
}

void amend_close(struct amendment *amendment)
{
    for (size_t i = 0; i < amendment->count; i++)
        event_fini(&amendment->events[i]);
    free(amendment->events);
    map_fini(&amendment->seen);
    store_close(amendment->store);
    spec_destroy(amendment->spec);
    if (amendment->lock >= 0)
        close(amendment->lock);
}

enum amend_fault amend_open(struct amendment *amendment, const struct rundir *dir, struct err *err)
{
    *amendment = (struct amendment){.lock = -1};
    if (path_check_ours(dir->path, err) || take_lock(amendment, dir, err))
        return AMEND_FAILED;
    return open_store(amendment, dir, err);
}

enum amend_fault amend_read(struct amendment *amendment, uint64_t number, json_t **out, struct err *err)
{
    struct trial_query query = {.trial = number};
    json_t *found = number ? reader_trials(store_reader(amendment->store), &query, err) : json_array();
    *out = json_incref(json_array_get(found, 0));
    bool failed = !found;
    json_decref(found);
    if (failed || *out)
        return failed ? AMEND_FAILED : AMEND_FINE;
    err_write(err, "there is no trial %llu", (unsigned long long)number);
    return AMEND_NO_TRIAL;
}

struct event *amend_add(struct amendment *amendment, enum event_kind kind, uint64_t trial)
{
    if (map_put(&amendment->seen, trial, amendment))
        return NULL;
    MEM_GROW(amendment->events, amendment->capacity, amendment->count + 1);
    struct event *event = &amendment->events[amendment->count++];
    *event = (struct event){.kind = kind, .time = clock_wall(), .trial = trial};
    amendment->tells++;
    return event;
}

enum amend_fault amend_commit(struct amendment *amendment, struct err *err)
{
    return store_write(amendment->store, amendment->events, amendment->count, err) ? AMEND_FAILED : AMEND_FINE;
}
