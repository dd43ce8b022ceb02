/* From a name and arguments to a function of the reading half; see query.h. */
#include "scheduler/coordinator/query.h"

#include "common/buf.h"
#include "common/json.h"
#include "common/suggest.h"

#include <math.h>
#include <string.h>

/* Rows that are asked for by their numbers: of some kilobytes each, and of configurations (or spans) alone. */
enum { MOST_ROWS = 2000, MOST_PARAMS = 20000 };

/* --- arguments --- */

/* A member that is a number from 0; 0 when it is missing. -1 when it is something else. */
static int take_number(const json_t *arguments, const char *name, uint64_t *out, struct err *err)
{
    const json_t *member = json_object_get(arguments, name);
    json_int_t number = json_integer_value(member);
    if (member && (!json_is_integer(member) || number < 0))
        return err_set(err, "read: '%s' has to be a whole number from 0", name);
    *out = (uint64_t)number;
    return 0;
}

static int take_state(const json_t *arguments, int *out, struct err *err)
{
    const json_t *member = json_object_get(arguments, "state");
    const char *name = json_string_value(member);
    int state = name ? trial_state_named(name) : -1;
    if (member && state < 0)
        return err_set(err, "read: there is no state '%s'", name ? name : "");
    *out = state + 1;
    return 0;
}

/* At most `most` of them: the store's thread works on them while others wait. */
static int take_numbers(const json_t *arguments, size_t most, const json_t **out, struct err *err)
{
    size_t index;
    const json_t *number;
    *out = json_object_get(arguments, "numbers");
    if (*out && !json_is_array(*out))
        return err_set(err, "read: 'numbers' has to be an array");
    if (json_array_size(*out) > most)
        return err_set(err, "read: 'numbers' has at most %zu of them at once", most);
    json_array_foreach((json_t *)*out, index, number)
    {
        if (!json_is_integer(number))
            return err_set(err, "read: 'numbers' has to be an array of whole numbers");
    }
    return 0;
}

/* Rows of a page: what a message has room for, and nobody else waits long for. */
static int take_page(const json_t *arguments, uint64_t *limit, struct err *err)
{
    enum { MOST = 20000 }; /* of at most 200 bytes */
    int failed = take_number(arguments, "limit", limit, err);
    if (!*limit || *limit > MOST)
        *limit = MOST;
    return failed;
}

/* --- functions --- */

static struct trial_query order_of(const json_t *arguments)
{
    return (struct trial_query){.by_value = json_is_true(json_object_get(arguments, "by_value")),
                                .order = json_string_value(json_object_get(arguments, "order")),
                                .reverse = json_is_true(json_object_get(arguments, "reverse")),
                                .curve = json_is_true(json_object_get(arguments, "curve"))};
}

static json_t *read_numbers(struct reader *reader, const json_t *arguments, struct err *err)
{
    struct trial_query query = order_of(arguments);
    return take_number(arguments, "limit", &query.limit, err) ? NULL : reader_numbers(reader, &query, err);
}

/* Trials as they come, until no message could carry them. */
struct trial_page {
    json_t *trials;
    uint64_t samples;
};

/* A trial alone is given whole: its samples are bounded by the worker's limits. */
static int add_trial(void *context, json_t *trial, struct err *err)
{
    enum { MOST_SAMPLES = 400000 }; /* of at least 20 bytes: 8 MiB */
    struct trial_page *page = context;
    page->samples += json_array_size(json_object_get(trial, "curve"));
    if (page->samples > MOST_SAMPLES && json_array_size(page->trials))
        return err_set(err, "read: these trials have more than %d samples; ask for fewer at once", MOST_SAMPLES);
    json_array_append(page->trials, trial);
    return 0;
}

static json_t *collect_trials(struct reader *reader, struct trial_query *query, struct err *err)
{
    enum { MOST = 5000 }; /* some 5 KiB each in memory; pages of the command line have 1000 */
    struct trial_page page = {.trials = json_array()};
    query->limit = query->limit && query->limit < MOST ? query->limit : MOST;
    if (reader_trials_each(reader, query, add_trial, &page, err) == 0)
        return page.trials;
    json_decref(page.trials);
    return NULL;
}

static json_t *read_trials(struct reader *reader, const json_t *arguments, struct err *err)
{
    struct trial_query query = order_of(arguments);
    query.brief = json_is_true(json_object_get(arguments, "brief"));
    if (take_numbers(arguments, MOST_ROWS, &query.numbers, err) || take_state(arguments, &query.state, err) ||
        take_number(arguments, "trial", &query.trial, err) || take_number(arguments, "limit", &query.limit, err) ||
        take_number(arguments, "after", &query.after, err))
        return NULL;
    return collect_trials(reader, &query, err);
}

