/* What trials are judged by, and what they came to: the tables criteria and outcomes. */
#include "scheduler/store/reader_criteria.h"

#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The columns of the statement CRITERIA. Names are made proper: they go into JSON. */
static void get_criterion(struct query *query, void *item, void *context)
{
    struct reader *reader = context;
    struct metric *out = item;
    json_t *name = json_of_text(query_get_text(query));
    out->name = arena_text(&reader->memory, json_string_value(name));
    json_decref(name);
    out->objective = !query_is_null(query);
    out->maximize = strcmp(query_get_text(query), "maximize") == 0;
    out->use_best = strcmp(query_get_text(query), "best") == 0;
    out->has_min = !query_is_null(query);
    out->min = query_get_real(query);
    out->has_max = !query_is_null(query);
    out->max = query_get_real(query);
}

static int read_criteria(struct reader *reader, struct err *err)
{
    struct rows rows = {0};
    struct query query = query_make(reader->db, STATEMENT_CRITERIA);
    int row = query_rows(&query, &rows, sizeof(struct metric), get_criterion, reader, err);
    const struct metric *items = arena_copy(&reader->memory, rows.items, rows.count * sizeof *items);
    free(rows.items);
    if (row == 0 && (!rows.count || !items->objective))
        row = err_set(err, "%s: the first of the metrics that trials are judged by is missing", reader->db->path);
    if (row == 0)
        reader->criteria = (struct metrics){items, (uint32_t)rows.count};
    return row;
}

int reader_criteria(struct reader *reader, struct metrics *out, struct err *err)
{
    if (!reader->criteria.count && read_criteria(reader, err))
        return -1;
    *out = reader->criteria;
    return 0;
}

int reader_outcomes(struct reader *reader, uint64_t trial, double first, double *values, struct err *err)
{
    const struct metrics *criteria = &reader->criteria;
    for (uint32_t i = 0; i < criteria->count; i++)
        values[i] = i ? NAN : first;
    if (criteria->count == 1)
        return 0;
    struct query query = QUERY(reader->db, STATEMENT_OUTCOMES, PUT(trial));
    int row;
    while ((row = query_row(&query, err)) > 0) {
        int64_t criterion = query_get_int(&query);
        double value = query_get_real(&query);
        if (criterion > 1 && criterion <= criteria->count)
            values[criterion - 1] = value;
    }
    return row;
}

json_t *reader_values(struct reader *reader, uint64_t trial, double first, struct err *err)
{
    struct metrics criteria;
    if (reader_criteria(reader, &criteria, err))
        return NULL;
    double *values = MEM_ARRAY(double, criteria.count);
    json_t *json = reader_outcomes(reader, trial, first, values, err) ? NULL : json_object();
    for (uint32_t i = 0; json && i < criteria.count; i++)
        json_object_set_new(json, criteria.items[i].name, json_of_known(values[i]));
    free(values);
    return json;
}

static json_t *limit_to_json(bool given, double limit)
{
    return given ? json_of_real(limit) : json_null();
}

json_t *reader_criteria_json(struct reader *reader, struct err *err)
{
    struct metrics criteria;
    if (reader_criteria(reader, &criteria, err))
        return NULL;
    json_t *list = json_array();
    for (uint32_t i = 0; i < criteria.count; i++) {
        const struct metric *metric = &criteria.items[i];
        json_t *json = json_object();
        json_object_set_new(json, "name", json_string(metric->name));
        json_object_set_new(json, "goal",
                            metric->objective ? json_string(metric->maximize ? "maximize" : "minimize") : json_null());
        json_object_set_new(json, "use", json_string(metric->use_best ? "best" : "last"));
        json_object_set_new(json, "min", limit_to_json(metric->has_min, metric->min));
        json_object_set_new(json, "max", limit_to_json(metric->has_max, metric->max));
        json_array_append_new(list, json);
    }
    return list;
}
