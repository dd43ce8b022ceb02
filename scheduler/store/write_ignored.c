/* Whether ended trials count: what a person said, and what the experiment's progress adds up to from then on. */
#include "scheduler/store/write.h"

/* The best trial that counts, looked for anew. */
static int find_best(struct store *store, struct err *err)
{
    struct tally *tally = &store->progress.tally;
    struct query query = QUERY(&store->db, STATEMENT_FIND_BEST, PUT(store->maximize ? -1 : 1));
    int row = query_row(&query, err);
    tally->has_best = row > 0;
    tally->best_trial = row > 0 ? query_get_u64(&query) : 0;
    tally->best = row > 0 ? query_get_real(&query) : 0;
    query_end(&query);
    return row < 0 ? -1 : 0;
}

/* The trial no longer belongs to those that ended, or does again. */
static int move_trial(struct store *store, uint64_t trial, bool ignored, struct err *err)
{
    struct tally *tally = &store->progress.tally;
    struct query query = QUERY(&store->db, STATEMENT_ENDING_OF, PUT(trial));
    int row = query_row(&query, err);
    int64_t ending = row > 0 ? query_get_int(&query) : -1;
    bool added = row > 0 && query_get_int(&query) != 0;
    query_end(&query);
    if (row < 0)
        return -1;
    if (ending < 0 || ending >= ENDINGS_COUNT)
        return err_set(err, "%s: trial %llu ended in a way that this gannet does not know", store->db.path,
                       (unsigned long long)trial);
    uint64_t *ended = &tally->ended[ending_state((enum ending)ending)];
    *ended = ignored ? *ended - (*ended > 0) : *ended + 1;
    if (added)
        tally->added = ignored ? tally->added - (tally->added > 0) : tally->added + 1;
    tally->ignored = ignored ? tally->ignored + 1 : tally->ignored - (tally->ignored > 0);
    return !ignored || (tally->has_best && tally->best_trial == trial) ? find_best(store, err) : 0;
}

static int put_ignored(struct store *store, uint64_t trial, const struct event_ignored *said, struct err *err)
{
    struct query mark = QUERY(&store->db, STATEMENT_IGNORE, PUT(trial), PUT(said->ignored));
    if (query_run(&mark, err))
        return -1;
    if (!db_changes(&store->db))
        return err_set(err, "%s: trial %llu has not ended, or %s", store->db.path, (unsigned long long)trial,
                       said->ignored ? "is ignored already" : "is not ignored");
    struct query put = QUERY(&store->db, STATEMENT_PUT_IGNORED, PUT(said->told), PUT(trial), PUT(said->ignored));
    return query_run(&put, err);
}

int write_ignored(struct store *store, const struct event *event, const struct event_ignored *said, struct err *err)
{
    if (put_ignored(store, event->trial, said, err) || move_trial(store, event->trial, said->ignored, err))
        return -1;
    if (!store->announced)
        progress_settle_held(&store->progress, event->time);
    store->progress.tells = said->told;
    return write_note(store, event, "ignored", err, "%s",
                      said->ignored ? "it is ignored from now on: it counts for nothing" : "it counts again");
}
