/* Error output: its last lines, clean; a trainer's stream. */
#include "worker/program/errout.h"
#include "common/path.h"
#include "common/rng.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void assert_tail(const char *bytes, size_t length, const char *expected)
{
    struct buf out = {0};
    errout_tail(bytes, length, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

static void lines_come_through_clean(void **state)
{
    (void)state;
    assert_tail("", 0, "");
    assert_tail("a\nb\n\n", 5, "a\nb");
    assert_tail("50%\r100%\n", 9, "50%\n100%");
    assert_tail("a\0b\033[1m", 7, "a?b?[1m");
    assert_tail("gr\xc3\xbc\xc3\x9f", 6, "gr\xc3\xbc\xc3\x9f");
    assert_tail("\xf0\x9f\x90\xa6", 4, "\xf0\x9f\x90\xa6");
}

static void what_is_no_utf8_is_marked(void **state)
{
    (void)state;
    assert_tail("\xff\xfe", 2, "??");
    assert_tail("\xc3", 1, "?");
    assert_tail("\xc0\x80", 2, "??");                         /* longer than needed */
    assert_tail("\xed\xa0\x80", 3, "???");                    /* a surrogate */
    assert_tail("\xf4\x90\x80\x80", 4, "????");               /* beyond the last one */
    assert_tail("\xe2\x82 ", 3, "?? ");                       /* cut off */
    assert_tail("\x80\xbf\xe2\x82\xac", 5, "??\xe2\x82\xac"); /* one in the middle of nonsense */
}

static void only_the_last_whole_lines_are_kept(void **state)
{
    (void)state;
    struct buf text = {0}, out = {0};
    for (int i = 0; i < 2000; i++)
        buf_format(&text, "line %d\n", i);
    errout_tail(buf_str(&text), text.length, &out);
    assert_in_range(out.length, ERROUT_TAIL / 2, ERROUT_TAIL);
    assert_int_equal(strncmp(buf_str(&out), "line ", 5), 0);
    assert_has(buf_str(&out), "line 1999");
    buf_fini(&text);
    buf_fini(&out);
}

static void random_bytes_become_valid_text(void **state)
{
    (void)state;
    struct rng rng = rng_make(1, "errout", 0);
    for (int round = 0; round < 500; round++) {
        char bytes[300];
        struct buf once = {0}, twice = {0};
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)rng_next(&rng);
        errout_tail(bytes, sizeof bytes, &once);
        errout_tail(buf_str(&once), once.length, &twice);
        assert_string_equal(buf_str(&once), buf_str(&twice)); /* clean text stays as it is */
        assert_int_equal(strlen(buf_str(&once)), once.length);
        buf_fini(&once);
        buf_fini(&twice);
    }
}

/* --- streams --- */

static void output_goes_to_the_file_of_its_trial_if_there_is_any(void **state)
{
    struct err err;
    int fd;
    struct buf text = {0};
    struct loop *loop = loop_create();
    struct errout *errout = errout_open(loop, &fd, NULL, NULL, &err);
    errout_begin(errout, path_in(state, "trials/1/stderr"));
    errout_drain(errout);
    errout_begin(errout, path_in(state, "trials/2/stderr"));
    assert_int_equal(write(fd, "one\n", 4), 4);
    assert_string_equal(errout_lines(errout), "one");
    assert_int_equal(write(fd, "two\n", 4), 4);
    assert_string_equal(errout_lines(errout), "one\ntwo");
    errout_begin(errout, NULL);
    assert_string_equal(errout_lines(errout), "");
    assert_int_equal(write(fd, "lost\n", 5), 5);
    assert_string_equal(errout_lines(errout), "lost");
    assert_false(path_exists(path_in(state, "trials/1")));
    assert_int_equal(path_read(path_in(state, "trials/2/stderr"), &text, 1000, &err), 0);
    assert_string_equal(buf_str(&text), "one\ntwo\n");
    close(fd);
    errout_close(errout);
    loop_destroy(loop);
    buf_fini(&text);
}

static void what_is_said_before_the_first_trial_is_in_its_file(void **state)
{
    struct err err;
    int fd;
    struct buf text = {0};
    struct loop *loop = loop_create();
    struct errout *errout = errout_open(loop, &fd, NULL, NULL, &err);
    assert_int_equal(write(fd, "small\n", 6), 6);
    errout_drain(errout);
    assert_int_equal(write(fd, "data\n", 5), 5);
    errout_begin(errout, path_in(state, "trials/1/stderr"));
    assert_string_equal(errout_lines(errout), "small\ndata");
    errout_begin(errout, path_in(state, "trials/2/stderr"));
    assert_false(path_exists(path_in(state, "trials/2/stderr")));
    assert_int_equal(path_read(path_in(state, "trials/1/stderr"), &text, 1000, &err), 0);
    assert_string_equal(buf_str(&text), "small\ndata\n");
    close(fd);
    errout_close(errout);
    loop_destroy(loop);
    buf_fini(&text);
}

static void a_file_that_can_not_be_written_costs_only_the_file(void **state)
{
    struct err err;
    int fd;
    struct loop *loop = loop_create();
    struct errout *errout = errout_open(loop, &fd, NULL, NULL, &err);
    write_file(path_in(state, "trials"), "", 0600); /* in the way of the directory */
    errout_begin(errout, path_in(state, "trials/1/stderr"));
    assert_int_equal(write(fd, "one\n", 4), 4);
    assert_string_equal(errout_lines(errout), "one");
    close(fd);
    assert_string_equal(errout_lines(errout), "one"); /* the end of the stream */
    errout_close(errout);
    loop_destroy(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_through_clean),
        cmocka_unit_test(what_is_no_utf8_is_marked),
        cmocka_unit_test(only_the_last_whole_lines_are_kept),
        cmocka_unit_test(random_bytes_become_valid_text),
        cmocka_unit_test_setup_teardown(output_goes_to_the_file_of_its_trial_if_there_is_any, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(what_is_said_before_the_first_trial_is_in_its_file, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_file_that_can_not_be_written_costs_only_the_file, enter_scratch,
                                        leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
