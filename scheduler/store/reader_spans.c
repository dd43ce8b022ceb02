/* When and where attempts ran; see reader.h. */
#include "scheduler/store/profile.h"
#include "scheduler/store/reader_columns.h"
#include "scheduler/store/reader_state.h"

#include "common/json.h"

/* How long a phase took, of the column `profile`; null: it is not known. */
static json_t *get_phase(struct query *query, enum phase phase)
{
    struct phase_time phases[PHASES_COUNT] = {0};
    const char *text = query_get_text(query);
    if (text)
        profile_decode(text, phases);
    return phases[phase].count ? json_of_real(phases[phase].seconds) : json_null();
}

static json_t *get_launch(struct query *query)
{
    return get_phase(query, PHASE_LAUNCH);
}

static json_t *get_stage(struct query *query)
{
    return get_phase(query, PHASE_STAGE);
}

/* The columns of the statement SPANS. */
static const struct reader_column columns[] = {
    {"trial", reader_get_int},       {"attempt", reader_get_int},  {"part", reader_get_int},
    {"reason", reader_get_text},     {"node", reader_get_text},    {"worker", reader_get_int},
    {"slot", reader_get_int},        {"started", reader_get_real}, {"seconds", reader_get_real},
    {"launch", get_launch},          {"stage", get_stage},         {"cpu_seconds", reader_get_real},
    {"peak_memory", reader_get_int}, {"first", reader_get_real},
};

json_t *reader_spans(struct reader *reader, uint64_t after, uint64_t last, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *list = json_array();
    struct query query = QUERY(reader->db, STATEMENT_SPANS, PUT(after), PUT(last));
    return reader_finish(reader, reader_add_rows(&query, READER_COLUMNS(columns), list, err), list);
}
