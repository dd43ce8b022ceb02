/* What a filter or an order wants to know of very many trials, and nothing else; see reader.h. */
#include "scheduler/store/profile.h"
#include "scheduler/store/reader_columns.h"
#include "scheduler/store/reader_trial.h"

#include "common/json.h"

#include <string.h>

/* What costs a search of its own, in bits: the statement FACTS looks only for what is wanted. */
enum { ATTEMPTS = 1, NODES = 2, VERDICT = 4, PROFILE = 8, METRICS = 16 };

/* The columns of the statement FACTS behind the attempt and the state. */
static const struct fact_column {
    struct reader_column column;
    unsigned costs;
} columns[] = {
    {{"reason", reader_get_text}, 0},    {{"attempts", reader_get_int}, ATTEMPTS}, {{"params", reader_get_object}, 0},
    {{"value", reader_get_real}, 0},     {{"started", reader_get_time}, 0},        {{"ended", reader_get_time}, 0},
    {{"seconds", reader_get_real}, 0},   {{"node", reader_get_text}, 0},           {{"slot", reader_get_int}, 0},
    {{"cpus", reader_get_list}, 0},      {{"gpus", reader_get_list}, 0},           {{"feasible", reader_get_truth}, 0},
    {{"job", reader_get_text}, 0},       {{"ignored", reader_get_truth}, 0},       {{"added", reader_get_truth}, 0},
    {{"nodes", reader_get_text}, NODES}, {{"verdict", reader_get_text}, VERDICT},  {{"figure", reader_get_real}, 0},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* Which of them are wanted, and what that costs. */
struct wanted_facts {
    bool columns[COLUMNS];
    unsigned costs;
};

static bool has_member(const json_t *members, const char *name)
{
    size_t index;
    json_t *member;
    json_array_foreach((json_t *)members, index, member)
    {
        if (json_is_string(member) && strcmp(json_string_value(member), name) == 0)
            return true;
    }
    return false;
}

static struct wanted_facts wanted_of(const json_t *members)
{
    struct wanted_facts wanted = {.costs = has_member(members, "profile") ? PROFILE : 0};
    bool metrics = has_member(members, "metrics") || has_member(members, "step");
    wanted.costs |= metrics ? METRICS : 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        wanted.columns[i] = has_member(members, columns[i].column.name);
        if (metrics && (strcmp(columns[i].column.name, "value") == 0 || strcmp(columns[i].column.name, "added") == 0))
            wanted.columns[i] = true; /* what was measured elsewhere has no samples */
        wanted.costs |= wanted.columns[i] ? columns[i].costs : 0;
    }
    return wanted;
}

static void add_columns(const struct wanted_facts *wanted, struct query *query, json_t *out)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (wanted->columns[i])
            json_object_set_new_nocheck(out, columns[i].column.name, columns[i].column.get(query));
        else
            query_skip(query);
}

static void add_phase(const char *name, const struct phase_time *time, json_t *out)
{
    json_object_set_new(out, name, json_pack("{s:o}", "seconds", json_of_real(time->seconds)));
}

/* The column `profile`: {phase: {seconds}}. */
static void add_phases(struct query *query, json_t *out)
{
    struct phase_time phases[PHASES_COUNT] = {0}, time;
    char name[PHASE_NAME_LONGEST + 1];
    json_t *profile = json_object();
    const char *text = query_get_text(query);
    json_object_set_new(out, "profile", profile);
    profile_decode(text, phases);
    for (int i = 0; i < PHASES_COUNT; i++)
        if (phases[i].count)
            add_phase(phase_name((enum phase)i), &phases[i], profile);
    while ((text = profile_next_named(text, name, &time)))
        add_phase(name, &time, profile);
}

/* One trial: 1; 0: there is none of that number; -1 with a sentence. */
static int add_facts(struct reader *reader, uint64_t trial, const struct wanted_facts *wanted, json_t *out,
                     struct err *err)
{
    struct query query = QUERY(reader->db, STATEMENT_FACTS, PUT(trial), PUT(wanted->costs));
    int row = query_row(&query, err);
    if (row <= 0)
        return row;
    json_t *facts = json_object();
    int64_t attempt = query_get_int(&query);
    json_array_append_new(out, facts);
    json_object_set_new_nocheck(facts, "trial", json_of_u64(trial));
    json_object_set_new_nocheck(facts, "state", reader_get_text(&query));
    add_columns(wanted, &query, facts);
    if (wanted->costs & PROFILE)
        add_phases(&query, facts);
    query_end(&query);
    bool metrics = wanted->costs & METRICS;
    return metrics && (reader_add_metrics(reader, trial, attempt, facts, err) || reader_add_added(reader, facts, err))
               ? -1
               : 1;
}

static int add_listed(struct reader *reader, const json_t *numbers, const struct wanted_facts *wanted, json_t *out,
                      struct err *err)
{
    size_t index;
    json_t *number;
    json_array_foreach((json_t *)numbers, index, number)
    {
        if (add_facts(reader, (uint64_t)json_integer_value(number), wanted, out, err) < 0)
            return -1;
    }
    return 0;
}

static int add_behind(struct reader *reader, uint64_t after, uint64_t limit, const struct wanted_facts *wanted,
                      json_t *out, struct err *err)
{
    struct query numbers = QUERY(reader->db, STATEMENT_TRIALS_BY_NUMBER, PUT(after));
    int row = 1, added = 1;
    while (added >= 0 && json_array_size(out) < limit && (row = query_row(&numbers, err)) > 0)
        added = add_facts(reader, query_get_u64(&numbers), wanted, out, err);
    if (row > 0)
        query_end(&numbers);
    return row < 0 || added < 0 ? -1 : 0;
}

json_t *reader_facts(struct reader *reader, const struct facts_query *query, struct err *err)
{
    struct wanted_facts wanted = wanted_of(query->members);
    if (reader_begin(reader, err))
        return NULL;
    json_t *out = json_array();
    int failed = query->numbers ? add_listed(reader, query->numbers, &wanted, out, err)
                                : add_behind(reader, query->after, query->limit, &wanted, out, err);
    return reader_finish(reader, failed, out);
}
