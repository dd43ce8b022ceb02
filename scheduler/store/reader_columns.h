/* Rows of a query as JSON objects, by tables that say which member a column becomes. */
#ifndef GANNET_SCHEDULER_STORE_READER_COLUMNS_H
#define GANNET_SCHEDULER_STORE_READER_COLUMNS_H

#include "scheduler/store/db.h"

#include <jansson.h>

/* The next column of a query as JSON; null when it is NULL. */
json_t *reader_get_int(struct query *query);
json_t *reader_get_u64(struct query *query);
json_t *reader_get_real(struct query *query);
json_t *reader_get_time(struct query *query);
json_t *reader_get_text(struct query *query);
json_t *reader_get_truth(struct query *query);  /* 1 or 0 */
json_t *reader_get_list(struct query *query);   /* "0-3,8" as an array of numbers */
json_t *reader_get_object(struct query *query); /* a JSON object; what is none becomes {} */

/* No column: an object that is filled in when the query has ended. */
json_t *reader_get_nothing(struct query *query);

/* One member of an object. */
struct reader_column {
    const char *name;
    json_t *(*get)(struct query *query);
};

/* Adds the next columns of the row to an object, and the same of all rows, each as an object added to a list. */
void reader_add_row(struct query *query, const struct reader_column *columns, size_t count, json_t *out);
int reader_add_rows(struct query *query, const struct reader_column *columns, size_t count, json_t *out,
                    struct err *err);

/* The same as arrays: of rows that may be very many. */
typedef json_t *reader_column_function(struct query *query);
int reader_add_arrays(struct query *query, reader_column_function *const *columns, size_t count, json_t *out,
                      struct err *err);

/* A table and its length. */
#define READER_COLUMNS(columns) (columns), sizeof(columns) / sizeof *(columns)

#endif
