/* Reading Optuna's SQLite storage; see optuna.h. The file is a stranger's: only tables are read, for a bounded time,
 * and whatever type a column has, it is read as what it should be. */
#include "scheduler/store/optuna.h"

#include "common/buf.h"
#include "common/hash.h"
#include "common/json.h"
#include "common/mem.h"
#include "scheduler/store/db.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    LONGEST_VALUE = 1 << 20, /* bytes of a text */
    STEPS_A_LOOK = 1000000,  /* of SQLite's machine */
    MOST_LOOKS = 20000,      /* 20 thousand million steps: a million trials take a hundredth of that */
    MOST_STUDIES = 1000,
    MOST_OBJECTIVES = 100
};

/* --- the study --- */

void optuna_init(struct optuna_study *study)
{
    *study = (struct optuna_study){.maximize = json_array(), .distributions = json_array(), .trials = json_array()};
}

void optuna_fini(struct optuna_study *study)
{
    free(study->name);
    json_decref(study->maximize);
    json_decref(study->metrics);
    json_decref(study->distributions);
    json_decref(study->trials);
    map_fini(&study->seen);
    *study = (struct optuna_study){0};
}

json_t *optuna_trial(struct optuna_study *study, const char *state, double started, double ended)
{
    bool timed = isfinite(started) && isfinite(ended) && ended >= started && started > 0;
    json_t *trial = json_pack("{s:o, s:{}, s:[], s:[], s:o, s:o}", "state", json_of_text(state), "params", "values",
                              "steps", "started", json_of_real(started > 0 ? started : 0), "seconds",
                              json_of_real(timed ? ended - started : 0));
    json_array_append_new(study->trials, trial);
    return trial;
}

/* The index of a distribution, each kept once. */
static size_t keep_distribution(struct optuna_study *study, const char *text)
{
    uint64_t key = hash_text(text);
    uintptr_t index = (uintptr_t)map_get(&study->seen, key);
    if (index)
        return index - 1;
    json_array_append_new(study->distributions, json_of_text(text));
    index = json_array_size(study->distributions);
    map_put(&study->seen, key, (void *)index);
    return index - 1;
}

void optuna_param(struct optuna_study *study, json_t *trial, const char *name, double number, const char *distribution)
{
    json_t *key = json_of_text(name), *pair = json_array();
    json_array_append_new(pair, json_of_real(number));
    json_array_append_new(pair, json_integer((json_int_t)keep_distribution(study, distribution)));
    json_object_set_new(json_object_get(trial, "params"), json_string_value(key), pair);
    json_decref(key);
}

int optuna_refuse(const char *path, const char *wanted, const json_t *names, struct err *err)
{
    struct buf list = {0};
    size_t index;
    const json_t *name;
    json_array_foreach(names, index, name) buf_format(&list, "%s'%s'", index ? ", " : "", json_string_value(name));
    if (!list.length)
        err_write(err, "%s has no study", path);
    else if (wanted)
        err_write(err, "%s has no study '%s'; it has %s", path, wanted, buf_str(&list));
    else
        err_write(err, "%s has several studies; choose one with --study: %s", path, buf_str(&list));
    buf_fini(&list);
    return -1;
}

/* --- rows --- */

/* A file being read. */
struct reading_optuna {
    struct db db;
    struct optuna_study *study;
    const char *wanted;
    int64_t id;     /* of the study */
    json_t *names;  /* of all studies */
    size_t found;   /* studies that may be meant */
    struct map map; /* trial_id -> its JSON */
    unsigned looks;
    size_t rows;
};

typedef void take_row(struct reading_optuna *reading, sqlite3_stmt *row);

static const char *column_text(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

/* Not a number, or infinite, when it says so, or is none. */
static double column_number(sqlite3_stmt *row, int column)
{
    int type = sqlite3_column_type(row, column);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_column_double(row, column) : NAN;
}

/* Asked once in a while: whether to break off. */
static int look_at_work(void *context)
{
    struct reading_optuna *reading = context;
    return ++reading->looks > MOST_LOOKS;
}

/* Calls `take` for each row of a statement, whose one parameter is the study. -1 with a sentence. */
static int read_rows(struct reading_optuna *reading, const char *sql, take_row *take, struct err *err)
{
    sqlite3_stmt *row = NULL;
    int code = sqlite3_prepare_v2(reading->db.handle, sql, -1, &row, NULL);
    if (code == SQLITE_OK && sqlite3_bind_parameter_count(row))
        code = sqlite3_bind_int64(row, 1, reading->id);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(row);
        if (code == SQLITE_ROW && ++reading->rows > OPTUNA_MOST_ROWS)
            break;
        if (code == SQLITE_ROW)
            take(reading, row);
    }
    int failed = 0;
    if (code == SQLITE_ROW)
        failed = err_set(err, "%s has more than %d rows, which are too many to take over", reading->db.path,
                         OPTUNA_MOST_ROWS);
    else if (code == SQLITE_INTERRUPT)
        failed = err_set(err, "%s takes too long to read; it may be made so on purpose", reading->db.path);
    else if (code != SQLITE_DONE)
        failed = db_fail(&reading->db, code, err);
    sqlite3_finalize(row);
    return failed;
}

/* --- what they say --- */

static void take_count(struct reading_optuna *reading, sqlite3_stmt *row)
{
    reading->found = (size_t)sqlite3_column_int64(row, 0);
}

static void take_study(struct reading_optuna *reading, sqlite3_stmt *row)
{
    const char *name = column_text(row, 1);
    if (json_array_size(reading->names) < MOST_STUDIES)
        json_array_append_new(reading->names, json_of_text(name));
    if (reading->wanted && strcmp(name, reading->wanted) != 0)
        return;
    reading->found++;
    reading->id = sqlite3_column_int64(row, 0);
    free(reading->study->name);
    reading->study->name = mem_text(name);
}

