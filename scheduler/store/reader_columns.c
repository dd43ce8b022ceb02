/* Columns as JSON; see reader_columns.h. */
#include "scheduler/store/reader_columns.h"

#include "common/json.h"

#include <stdlib.h>

/* Null in place of a column that is NULL; else NULL: there is something to get. */
static json_t *null_of(struct query *query)
{
    if (!query_is_null(query))
        return NULL;
    query_skip(query);
    return json_null();
}

json_t *reader_get_int(struct query *query)
{
    json_t *null = null_of(query);
    return null ? null : json_integer(query_get_int(query));
}

json_t *reader_get_u64(struct query *query)
{
    return json_of_u64(query_get_u64(query));
}

json_t *reader_get_real(struct query *query)
{
    json_t *null = null_of(query);
    return null ? null : json_of_real(query_get_real(query));
}

json_t *reader_get_time(struct query *query)
{
    return json_of_time(query_get_real(query)); /* NULL is NaN, and that is null */
}

json_t *reader_get_text(struct query *query)
{
    json_t *null = null_of(query);
    return null ? null : json_of_text(query_get_text(query));
}

json_t *reader_get_truth(struct query *query)
{
    json_t *null = null_of(query);
    return null ? null : json_boolean(query_get_int(query));
}

/* Adds first .. last; false when no core or GPU has such numbers: the store is damaged. */
static bool add_range(json_t *list, long first, long last)
{
    enum { MOST = 65536 };
    if (first < 0 || last >= MOST || json_array_size(list) >= MOST)
        return false;
    for (long number = first; number <= last; number++)
        json_array_append_new(list, json_integer(number));
    return true;
}

json_t *reader_get_list(struct query *query)
{
    json_t *null = null_of(query);
    if (null)
        return null;
    json_t *list = json_array();
    for (const char *at = query_get_text(query); *at;) {
        char *end;
        long first = strtol(at, &end, 10), last = first;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (end == at || !add_range(list, first, last))
            break;
        at = end + (*end == ',');
    }
    return list;
}

json_t *reader_get_object(struct query *query)
{
    json_t *json = json_loads(query_get_text(query), 0, NULL);
    if (json_is_object(json))
        return json;
    json_decref(json);
    return json_object();
}

json_t *reader_get_nothing(struct query *query)
{
    (void)query;
    return json_object();
}

void reader_add_row(struct query *query, const struct reader_column *columns, size_t count, json_t *out)
{
    for (size_t i = 0; i < count; i++)
        json_object_set_new(out, columns[i].name, columns[i].get(query));
}

int reader_add_rows(struct query *query, const struct reader_column *columns, size_t count, json_t *out,
                    struct err *err)
{
    int row;
    while ((row = query_row(query, err)) > 0) {
        json_t *json = json_object();
        reader_add_row(query, columns, count, json);
        json_array_append_new(out, json);
    }
    return row;
}

int reader_add_arrays(struct query *query, reader_column_function *const *columns, size_t count, json_t *out,
                      struct err *err)
{
    int row;
    while ((row = query_row(query, err)) > 0) {
        json_t *array = json_array();
        for (size_t i = 0; i < count; i++)
            json_array_append_new(array, columns[i](query));
        json_array_append_new(out, array);
    }
    return row;
}
