/* YAML to a tree: places, anchors, limits. */
#include "common/mem.h"
#include "scheduler/spec/load.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>

/* What a text came to. */
struct loaded {
    struct tree tree;
    struct problems problems;
    bool fine;
};

static struct loaded load(const char *text)
{
    struct loaded loaded = {0};
    loaded.fine = load_tree(text, strlen(text), (struct load_source){0}, &loaded.tree, &loaded.problems);
    return loaded;
}

static void unload(struct loaded *loaded)
{
    tree_fini(&loaded->tree);
    problems_fini(&loaded->problems);
}

static void assert_mark(struct source_mark mark, uint32_t line, uint32_t column, uint32_t end_column)
{
    assert_int_equal(mark.line, line);
    assert_int_equal(mark.column, column);
    assert_int_equal(mark.end_column, end_column);
}

static void every_key_and_value_knows_where_it_stands(void **state)
{
    (void)state;
    struct loaded loaded = load("a: 1\nb:\n  c: [x, \"yy\"]\n  \xC3\xA9: {k: v}\n");
    assert_true(loaded.fine);
    const struct entry *b = node_entry(loaded.tree.root, "b"), *c = node_entry(b->node, "c");
    assert_mark(node_entry(loaded.tree.root, "a")->mark, 1, 1, 2);
    assert_mark(node_find(loaded.tree.root, "a")->mark, 1, 4, 5);
    assert_mark(b->mark, 2, 1, 2);
    assert_mark(c->mark, 3, 3, 4);
    assert_mark(c->node->mark, 3, 6, 15);
    assert_mark(c->node->entries[1].node->mark, 3, 10, 14);
    assert_mark(node_find(b->node, "\xC3\xA9")->mark, 4, 6, 12);
    unload(&loaded);
}

static void a_place_within_a_text_counts_characters(void **state)
{
    (void)state;
    struct loaded loaded = load("- \xC3\xA9 lr < 1\n- 'lr < 1'\n- \"lr \\x3c 1\"\n- |\n  lr < 1\n");
    const struct entry *items = loaded.tree.root->entries;
    assert_mark(node_mark_within(items[0].node, 3, 2), 1, 5, 7);
    assert_mark(node_mark_within(items[1].node, 3, 1), 2, 7, 8);
    assert_mark(node_mark_within(items[1].node, 99, 5), 2, 10, 10);
    assert_mark(node_mark_within(items[2].node, 3, 1), 3, 3, 14); /* an escape: the whole text */
    assert_int_equal(node_mark_within(items[3].node, 0, 2).line, 4);
    unload(&loaded);
}

static void quotes_make_texts(void **state)
{
    (void)state;
    struct loaded loaded = load("[1, \"1\", '1', true, \"true\", null, 'null']");
    const struct entry *items = loaded.tree.root->entries;
    assert_true(node_is(items[0].node, SCALAR_INT));
    assert_true(node_is(items[1].node, SCALAR_TEXT));
    assert_true(node_is(items[2].node, SCALAR_TEXT));
    assert_true(node_is(items[3].node, SCALAR_BOOL));
    assert_true(node_is(items[4].node, SCALAR_TEXT));
    assert_true(node_is(items[5].node, SCALAR_NULL));
    assert_true(node_is(items[6].node, SCALAR_TEXT));
    unload(&loaded);
}

static void an_alias_is_the_node_it_names(void **state)
{
    (void)state;
    struct loaded loaded = load("a: &x {k: 1}\nb: *x\nc: &x 2\nd: *x\n");
    assert_true(loaded.fine);
    assert_ptr_equal(node_find(loaded.tree.root, "a"), node_find(loaded.tree.root, "b"));
    assert_ptr_equal(node_find(loaded.tree.root, "c"), node_find(loaded.tree.root, "d"));
    unload(&loaded);
}

/* A list of `depth` levels. */
static char *nested(size_t depth)
{
    char *text = mem_zero(2 * depth + 1, 1);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    return text;
}

static void depth_ends_at_the_limit(void **state)
{
    (void)state;
    char *fits = nested(LOAD_DEPTH), *too_deep = nested(LOAD_DEPTH + 1);
    struct loaded one = load(fits), other = load(too_deep);
    assert_true(one.fine);
    assert_false(other.fine);
    assert_string_equal(other.problems.items[0].code, "too_much");
    unload(&one);
    unload(&other);
    free(fits);
    free(too_deep);
}

/* Each level stands on the one before, so the text is short and the tree deep. */
static void depth_counts_what_aliases_stand_for(void **state)
{
    (void)state;
    struct buf text = {0};
    buf_text(&text, "- &a0 [1]\n");
    for (int i = 1; i < 100; i++)
        buf_format(&text, "- &a%d [*a%d]\n", i, i - 1);
    struct loaded loaded = load(buf_str(&text));
    assert_false(loaded.fine);
    assert_has(loaded.problems.items[0].message, "levels deep");
    unload(&loaded);
    buf_fini(&text);
}

static void nodes_are_counted_with_their_aliases(void **state)
{
    (void)state;
    struct buf text = {0};
    buf_text(&text, "- &a0 [");
    for (int i = 0; i < 1000; i++)
        buf_text(&text, "1,");
    buf_text(&text, "]\n");
    for (int i = 0; i < LOAD_NODES / 1000; i++)
        buf_text(&text, "- *a0\n");
    struct loaded loaded = load(buf_str(&text));
    assert_false(loaded.fine);
    assert_has(loaded.problems.items[0].message, "aliases filled in");
    unload(&loaded);
    buf_fini(&text);
}

static void a_duplicate_key_points_at_both_lines_and_the_first_value_counts(void **state)
{
    (void)state;
    struct loaded loaded = load("a: 1\nb: 2\na: 3\na: 4\n");
    assert_true(loaded.fine);
    assert_int_equal(loaded.problems.count, 2);
    assert_int_equal(loaded.problems.items[0].line, 3);
    assert_has(loaded.problems.items[0].hint, "line 1");
    assert_int_equal(loaded.tree.root->count, 2);
    assert_int_equal(node_find(loaded.tree.root, "a")->scalar.integer, 1);
    unload(&loaded);
}

static void an_override_counts_columns_in_the_whole_of_it(void **state)
{
    (void)state;
    struct tree tree = {0};
    struct problems problems = {0};
    const char *option = "a.b={k: [v]}";
    assert_true(load_tree(option + 4, strlen(option + 4), (struct load_source){option, 4}, &tree, &problems));
    assert_mark(tree.root->mark, 0, 5, 13);
    assert_mark(node_entry(tree.root, "k")->mark, 0, 6, 7);
    assert_ptr_equal(tree.root->mark.option, option);
    tree_fini(&tree);
    problems_fini(&problems);
}

static void an_empty_text_has_no_tree(void **state)
{
    (void)state;
    struct loaded loaded = load("# nothing\n");
    assert_true(loaded.fine);
    assert_null(loaded.tree.root);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_and_value_knows_where_it_stands),
        cmocka_unit_test(a_place_within_a_text_counts_characters),
        cmocka_unit_test(quotes_make_texts),
        cmocka_unit_test(an_alias_is_the_node_it_names),
        cmocka_unit_test(depth_ends_at_the_limit),
        cmocka_unit_test(depth_counts_what_aliases_stand_for),
        cmocka_unit_test(nodes_are_counted_with_their_aliases),
        cmocka_unit_test(a_duplicate_key_points_at_both_lines_and_the_first_value_counts),
        cmocka_unit_test(an_override_counts_columns_in_the_whole_of_it),
        cmocka_unit_test(an_empty_text_has_no_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