static void take_direction(struct reading_optuna *reading, sqlite3_stmt *row)
{
    if (json_array_size(reading->study->maximize) < MOST_OBJECTIVES)
        json_array_append_new(reading->study->maximize, json_boolean(strcasecmp(column_text(row, 0), "MAXIMIZE") == 0));
}

static void take_metrics(struct reading_optuna *reading, sqlite3_stmt *row)
{
    json_decref(reading->study->metrics);
    reading->study->metrics = json_loads(column_text(row, 0), 0, NULL);
}

static void take_trial(struct reading_optuna *reading, sqlite3_stmt *row)
{
    if (map_get(&reading->map, (uint64_t)sqlite3_column_int64(row, 0)))
        return;
    json_t *trial = optuna_trial(reading->study, column_text(row, 1), column_number(row, 2), column_number(row, 3));
    map_put(&reading->map, (uint64_t)sqlite3_column_int64(row, 0), trial);
}

static json_t *trial_of(const struct reading_optuna *reading, sqlite3_stmt *row)
{
    return map_get(&reading->map, (uint64_t)sqlite3_column_int64(row, 0));
}

static void take_param(struct reading_optuna *reading, sqlite3_stmt *row)
{
    json_t *trial = trial_of(reading, row);
    if (trial)
        optuna_param(reading->study, trial, column_text(row, 1), column_number(row, 2), column_text(row, 3));
}

/* Infinities have no number of their own there. */
static double value_of(sqlite3_stmt *row, int number, int type)
{
    const char *kind = column_text(row, type);
    return strcmp(kind, "INF_POS") == 0   ? HUGE_VAL
           : strcmp(kind, "INF_NEG") == 0 ? -HUGE_VAL
                                          : column_number(row, number);
}

static void take_value(struct reading_optuna *reading, sqlite3_stmt *row)
{
    json_t *values = json_object_get(trial_of(reading, row), "values");
    if (values && json_array_size(values) < MOST_OBJECTIVES)
        json_array_append_new(values, json_of_real(value_of(row, 1, 2)));
}

static void take_step(struct reading_optuna *reading, sqlite3_stmt *row)
{
    json_t *steps = json_object_get(trial_of(reading, row), "steps");
    if (steps)
        json_array_append_new(
            steps, json_pack("[I, o]", (json_int_t)sqlite3_column_int64(row, 1), json_of_real(value_of(row, 2, 3))));
}

#define SECONDS(column) "(julianday(" column ") - 2440587.5) * 86400"
#define OF_STUDY        " WHERE trial_id IN (SELECT trial_id FROM trials WHERE study_id = ?1)"

/* Each read in this order; those that are not needed may fail, since older schemas lack them. */
static const struct study_part {
    const char *sql;
    take_row *take;
    bool needed;
} parts[] = {
    {"SELECT direction FROM study_directions WHERE study_id = ?1 ORDER BY objective", take_direction, true},
    {"SELECT value_json FROM study_system_attributes WHERE study_id = ?1 AND key = 'study:metric_names'", take_metrics,
     false},
    {"SELECT trial_id, state, " SECONDS("datetime_start") ", " SECONDS(
         "datetime_complete") " FROM trials WHERE study_id = ?1 ORDER BY number LIMIT 1000001",
     take_trial, true},
    {"SELECT trial_id, param_name, param_value, distribution_json FROM trial_params" OF_STUDY " ORDER BY param_id",
     take_param, true},
    {"SELECT trial_id, value, value_type FROM trial_values" OF_STUDY " ORDER BY trial_id, objective", take_value, true},
    {"SELECT trial_id, step, intermediate_value, intermediate_value_type FROM trial_intermediate_values" OF_STUDY
     " ORDER BY trial_id, step",
     take_step, false},
};

static int find_study(struct reading_optuna *reading, struct err *err)
{
    static const char tables[] = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN"
                                 " ('studies', 'study_directions', 'trials', 'trial_params', 'trial_values')";
    if (read_rows(reading, tables, take_count, err))
        return -1;
    if (reading->found != 5)
        return err_set(err,
                       "%s is no storage of Optuna 3 or later: it lacks tables such as studies, trials, trial_values",
                       reading->db.path);
    reading->found = 0;
    if (read_rows(reading, "SELECT study_id, study_name FROM studies ORDER BY study_id", take_study, err))
        return -1;
    return reading->found == 1 ? 0 : optuna_refuse(reading->db.path, reading->wanted, reading->names, err);
}

static int read_study(struct reading_optuna *reading, struct err *err)
{
    struct err ignored;
    if (find_study(reading, err))
        return -1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (read_rows(reading, parts[i].sql, parts[i].take, parts[i].needed ? err : &ignored) && parts[i].needed)
            return -1;
    if (json_array_size(reading->study->trials) > OPTUNA_MOST_TRIALS)
        return err_set(err, "%s has more than %d trials", reading->db.path, OPTUNA_MOST_TRIALS);
    return 0;
}

int optuna_read(const char *path, const char *name, struct optuna_study *study, struct err *err)
{
    struct reading_optuna reading = {.study = study, .wanted = name};
    optuna_init(study);
    if (db_open_to_read(&reading.db, path, err))
        return -1;
    reading.names = json_array();
    sqlite3_limit(reading.db.handle, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
    sqlite3_db_config(reading.db.handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(reading.db.handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_progress_handler(reading.db.handle, STEPS_A_LOOK, look_at_work, &reading);
    int failed = read_study(&reading, err);
    db_close(&reading.db);
    json_decref(reading.names);
    map_fini(&reading.map);
    return failed;
}
