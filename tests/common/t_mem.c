/* Memory that is there or ends the process. */
#include "common/mem.h"
#include "tests/claims.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void new_memory_is_zero(void **state)
{
    (void)state;
    static const char zero[1000];
    char *memory = mem_zero(10, 100);
    assert_memory_equal(memory, zero, sizeof zero);
    free(memory);
    memory = mem_zero(0, 0);
    assert_non_null(memory);
    free(memory);
}

static void texts_are_copied(void **state)
{
    (void)state;
    char *copy = mem_text("gannet"), *part = mem_text_n("gannet", 3), *made = mem_format("%d-%s", 7, "x");
    assert_string_equal(copy, "gannet");
    assert_string_equal(part, "gan");
    assert_string_equal(made, "7-x");
    assert_null(mem_text(NULL));
    free(copy);
    free(part);
    free(made);
}

static void a_growing_array_keeps_what_is_in_it(void **state)
{
    (void)state;
    int *numbers = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; i++) {
        MEM_GROW(numbers, capacity, (size_t)i + 1);
        numbers[i] = i;
    }
    assert_true(capacity >= 1000 && capacity < 2000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers[i], i);
    size_t before = capacity;
    MEM_GROW(numbers, capacity, 10);
    assert_int_equal(capacity, before);
    free(numbers);
}

/* What a process of its own says at its end, and the signal that ended it. */
static int die(void (*how)(void), char *said, size_t size)
{
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        dup2(ends[1], STDERR_FILENO);
        how();
        _exit(0);
    }
    close(ends[1]);
    ssize_t length = read(ends[0], said, size - 1);
    said[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void overflow(void)
{
    free(mem_resize(NULL, SIZE_MAX / 2, 3));
}

static void a_size_that_overflows_ends_the_process_with_a_sentence(void **state)
{
    (void)state;
    char said[512];
    assert_int_equal(die(overflow, said, sizeof said), SIGABRT);
    assert_has(said, "out of memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_memory_is_zero),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(a_growing_array_keeps_what_is_in_it),
        cmocka_unit_test(a_size_that_overflows_ends_the_process_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
