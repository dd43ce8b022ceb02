/* Which trials have not ended; see living.h. */
#include "scheduler/store/living.h"

static uint64_t *word_of(struct living *living, uint64_t trial)
{
    return &living->bits[trial % LIVING_MOST / 64];
}

static uint64_t bit_of(uint64_t trial)
{
    return (uint64_t)1 << trial % 64;
}

/* A recent trial, or one behind all. */
static bool lives(struct living *living, uint64_t trial)
{
    return (*word_of(living, trial) & bit_of(trial)) != 0;
}

static void mark(struct living *living, uint64_t trial, bool alive)
{
    if (lives(living, trial) == alive)
        return;
    *word_of(living, trial) ^= bit_of(trial);
    living->count += alive ? 1 : (uint64_t)-1;
}

static int run_with(struct db *db, enum statement which, uint64_t trial, struct err *err)
{
    struct query query = QUERY(db, which, PUT(trial));
    return query_run(&query, err);
}

/* The trials before this one are recent no more. */
static int leave_behind(struct living *living, uint64_t *recent, uint64_t trial, struct db *db, struct err *err)
{
    for (; *recent < trial && *recent < living->next; ++*recent) {
        if (!lives(living, *recent))
            continue;
        if (run_with(db, STATEMENT_PUT_OLDER, *recent, err))
            return -1;
        mark(living, *recent, false);
    }
    *recent = trial;
    return 0;
}

int living_begin(struct living *living, uint64_t *recent, uint64_t trial, struct db *db, struct err *err)
{
    if (trial < *recent)
        return run_with(db, STATEMENT_PUT_OLDER, trial, err);
    if (trial - *recent >= LIVING_MOST && leave_behind(living, recent, trial - LIVING_MOST + 1, db, err))
        return -1;
    mark(living, trial, true);
    if (living->next <= trial)
        living->next = trial + 1;
    return 0;
}

int living_end(struct living *living, uint64_t recent, uint64_t trial, struct db *db, struct err *err)
{
    if (trial < recent)
        return run_with(db, STATEMENT_DROP_OLDER, trial, err);
    if (trial < living->next)
        mark(living, trial, false);
    return 0;
}

static void pass_ended(struct living *living, uint64_t *recent)
{
    while (*recent < living->next && !lives(living, *recent))
        ++*recent;
}

int living_settle(struct living *living, uint64_t *recent, struct db *db, struct err *err)
{
    pass_ended(living, recent);
    while (*recent < living->next && living->next - *recent > LIVING_SPARE + LIVING_EACH * living->count) {
        if (leave_behind(living, recent, *recent + 1, db, err))
            return -1;
        pass_ended(living, recent);
    }
    return 0;
}

int living_read(struct living *living, uint64_t *recent, struct db *db, struct err *err)
{
    if (living->known)
        return 0;
    int row;
    living_forget(living);
    living->next = *recent;
    struct query query = QUERY(db, STATEMENT_RECENT_LIVING, PUT(*recent));
    while ((row = query_row(&query, err)) > 0)
        if (living_begin(living, recent, query_get_u64(&query), db, err)) {
            query_end(&query);
            return -1;
        }
    living->known = row == 0;
    return row;
}

void living_forget(struct living *living)
{
    *living = (struct living){.known = false};
}
