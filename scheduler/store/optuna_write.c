/* Writing Optuna's SQLite storage; see optuna_write.h. The tables are as Optuna 5.0.0 makes them. */
#include "scheduler/store/optuna_write.h"

#include "common/json.h"
#include "common/mem.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define OF_STUDY " FOREIGN KEY(study_id) REFERENCES studies (study_id)"
#define OF_TRIAL " FOREIGN KEY(trial_id) REFERENCES trials (trial_id)"

static const char tables[] =
    "CREATE TABLE studies (study_id INTEGER NOT NULL, study_name VARCHAR(512) NOT NULL, PRIMARY KEY (study_id));"
    "CREATE TABLE version_info (version_info_id INTEGER NOT NULL, schema_version INTEGER,"
    " library_version VARCHAR(256), PRIMARY KEY (version_info_id), CHECK (version_info_id=1));"
    "CREATE TABLE study_directions (study_direction_id INTEGER NOT NULL, direction VARCHAR(8) NOT NULL,"
    " study_id INTEGER NOT NULL, objective INTEGER NOT NULL, PRIMARY KEY (study_direction_id),"
    " UNIQUE (study_id, objective)," OF_STUDY ");"
    "CREATE TABLE study_user_attributes (study_user_attribute_id INTEGER NOT NULL, study_id INTEGER,"
    " \"key\" VARCHAR(512), value_json TEXT, PRIMARY KEY (study_user_attribute_id), UNIQUE (study_id, "
    "\"key\")," OF_STUDY ");"
    "CREATE TABLE study_system_attributes (study_system_attribute_id INTEGER NOT NULL, study_id INTEGER,"
    " \"key\" VARCHAR(512), value_json TEXT, PRIMARY KEY (study_system_attribute_id),"
    " UNIQUE (study_id, \"key\")," OF_STUDY ");"
    "CREATE TABLE trials (trial_id INTEGER NOT NULL, number INTEGER, study_id INTEGER, state VARCHAR(8) NOT NULL,"
    " datetime_start DATETIME, datetime_complete DATETIME, PRIMARY KEY (trial_id)," OF_STUDY ");"
    "CREATE TABLE trial_user_attributes (trial_user_attribute_id INTEGER NOT NULL, trial_id INTEGER,"
    " \"key\" VARCHAR(512), value_json TEXT, PRIMARY KEY (trial_user_attribute_id), UNIQUE (trial_id, "
    "\"key\")," OF_TRIAL ");"
    "CREATE TABLE trial_system_attributes (trial_system_attribute_id INTEGER NOT NULL, trial_id INTEGER,"
    " \"key\" VARCHAR(512), value_json TEXT, PRIMARY KEY (trial_system_attribute_id),"
    " UNIQUE (trial_id, \"key\")," OF_TRIAL ");"
    "CREATE TABLE trial_params (param_id INTEGER NOT NULL, trial_id INTEGER, param_name VARCHAR(512),"
    " param_value FLOAT, distribution_json TEXT, PRIMARY KEY (param_id), UNIQUE (trial_id, param_name)," OF_TRIAL ");"
    "CREATE TABLE trial_values (trial_value_id INTEGER NOT NULL, trial_id INTEGER NOT NULL,"
    " objective INTEGER NOT NULL, value FLOAT, value_type VARCHAR(7) NOT NULL, PRIMARY KEY (trial_value_id),"
    " UNIQUE (trial_id, objective)," OF_TRIAL ");"
    "CREATE TABLE trial_intermediate_values (trial_intermediate_value_id INTEGER NOT NULL,"
    " trial_id INTEGER NOT NULL, step INTEGER NOT NULL, intermediate_value FLOAT,"
    " intermediate_value_type VARCHAR(7) NOT NULL, PRIMARY KEY (trial_intermediate_value_id),"
    " UNIQUE (trial_id, step)," OF_TRIAL ");"
    "CREATE TABLE trial_heartbeats (trial_heartbeat_id INTEGER NOT NULL, trial_id INTEGER NOT NULL,"
    " heartbeat DATETIME NOT NULL, PRIMARY KEY (trial_heartbeat_id), UNIQUE (trial_id)," OF_TRIAL ");"
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL,"
    " CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));"
    "CREATE UNIQUE INDEX ix_studies_study_name ON studies (study_name);"
    "CREATE INDEX ix_trials_study_id ON trials (study_id);"
    "INSERT INTO version_info VALUES (1, 12, '3.2.0');"
    "INSERT INTO alembic_version VALUES ('v3.2.0.a')";

