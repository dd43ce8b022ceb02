/* Both clocks, read for one moment. */
#include "common/clock.h"

#include "tests/claims.h"

#include <math.h>
#include <time.h>

/* The machine's clocks: the test has them stand still, but where this process waits for a processor. */
static const double SINCE_1970 = 1e9;
static double monotonic;
static int looks, waits; /* at the clocks; how many of the first ones are followed by a wait */

int clock_gettime(clockid_t which, struct timespec *now)
{
    double time = which == CLOCK_REALTIME ? SINCE_1970 + monotonic : monotonic;
    *now = (struct timespec){.tv_sec = (time_t)time, .tv_nsec = (long)lround((time - floor(time)) * 1e9)};
    monotonic += looks++ < waits ? 0.017 : 0;
    return 0;
}

static void both_clocks_are_read_at_one_moment_by_who_has_to_wait_between(void **state)
{
    (void)state;
    for (waits = 0; waits < 12; waits++) {
        double wall, now;
        monotonic = 100;
        looks = 0;
        now = clock_both(&wall);
        assert_true(fabs(wall - SINCE_1970 - now) < 1e-3);
    }
}

static void who_waits_every_time_is_told_a_moment_all_the_same(void **state)
{
    (void)state;
    double wall, now;
    monotonic = 100;
    looks = 0;
    waits = 1000;
    now = clock_both(&wall);
    assert_true(now > 100 && now < 101);
    assert_true(fabs(wall - SINCE_1970 - now) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_clocks_are_read_at_one_moment_by_who_has_to_wait_between),
        cmocka_unit_test(who_waits_every_time_is_told_a_moment_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