static json_t *read_trends(struct reader *reader, const json_t *arguments, struct err *err)
{
    enum { MOST = 1000 };
    const json_t *numbers;
    uint64_t limit;
    if (take_numbers(arguments, MOST_ROWS, &numbers, err) || take_number(arguments, "limit", &limit, err))
        return NULL;
    return reader_trends(reader, numbers, limit < MOST ? limit : MOST, err);
}

static json_t *read_params(struct reader *reader, const json_t *arguments, struct err *err)
{
    const json_t *numbers;
    return take_numbers(arguments, MOST_PARAMS, &numbers, err) ? NULL : reader_params(reader, numbers, err);
}

static json_t *read_facts(struct reader *reader, const json_t *arguments, struct err *err)
{
    struct facts_query query = {.members = json_object_get(arguments, "members")};
    if (!json_is_array(query.members))
        return err_write(err, "read: 'members' has to be an array of names"), NULL;
    if (take_numbers(arguments, MOST_ROWS, &query.numbers, err) || take_number(arguments, "after", &query.after, err) ||
        take_number(arguments, "limit", &query.limit, err))
        return NULL;
    query.limit = query.limit && query.limit < MOST_ROWS ? query.limit : MOST_ROWS;
    return reader_facts(reader, &query, err);
}

static json_t *read_metrics(struct reader *reader, const json_t *arguments, struct err *err)
{
    (void)arguments;
    return reader_metrics(reader, err);
}

static json_t *read_best(struct reader *reader, const json_t *arguments, struct err *err)
{
    (void)arguments;
    return reader_best(reader, err);
}

static json_t *read_ended(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t after, limit;
    if (take_number(arguments, "after", &after, err) || take_page(arguments, &limit, err))
        return NULL;
    return reader_ended(reader, after, limit, err);
}

static json_t *read_living(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t after, limit;
    if (take_number(arguments, "after", &after, err) || take_page(arguments, &limit, err))
        return NULL;
    return reader_living(reader, after, limit, err);
}

static json_t *read_improvements(struct reader *reader, const json_t *arguments, struct err *err)
{
    struct improvements so_far = {.best = NAN};
    uint64_t limit;
    if (take_number(arguments, "told", &so_far.told, err) || take_number(arguments, "ended", &so_far.ended, err) ||
        take_number(arguments, "taken_back", &so_far.taken_back, err) || take_page(arguments, &limit, err))
        return NULL;
    (void)json_to_real(json_object_get(arguments, "best"), &so_far.best);
    return reader_improvements(reader, &so_far, limit, err);
}

static json_t *read_places(struct reader *reader, const json_t *arguments, struct err *err)
{
    (void)arguments;
    return reader_places(reader, err);
}

static json_t *read_workers(struct reader *reader, const json_t *arguments, struct err *err)
{
    const json_t *numbers;
    return take_numbers(arguments, MOST_ROWS, &numbers, err) ? NULL : reader_workers(reader, numbers, err);
}

static json_t *read_troubles(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t after, limit;
    if (take_number(arguments, "after", &after, err) || take_page(arguments, &limit, err))
        return NULL;
    return reader_troubles(reader, after, limit, err);
}

static json_t *read_attempts(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t place, limit;
    bool before = json_object_get(arguments, "before"), alive = json_is_true(json_object_get(arguments, "alive"));
    if (take_number(arguments, before ? "before" : "after", &place, err) || take_page(arguments, &limit, err))
        return NULL;
    return reader_attempts(reader,
                           alive    ? ATTEMPTS_ALIVE
                           : before ? ATTEMPTS_BEFORE
                                    : ATTEMPTS_AFTER,
                           place, limit, err);
}

static json_t *read_learned(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t after, every, limit;
    if (take_number(arguments, "after", &after, err) || take_number(arguments, "every", &every, err) ||
        take_page(arguments, &limit, err))
        return NULL;
    return reader_learned(reader, after, every, limit, err);
}

static json_t *read_decided(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t after, limit;
    if (take_number(arguments, "after", &after, err) || take_page(arguments, &limit, err))
        return NULL;
    return reader_decided(reader, after, limit, err);
}

static json_t *read_proposed(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t limit;
    return take_page(arguments, &limit, err) ? NULL : reader_proposed(reader, limit, err);
}

static json_t *read_front(struct reader *reader, const json_t *arguments, struct err *err)
{
    (void)arguments;
    return reader_front(reader, err);
}

