/* The documentation of the store and of its JSON says what is so: tables are those of the schema, example queries run
 * and find something, and example objects have the members that programs get. The tests run in the root of the sources.
 */
#include "tests/claims.h"
#include "tests/random_history.h"
#include "tests/stores.h"

#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/store/schema.h"
#include "scheduler/store/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_page(const char *path)
{
    struct buf text = {0};
    struct err err;
    fine(path_read(path, &text, 1 << 20, &err), &err);
    return buf_take(&text);
}

static void document_views(struct buf *out)
{
    static const char *const views[][2] = {
#define VIEW(name, help, sql) {#name, help},
#include "scheduler/store/view_list.h"
#undef VIEW
    };
    buf_format(out, "## Views\n\n| view | holds |\n|---|---|\n");
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        buf_format(out, "| `%s` | %s |\n", views[i][0], views[i][1]);
}

static void document_tables(struct buf *out)
{
    buf_format(out, "\n## Tables, schema version %d\n\n", SCHEMA_VERSION);
#define TABLE(name, help)               buf_format(out, "### %s\n\n%s.\n\n| column | type | meaning |\n|---|---|---|\n", #name, help);
#define COLUMN(table, name, type, help) buf_format(out, "| `%s` | %s | %s |\n", #name, type, help);
#define END(name, key, suffix)          buf_format(out, "%s%s%s\n", *key ? "\n" : "", key, *key ? "\n" : "");
#include "scheduler/store/schema_list.h"
#undef TABLE
#undef COLUMN
#undef END
}

static void the_tables_of_the_page_are_those_of_the_schema(void **state)
{
    (void)state;
    char *page = read_page("docs/store.md");
    struct buf tables = {0};
    document_views(&tables);
    document_tables(&tables);
    const char *part = strstr(page, "## Views\n");
    assert_non_null(part);
    if (strcmp(part, buf_str(&tables)) != 0)
        fail_msg("docs/store.md, from '## Views' on, has to be:\n%s", buf_str(&tables));
    buf_fini(&tables);
    free(page);
}

/* --- queries --- */

static void make_rich_store(const char *path)
{
    struct store *store = stores_make(path);
    struct random_history *history = random_history_create(6);
    struct err err;
    for (int i = 0; i < 600; i++) {
        struct event event = random_history_next(history);
        fine(store_write(store, &event, 1, &err), &err);
        event_fini(&event);
    }
    double loss = 0.5;
    struct event decided = {
        .kind = EVENT_DECIDED, .trial = 1, .decided = {.step = 1, .values = &loss, .values_count = 1}};
    fine(store_write(store, &decided, 1, &err), &err);
    struct event job = {.kind = EVENT_JOB, .job = {.job = 12, .element = NODE_NO_ELEMENT, .state = "running"}};
    fine(store_write(store, &job, 1, &err), &err);
    random_history_destroy(history);
    store_close(store);
    free(stores_sql(path, "UPDATE runs SET operations = '[[0,10,200,300,400,10,50]]' WHERE trial = 1"));
}

/* The text between a line that begins with `opening` and the next line that begins with "```"; NULL: there is none.
 * *at moves behind it. */
static char *next_block(const char **at, const char *opening)
{
    const char *begin = strstr(*at, opening);
    if (!begin)
        return NULL;
    begin += strlen(opening);
    const char *end = strstr(begin, "\n```");
    assert_non_null(end);
    *at = end + 4;
    return mem_text_n(begin, (size_t)(end - begin));
}

static void every_example_query_finds_something(void **state)
{
    char *path = mem_text(path_in(state, "a.db")), *page = read_page("docs/store.md"), *sql;
    make_rich_store(path);
    int count = 0;
    for (const char *at = page; (sql = next_block(&at, "\n```sql\n")); count++) {
        char *found = stores_sql(path, sql);
        if (!*found)
            fail_msg("finds nothing: %s", sql);
        free(found);
        free(sql);
    }
    assert_true(count >= 8);
    free(page);
    free(path);
}

