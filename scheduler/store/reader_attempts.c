/* Attempts in the order in which their trials ended, in pages from either end, so that a reader keeps up with what
 * happens and looks back as far as it wants; see reader.h. Rows are compact, since there may be millions. */
#include "scheduler/store/profile.h"
#include "scheduler/store/reader_columns.h"
#include "scheduler/store/reader_state.h"

#include "common/json.h"

/* The columns of the statements ATTEMPTS_... before the profile. */
static reader_column_function *const columns[] = {
    reader_get_int,  reader_get_int,  reader_get_int,  reader_get_int,  reader_get_int, reader_get_int, reader_get_real,
    reader_get_real, reader_get_text, reader_get_text, reader_get_real, reader_get_int, reader_get_real};

/* How long its trial had waited, its launch and the opening of its data, in seconds, of the column `profile`. */
static void add_phases(struct query *query, json_t *row)
{
    struct phase_time phases[PHASES_COUNT] = {0};
    const char *text = query_get_text(query);
    if (text)
        profile_decode(text, phases);
    json_array_append_new(row, json_of_real(phases[PHASE_QUEUE].seconds));
    json_array_append_new(row, json_of_real(phases[PHASE_LAUNCH].seconds));
    json_array_append_new(row, json_of_real(phases[PHASE_STAGE].seconds));
}

static int add_rows(struct query *query, json_t *out, struct err *err)
{
    int row;
    while ((row = query_row(query, err)) > 0) {
        json_t *array = json_array();
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
            json_array_append_new(array, columns[i](query));
        add_phases(query, array);
        json_array_append_new(out, array);
    }
    return row;
}

/* The place at which a person last had an ended trial tried again. */
static int read_reopened(struct reader *reader, json_t *out, struct err *err)
{
    struct query query = query_make(reader->db, STATEMENT_LAST_REOPENED);
    int row = query_row(&query, err);
    if (row > 0) {
        json_object_set_new(out, "reopened", reader_get_int(&query));
        query_end(&query);
    }
    return row < 0 ? -1 : 0;
}

json_t *reader_attempts(struct reader *reader, enum attempts_end from, uint64_t place, uint64_t limit, struct err *err)
{
    static const enum statement statements[] = {[ATTEMPTS_AFTER] = STATEMENT_ATTEMPTS_AFTER,
                                                [ATTEMPTS_BEFORE] = STATEMENT_ATTEMPTS_BEFORE,
                                                [ATTEMPTS_ALIVE] = STATEMENT_ATTEMPTS_ALIVE};
    if (reader_begin(reader, err))
        return NULL;
    json_t *out = json_object(), *list = json_array();
    json_object_set_new(out, "attempts", list);
    int failed = read_reopened(reader, out, err);
    struct query query = QUERY(reader->db, statements[from], PUT(place), PUT(limit ? (int64_t)limit : -1));
    if (!failed)
        failed = add_rows(&query, list, err);
    return reader_finish(reader, failed, out);
}
