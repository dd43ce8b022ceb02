/* What the coordinator counts, and that docs/json.md says what it is; see scheduler/coordinator/counts.h. */
#include "scheduler/coordinator/counts.h"
#include "tests/core_fixture.h"

#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>

/* A tree over a core that nothing happened to. */
struct stage {
    struct fixture *fixture;
    struct loop *loop;
    struct commit_counts commit;
    struct ask_counts ask;
    struct counts counts;
};

static int set_up(void **state)
{
    static struct stage stage;
    stage = (struct stage){.loop = loop_create()};
    fixture_enter((void **)&stage.fixture);
    fixture_start(stage.fixture);
    counts_open(&stage.counts, stage.fixture->core, stage.loop, &stage.commit, &stage.ask);
    *state = &stage;
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    counts_close(&stage->counts);
    loop_destroy(stage->loop);
    return fixture_leave((void **)&stage->fixture);
}

static json_int_t number_at(const struct stage *stage, const char *part, const char *node, const char *name)
{
    json_t *json = counters_encode(&stage->counts.tree), *at = json_object_get(json, part);
    json_t *number = json_object_get(node ? json_object_get(at, node) : at, name);
    assert_true(json_is_integer(number));
    json_int_t value = json_integer_value(number);
    json_decref(json);
    return value;
}

static void messages_are_counted_by_their_way_and_kind(void **state)
{
    struct stage *stage = *state;
    struct msg drain = {.kind = MSG_DRAIN, .drain = {.why = "it ends"}};
    struct buf bytes = {0};
    msg_encode(&drain, &bytes);
    counts_add_received(&stage->counts, MSG_HELLO, 100);
    counts_add_received(&stage->counts, MSG_HEARTBEAT, 20);
    counts_add_received(&stage->counts, MSG_HEARTBEAT, 20);
    counts_add_received(&stage->counts, MSG_NONE, 7);
    counts_add_sent(&stage->counts, &bytes, LINK_OK);
    counts_add_sent(&stage->counts, &bytes, LINK_GONE);
    counts_add_sent(&stage->counts, &bytes, LINK_NONE);
    assert_int_equal(number_at(stage, "link", NULL, "received"), 4);
    assert_int_equal(number_at(stage, "link", NULL, "received_bytes"), 147);
    assert_int_equal(number_at(stage, "link", NULL, "refused"), 1);
    assert_int_equal(number_at(stage, "link", "received_by_kind", "heartbeat"), 2);
    assert_int_equal(number_at(stage, "link", NULL, "sent"), 1);
    assert_int_equal(number_at(stage, "link", NULL, "sent_bytes"), (json_int_t)bytes.length);
    assert_int_equal(number_at(stage, "link", "sent_by_kind", "drain"), 1);
    assert_int_equal(number_at(stage, "link", NULL, "gone"), 1);
    assert_int_equal(number_at(stage, "link", NULL, "dropped"), 1);
    buf_fini(&bytes);
}

static void what_is_of_the_moment_is_asked_of_the_core(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(number_at(stage, "link", NULL, "peers"), 0);
    fixture_join(stage->fixture, 7, 1, 1, 0);
    assert_int_equal(number_at(stage, "link", NULL, "peers"), 1);
}

/* --- the page --- */

/* The row of a counter in the page's table: "| `store.commits` | commits | groups of events that are on disk |". */
static void has_row(const char *page, const char *path, const struct counter *row)
{
    char *text = mem_format("\n| `%s.%s` | %s | %s |\n", path, row->name, row->unit, row->help);
    if (!strstr(page, text))
        fail_msg("docs/json.md lacks this row:%s", text);
    free(text);
}

static size_t count_rows(const char *page)
{
    size_t count = 0;
    const char *end = strstr(page, "\n## Status\n");
    for (const char *at = strstr(page, "\n## Counters\n"); at && at < end; at = strstr(at + 1, "\n| `"))
        count++;
    return count - 1;
}

static void the_page_has_a_row_for_each_counter_and_no_others(void **state)
{
    struct stage *stage = *state;
    struct err err;
    size_t rows = 0;
    struct buf text = {0};
    if (path_read("docs/json.md", &text, 1 << 20, &err))
        fail_msg("%s", err.text);
    const char *page = buf_str(&text);
    for (size_t i = 0; i < stage->counts.tree.count; i++) {
        const struct counters_node *node = &stage->counts.tree.nodes[i];
        for (size_t k = 0; k < node->count; k++, rows++)
            has_row(page, node->path, &node->rows[k]);
    }
    assert_int_equal(count_rows(page), rows);
    buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(messages_are_counted_by_their_way_and_kind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_of_the_moment_is_asked_of_the_core, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_page_has_a_row_for_each_counter_and_no_others, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
