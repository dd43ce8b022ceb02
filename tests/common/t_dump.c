/* Core dumps: a process that has had a key leaves none, and what it starts may leave what it always might. */
#include "common/keys.h"
#include "tests/child.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT = 4096000 }; /* bytes; below any hard limit but 0 */

static bool allow_dumps(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_CORE, &limit) || limit.rlim_max < LIMIT)
        return false;
    limit.rlim_cur = LIMIT;
    return setrlimit(RLIMIT_CORE, &limit) == 0;
}

/* How a process ends that crashes in the scratch directory, having made keys or not. */
static int crash(void **state, bool with_keys)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct key_pair pair;
        struct sigaction plain = {.sa_handler = SIG_DFL};
        sigaction(SIGABRT, &plain, NULL);
        if (chdir(*state) == 0 && (!with_keys || keys_make(&pair, NULL) == 0))
            abort();
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    return status;
}

static void a_process_that_had_a_key_leaves_no_dump(void **state)
{
    if (!allow_dumps() || !WCOREDUMP(crash(state, false)))
        skip_because("a crash leaves no core dump on this machine in any case");
    assert_false(WCOREDUMP(crash(state, true)));
}

static const char *limit_of_child(struct loop *loop)
{
    return child_run_shell(loop, child_plain, "sed -n 's/Max core file size *//p' /proc/self/limits | tr -s ' '");
}

static void its_programs_have_the_limit_of_before(void **state)
{
    struct key_pair pair;
    struct rlimit limit;
    char before[200];
    if (!allow_dumps())
        skip_because("core dumps are forbidden on this machine");
    snprintf(before, sizeof before, "%s", limit_of_child(*state));
    assert_has(before, "4096000 ");
    assert_int_equal(keys_make(&pair, NULL), 0);
    keys_wipe(&pair);
    assert_int_equal(getrlimit(RLIMIT_CORE, &limit), 0);
    assert_int_equal(limit.rlim_cur, 1);
    assert_string_equal(limit_of_child(*state), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_process_that_had_a_key_leaves_no_dump, enter_scratch, leave_scratch),
        CLAIM_ON_LOOP(its_programs_have_the_limit_of_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
