/* The JSON Schema of experiment files: it is about the same keys as the reader, and says the same of files as far as a
 * schema can. */
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/spec/key.h"
#include "scheduler/spec/load.h"
#include "scheduler/spec/text.h"
#include "tests/claims.h"
#include "tests/json_schema.h"
#include "tests/spec_case.h"

#include <stdlib.h>
#include <string.h>

static const char directory[] = "tests/scheduler/spec_cases";

/* A walk over the cases with the schema in hand. */
struct walk {
    json_t *schema;
    struct buf listed; /* the broken files that only the reader refuses: "\nname\nname\n" */
    size_t cases, wrong;
};

/* A node as JSON; an empty value is null, as any YAML reader has it, and so is what JSON has no word for. */
static json_t *json_of_node(const struct node *node)
{
    struct err err;
    const struct node *culprit;
    json_t *json = node->kind == NODE_SCALAR ? node_json(node, &culprit, &err) : NULL;
    if (node->kind == NODE_SCALAR)
        return json ? json : json_null();
    json = node->kind == NODE_LIST ? json_array() : json_object();
    for (uint32_t i = 0; i < node->count; i++)
        if (node->kind == NODE_LIST)
            json_array_append_new(json, json_of_node(node->entries[i].node));
        else
            json_object_set_new(json, node->entries[i].key, json_of_node(node->entries[i].node));
    return json;
}

/* The file as JSON; NULL when it is no YAML. */
static json_t *json_of(const struct spec_case *one)
{
    struct tree tree = {0};
    struct problems ignored = {0};
    size_t skipped = text_order_mark(buf_str(&one->text), one->text.length);
    bool read =
        load_tree(buf_str(&one->text) + skipped, one->text.length - skipped, (struct load_source){0}, &tree, &ignored);
    json_t *json = read && tree.root ? json_of_node(tree.root) : NULL;
    tree_fini(&tree);
    problems_fini(&ignored);
    return json;
}

static void accept(const struct spec_case *one, void *context)
{
    struct walk *walk = context;
    struct buf why = {0};
    json_t *json = json_of(one);
    bool accepted = one->override_count || (json && json_schema_accepts(walk->schema, json, &why));
    if (!accepted)
        print_error("%s is refused by the schema: %s\n", one->name, buf_str(&why));
    walk->cases++;
    walk->wrong += !accepted;
    json_decref(json);
    buf_fini(&why);
}

static void good_files_are_accepted(void **state)
{
    (void)state;
    struct walk walk = {.schema = spec_schema()};
    char *path = mem_format("%s/good", directory);
    spec_case_each(path, accept, &walk);
    assert_true(walk.cases >= 30);
    assert_int_equal(walk.wrong, 0);
    free(path);
    json_decref(walk.schema);
}

static bool is_listed(const struct walk *walk, const char *name)
{
    char *line = mem_format("\n%s\n", name);
    bool listed = strstr(buf_str(&walk->listed), line);
    free(line);
    return listed;
}

/* What the reader refuses the schema refuses, too, but for the files of the list. Overrides are not its business. */
static void refuse(const struct spec_case *one, void *context)
{
    struct walk *walk = context;
    struct buf why = {0};
    json_t *json = one->override_count ? NULL : json_of(one);
    walk->cases++;
    if (json) {
        bool refused = !json_schema_accepts(walk->schema, json, &why), expected = !is_listed(walk, one->name);
        if (refused != expected)
            print_error("%s: the schema %s it\n", one->name, refused ? "refuses" : "accepts");
        walk->wrong += refused != expected;
    }
    json_decref(json);
    buf_fini(&why);
}

static void broken_files_are_refused_but_for_those_that_a_schema_can_not_see(void **state)
{
    (void)state;
    struct walk walk = {.schema = spec_schema()};
    char *path = mem_format("%s/bad", directory), *list = mem_format("%s/not_by_schema.txt", directory);
    buf_text(&walk.listed, "\n");
    struct buf names = {0};
    assert_int_equal(path_read(list, &names, 1 << 16, NULL), 0);
    buf_text(&walk.listed, buf_str(&names));
    spec_case_each(path, refuse, &walk);
    assert_true(walk.cases >= 100);
    assert_int_equal(walk.wrong, 0);
    buf_fini(&names);
    buf_fini(&walk.listed);
    free(path);
    free(list);
    json_decref(walk.schema);
}

/* The schema of a key, by its path; NULL when there is none. */
static const json_t *schema_of(const json_t *schema, const char *path)
{
    char *copy = mem_text(path), *rest = copy;
    for (char *part; schema && (part = strsep(&rest, "."));) {
        const json_t *forms = json_object_get(schema, "anyOf");
        const json_t *properties = json_object_get(forms ? json_array_get(forms, 1) : schema, "properties");
        schema = json_object_get(properties, part);
    }
    free(copy);
    return schema;
}

static void every_key_is_in_it_with_a_description_but_for_those_that_come_later(void **state)
{
    (void)state;
    json_t *schema = spec_schema();
    for (const struct key *key = key_table; key < key_table + key_count; key++) {
        if (strchr(key->path, '*'))
            continue;
        const json_t *found = schema_of(schema, key->path);
        if (!found == !(key->flags & KEY_LATER))
            print_error("'%s' is %s the schema\n", key->path, found ? "in" : "not in");
        assert_int_equal(!found, !!(key->flags & KEY_LATER));
        if (found)
            assert_string_equal(json_string_value(json_object_get(found, "description")), key->help);
        if (found && key->default_value)
            assert_non_null(json_object_get(found, "default"));
    }
    json_decref(schema);
}

static void it_is_of_draft_07_and_knows_the_strategies_options(void **state)
{
    (void)state;
    json_t *schema = spec_schema();
    char *text = json_dumps(schema, JSON_COMPACT);
    assert_string_equal(json_string_value(json_object_get(schema, "$schema")),
                        "http://json-schema.org/draft-07/schema#");
    assert_has(text, "\"levels\":{\"type\":\"integer\"");
    free(text);
    json_decref(schema);
}

int main(void)
{
    setenv("HOME", "/home/ada", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files_are_accepted),
        cmocka_unit_test(broken_files_are_refused_but_for_those_that_a_schema_can_not_see),
        cmocka_unit_test(every_key_is_in_it_with_a_description_but_for_those_that_come_later),
        cmocka_unit_test(it_is_of_draft_07_and_knows_the_strategies_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