/* What is written again and again. Ours is study 1. */
enum optuna_put {
    PUT_STUDY,
    PUT_DIRECTION,
    PUT_STUDY_USER,
    PUT_STUDY_SYSTEM,
    PUT_TRIAL,
    PUT_PARAM,
    PUT_VALUE,
    PUT_STEP,
    PUT_USER,
    PUT_SYSTEM,
    FORGET, /* from here on: what is taken away before a trial is put once more */
    FORGET_LAST = FORGET + 4,
    PUTS
};

static const char *const sql[PUTS] = {
    [PUT_STUDY] = "INSERT OR REPLACE INTO studies VALUES (1, ?1)",
    [PUT_DIRECTION] = "INSERT OR REPLACE INTO study_directions (direction, study_id, objective) VALUES (?1, 1, ?2)",
    [PUT_STUDY_USER] =
        "INSERT OR REPLACE INTO study_user_attributes (study_id, \"key\", value_json) VALUES (?1, ?2, ?3)",
    [PUT_STUDY_SYSTEM] =
        "INSERT OR REPLACE INTO study_system_attributes (study_id, \"key\", value_json) VALUES (?1, ?2, ?3)",
    [PUT_TRIAL] = "INSERT OR REPLACE INTO trials VALUES (?1, ?2, 1, ?3, ?4, ?5)",
    [PUT_PARAM] = "INSERT OR REPLACE INTO trial_params (trial_id, param_name, param_value, distribution_json)"
                  " VALUES (?1, ?2, ?3, ?4)",
    [PUT_VALUE] =
        "INSERT OR REPLACE INTO trial_values (trial_id, objective, value, value_type) VALUES (?1, ?2, ?3, ?4)",
    [PUT_STEP] = "INSERT OR REPLACE INTO trial_intermediate_values (trial_id, step, intermediate_value,"
                 " intermediate_value_type) VALUES (?1, ?2, ?3, ?4)",
    [PUT_USER] = "INSERT OR REPLACE INTO trial_user_attributes (trial_id, \"key\", value_json) VALUES (?1, ?2, ?3)",
    [PUT_SYSTEM] = "INSERT OR REPLACE INTO trial_system_attributes (trial_id, \"key\", value_json) VALUES (?1, ?2, ?3)",
    [FORGET] = "DELETE FROM trial_params WHERE trial_id = ?1",
    [FORGET + 1] = "DELETE FROM trial_values WHERE trial_id = ?1",
    [FORGET + 2] = "DELETE FROM trial_intermediate_values WHERE trial_id = ?1",
    [FORGET + 3] = "DELETE FROM trial_user_attributes WHERE trial_id = ?1",
    [FORGET_LAST] = "DELETE FROM trial_system_attributes WHERE trial_id = ?1",
};

struct optuna_writer {
    sqlite3 *handle;
    char *path;
    bool replaces; /* trials may be there already */
    bool open;     /* a transaction */
    sqlite3_stmt *puts[PUTS];
};

enum { PATIENCE = 10000 }; /* ms that whoever reads the file may keep us from writing */

/* --- statements --- */

/* A full disk in the words that files have for it. SQLite's own record of errno misses failures in a COMMIT, so it is
 * read here; it is cleared before SQL runs. */
static int fail_writing(const struct optuna_writer *writer, struct err *err)
{
    bool limited = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    int code = sqlite3_errcode(writer->handle);
    if (code == SQLITE_FULL && !limited)
        errno = ENOSPC;
    if (code == SQLITE_FULL || (code == SQLITE_IOERR && limited))
        return err_errno(err, "can't write '%s'", writer->path);
    return err_set(err, "can't write '%s': %s", writer->path, sqlite3_errmsg(writer->handle));
}

