/* CSV files: what is read, and what is refused in which words. */
#include "common/csv.h"
#include "common/buf.h"
#include "common/rng.h"
#include "tests/claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Shows a row: "3[a][b]" for the cells a and b of line 3. */
static int show(void *context, size_t line, char *const *cells, size_t count, struct err *err)
{
    struct buf *out = context;
    buf_format(out, "%zu", line);
    for (size_t i = 0; i < count; i++)
        buf_format(out, "[%s]", cells[i]);
    return strcmp(cells[0], "stop") == 0 ? err_set(err, "stopped at %zu", line) : 0;
}

static struct buf shown; /* of the last read_bytes */
static struct err said;

/* Reads a file of these bytes; its result. */
static int read_bytes(void **state, const void *bytes, size_t length)
{
    const char *path = path_in(state, "a.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
    buf_fini(&shown);
    said.text[0] = '\0';
    return csv_read(path, show, &shown, &said);
}

static int read_text(void **state, const char *text)
{
    return read_bytes(state, text, strlen(text));
}

static int forget(void **state)
{
    buf_fini(&shown);
    return leave_scratch(state);
}

static void rows_come_with_their_lines(void **state)
{
    assert_int_equal(read_text(state, "a,b\n1,2\n\n3,4"), 0);
    assert_string_equal(buf_str(&shown), "1[a][b]2[1][2]4[3][4]");
}

static void quoted_cells_may_hold_commas_quotes_and_lines(void **state)
{
    assert_int_equal(read_text(state, "a,b\n\"x,y\",\"say \"\"so\"\"\"\n\"two\nlines\",4\n5,6\n"), 0);
    assert_string_equal(buf_str(&shown), "1[a][b]2[x,y][say \"so\"]3[two\nlines][4]5[5][6]");
}

static void other_line_ends_and_marks_are_no_matter(void **state)
{
    assert_int_equal(read_text(state, "\xef\xbb\xbf"
                                      "a,b\r\n 1 ,2\r\n"),
                     0);
    assert_string_equal(buf_str(&shown), "1[a][b]2[1][2]");
    assert_int_equal(read_text(state, "a,b\n,\n"), 0);
    assert_string_equal(buf_str(&shown), "1[a][b]2[][]");
}

static void a_row_of_another_length_is_refused_with_its_line(void **state)
{
    assert_int_equal(read_text(state, "a,b\n1,2\n1,2,3\n4,5\n"), -1);
    assert_has(said.text, "a.csv:3: has 3 cells where the header has 2");
    assert_string_equal(buf_str(&shown), "1[a][b]2[1][2]");
}

static void broken_quotes_are_refused_with_their_line(void **state)
{
    assert_int_equal(read_text(state, "a,b\n1,2\nx\"y,2\n"), -1);
    assert_has(said.text, "a.csv:3: ");
    assert_int_equal(read_text(state, "a,b\n1,\"open\n"), -1);
    assert_has(said.text, "closing quote is missing");
}

static void an_empty_file_is_refused(void **state)
{
    assert_int_equal(read_text(state, ""), -1);
    assert_has(said.text, "is empty");
    assert_int_equal(read_text(state, "\n\n"), -1);
    assert_has(said.text, "is empty");
}

static void zero_bytes_are_refused(void **state)
{
    assert_int_equal(read_bytes(state, "a,b\n1,\0002\n", 9), -1);
    assert_has(said.text, "a.csv:2: holds a zero byte");
}

static void an_endless_cell_is_refused_before_it_fills_the_memory(void **state)
{
    enum { LONG = 1 << 20 };
    char *text = malloc(LONG);
    memset(text, 'x', LONG);
    memcpy(text, "a,b\n\"", 5);
    assert_int_equal(read_bytes(state, text, LONG), -1);
    assert_has(said.text, "a cell is longer than");
    free(text);
}

static void what_is_no_file_is_refused(void **state)
{
    assert_int_equal(csv_read(path_in(state, "none.csv"), show, &shown, &said), -1);
    assert_has(said.text, "No such file");
    assert_int_equal(csv_read(*state, show, &shown, &said), -1);
    assert_has(said.text, "is no regular file");
    assert_int_equal(mkfifo(path_in(state, "pipe"), 0600), 0);
    assert_int_equal(csv_read(path_in(state, "pipe"), show, &shown, &said), -1);
    assert_has(said.text, "is no regular file");
}

static void the_row_s_own_refusal_ends_the_reading(void **state)
{
    assert_int_equal(read_text(state, "a\nb\nstop\nc\n"), -1);
    assert_string_equal(said.text, "stopped at 3");
    assert_string_equal(buf_str(&shown), "1[a]2[b]3[stop]");
}

/* Random bytes, mostly those that mean something, must be read or refused with a sentence. */
static void no_bytes_do_harm(void **state)
{
    static const char common[] = "ab1,,\"\"\n\n\r \\\xff";
    struct rng rng = rng_make(7, "csv", 0);
    for (int n = 0; n < 2000; n++) {
        char bytes[200];
        size_t length = rng_below(&rng, sizeof bytes);
        for (size_t i = 0; i < length; i++)
            bytes[i] = common[rng_below(&rng, sizeof common)];
        int result = read_bytes(state, bytes, length);
        assert_true(result == 0 || said.text[0]);
    }
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, forget)
    const struct CMUnitTest tests[] = {
        CLAIM(rows_come_with_their_lines),
        CLAIM(quoted_cells_may_hold_commas_quotes_and_lines),
        CLAIM(other_line_ends_and_marks_are_no_matter),
        CLAIM(a_row_of_another_length_is_refused_with_its_line),
        CLAIM(broken_quotes_are_refused_with_their_line),
        CLAIM(an_empty_file_is_refused),
        CLAIM(zero_bytes_are_refused),
        CLAIM(an_endless_cell_is_refused_before_it_fills_the_memory),
        CLAIM(what_is_no_file_is_refused),
        CLAIM(the_row_s_own_refusal_ends_the_reading),
        CLAIM(no_bytes_do_harm),
    };
    return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