static void every_view_can_be_read(void **state)
{
    char *path = mem_text(path_in(state, "a.db")), name[64];
    make_rich_store(path);
    char *page = read_page("docs/store.md");
    int count = 0;
    for (const char *at = page; (at = strstr(at, "| `v_")); at++, count++) {
        assert_int_equal(sscanf(at, "| `%63[a-z_]", name), 1);
        char *sql = mem_format("SELECT count(*) FROM %s", name), *rows = stores_sql(path, sql);
        assert_true(atoi(rows) > 0);
        free(rows);
        free(sql);
    }
    assert_int_equal(count, 13);
    free(page);
    free(path);
}

/* --- objects --- */

/* The first example under a heading of docs/json.md. */
static json_t *example(const char *heading)
{
    char *page = read_page("docs/json.md"), *title = mem_format("\n## %s\n", heading);
    const char *at = strstr(page, title);
    assert_non_null(at);
    char *text = next_block(&at, "\n```json\n");
    json_error_t error;
    json_t *json = json_loads(text, 0, &error);
    if (!json)
        fail_msg("the example of %s: %s", heading, error.text);
    free(text);
    free(title);
    free(page);
    return json;
}

/* Both have the same members in the same order; where neither is null, of the same type. */
static void same_shape(json_t *got, json_t *shown)
{
    void *one = json_object_iter(got), *other = json_object_iter(shown);
    for (; one && other; one = json_object_iter_next(got, one), other = json_object_iter_next(shown, other)) {
        const json_t *a = json_object_iter_value(one), *b = json_object_iter_value(other);
        assert_string_equal(json_object_iter_key(one), json_object_iter_key(other));
        if (json_is_null(a) || json_is_null(b) || (json_is_boolean(a) && json_is_boolean(b)))
            continue;
        if (json_typeof(a) != json_typeof(b))
            fail_msg("%s is of another type", json_object_iter_key(one));
    }
    if (one || other)
        fail_msg("the member %s is only on one side", json_object_iter_key(one ? one : other));
    json_decref(shown);
}

static void the_objects_are_as_the_page_shows_them(void **state)
{
    char *path = mem_text(path_in(state, "a.db"));
    struct err err;
    make_rich_store(path);
    struct reader *reader = stores_read(path);
    json_t *best = reader_best(reader, &err), *shown = example("Show"), *show;
    same_shape(best, example("Trial"));
    show = reader_show(reader, (uint64_t)json_integer_value(json_object_get(best, "trial")), &err);
    same_shape(json_array_get(json_object_get(show, "runs"), 0),
               json_incref(json_array_get(json_object_get(shown, "runs"), 0)));
    same_shape(json_array_get(json_object_get(show, "curve"), 0),
               json_incref(json_array_get(json_object_get(shown, "curve"), 0)));
    const char *member;
    json_t *value;
    json_object_foreach(best, member, value) json_object_del(show, member);
    same_shape(show, shown);
    json_t *experiment = reader_experiment(reader, &err), *events = reader_events(reader, 0, &err);
    json_t *phases = reader_phases(reader, 1, &err);
    same_shape(experiment, example("Experiment"));
    same_shape(json_array_get(events, 0), example("Event"));
    same_shape(json_array_get(phases, 0), example("Phase"));
    json_decref(best);
    json_decref(show);
    json_decref(experiment);
    json_decref(events);
    json_decref(phases);
    reader_close(reader);
    free(path);
}

static void a_snapshot_is_as_the_page_shows_it(void **state)
{
    (void)state;
    struct snapshot_worker worker = {.name = "n01"};
    struct snapshot snapshot = {.has_best = true, .workers = &worker, .worker_count = 1};
    json_t *json = snapshot_encode(&snapshot), *shown = example("Snapshot");
    same_shape(json_object_get(json, "trials"), json_incref(json_object_get(shown, "trials")));
    same_shape(json_array_get(json_object_get(json, "workers"), 0),
               json_incref(json_array_get(json_object_get(shown, "workers"), 0)));
    same_shape(json, shown);
    json_decref(json);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tables_of_the_page_are_those_of_the_schema),
        cmocka_unit_test_setup_teardown(every_example_query_finds_something, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(every_view_can_be_read, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(the_objects_are_as_the_page_shows_them, enter_scratch, leave_scratch),
        cmocka_unit_test(a_snapshot_is_as_the_page_shows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