static int execute_text(struct optuna_writer *writer, const char *text, struct err *err)
{
    errno = 0;
    return sqlite3_exec(writer->handle, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail_writing(writer, err);
}

static int begin_file(struct optuna_writer *writer, struct err *err)
{
    if (!writer->open && execute_text(writer, "BEGIN IMMEDIATE", err))
        return -1;
    writer->open = true;
    return 0;
}

/* The statement, ready for its parameters; NULL with a sentence. */
static sqlite3_stmt *prepare_statement(struct optuna_writer *writer, enum optuna_put which, struct err *err)
{
    sqlite3_stmt **put = &writer->puts[which];
    if (!*put && sqlite3_prepare_v3(writer->handle, sql[which], -1, SQLITE_PREPARE_PERSISTENT, put, NULL) != SQLITE_OK)
        fail_writing(writer, err);
    return *put;
}

static void bind_text(sqlite3_stmt *put, int at, const char *text)
{
    sqlite3_bind_text(put, at, text, -1, SQLITE_TRANSIENT);
}

static int run_statement(struct optuna_writer *writer, sqlite3_stmt *put, struct err *err)
{
    errno = 0;
    bool done = sqlite3_step(put) == SQLITE_DONE;
    sqlite3_reset(put);
    sqlite3_clear_bindings(put);
    return done ? 0 : fail_writing(writer, err);
}

/* --- life --- */

static struct optuna_writer *open_file(const char *path, const char *settings, struct err *err)
{
    struct optuna_writer *writer = MEM_NEW(struct optuna_writer);
    writer->path = mem_text(path);
    int code = sqlite3_open_v2(path, &writer->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    sqlite3_busy_timeout(writer->handle, PATIENCE);
    if ((code == SQLITE_OK ? execute_text(writer, settings, err) : fail_writing(writer, err)) == 0)
        return writer;
    optuna_end(writer);
    return NULL;
}

struct optuna_writer *optuna_create(const char *path, struct err *err)
{
    struct optuna_writer *writer = open_file(path, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", err);
    if (!writer || (begin_file(writer, err) == 0 && execute_text(writer, tables, err) == 0))
        return writer;
    optuna_end(writer);
    return NULL;
}

struct optuna_writer *optuna_go_on(const char *path, struct err *err)
{
    struct optuna_writer *writer = open_file(path, "PRAGMA journal_mode = DELETE", err);
    if (writer)
        writer->replaces = true;
    return writer;
}

int optuna_keep(struct optuna_writer *writer, struct err *err)
{
    if (!writer->open || execute_text(writer, "COMMIT", err) == 0) {
        writer->open = false;
        return 0;
    }
    sqlite3_exec(writer->handle, "ROLLBACK", NULL, NULL, NULL);
    writer->open = false;
    return -1;
}

void optuna_end(struct optuna_writer *writer)
{
    if (!writer)
        return;
    for (int i = 0; i < PUTS; i++)
        sqlite3_finalize(writer->puts[i]);
    sqlite3_close(writer->handle);
    free(writer->path);
    free(writer);
}

/* --- the study --- */

static int put_attribute(struct optuna_writer *writer, enum optuna_put which, uint64_t whose, const char *key,
                         const json_t *value, struct err *err)
{
    sqlite3_stmt *put = prepare_statement(writer, which, err);
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);
    int failed = put && text ? 0 : -1;
    if (!failed) {
        sqlite3_bind_int64(put, 1, (sqlite3_int64)whose);
        bind_text(put, 2, key);
        bind_text(put, 3, text);
        failed = run_statement(writer, put, err);
    }
    free(text);
    return failed;
}

static int put_attributes(struct optuna_writer *writer, enum optuna_put which, uint64_t whose, const json_t *attributes,
                          struct err *err)
{
    const char *key;
    json_t *value;
    int failed = 0;
    json_object_foreach((json_t *)attributes, key, value)
    {
        if (failed = put_attribute(writer, which, whose, key, value, err), failed)
            break;
    }
    return failed;
}

static int put_directions(struct optuna_writer *writer, const json_t *directions, struct err *err)
{
    for (size_t i = 0; i < json_array_size(directions); i++) {
        sqlite3_stmt *put = prepare_statement(writer, PUT_DIRECTION, err);
        if (!put)
            return -1;
        bind_text(put, 1, json_string_value(json_array_get(directions, i)));
        sqlite3_bind_int64(put, 2, (sqlite3_int64)i);
        if (run_statement(writer, put, err))
            return -1;
    }
    return 0;
}

int optuna_put_study(struct optuna_writer *writer, const json_t *study, struct err *err)
{
    sqlite3_stmt *put = begin_file(writer, err) ? NULL : prepare_statement(writer, PUT_STUDY, err);
    if (!put)
        return -1;
    bind_text(put, 1, json_string_value(json_object_get(study, "name")));
    return run_statement(writer, put, err) || put_directions(writer, json_object_get(study, "directions"), err) ||
                   put_attributes(writer, PUT_STUDY_USER, 1, json_object_get(study, "user"), err) ||
                   put_attributes(writer, PUT_STUDY_SYSTEM, 1, json_object_get(study, "system"), err)
               ? -1
               : 0;
}

/* --- trials --- */

/* "2026-11-20T14:02:11.123Z" as Optuna's programs write it: "2026-11-20 14:02:11.123000". */
static void bind_time(sqlite3_stmt *put, int at, const json_t *time)
{
    char text[32] = "";
    const char *given = json_string_value(time);
    if (!given || strlen(given) != 24)
        return;
    memcpy(text, given, 23);
    text[10] = ' ';
    memcpy(text + 23, "000", 4);
    bind_text(put, at, text);
}

/* A number and, in the column behind it, of which kind it is: infinities and NaN have none of their own. */
static void bind_value(sqlite3_stmt *put, int at, const json_t *value)
{
    double number = NAN;
    json_to_real(value, &number);
    if (isfinite(number))
        sqlite3_bind_double(put, at, number);
    bind_text(put, at + 1, isnan(number) ? "NAN" : isfinite(number) ? "FINITE" : number > 0 ? "INF_POS" : "INF_NEG");
}

static int put_row(struct optuna_writer *writer, uint64_t id, const json_t *trial, struct err *err)
{
    sqlite3_stmt *put = prepare_statement(writer, PUT_TRIAL, err);
    if (!put)
        return -1;
    sqlite3_bind_int64(put, 1, (sqlite3_int64)id);
    sqlite3_bind_int64(put, 2, json_integer_value(json_object_get(trial, "number")));
    bind_text(put, 3, json_string_value(json_object_get(trial, "state")));
    bind_time(put, 4, json_object_get(trial, "started"));
    bind_time(put, 5, json_object_get(trial, "completed"));
    return run_statement(writer, put, err);
}

static int put_params(struct optuna_writer *writer, uint64_t id, const json_t *params, struct err *err)
{
    const char *name;
    json_t *param;
    json_object_foreach((json_t *)params, name, param)
    {
        sqlite3_stmt *put = prepare_statement(writer, PUT_PARAM, err);
        if (!put)
            return -1;
        sqlite3_bind_int64(put, 1, (sqlite3_int64)id);
        bind_text(put, 2, name);
        sqlite3_bind_double(put, 3, json_number_value(json_array_get(param, 0)));
        bind_text(put, 4, json_string_value(json_array_get(param, 1)));
        if (run_statement(writer, put, err))
            return -1;
    }
    return 0;
}

/* Values by the number of their objective, or intermediate ones by their step. */
static int put_numbers(struct optuna_writer *writer, enum optuna_put which, uint64_t id, const json_t *numbers,
                       struct err *err)
{
    for (size_t i = 0; i < json_array_size(numbers); i++) {
        const json_t *number = json_array_get(numbers, i);
        bool pair = json_is_array(number);
        sqlite3_stmt *put = prepare_statement(writer, which, err);
        if (!put)
            return -1;
        sqlite3_bind_int64(put, 1, (sqlite3_int64)id);
        sqlite3_bind_int64(put, 2, pair ? json_integer_value(json_array_get(number, 0)) : (sqlite3_int64)i);
        bind_value(put, 3, pair ? json_array_get(number, 1) : number);
        if (run_statement(writer, put, err))
            return -1;
    }
    return 0;
}

static int forget_trial(struct optuna_writer *writer, uint64_t id, struct err *err)
{
    for (enum optuna_put which = FORGET; writer->replaces && which <= FORGET_LAST; which++) {
        sqlite3_stmt *put = prepare_statement(writer, which, err);
        if (!put)
            return -1;
        sqlite3_bind_int64(put, 1, (sqlite3_int64)id);
        if (run_statement(writer, put, err))
            return -1;
    }
    return 0;
}

int optuna_put_trial(struct optuna_writer *writer, const json_t *trial, struct err *err)
{
    uint64_t id = (uint64_t)json_integer_value(json_object_get(trial, "trial"));
    bool failed = begin_file(writer, err) || forget_trial(writer, id, err) || put_row(writer, id, trial, err) ||
                  put_params(writer, id, json_object_get(trial, "params"), err) ||
                  put_numbers(writer, PUT_VALUE, id, json_object_get(trial, "values"), err) ||
                  put_numbers(writer, PUT_STEP, id, json_object_get(trial, "steps"), err) ||
                  put_attributes(writer, PUT_USER, id, json_object_get(trial, "user"), err) ||
                  put_attributes(writer, PUT_SYSTEM, id, json_object_get(trial, "system"), err);
    if (failed && writer->open && sqlite3_exec(writer->handle, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK)
        writer->open = false;
    return failed ? -1 : 0;
}

bool optuna_has_mark(const char *path, const char *key)
{
    static const char look[] = "SELECT count(*) = 1 AND (SELECT count(*) FROM studies) = 1 FROM study_user_attributes"
                               " WHERE \"key\" = ?1 AND study_id = 1";
    sqlite3 *handle = NULL;
    sqlite3_stmt *row = NULL;
    bool has = false;
    if (sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(handle, look, -1, &row, NULL) == SQLITE_OK) {
        bind_text(row, 1, key);
        has = sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 0) == 1;
    }
    sqlite3_finalize(row);
    sqlite3_close(handle);
    return has;
}
