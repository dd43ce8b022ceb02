/* Exits in words. */
#include "worker/program/ending.h"
#include "tests/claims.h"

#include <signal.h>

static void assert_words(struct proc_exit how, bool starved, enum ending ending, const char *words)
{
    struct buf detail = {0};
    assert_int_equal(ending_of_exit(&how, starved, &detail), ending);
    assert_string_equal(buf_str(&detail), words);
    buf_fini(&detail);
}

static void signals_have_their_names(void **state)
{
    (void)state;
    char name[32];
    assert_string_equal(signal_name(SIGSEGV, name, sizeof name), "SIGSEGV");
    assert_string_equal(signal_name(SIGUSR1, name, sizeof name), "SIGUSR1");
    assert_string_equal(signal_name(64, name, sizeof name), "signal 64");
}

static void every_exit_has_its_ending(void **state)
{
    (void)state;
    assert_words((struct proc_exit){.number = 0}, false, ENDING_COMPLETED, "");
    assert_words((struct proc_exit){.number = 1}, false, ENDING_EXITED, "exit status 1");
    assert_words((struct proc_exit){.number = 127}, false, ENDING_EXITED,
                 "exit status 127 (a shell says so of a command that it does not find)");
    assert_words((struct proc_exit){.number = 139}, false, ENDING_EXITED,
                 "exit status 139 (a command of its shell ended by SIGSEGV)");
    assert_words((struct proc_exit){.number = 255}, false, ENDING_EXITED, "exit status 255");
    assert_words((struct proc_exit){.by_signal = true, .number = SIGABRT}, false, ENDING_CRASHED, "killed by SIGABRT");
    assert_words((struct proc_exit){.by_signal = true, .number = SIGKILL}, false, ENDING_CRASHED, "killed by SIGKILL");
}

static void a_kill_for_want_of_memory_is_told_from_others(void **state)
{
    (void)state;
    assert_words((struct proc_exit){.by_signal = true, .number = SIGKILL}, true, ENDING_OUT_OF_MEMORY,
                 "the kernel killed it for want of memory");
    assert_words((struct proc_exit){.number = 137}, true, ENDING_OUT_OF_MEMORY,
                 "the kernel killed a command of its shell for want of memory");
    assert_words((struct proc_exit){.by_signal = true, .number = SIGSEGV}, true, ENDING_CRASHED, "killed by SIGSEGV");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_have_their_names),
        cmocka_unit_test(every_exit_has_its_ending),
        cmocka_unit_test(a_kill_for_want_of_memory_is_told_from_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
