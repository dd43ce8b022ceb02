/* Reading Optuna's journal; see optuna_journal.h. Studies and trials have the numbers of the order in which they were
 * created, over all studies. */
#include "cli/start/optuna_journal.h"
#include "cli/json.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a line says was done. */
enum {
    CREATE_STUDY = 0,
    DELETE_STUDY = 1,
    SET_STUDY_SYSTEM_ATTR = 3,
    CREATE_TRIAL = 4,
    SET_PARAM = 5,
    SET_STATE = 6,
    SET_STEP = 7
};

enum { LONGEST_LINE = 1 << 20, MAXIMIZE = 2 };

/* The states in their order there. */
static const char *const states[] = {"RUNNING", "COMPLETE", "PRUNED", "FAIL", "WAITING"};

/* A journal being read. */
struct journal {
    const char *wanted;
    struct optuna_study *study;
    json_t *names;   /* of all studies; of one that was deleted: null */
    json_int_t id;   /* of the study that is meant; -1: none yet */
    json_t *trials;  /* of all studies: an array of their JSON, null where they are of another one */
    size_t matching; /* studies that may be meant */
};

bool optuna_journal_is(const char *path)
{
    char begin[16] = "";
    FILE *file = fopen(path, "re");
    bool is = file && fread(begin, 1, sizeof begin - 1, file) > 10 && strncmp(begin, "{\"op_code\"", 10) == 0;
    if (file)
        fclose(file);
    return is;
}

/* "2026-11-22T15:32:36.378342+00:00"; NaN when it is none. */
static double time_of(const json_t *json)
{
    const char *text = json_string_value(json);
    return text ? units_time(text) : NAN;
}

static json_int_t number_of(const json_t *line, const char *member)
{
    const json_t *number = json_object_get(line, member);
    return json_is_integer(number) ? json_integer_value(number) : -1;
}

static void create_study(struct journal *journal, const json_t *line)
{
    const char *name = json_text(line, "study_name");
    json_int_t id = (json_int_t)json_array_size(journal->names);
    size_t index;
    const json_t *direction;
    json_array_append_new(journal->names, json_string(name));
    if (journal->wanted ? strcmp(name, journal->wanted) != 0
                        : journal->id >= 0 && json_array_size(journal->names) > 1) {
        journal->matching += !journal->wanted;
        return;
    }
    journal->matching++;
    journal->id = id;
    free(journal->study->name);
    journal->study->name = mem_text(name);
    json_array_clear(journal->study->maximize);
    json_array_foreach(json_object_get(line, "directions"), index, direction)
        json_array_append_new(journal->study->maximize, json_boolean(json_integer_value(direction) == MAXIMIZE));
}

static void delete_study(struct journal *journal, const json_t *line)
{
    json_int_t id = number_of(line, "study_id");
    if (id < 0 || json_is_null(json_array_get(journal->names, (size_t)id)))
        return;
    json_array_set_new(journal->names, (size_t)id, json_null());
    bool counted = !journal->wanted || id == journal->id;
    journal->matching -= counted && journal->matching;
    if (id == journal->id)
        journal->id = -1;
}

static void create_trial(struct journal *journal, const json_t *line)
{
    bool ours = number_of(line, "study_id") == journal->id && journal->id >= 0;
    double started = time_of(json_object_get(line, "datetime_start"));
    json_t *trial = ours ? optuna_trial(journal->study, "RUNNING", started, NAN) : NULL;
    json_array_append_new(journal->trials, ours ? json_incref(trial) : json_null());
}

static json_t *trial_of(const struct journal *journal, const json_t *line)
{
    json_int_t id = number_of(line, "trial_id");
    json_t *trial = id < 0 ? NULL : json_array_get(journal->trials, (size_t)id);
    return json_is_object(trial) ? trial : NULL;
}

static void set_state(json_t *trial, const json_t *line)
{
    json_int_t state = number_of(line, "state");
    double ended = time_of(json_object_get(line, "datetime_complete")), started = 0;
    json_t *values = json_object_get(line, "values");
    if (state < 0 || state >= (json_int_t)(sizeof states / sizeof *states))
        return;
    json_object_set_new(trial, "state", json_string(states[state]));
    if (json_is_array(values))
        json_object_set(trial, "values", values);
    if (json_number(trial, "started", &started) && started > 0 && ended >= started)
        json_object_set_new(trial, "seconds", json_of_real(ended - started));
}

static void set_step(json_t *trial, const json_t *line)
{
    double value = NAN;
    json_to_real(json_object_get(line, "intermediate_value"), &value);
    json_array_append_new(json_object_get(trial, "steps"),
                          json_pack("[I, o]", number_of(line, "step"), json_of_real(value)));
}

static void set_metrics(struct journal *journal, const json_t *line)
{
    json_t *names = json_object_get(json_object_get(line, "system_attr"), "study:metric_names");
    if (number_of(line, "study_id") != journal->id || !json_is_array(names))
        return;
    json_decref(journal->study->metrics);
    journal->study->metrics = json_incref(names);
}

static void take_line(struct journal *journal, const json_t *line)
{
    json_t *trial = trial_of(journal, line);
    double number;
    switch (number_of(line, "op_code")) {
    case CREATE_STUDY:
        create_study(journal, line);
        break;
    case DELETE_STUDY:
        delete_study(journal, line);
        break;
    case SET_STUDY_SYSTEM_ATTR:
        set_metrics(journal, line);
        break;
    case CREATE_TRIAL:
        create_trial(journal, line);
        break;
    case SET_PARAM:
        if (trial && json_number(line, "param_value_internal", &number))
            optuna_param(journal->study, trial, json_text(line, "param_name"), number, json_text(line, "distribution"));
        break;
    case SET_STATE:
        if (trial)
            set_state(trial, line);
        break;
    case SET_STEP:
        if (trial)
            set_step(trial, line);
        break;
    default:
        break;
    }
}

static int read_lines(struct journal *journal, FILE *file, const char *path, struct err *err)
{
    char *line = NULL;
    size_t room = 0, lines = 0;
    ssize_t length;
    int failed = 0;
    while (!failed && (length = getline(&line, &room, file)) > 0) {
        json_t *json = length < LONGEST_LINE ? json_loadb(line, (size_t)length, JSON_ALLOW_NUL, NULL) : NULL;
        if (json_is_object(json))
            take_line(journal, json);
        json_decref(json);
        if (++lines > OPTUNA_MOST_ROWS || json_array_size(journal->trials) > OPTUNA_MOST_TRIALS)
            failed = err_set(err, "%s has more than %d trials or %d lines", path, OPTUNA_MOST_TRIALS, OPTUNA_MOST_ROWS);
    }
    free(line);
    return failed;
}

int optuna_journal_read(const char *path, const char *name, struct optuna_study *study, struct err *err)
{
    struct journal journal = {.wanted = name, .study = study, .id = -1};
    optuna_init(study);
    FILE *file = fopen(path, "re");
    if (!file)
        return err_errno(err, "can't open %s", path);
    journal.names = json_array();
    journal.trials = json_array();
    int failed = read_lines(&journal, file, path, err);
    for (size_t i = json_array_size(journal.names); i; i--)
        if (!json_is_string(json_array_get(journal.names, i - 1)))
            json_array_remove(journal.names, i - 1);
    if (!failed && (journal.id < 0 || journal.matching != 1))
        failed = optuna_refuse(path, name, journal.names, err);
    json_decref(journal.names);
    json_decref(journal.trials);
    fclose(file);
    return failed;
}
