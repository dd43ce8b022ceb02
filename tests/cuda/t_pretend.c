/* The pretended CUDA finds what breaks CUDA's rules, and nothing else. */
#include "tests/claims.h"
#include "tests/cuda/apart.h"
#include "tests/cuda/subjects.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const orders[] = {"threads=forward", "threads=backward", "threads=shuffled:1", "threads=shuffled:2",
                                     "threads=shuffled:3 run=now"};
enum { ORDERS = sizeof orders / sizeof *orders };

static void what_breaks_a_rule_ends_with_a_sentence(void **state)
{
    (void)state;
    char said[4000];
    for (const struct subject *one = subjects_bad; one->name; one++) {
        int status = apart_run(one->run, "", said, sizeof said);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(said, one->sentence))
            fail_msg("%s: status %#x, said: %s", one->name, (unsigned)status, said);
    }
}

static void no_order_of_threads_hides_it(void **state)
{
    (void)state;
    char said[4000];
    for (const struct subject *one = subjects_bad; one->name; one++)
        for (int i = 1; i < ORDERS; i++)
            if (!WIFSIGNALED(apart_run(one->run, orders[i], said, sizeof said)) &&
                strcmp(one->name, "changed too early") != 0)
                fail_msg("%s, %s: nothing was found", one->name, orders[i]);
}

static void run_good(void)
{
    _exit(subjects_sum() && subjects_turn() && subjects_warps() && subjects_alike() && subjects_streams() &&
                  subjects_graph()
              ? 3
              : 4);
}

static void what_keeps_them_is_right_in_every_order(void **state)
{
    (void)state;
    char said[4000];
    for (int i = 0; i < ORDERS; i++) {
        int status = apart_run(run_good, orders[i], said, sizeof said);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 3)
            fail_msg("%s: status %#x, said: %s", orders[i], (unsigned)status, said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_breaks_a_rule_ends_with_a_sentence),
        cmocka_unit_test(no_order_of_threads_hides_it),
        cmocka_unit_test(what_keeps_them_is_right_in_every_order),
    };
    return cmocka_run_group_tests_name("the pretended CUDA", tests, NULL, NULL);
}
