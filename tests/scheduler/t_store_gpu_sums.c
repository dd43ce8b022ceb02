/* What a program did on GPUs as a text in a run's row: it comes back as it went in, and other texts add nothing. */
#include "tests/claims.h"

#include "scheduler/store/gpu_sums.h"

#include <math.h>
#include <string.h>

static struct msg_gpu_sum copies = {
    .name = "copies to the GPU", .calls = 4, .bytes = 8e6, .seconds = 2, .min = 0.25, .max = 1};
static struct msg_gpu_sum kernel = {.name = "gemm", .calls = 10, .seconds = 5, .min = 0.5, .max = 0.5};

static void expect_number(const json_t *rows, const char *name, const char *member, double expected)
{
    const json_t *number = json_object_get(json_object_get(rows, name), member);
    assert_true(json_is_number(number));
    assert_true(fabs(json_number_value(number) - expected) <= 1e-9 * expected);
}

/* Adds what is written of these sums. */
static json_t *add_sums(json_t *rows, struct msg_gpu_sum *sums, uint32_t count, const char *unknown)
{
    static char text[GPU_SUMS_BYTES];
    const struct event_run run = {.gpu = sums, .gpu_count = count, .gpu_unknown = unknown};
    return gpu_sums_add(gpu_sums_encode(&run, text), rows);
}

static void what_is_written_comes_back(void **state)
{
    (void)state;
    json_t *rows = json_object();
    struct msg_gpu_sum sums[] = {copies, kernel};
    assert_null(add_sums(rows, sums, 2, ""));
    assert_int_equal(json_object_size(rows), 2);
    expect_number(rows, "copies to the GPU", "calls", 4);
    expect_number(rows, "copies to the GPU", "bytes", 8e6);
    expect_number(rows, "gemm", "seconds", 5);
    assert_true(json_is_null(json_object_get(json_object_get(rows, "gemm"), "bytes")));
    json_decref(rows);
}

static void the_attempts_of_a_trial_add_up(void **state)
{
    (void)state;
    json_t *rows = json_object();
    struct msg_gpu_sum again = copies, longer = kernel;
    again.min = 0.125;
    longer.max = 3;
    assert_null(add_sums(rows, (struct msg_gpu_sum[]){copies, kernel}, 2, NULL));
    assert_null(add_sums(rows, (struct msg_gpu_sum[]){again, longer}, 2, NULL));
    assert_int_equal(json_object_size(rows), 2);
    expect_number(rows, "copies to the GPU", "bytes", 16e6);
    expect_number(rows, "copies to the GPU", "min", 0.125);
    expect_number(rows, "copies to the GPU", "max", 1);
    expect_number(rows, "gemm", "calls", 20);
    expect_number(rows, "gemm", "seconds", 10);
    expect_number(rows, "gemm", "min", 0.5);
    expect_number(rows, "gemm", "max", 3);
    assert_true(json_is_null(json_object_get(json_object_get(rows, "gemm"), "bytes")));
    json_decref(rows);
}

static void why_something_is_not_known_comes_back_beside_what_is(void **state)
{
    (void)state;
    json_t *rows = json_object(), *why = add_sums(rows, &kernel, 1, "the driver is too old");
    assert_string_equal(json_string_value(why), "the driver is too old");
    assert_int_equal(json_object_size(rows), 1);
    json_decref(why);
    why = add_sums(rows, NULL, 0, "no GPU");
    assert_string_equal(json_string_value(why), "no GPU");
    json_decref(why);
    assert_null(add_sums(rows, NULL, 0, NULL));
    assert_int_equal(json_object_size(rows), 1);
    json_decref(rows);
}

static void more_sums_than_are_kept_are_left_out(void **state)
{
    (void)state;
    enum { MANY = GPU_SUMS_MOST + 3 };
    struct msg_gpu_sum sums[MANY];
    char names[MANY][8];
    json_t *rows = json_object();
    for (int i = 0; i < MANY; i++) {
        memcpy(names[i], "kernelA", 8);
        names[i][6] = (char)('A' + i);
        sums[i] = kernel;
        sums[i].name = names[i];
    }
    assert_null(add_sums(rows, sums, MANY, NULL));
    assert_int_equal(json_object_size(rows), GPU_SUMS_MOST);
    json_decref(rows);
}

/* A kernel's operations stand in the same column; and anybody may write a file. */
static void other_texts_add_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {
        NULL,
        "",
        "[[0,1,2]]",
        "[[\"cut off",
        "[[\"\\u001b[2J\",1,null,null,1,1,1]]",
        "[[\"none\",0,null,null,1,1,1],[\"less\",-4,null,null,1,1,1]]",
        "[[null,7],[7]]",
    };
    json_t *rows = json_object();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(gpu_sums_add(texts[i], rows));
    assert_int_equal(json_object_size(rows), 0);
    json_t *why = gpu_sums_add("[[null,\"first\"],[null,\"second\"]]", rows);
    assert_string_equal(json_string_value(why), "first");
    json_decref(why);
    json_decref(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(the_attempts_of_a_trial_add_up),
        cmocka_unit_test(why_something_is_not_known_comes_back_beside_what_is),
        cmocka_unit_test(more_sums_than_are_kept_are_left_out),
        cmocka_unit_test(other_texts_add_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
