/* Windows of a text: which bytes they are, what is kept for validation, and what is refused. */
#include "tests/claims.h"
#include "worker/data/text.h"

#include <stdio.h>
#include <sys/stat.h>

static struct text text;
static struct err said;

static int forget(void **state)
{
    text_close(&text);
    return leave_scratch(state);
}

/* Opens a text of so many bytes, of which byte i is i. */
static int open_bytes(void **state, size_t length, size_t context, double validation)
{
    const char *path = path_in(state, "text");
    FILE *file = fopen(path, "wb");
    for (size_t i = 0; i < length; i++)
        putc((int)i & 255, file);
    fclose(file);
    text_close(&text);
    said.text[0] = '\0';
    return text_open(&text, path, context, validation, &said);
}

/* Whether window n has the bytes from `first` on. */
static void assert_window(size_t n, int first)
{
    int32_t tokens[64], next[64];
    text_read(&text, n, tokens, next);
    for (int t = 0; t < (int)text.context; t++)
        assert_true(tokens[t] == ((first + t) & 255) && next[t] == ((first + t + 1) & 255));
}

static void windows_lie_side_by_side_with_the_byte_behind_each(void **state)
{
    assert_int_equal(open_bytes(state, 100, 10, 0.25), 0);
    assert_int_equal(text.cut, 75);
    assert_int_equal(text.training, 7); /* the last byte that is learned from is 70 */
    assert_int_equal(text.count - text.training, 2);
    assert_window(0, 0);
    assert_window(6, 60);
    assert_window(7, 75);
    assert_window(8, 85);
}

static void no_window_of_the_training_part_sees_a_byte_of_the_validation_part(void **state)
{
    for (size_t length = 4; length < 60; length++)
        for (size_t context = 1; context < 7; context++) {
            if (open_bytes(state, length, context, 0.3))
                continue;
            assert_true(text.training * context + 1 <= text.cut);
            assert_true(text.cut + (text.count - text.training) * context + 1 <= length);
            assert_window(text.count - 1, (int)(text.cut + (text.count - text.training - 1) * context));
        }
}

static void bytes_above_127_are_whole_numbers_below_256(void **state)
{
    assert_int_equal(open_bytes(state, 600, 64, 0.2), 0);
    assert_window(3, 192);
}

static void what_is_too_short_says_where(void **state)
{
    assert_int_equal(open_bytes(state, 100, 60, 0.5), -1);
    assert_has(said.text, "its training part, bytes 0 to 50, is too short for a window of 60 bytes and the next");
    assert_int_equal(open_bytes(state, 100, 20, 0.1), -1);
    assert_has(said.text, "its validation part, 10 bytes from byte 90 on, is too short for a window of 20 bytes");
    assert_int_equal(open_bytes(state, 0, 20, 0.1), -1);
    assert_has(said.text, "is empty at byte 0");
}

static void what_is_no_file_is_refused_by_its_name(void **state)
{
    const char *pipe = path_in(state, "pipe");
    assert_int_equal(text_open(&text, "/nothing/here.txt", 4, 0.2, &said), -1);
    assert_has(said.text, "/nothing/here.txt: can't be opened: No such file or directory");
    assert_int_equal(text_open(&text, "/", 4, 0.2, &said), -1);
    assert_has(said.text, "/: is no file");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(text_open(&text, pipe, 4, 0.2, &said), -1); /* and nobody is waited for */
    assert_has(said.text, "is no file");
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, forget)
    const struct CMUnitTest tests[] = {
        CLAIM(windows_lie_side_by_side_with_the_byte_behind_each),
        CLAIM(no_window_of_the_training_part_sees_a_byte_of_the_validation_part),
        CLAIM(bytes_above_127_are_whole_numbers_below_256),
        CLAIM(what_is_too_short_says_where),
        CLAIM(what_is_no_file_is_refused_by_its_name),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
