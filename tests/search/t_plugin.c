/* Loading strategies from shared objects. */
#include "search/plugin.h"
#include "tests/claims.h"
#include "tests/searches.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void hello_is_loaded(void **state)
{
    (void)state;
    struct err err = {{0}};
    struct plugin *plugin = plugin_open(searches_plugin("hello"), &err);
    if (!plugin)
        fail_msg("%s", err.text);
    assert_string_equal(plugin_strategy(plugin)->name, "hello");
    assert_true(plugin_strategy(plugin)->uses_history);
    plugin_close(plugin);
    plugin_close(NULL);
}

static void refused(const char *path, const char *part)
{
    struct err err = {{0}};
    struct plugin *plugin = plugin_open(path, &err);
    if (plugin)
        fail_msg("%s was loaded", path);
    assert_has(err.text, part);
}

static void another_version_is_refused_and_both_are_named(void **state)
{
    (void)state;
    refused(searches_plugin("old"),
            "was built for version 99 of the strategy interface, this gannet has version 2; build "
            "it anew with this gannet's strategy.h");
}

static void what_is_no_strategy_is_refused(void **state)
{
    (void)state;
    refused(searches_plugin("silent"), "exports no 'gannet_strategy'");
    refused(searches_plugin("half"), "lacks the function ask");
    refused(path_in(state, "nowhere.so"), "can't open the plug-in");
    const char *text = path_in(state, "text.so");
    write_file(text, "this is no shared object", 0600);
    refused(text, "can't load the plug-in");
    refused("/", "is no file");
}

/* A copy of hello.so in the test's directory. */
static const char *copy_of_hello(void **state, unsigned mode)
{
    struct buf bytes = {0};
    const char *copy = path_in(state, "hello.so");
    assert_int_equal(path_read(searches_plugin("hello"), &bytes, 100 << 20, NULL), 0);
    assert_int_equal(path_write(copy, bytes.data, bytes.length, mode, NULL), 0);
    assert_int_equal(chmod(copy, mode), 0);
    buf_fini(&bytes);
    return copy;
}

static void a_file_that_anyone_may_write_to_is_refused(void **state)
{
    refused(copy_of_hello(state, 0666), "any user can write to the plug-in");
}

static void a_directory_that_anyone_may_write_to_is_refused(void **state)
{
    const char *copy = copy_of_hello(state, 0600);
    assert_int_equal(chmod(*state, 0777), 0);
    refused(copy, "any user can put files into");
    /* Where only the owner may replace a file, like in /tmp, our own file is ours. */
    assert_int_equal(chmod(*state, 01777), 0);
    struct plugin *plugin = plugin_open(copy, NULL);
    assert_non_null(plugin);
    plugin_close(plugin);
    assert_int_equal(chmod(*state, 0700), 0);
}

/* The checks are those of the file that a link leads to. */
static void a_link_does_not_get_round_the_checks(void **state)
{
    const char *copy = copy_of_hello(state, 0666), *link = path_in(state, "link.so");
    assert_int_equal(symlink(copy, link), 0);
    refused(link, "any user can write to the plug-in");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_is_loaded),
        cmocka_unit_test(another_version_is_refused_and_both_are_named),
        cmocka_unit_test_setup_teardown(what_is_no_strategy_is_refused, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_file_that_anyone_may_write_to_is_refused, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_directory_that_anyone_may_write_to_is_refused, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_link_does_not_get_round_the_checks, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
