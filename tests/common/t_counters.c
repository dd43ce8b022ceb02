/* A tree of counters; see common/counters.h. */
#include "common/counters.h"
#include "tests/claims.h"

#include <stdlib.h>

#define LISTENER_COUNTS(X)                                                                                             \
    X(U64, opened, "times", "the listener was opened")                                                                 \
    X(F64, longest, "seconds", "the longest that it stood open")
struct listener_counts {
    LISTENER_COUNTS(COUNTER_FIELD)
};
#define LISTENER_ROW(type, name, unit, help) COUNTER_ROW(struct listener_counts, type, name, unit, help)
static const struct counter listener_rows[] = {LISTENER_COUNTS(LISTENER_ROW)};

#define ROOF_COUNTS(X) X(U64, tiles, "tiles", "on the roof now")
struct roof_counts {
    ROOF_COUNTS(COUNTER_FIELD)
};
#define ROOF_ROW(type, name, unit, help) COUNTER_ROW(struct roof_counts, type, name, unit, help)
static const struct counter roof_rows[] = {ROOF_COUNTS(ROOF_ROW)};

static char *json_of(const struct counters *tree)
{
    json_t *json = counters_encode(tree);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    return text;
}

static void is_json(const struct counters *tree, const char *expected)
{
    char *text = json_of(tree);
    assert_string_equal(text, expected);
    free(text);
}

static void a_tree_is_nested_as_its_paths_are_and_says_what_is_counted_now(void **state)
{
    (void)state;
    struct counters tree = {0};
    struct listener_counts front = {0}, back = {.opened = 1};
    is_json(&tree, "{}");
    counters_add(&tree, COUNTERS_NODE("house.front", listener_rows, &front));
    counters_add(&tree, COUNTERS_NODE("house.back", listener_rows, &back));
    front.opened += 3;
    front.longest = 0.5;
    is_json(&tree, "{\"house\":{\"front\":{\"opened\":3,\"longest\":0.5},\"back\":{\"opened\":1,\"longest\":0.0}}}");
    front.opened = UINT64_C(1) << 60;
    is_json(&tree, "{\"house\":{\"front\":{\"opened\":1152921504606846976,\"longest\":0.5},"
                   "\"back\":{\"opened\":1,\"longest\":0.0}}}");
    counters_fini(&tree);
}

static void look_at_the_roof(void *context)
{
    struct roof_counts *roof = context;
    roof->tiles = 40;
}

static void several_nodes_may_share_a_path_and_numbers_of_the_moment_are_fetched(void **state)
{
    (void)state;
    struct counters tree = {0};
    struct listener_counts listener = {.opened = 2};
    struct roof_counts roof = {0};
    struct counters_node node = *COUNTERS_NODE("house", roof_rows, &roof);
    node.refresh = look_at_the_roof;
    node.context = &roof;
    counters_add(&tree, COUNTERS_NODE("house", listener_rows, &listener));
    counters_add(&tree, &node);
    is_json(&tree, "{\"house\":{\"opened\":2,\"longest\":0.0,\"tiles\":40}}");
    counters_fini(&tree);
}

static struct buf printed;

static void keep_line(const char *line)
{
    buf_format(&printed, "%s\n", line);
}

static void a_line_for_people_leaves_the_zeros_out(void **state)
{
    (void)state;
    struct counters tree = {0};
    struct listener_counts front = {.opened = 2, .longest = 0.25}, back = {0}, side = {.longest = 1.5};
    counters_add(&tree, COUNTERS_NODE("front", listener_rows, &front));
    counters_add(&tree, COUNTERS_NODE("back", listener_rows, &back));
    counters_add(&tree, COUNTERS_NODE("side", listener_rows, &side));
    counters_print(&tree, keep_line);
    assert_string_equal(buf_str(&printed), "front: opened 2, longest 0.25\nside: longest 1.5\n");
    buf_fini(&printed);
    counters_fini(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_is_nested_as_its_paths_are_and_says_what_is_counted_now),
        cmocka_unit_test(several_nodes_may_share_a_path_and_numbers_of_the_moment_are_fetched),
        cmocka_unit_test(a_line_for_people_leaves_the_zeros_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
