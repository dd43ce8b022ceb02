/* Every statement that a reading gives to SQLite fails once: whoever reads is told so or gets all, never a part. */
#include "tests/claims.h"
#include "tests/full_store.h"
#include "tests/sqlite_faults.h"
#include "tests/stores.h"

#include <math.h>
#include <stdlib.h>

static json_t *read_all(struct reader *reader, struct err *err)
{
    return reader_trials(reader, &(struct trial_query){0}, err);
}

static json_t *read_by_value(struct reader *reader, struct err *err)
{
    return reader_trials(reader, &(struct trial_query){.by_value = true, .limit = 5}, err);
}

static json_t *read_by_column(struct reader *reader, struct err *err)
{
    return reader_trials(reader, &(struct trial_query){.order = "seconds", .reverse = true}, err);
}

static json_t *read_by_metric(struct reader *reader, struct err *err)
{
    return reader_trials(reader, &(struct trial_query){.order = "metric.loss"}, err);
}

static json_t *read_by_time(struct reader *reader, struct err *err)
{
    return reader_numbers(reader, &(struct trial_query){.order = "time.compute"}, err);
}

static json_t *read_listed(struct reader *reader, struct err *err)
{
    json_t *numbers = json_pack("[i, i, i]", 2, 1, 3);
    json_t *trials = reader_trials(reader, &(struct trial_query){.numbers = numbers}, err);
    json_decref(numbers);
    return trials;
}

static json_t *read_one(struct reader *reader, struct err *err)
{
    return reader_show(reader, 2, err);
}

static json_t *read_events(struct reader *reader, struct err *err)
{
    return reader_events(reader, 0, err);
}

static json_t *read_ended(struct reader *reader, struct err *err)
{
    return reader_ended(reader, 0, 0, err);
}

static json_t *read_living(struct reader *reader, struct err *err)
{
    return reader_living(reader, 0, 0, err);
}

static json_t *read_metrics(struct reader *reader, struct err *err)
{
    return reader_metrics(reader, err);
}

static json_t *read_trends(struct reader *reader, struct err *err)
{
    json_t *numbers = json_pack("[i, i, i]", 1, 3, 99), *trends = reader_trends(reader, numbers, 2, err);
    json_decref(numbers);
    return trends;
}

static json_t *read_params(struct reader *reader, struct err *err)
{
    json_t *numbers = json_pack("[i, i, i]", 1, 3, 99), *params = reader_params(reader, numbers, err);
    json_decref(numbers);
    return params;
}

static json_t *read_top(struct reader *reader, struct err *err)
{
    return reader_top(reader, &(struct best_known){.worst = NAN}, 5, err);
}

static json_t *read_faults_since(struct reader *reader, struct err *err)
{
    return reader_faults_since(reader, 0, err);
}

static json_t *read_facts(struct reader *reader, struct err *err)
{
    json_t *members = json_pack("[s, s, s, s]", "params", "metrics", "profile", "nodes");
    json_t *facts = reader_facts(reader, &(struct facts_query){.members = members, .limit = 100}, err);
    json_decref(members);
    return facts;
}

static json_t *read_improvements(struct reader *reader, struct err *err)
{
    return reader_improvements(reader, &(struct improvements){0}, 0, err);
}

static json_t *read_workers(struct reader *reader, struct err *err)
{
    json_t *numbers = json_pack("[i, i, i]", 1, 2, 3), *workers = reader_workers(reader, numbers, err);
    json_decref(numbers);
    return workers;
}

static json_t *read_troubles(struct reader *reader, struct err *err)
{
    return reader_troubles(reader, 0, 0, err);
}

static json_t *read_attempts_after(struct reader *reader, struct err *err)
{
    return reader_attempts(reader, ATTEMPTS_AFTER, 0, 0, err);
}

static json_t *read_attempts_before(struct reader *reader, struct err *err)
{
    return reader_attempts(reader, ATTEMPTS_BEFORE, 1000, 0, err);
}

static json_t *read_attempts_alive(struct reader *reader, struct err *err)
{
    return reader_attempts(reader, ATTEMPTS_ALIVE, 0, 0, err);
}

static json_t *read_learned(struct reader *reader, struct err *err)
{
    return reader_learned(reader, 0, 1, 0, err);
}

static json_t *read_decided(struct reader *reader, struct err *err)
{
    return reader_decided(reader, 0, 0, err);
}

static json_t *read_proposed(struct reader *reader, struct err *err)
{
    return reader_proposed(reader, 5, err);
}

static json_t *read_spans(struct reader *reader, struct err *err)
{
    return reader_spans(reader, 0, 0, err);
}

static json_t *read_sample(struct reader *reader, struct err *err)
{
    return reader_sample(reader, 3, err);
}

static json_t *read_operations(struct reader *reader, struct err *err)
{
    return reader_operations(reader, 1, err);
}

static json_t *read_phases(struct reader *reader, struct err *err)
{
    return reader_phases(reader, 1, err);
}

static json_t *read_verdicts(struct reader *reader, struct err *err)
{
    return reader_verdicts(reader, 1, err);
}

static json_t *read_speed(struct reader *reader, struct err *err)
{
    return reader_speed(reader, 2, err);
}

static json_t *read_snapshot(struct reader *reader, struct err *err)
{
    struct snapshot snapshot;
    if (reader_snapshot(reader, &snapshot, err))
        return NULL;
    json_t *json = json_pack("[I, I, I]", (json_int_t)snapshot.trials[TRIAL_COMPLETED],
                             (json_int_t)snapshot.trials[TRIAL_RUNNING], (json_int_t)snapshot.worker_count);
    snapshot_fini(&snapshot);
    return json;
}