static json_t *read_show(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t trial;
    return take_number(arguments, "trial", &trial, err) ? NULL : reader_show(reader, trial, err);
}

static json_t *read_experiment(struct reader *reader, const json_t *arguments, struct err *err)
{
    bool brief = json_is_true(json_object_get(arguments, "brief"));
    return brief ? reader_experiment_brief(reader, err) : reader_experiment(reader, err);
}

static json_t *read_events(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t after;
    return take_number(arguments, "after", &after, err) ? NULL : reader_events(reader, (int64_t)after, err);
}

/* One trial of how many is read; all unless that is said. */
static int take_sample(const json_t *arguments, uint64_t *every, struct err *err)
{
    int failed = take_number(arguments, "every", every, err);
    *every = *every ? *every : 1;
    return failed;
}

static json_t *read_sample(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t most;
    return take_number(arguments, "most", &most, err) ? NULL : reader_sample(reader, most, err);
}

static json_t *read_phases(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t every;
    return take_sample(arguments, &every, err) ? NULL : reader_phases(reader, every, err);
}

static json_t *read_verdicts(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t every;
    return take_sample(arguments, &every, err) ? NULL : reader_verdicts(reader, every, err);
}

static json_t *read_speed(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t every;
    return take_sample(arguments, &every, err) ? NULL : reader_speed(reader, every, err);
}

static json_t *read_operations(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t every;
    return take_sample(arguments, &every, err) ? NULL : reader_operations(reader, every, err);
}

static json_t *read_spans(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t after, last;
    if (take_number(arguments, "after", &after, err) || take_number(arguments, "last", &last, err))
        return NULL;
    if (last > after && last - after > MOST_PARAMS)
        return err_write(err, "read: spans of at most %d trials at once", MOST_PARAMS), NULL;
    return reader_spans(reader, after, last, err);
}

static json_t *read_faults(struct reader *reader, const json_t *arguments, struct err *err)
{
    uint64_t after;
    if (take_number(arguments, "after", &after, err))
        return NULL;
    return json_object_get(arguments, "after") ? reader_faults_since(reader, after, err) : reader_faults(reader, err);
}

static json_t *read_top(struct reader *reader, const json_t *arguments, struct err *err)
{
    struct best_known known = {.worst = NAN};
    uint64_t limit;
    if (take_number(arguments, "told", &known.told, err) ||
        take_number(arguments, "taken_back", &known.taken_back, err) || take_page(arguments, &limit, err))
        return NULL;
    (void)json_to_real(json_object_get(arguments, "worst"), &known.worst);
    return reader_top(reader, &known, limit, err);
}

static json_t *read_snapshot(struct reader *reader, const json_t *arguments, struct err *err)
{
    (void)arguments;
    struct snapshot snapshot = {0};
    json_t *json = reader_snapshot(reader, &snapshot, err) ? NULL : snapshot_encode(&snapshot);
    snapshot_fini(&snapshot);
    return json;
}

static const struct query_function {
    const char *name;
    json_t *(*run)(struct reader *reader, const json_t *arguments, struct err *err);
} functions[] = {
    {"numbers", read_numbers},   {"trials", read_trials},   {"best", read_best},
    {"front", read_front},       {"show", read_show},       {"experiment", read_experiment},
    {"events", read_events},     {"sample", read_sample},   {"phases", read_phases},
    {"snapshot", read_snapshot}, {"faults", read_faults},   {"operations", read_operations},
    {"verdicts", read_verdicts}, {"speed", read_speed},     {"spans", read_spans},
    {"ended", read_ended},       {"living", read_living},   {"improvements", read_improvements},
    {"places", read_places},     {"workers", read_workers}, {"troubles", read_troubles},
    {"attempts", read_attempts}, {"learned", read_learned}, {"decided", read_decided},
    {"proposed", read_proposed}, {"metrics", read_metrics}, {"trends", read_trends},
    {"params", read_params},     {"top", read_top},         {"facts", read_facts},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

json_t *read_run(struct reader *reader, const json_t *arguments, struct err *err)
{
    const char *name = json_string_value(json_object_get(arguments, "function"));
    const char *names[FUNCTIONS];
    for (size_t i = 0; i < FUNCTIONS; i++) {
        names[i] = functions[i].name;
        if (name && strcmp(name, names[i]) == 0)
            return functions[i].run(reader, arguments, err);
    }
    struct buf list = {0};
    suggest_list(&list, names, FUNCTIONS);
    err_write(err, "read: there is no function '%s'; there are: %s", name ? name : "", buf_str(&list));
    buf_fini(&list);
    return NULL;
}
