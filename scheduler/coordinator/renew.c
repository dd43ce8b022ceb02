/* The strategy, made anew; see renew.h.
 *
 *     loop                         strategy's thread          store's thread
 *     ask_forget(7)  ------->      stands still
 *     renewal_held(7)  <-------
 *     (until what is written is on disk)
 *     commit_call      ---------------------------------->    reads the record up to tell 7
 *     ask_renew        <----------------------------------
 *                    ------->      lives through it, and goes on
 */
#include "scheduler/coordinator/renew.h"

#include "common/mem.h"
#include "scheduler/session/search_record.h"

#include <stdlib.h>

struct renewal {
    const struct core *core;
    struct commit *commit;
    struct ask *ask;
    const struct spec *spec;
    uint64_t told;           /* stands still there; 0: it does not */
    uint64_t event;          /* until all up to this one are on disk */
    uint64_t committed;      /* so far */
    struct renewal_job *job; /* being read; NULL: nothing is */
};

/* What goes from thread to thread. */
struct renewal_job {
    struct renewal *renewal; /* NULL: it was closed meanwhile */
    const struct spec *spec;
    uint64_t told;
    struct search_record *record; /* NULL: it could not be read */
    struct err why;
};

static void destroy_job(struct renewal_job *job)
{
    search_record_destroy(job->record);
    free(job);
}

static void read_record(struct store *store, void *context)
{
    struct renewal_job *job = context;
    job->record = search_record_read(store_reader(store), job->told, UINT64_MAX, &job->why);
}

static struct searcher *live_through(void *context, struct ask_past *past, struct err *err)
{
    struct renewal_job *job = context;
    struct searcher *searcher = job->record ? search_record_live(job->record, job->spec, past, err) : NULL;
    if (!job->record)
        *err = job->why;
    destroy_job(job);
    return searcher;
}

static void pass_on_record(void *context)
{
    struct renewal_job *job = context;
    if (!job->renewal) {
        destroy_job(job);
        return;
    }
    job->renewal->job = NULL;
    ask_renew(job->renewal->ask, live_through, job);
}

static void begin_reading(struct renewal *renewal)
{
    struct renewal_job *job = renewal->job = MEM_NEW(struct renewal_job);
    *job = (struct renewal_job){.renewal = renewal, .spec = renewal->spec, .told = renewal->told};
    renewal->told = 0;
    commit_call(renewal->commit, read_record, pass_on_record, job);
}

struct renewal *renewal_open(const struct core *core, struct commit *commit, struct ask *ask, const struct spec *spec)
{
    struct renewal *renewal = MEM_NEW(struct renewal);
    *renewal = (struct renewal){.core = core, .commit = commit, .ask = ask, .spec = spec};
    return renewal;
}

void renewal_close(struct renewal *renewal)
{
    if (renewal && renewal->job)
        renewal->job->renewal = NULL;
    free(renewal);
}

void renewal_held(struct renewal *renewal, uint64_t told)
{
    renewal->told = told;
    renewal->event = core_events(renewal->core);
    renewal_committed(renewal, renewal->committed);
}

void renewal_committed(struct renewal *renewal, uint64_t number)
{
    renewal->committed = number;
    if (renewal->told && number >= renewal->event)
        begin_reading(renewal);
}
