/* The file of a checkpoint: written and read at the same time by others, torn, changed, and no file at all. */
#include "common/mem.h"
#include "common/path.h"
#include "tests/checkpoint_files.h"
#include "tests/claims.h"
#include "worker/kernels/kernel.h"
#include "worker/trainer/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void two_writers_leave_a_whole_file_each(void **state)
{
    struct err err;
    char *path = mem_text(path_in(state, "checkpoint"));
    struct content inner = {0}, outer = {.path = path, .other = &inner}, found = {0};
    for (int i = 0; i < 5000; i++) {
        buf_text(&outer.bytes, "outer bytes");
        buf_text(&inner.bytes, "the inner's");
    }
    content_write(path, "mlp", 500, &outer);
    assert_int_equal(content_read(path, "mlp", &found, &err), 500);
    assert_string_equal(buf_str(&found.bytes), buf_str(&outer.bytes));
    assert_int_equal(content_count_files(state, "checkpoint"), 1);
    buf_fini(&inner.bytes);
    buf_fini(&outer.bytes);
    buf_fini(&found.bytes);
    free(path);
}

static void who_reads_one_that_is_replaced_reads_the_old_one_to_its_end(void **state)
{
    struct err err;
    struct checkpoint_file file;
    struct kernel kernel = content_kernel("mlp");
    const char *path = path_in(state, "checkpoint");
    struct content old = {0}, fresh = {0}, found = {0};
    for (int i = 0; i < 100000; i++)
        buf_text(&old.bytes, "old");
    buf_text(&fresh.bytes, "new");
    content_write(path, "mlp", 1, &old);
    assert_int_equal(checkpoint_open(path, &kernel, &file, &err), 1);
    content_write(path, "mlp", 2, &fresh);
    kernel.resume(&found, 1, &file.bytes, &err);
    assert_int_equal(checkpoint_check(&file, &err), 0);
    assert_string_equal(buf_str(&found.bytes), buf_str(&old.bytes));
    checkpoint_close(&file);
    assert_int_equal(content_read(path, "mlp", &found, &err), 2);
    buf_fini(&old.bytes);
    buf_fini(&fresh.bytes);
    buf_fini(&found.bytes);
}

/* The tail is looked at first: what was cut off is refused before a kernel sees a byte. Anything else is known behind
 * the last one. */
static void no_byte_of_a_file_can_be_lost_or_changed_unseen(void **state)
{
    struct err err;
    struct checkpoint_file file;
    struct buf whole = {0};
    struct content content = {0}, found = {0};
    struct kernel kernel = content_kernel("mlp");
    char *path = mem_text(path_in(state, "checkpoint"));
    buf_text(&content.bytes, "some weights and some more");
    content_write(path, "mlp", 3, &content);
    assert_int_equal(path_read(path, &whole, 1 << 20, &err), 0);
    for (size_t i = 0; i < whole.length; i++) {
        assert_int_equal(path_write(path, whole.data, i, 0600, &err), 0);
        assert_int_equal(checkpoint_open(path, &kernel, &file, &err), -1);
        whole.data[i] ^= 4;
        assert_int_equal(path_write(path, whole.data, whole.length, 0600, &err), 0);
        if (content_read(path, "mlp", &found, &err) != -1)
            fail_msg("byte %d of %d", (int)i, (int)whole.length);
        whole.data[i] ^= 4;
    }
    assert_int_equal(path_write(path, whole.data, whole.length, 0600, &err), 0);
    assert_int_equal(content_read(path, "mlp", &found, &err), 3);
    buf_fini(&whole);
    buf_fini(&content.bytes);
    buf_fini(&found.bytes);
    free(path);
}

static void what_is_no_file_is_not_waited_for(void **state)
{
    struct err err;
    struct content found = {0};
    const char *path = path_in(state, "checkpoint");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(content_read(path, "mlp", &found, &err), -1);
    assert_has(err.text, "it is no file");
    remove(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(content_read(path, "mlp", &found, &err), -1);
    assert_has(err.text, "it is no file");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_writers_leave_a_whole_file_each, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(who_reads_one_that_is_replaced_reads_the_old_one_to_its_end, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(no_byte_of_a_file_can_be_lost_or_changed_unseen, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(what_is_no_file_is_not_waited_for, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
