/* Trials in an order; see reader.h. The store sorts, so that nobody has to hold all trials to have them sorted. */
#include "scheduler/store/progress.h"
#include "scheduler/store/reader_parts.h"

#include <string.h>

/* The kinds of columns that are no members of a trial; the name stands behind a dot. */
static const char *const kinds[] = {"param", "metric", "time"};

/* "param.lr" is of the kind "param" and has the name "lr"; "seconds" is a member. */
static void split_column(const char *column, const char **kind, const char **name)
{
    *kind = "member";
    *name = column;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i]);
        if (strncmp(column, kinds[i], length) == 0 && column[length] == '.') {
            *kind = kinds[i];
            *name = column + length + 1;
        }
    }
}

static struct query by_column(struct reader *reader, const struct trial_query *which)
{
    const char *kind, *name;
    struct query query = query_make(reader->db, STATEMENT_TRIALS_SORTED);
    split_column(which->order, &kind, &name);
    query_put_text(&query, kind);
    query_put_text(&query, name);
    query_put_int(&query, which->reverse);
    query_put_int(&query, which->limit && !which->state ? (int64_t)which->limit : -1);
    return query;
}

static int by_value(struct reader *reader, struct query *out, struct err *err)
{
    bool maximize;
    if (progress_goal(reader->db, &maximize, err))
        return -1;
    *out = query_make(reader->db, STATEMENT_TRIALS_BY_VALUE);
    query_put_int(out, maximize ? -1 : 1);
    return 0;
}

/* In the order of the numbers. Only few trials are alive, however many there are. */
static struct query by_number(struct reader *reader, const struct trial_query *which)
{
    enum trial_state state = (enum trial_state)(which->state - 1);
    bool is_end = which->state && trial_state_is_end(state);
    struct query query = query_make(reader->db, !which->state ? STATEMENT_TRIALS_BY_NUMBER
                                                : is_end      ? STATEMENT_TRIALS_ENDED
                                                              : STATEMENT_TRIALS_ALIVE);
    query_put_u64(&query, which->after);
    if (is_end)
        query_put_text(&query, trial_state_name(state));
    return query;
}

int reader_order(struct reader *reader, const struct trial_query *which, struct query *out, struct err *err)
{
    if (which->trial) {
        *out = query_make(reader->db, STATEMENT_TRIAL_NUMBER);
        query_put_u64(out, which->trial);
        return 0;
    }
    if (which->by_value)
        return by_value(reader, out, err);
    *out = which->order ? by_column(reader, which) : by_number(reader, which);
    return 0;
}

static int read_numbers(struct reader *reader, const struct trial_query *which, json_t *out, struct err *err)
{
    struct query numbers = {0};
    int row = 0;
    if (reader_order(reader, which, &numbers, err))
        return -1;
    while ((!which->limit || json_array_size(out) < which->limit) && (row = query_row(&numbers, err)) > 0)
        json_array_append_new(out, json_integer(query_get_int(&numbers)));
    query_end(&numbers);
    return row < 0 ? -1 : 0;
}

json_t *reader_numbers(struct reader *reader, const struct trial_query *query, struct err *err)
{
    struct trial_query which = {
        .by_value = query->by_value, .order = query->order, .reverse = query->reverse, .limit = query->limit};
    json_t *numbers = json_array();
    int failed = reader_begin(reader, err);
    if (!failed) {
        failed = read_numbers(reader, &which, numbers, err);
        reader_end(reader);
    }
    if (!failed)
        return numbers;
    json_decref(numbers);
    return NULL;
}
