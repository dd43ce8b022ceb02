/* The progress of a run: frames drawn from made-up snapshots, and when lines are due. */
#include "cli/view/progress.h"
#include "tests/claims.h"

#include <string.h>

static struct snapshot in_the_middle(void)
{
    struct snapshot snapshot = {.max_trials = 40,
                                .has_best = true,
                                .best = 0.97222,
                                .best_trial = 12,
                                .rate = 3.14,
                                .left = 7,
                                .held = 6,
                                .slots = 2};
    snapshot.trials[TRIAL_COMPLETED] = 17;
    snapshot.trials[TRIAL_FAILED] = 1;
    snapshot.trials[TRIAL_RUNNING] = 2;
    snapshot.trials[TRIAL_WAITING] = 3;
    return snapshot;
}

static void draws(const struct snapshot *snapshot, unsigned width, const char *note, const char *expected)
{
    struct run_progress progress = progress_of("digits", "val_accuracy", snapshot);
    progress.note = note;
    struct buf out = {0};
    progress_line(&progress, &(struct look){.width = width}, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

static void a_wide_terminal_shows_everything(void **state)
{
    (void)state;
    struct snapshot snapshot = in_the_middle();
    draws(&snapshot, 140, NULL,
          "digits  #####.....  18/40 done  2 running  1 failed  best val_accuracy 0.97222  3.1/s  7s left  6s");
}

static void a_narrow_terminal_keeps_what_matters_most(void **state)
{
    (void)state;
    struct snapshot snapshot = in_the_middle();
    draws(&snapshot, 80, NULL, "digits  18/40 done  2 running  1 failed  best val_accuracy 0.97222  7s left");
    draws(&snapshot, 60, NULL, "18/40 done  2 running  1 failed  best val_accuracy 0.97222");
    draws(&snapshot, 20, NULL, "18/40 done");
    draws(&snapshot, 3, NULL, "18/40 done");
}

static void an_experiment_that_just_began_shows_zeros(void **state)
{
    (void)state;
    struct snapshot snapshot = {.left = -1};
    draws(&snapshot, 100, NULL, "digits  0 done  0 running  0s");
}

static void a_note_takes_the_line(void **state)
{
    (void)state;
    struct snapshot snapshot = in_the_middle();
    draws(&snapshot, 80, "finishing 2 running trials; Ctrl-C again to stop them",
          "finishing 2 running trials; Ctrl-C again to stop them");
    draws(&snapshot, 21, "finishing 2 running trials", "finishing 2 runni...");
}

static void hostile_names_are_defused(void **state)
{
    (void)state;
    struct snapshot snapshot = in_the_middle();
    struct run_progress progress = progress_of("a\033[2Jb", "m\r", &snapshot);
    struct buf out = {0};
    progress_line(&progress, &(struct look){.width = 0}, &out);
    assert_null(strchr(buf_str(&out), '\033'));
    assert_null(strchr(buf_str(&out), '\r'));
    buf_fini(&out);
}

static void a_log_line_is_pairs_of_names_and_values(void **state)
{
    (void)state;
    struct snapshot snapshot = in_the_middle();
    struct run_progress progress = progress_of("digits", "val_accuracy", &snapshot);
    struct buf out = {0};
    progress_plain(&progress, 1795183331, &out);
    assert_string_equal(buf_str(&out), "2026-11-20T14:02:11.000Z done=18/40 running=2 failed=1 best=0.97222 "
                                       "best_trial=12 rate=3.14 left=7\n");
    buf_fini(&out);
}

static void a_line_is_due_at_first_at_each_new_best_and_every_minute(void **state)
{
    (void)state;
    struct pace pace = {0};
    struct run_progress progress = {.best_trial = 0};
    assert_true(pace_due(&pace, &progress, 100));
    assert_false(pace_due(&pace, &progress, 101));
    progress.has_best = true;
    progress.best_trial = 4;
    assert_true(pace_due(&pace, &progress, 102));
    assert_false(pace_due(&pace, &progress, 161));
    assert_true(pace_due(&pace, &progress, 162));
    assert_false(pace_due(&pace, &progress, 163));
    progress.best_trial = 9;
    assert_true(pace_due(&pace, &progress, 164));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wide_terminal_shows_everything),
        cmocka_unit_test(a_narrow_terminal_keeps_what_matters_most),
        cmocka_unit_test(an_experiment_that_just_began_shows_zeros),
        cmocka_unit_test(a_note_takes_the_line),
        cmocka_unit_test(hostile_names_are_defused),
        cmocka_unit_test(a_log_line_is_pairs_of_names_and_values),
        cmocka_unit_test(a_line_is_due_at_first_at_each_new_best_and_every_minute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
