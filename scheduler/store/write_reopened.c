/* A failed trial that a person wants tried again: its end is kept, for replays, and it waits as one that never ended.
 */
#include "scheduler/store/write.h"

static int keep_end(struct store *store, uint64_t trial, uint64_t told, struct err *err)
{
    struct query keep = QUERY(&store->db, STATEMENT_KEEP_END, PUT(trial), PUT(told));
    if (query_run(&keep, err))
        return -1;
    return db_changes(&store->db)
               ? 0
               : err_set(err, "%s: trial %llu has not ended, or is ignored", store->db.path, (unsigned long long)trial);
}

/* It failed, so it has no values and is not the best. Early stopping, which was told that, takes what comes for another
 * trial: the row that says so is found by the number of the end. */
static int take_end_back(struct store *store, uint64_t trial, struct err *err)
{
    struct query number = QUERY(&store->db, STATEMENT_NUMBER_ENDED, PUT(trial), PUT(DECISION_ENDED));
    if (query_run(&number, err))
        return -1;
    struct query reopen = QUERY(&store->db, STATEMENT_REOPEN, PUT(trial));
    if (query_run(&reopen, err))
        return -1;
    struct query runs = QUERY(&store->db, STATEMENT_CLOSE_RUNS, PUT(trial), PUT(ENDING_LOST));
    return query_run(&runs, err) || ends_write(&store->ends, &store->db, err) || write_living(store, trial, err) ? -1
                                                                                                                 : 0;
}

int write_reopened(struct store *store, const struct event *event, const struct event_reopened *said, struct err *err)
{
    struct tally *tally = &store->progress.tally;
    int64_t ending = 0;
    struct query query = QUERY(&store->db, STATEMENT_ENDING_OF, PUT(event->trial));
    if (query_number(&query, &ending, err) < 0)
        return -1;
    if (ending < 0 || ending >= ENDINGS_COUNT || ending_state((enum ending)ending) != TRIAL_FAILED)
        return err_set(err, "%s: trial %llu has not failed", store->db.path, (unsigned long long)event->trial);
    if (keep_end(store, event->trial, said->told, err) || take_end_back(store, event->trial, err))
        return -1;
    tally->ended[TRIAL_FAILED] -= tally->ended[TRIAL_FAILED] > 0;
    if (!store->announced)
        progress_settle_held(&store->progress, event->time);
    store->progress.tells = said->told;
    return write_note(store, event, "reopened", err, "it waits again: a person wants it tried once more");
}
