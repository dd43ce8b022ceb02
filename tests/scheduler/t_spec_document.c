/* docs/experiment.md is what the table of keys says now, and its examples can be read. */
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/spec/key.h"
#include "scheduler/spec/problem.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>

static const char page[] = "docs/experiment.md";

static void the_page_is_up_to_date(void **state)
{
    (void)state;
    struct buf made = {0}, kept = {0};
    spec_document(&made);
    if (getenv("GANNET_ACCEPT"))
        assert_int_equal(path_write(page, buf_str(&made), made.length, 0644, NULL), 0);
    assert_int_equal(path_read(page, &kept, 1 << 20, NULL), 0);
    if (strcmp(buf_str(&made), buf_str(&kept)) != 0)
        print_error("%s is not what gannet docs experiment prints\n", page);
    assert_string_equal(buf_str(&made), buf_str(&kept));
    buf_fini(&made);
    buf_fini(&kept);
}

static void every_key_and_every_code_is_on_it(void **state)
{
    (void)state;
    struct buf made = {0};
    spec_document(&made);
    for (size_t i = 0; i < key_count; i++) {
        char *name = mem_format("`%s`", strchr(key_table[i].path, '*') ? key_name(&key_table[i]) : key_table[i].path);
        assert_has(buf_str(&made), name);
        free(name);
    }
    for (enum problem_code code = 0; code < PROBLEM_CODES_COUNT; code++)
        assert_has(buf_str(&made), problem_kinds[code].name);
    buf_fini(&made);
}

/* Examples show a part of a file; the required keys that they leave out are put before them. */
static char *completed(const char *example)
{
    static const struct {
        const char *key, *line;
    } required[] = {{"version:", "version: 1\n"},
                    {"trial:", "trial: {kernel: mlp}\n"},
                    {"metric:", "metric: {name: val_loss, goal: minimize}\n"},
                    {"parameters:", "parameters: {lr: {min: 1e-4, max: 1e-1, log: true}}\n"}};
    struct buf text = {0};
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!strstr(example, required[i].key))
            buf_text(&text, required[i].line);
    buf_text(&text, example);
    return buf_take(&text);
}

static void read_example(const char *example)
{
    struct problems problems;
    struct buf shown = {0};
    char *text = completed(example);
    struct spec *spec = spec_read_text(text, strlen(text), page, "/base", NULL, 0, &problems);
    problems_show(&problems, &shown);
    if (problems.count)
        print_error("%s", buf_str(&shown));
    assert_non_null(spec);
    assert_int_equal(problems.count, 0);
    spec_destroy(spec);
    problems_fini(&problems);
    buf_fini(&shown);
    free(text);
}

static void every_example_can_be_read(void **state)
{
    (void)state;
    struct buf made = {0};
    size_t count = 0;
    spec_document(&made);
    for (char *at = made.data; (at = strstr(at, "```yaml\n")); count++) {
        at += strlen("```yaml\n");
        char *end = strstr(at, "```\n");
        assert_non_null(end);
        *end = '\0';
        read_example(at);
        at = end + 1;
    }
    assert_true(count >= 4);
    buf_fini(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_is_up_to_date),
        cmocka_unit_test(every_key_and_every_code_is_on_it),
        cmocka_unit_test(every_example_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
