/* Log lines: one write a line, levels, and lines of any length. */
#include "common/log.h"
#include "tests/claims.h"

#include <string.h>
#include <unistd.h>

/* Logs with standard error going into a pipe; what came out. */
static const char *logged(enum log_level lowest, enum log_level level, const char *text)
{
    static char said[8192];
    int ends[2], kept = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    log_open("test", lowest);
    log_line(level, "%s", text);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(ends[1]);
    ssize_t length = read(ends[0], said, sizeof said - 1);
    said[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    return said;
}

static void a_line_has_time_level_program_and_text(void **state)
{
    (void)state;
    const char *line = logged(LOG_INFO, LOG_WARNING, "the disk is full");
    assert_int_equal(strspn(line, "0123456789-T:.Z"), 24);
    assert_string_equal(line + 24, " warning test: the disk is full\n");
}

static void lower_levels_are_not_written(void **state)
{
    (void)state;
    assert_string_equal(logged(LOG_INFO, LOG_DEBUG, "x"), "");
    assert_has(logged(LOG_INFO, LOG_INFO, "x"), "info    test: x\n");
    assert_string_equal(logged(LOG_ERROR, LOG_WARNING, "x"), "");
}

static void a_long_line_is_cut_and_still_ends(void **state)
{
    (void)state;
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (size_t length = 1900; length < 2100; length++) {
        text[length] = '\0';
        const char *line = logged(LOG_INFO, LOG_INFO, text);
        assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
        assert_true(strlen(line) <= 2048);
        text[length] = 'x';
    }
}

static void an_event_of_many_lines_is_one_line(void **state)
{
    (void)state;
    assert_has(logged(LOG_INFO, LOG_INFO, "Traceback:\n\tline 3\r\n"), "info    test: Traceback:  line 3  \n");
}

static void levels_have_names(void **state)
{
    (void)state;
    assert_int_equal(log_level_named("debug"), LOG_DEBUG);
    assert_int_equal(log_level_named("error"), LOG_ERROR);
    assert_int_equal(log_level_named("fatal"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_time_level_program_and_text),
        cmocka_unit_test(lower_levels_are_not_written),
        cmocka_unit_test(a_long_line_is_cut_and_still_ends),
        cmocka_unit_test(an_event_of_many_lines_is_one_line),
        cmocka_unit_test(levels_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