static json_t *read_earlier(struct reader *reader, struct err *err)
{
    struct searcher_past *past;
    size_t count;
    if (reader_earlier(reader, &past, &count, err))
        return NULL;
    reader_free_earlier(past, count);
    return json_integer((json_int_t)count);
}

static json_t *read_processors(struct reader *reader, struct err *err)
{
    struct reader_processor *processors;
    size_t count;
    if (reader_processors(reader, &processors, &count, err))
        return NULL;
    free(processors);
    return json_integer((json_int_t)count);
}

static json_t *read_next_sample(struct reader *reader, struct err *err)
{
    uint32_t next;
    return reader_next_sample(reader, 1, 1, &next, err) ? NULL : json_integer(next);
}

static int note_proposal(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                         struct err *err)
{
    (void)err;
    return json_array_append_new(
        context, json_pack("[I, s, I, b]", (json_int_t)trial, params, (json_int_t)told_before, (int)from_start));
}

static int note_tell(void *context, const struct replay_tell *tell, struct err *err)
{
    (void)err;
    return json_array_append_new(context,
                                 json_pack("[I, i, f]", (json_int_t)tell->trial, (int)tell->ending, tell->seconds));
}

static json_t *read_replay(struct reader *reader, struct err *err)
{
    json_t *list = json_array();
    struct replay_visitor visitor = {.context = list, .proposal = note_proposal, .tell = note_tell};
    if (reader_replay(reader, &visitor, err) == 0)
        return list;
    json_decref(list);
    return NULL;
}

static void count_sample(void *context, uint64_t trial, uint64_t step, const double *values)
{
    (void)trial, (void)step, (void)values;
    ++*(int *)context;
}

static void count_went_on(void *context, uint64_t trial)
{
    (void)trial;
    ++*(int *)context;
}

static void count_ended(void *context, uint64_t trial, enum ending ending)
{
    (void)trial, (void)ending;
    ++*(int *)context;
}

static json_t *read_decisions(struct reader *reader, struct err *err)
{
    int count = 0;
    return reader_decisions(reader, &(struct decision_visitor){&count, count_sample, count_went_on, count_ended}, err)
               ? NULL
               : json_integer(count);
}

static const struct reading {
    const char *name;
    json_t *(*read)(struct reader *reader, struct err *err);
} readings[] = {
    {"trials", read_all},
    {"by value", read_by_value},
    {"by seconds", read_by_column},
    {"by metric", read_by_metric},
    {"by time", read_by_time},
    {"listed", read_listed},
    {"show", read_one},
    {"events", read_events},
    {"spans", read_spans},
    {"sample", read_sample},
    {"operations", read_operations},
    {"phases", read_phases},
    {"verdicts", read_verdicts},
    {"speed", read_speed},
    {"snapshot", read_snapshot},
    {"earlier", read_earlier},
    {"processors", read_processors},
    {"next sample", read_next_sample},
    {"replay", read_replay},
    {"decisions", read_decisions},
    {"best", reader_best},
    {"front", reader_front},
    {"experiment", reader_experiment},
    {"faults", reader_faults},
    {"faults since", read_faults_since},
    {"top", read_top},
    {"facts", read_facts},
    {"experiment in brief", reader_experiment_brief},
    {"ended", read_ended},
    {"living", read_living},
    {"improvements", read_improvements},
    {"metrics", read_metrics},
    {"trends", read_trends},
    {"params", read_params},
    {"places", reader_places},
    {"workers", read_workers},
    {"troubles", read_troubles},
    {"attempts after", read_attempts_after},
    {"attempts before", read_attempts_before},
    {"attempts alive", read_attempts_alive},
    {"learned", read_learned},
    {"decided", read_decided},
    {"proposed", read_proposed},
};

/* How often the reading was tried, with another statement failing each time. */
static unsigned try_reading(struct reader *reader, const struct reading *reading, int code)
{
    struct err err;
    json_t *whole = reading->read(reader, &err);
    if (!whole)
        fail_msg("%s: %s", reading->name, err.text);
    unsigned at = 1;
    for (bool came = true; came; at++) {
        err.text[0] = '\0';
        fail_at(at, code);
        json_t *got = reading->read(reader, &err);
        came = mend();
        if (!got && !*err.text)
            fail_msg("%s: nothing is said when statement %u fails", reading->name, at);
        if (got && !json_equal(got, whole))
            fail_msg("%s: a part is read when statement %u fails", reading->name, at);
        json_decref(got);
        got = reading->read(reader, &err);
        fine(!got, &err);
        same_json(got, json_incref(whole));
    }
    json_decref(whole);
    return at - 1;
}

static void a_reading_says_that_it_failed_or_is_whole(void **state)
{
    struct store *store = full_store_make(path_in(state, "a.db"));
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++)
        if (try_reading(store_reader(store), &readings[i], SQLITE_IOERR) < 2)
            fail_msg("%s: no statement has failed", readings[i].name);
    store_close(store);
}

/* A reader of its own opens the file each time; the next sample is asked for only by who writes the store. */
static void so_does_one_that_opens_the_file(void **state)
{
    const char *path = path_in(state, "a.db");
    store_close(full_store_make(path));
    struct reader *reader = stores_read(path);
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++)
        if (readings[i].read != read_next_sample && try_reading(reader, &readings[i], SQLITE_CORRUPT) < 2)
            fail_msg("%s: no statement has failed", readings[i].name);
    reader_close(reader);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_reading_says_that_it_failed_or_is_whole),
        IN_SCRATCH(so_does_one_that_opens_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
