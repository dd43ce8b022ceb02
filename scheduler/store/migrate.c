/* The steps from one schema version to the next; see migrate.h. */
#include "scheduler/store/migrate.h"
#include "scheduler/store/schema.h"

#include "common/buf.h"

/* Nothing was released with version 0. It is a store without its index, and keeps this way of things tried. */
static const struct migration steps_to_present[] = {
    {0, "CREATE INDEX IF NOT EXISTS live ON trials (trial) WHERE ending IS NULL"},
    {1, "CREATE TABLE criteria (criterion INTEGER PRIMARY KEY, name TEXT NOT NULL, goal TEXT, use TEXT NOT NULL,"
        " min REAL, max REAL);"
        "INSERT INTO criteria SELECT 1, metric, goal, use, NULL, NULL FROM experiment;"
        "ALTER TABLE trials ADD COLUMN infeasible INTEGER NOT NULL DEFAULT 0;"
        "CREATE TABLE outcomes (trial INTEGER NOT NULL, criterion INTEGER NOT NULL, value REAL,"
        " PRIMARY KEY (trial, criterion)) WITHOUT ROWID"},
    {2, "ALTER TABLE progress ADD COLUMN steps INTEGER NOT NULL DEFAULT 0;"
        "ALTER TABLE progress ADD COLUMN stepped INTEGER NOT NULL DEFAULT 0;"
        "ALTER TABLE progress ADD COLUMN max_steps INTEGER NOT NULL DEFAULT 0;"
        "ALTER TABLE trials ADD COLUMN start_from INTEGER;"
        "ALTER TABLE trials ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;"
        "ALTER TABLE trials ADD COLUMN reached INTEGER NOT NULL DEFAULT 0;"
        "ALTER TABLE trials ADD COLUMN step INTEGER;"
        "ALTER TABLE runs ADD COLUMN resumed INTEGER NOT NULL DEFAULT 0;"
        "CREATE TABLE judgements (id INTEGER PRIMARY KEY, trial INTEGER NOT NULL, verdict INTEGER NOT NULL,"
        " step INTEGER, value REAL, others TEXT, seconds REAL, why TEXT, told INTEGER);"
        "CREATE INDEX judged ON judgements (trial);"
        "CREATE TABLE earlier (number INTEGER PRIMARY KEY, source INTEGER NOT NULL, params TEXT NOT NULL, loss REAL,"
        " seconds REAL)"},
    {3, "ALTER TABLE progress ADD COLUMN idle INTEGER NOT NULL DEFAULT 0;"
        "ALTER TABLE progress ADD COLUMN run_seconds REAL NOT NULL DEFAULT 0;"
        "ALTER TABLE progress ADD COLUMN cut INTEGER NOT NULL DEFAULT 0;"
        "UPDATE progress SET run_seconds = coalesce((SELECT sum(seconds) FROM runs), 0),"
        " cut = (SELECT count(*) FROM events WHERE kind = 'interrupted');"
        "ALTER TABLE workers ADD COLUMN job INTEGER;"
        "ALTER TABLE workers ADD COLUMN element INTEGER;"
        "CREATE TABLE jobs (job INTEGER NOT NULL, element INTEGER NOT NULL, restarts INTEGER NOT NULL, role TEXT,"
        " submitted REAL, started REAL, ended REAL, state TEXT, reason TEXT, nodes TEXT, request TEXT, exit TEXT,"
        " PRIMARY KEY (job, element, restarts)) WITHOUT ROWID"},
    {4, "DROP VIEW IF EXISTS v_judgements;"
        "ALTER TABLE judgements RENAME TO decisions;"
        "ALTER TABLE decisions RENAME COLUMN verdict TO decision;"
        "DROP INDEX judged;"
        "CREATE INDEX decided ON decisions (trial);"
        "ALTER TABLE runs ADD COLUMN profile TEXT;"
        "UPDATE runs SET profile = (SELECT '[' || group_concat('[' || phase || ',' || CAST(round(seconds * 1e9) AS "
        "INTEGER)"
        " || ',' || count || coalesce(',' || CAST(round(min * 1e9) AS INTEGER) || ','"
        " || CAST(round(max * 1e9) AS INTEGER), '') || ']') || ']' FROM (SELECT * FROM profiles p"
        " WHERE p.trial = runs.trial AND p.attempt = runs.attempt ORDER BY phase));"
        "DROP TABLE profiles;"
        "CREATE TABLE processors (number INTEGER PRIMARY KEY, trial INTEGER NOT NULL, since REAL NOT NULL,"
        " model TEXT NOT NULL, vector TEXT NOT NULL, kernels TEXT NOT NULL, gannet TEXT NOT NULL)"},
    {5, "ALTER TABLE experiment ADD COLUMN identity TEXT"},
    {6, "ALTER TABLE trials ADD COLUMN memory_limit INTEGER;"
        "ALTER TABLE trials ADD COLUMN time_limit REAL;"
        "ALTER TABLE runs ADD COLUMN memory_limit INTEGER;"
        "ALTER TABLE runs ADD COLUMN time_limit REAL"},
    {7, "ALTER TABLE progress ADD COLUMN ignored INTEGER NOT NULL DEFAULT 0;"
        "ALTER TABLE trials ADD COLUMN ignored INTEGER NOT NULL DEFAULT 0;"
        "CREATE TABLE ignored (told INTEGER PRIMARY KEY, trial INTEGER NOT NULL, ignored INTEGER NOT NULL);"
        "CREATE TABLE reopened (told INTEGER PRIMARY KEY, trial INTEGER NOT NULL, ending INTEGER NOT NULL,"
        " seconds REAL, step INTEGER, reopened INTEGER NOT NULL)"},
    {8, "ALTER TABLE progress ADD COLUMN added INTEGER NOT NULL DEFAULT 0;"
        "ALTER TABLE trials ADD COLUMN added INTEGER NOT NULL DEFAULT 0;"
        "CREATE TABLE parts (trial INTEGER NOT NULL, attempt INTEGER NOT NULL, node INTEGER NOT NULL,"
        " worker INTEGER NOT NULL, slot INTEGER NOT NULL, ending INTEGER, detail TEXT,"
        " PRIMARY KEY (trial, attempt, node)) WITHOUT ROWID"},
    {9, "ALTER TABLE runs ADD COLUMN verdict INTEGER;"
        "ALTER TABLE runs ADD COLUMN figure REAL;"
        "CREATE TABLE verdicts (verdict INTEGER PRIMARY KEY, name TEXT NOT NULL, meaning TEXT NOT NULL,"
        " sentence TEXT NOT NULL)"},
    {10, "ALTER TABLE runs ADD COLUMN counters TEXT;"
         "ALTER TABLE workers ADD COLUMN uncounted TEXT;"
         "CREATE TABLE counters (counter INTEGER PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT NULL,"
         " scale INTEGER NOT NULL, meaning TEXT NOT NULL)"},
    {11, "ALTER TABLE runs ADD COLUMN operations TEXT;"
         "CREATE TABLE operations (operation INTEGER PRIMARY KEY, name TEXT NOT NULL)"},
    {12, "ALTER TABLE trials ADD COLUMN energy REAL;"
         "ALTER TABLE reopened ADD COLUMN energy REAL"},
    {13, "CREATE INDEX told ON trials (told) WHERE told IS NOT NULL"},
    {14, "ALTER TABLE decisions ADD COLUMN cut_off REAL;"
         "ALTER TABLE decisions ADD COLUMN bracket INTEGER"},
    {15, "CREATE TABLE older (trial INTEGER PRIMARY KEY);"
         "INSERT INTO older SELECT trial FROM trials WHERE ending IS NULL;"
         "ALTER TABLE progress ADD COLUMN recent INTEGER NOT NULL DEFAULT 0;"
         "UPDATE progress SET recent = coalesce((SELECT max(trial) + 1 FROM trials), 0);"
         "CREATE TABLE ends (told INTEGER PRIMARY KEY, last INTEGER NOT NULL, trials TEXT NOT NULL);"
         "INSERT INTO ends SELECT min(told), max(told), json_group_array(trial) FROM"
         " (SELECT told, trial FROM trials WHERE told IS NOT NULL ORDER BY told) GROUP BY told / 256;"
         "DROP INDEX live; DROP INDEX told"},
};

static const struct migration *step_from(int version, const struct migration *steps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (steps[i].from == version)
            return &steps[i];
    return NULL;
}

static int take_step(struct db *db, const struct migration *step, struct err *err)
{
    struct buf mark = {0};
    buf_format(&mark, "PRAGMA user_version = %d", step->from + 1);
    int failed = db_begin_write(db, err) || db_execute(db, step->sql, err) || db_execute(db, buf_str(&mark), err) ||
                 db_commit(db, err);
    buf_fini(&mark);
    db_rollback(db);
    return failed ? -1 : 0;
}

int migrate_run(struct db *db, int version, int target, const struct migration *steps, size_t count, struct err *err)
{
    for (; version < target; version++) {
        const struct migration *step = step_from(version, steps, count);
        if (!step)
            return err_set(err, "%s: there is no way from schema version %d to %d", db->path, version, target);
        if (take_step(db, step, err))
            return err_prefix(err, "schema version %d to %d", version, version + 1);
    }
    return 0;
}

int migrate_to_present(struct db *db, int version, struct err *err)
{
    return migrate_run(db, version, SCHEMA_VERSION, steps_to_present,
                       sizeof steps_to_present / sizeof *steps_to_present, err);
}
