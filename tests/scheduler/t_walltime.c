/* The time of the job: what is still started, how a session ends when the time is up, and what that costs. */
#include "tests/core_fixture.h"

#include <math.h>

/* A core whose job ends in so many seconds, 10 of which are for leaving. */
static void start_with(struct fixture *b, double seconds, bool can_continue)
{
    b->config.can_continue = can_continue;
    b->config.warn = 10;
    b->config.grace = 4;
    b->config.suspect = b->config.lost = 1000; /* its workers are silent while it waits */
    fixture_start(b);
    core_deadline(b->core, b->now, b->now + seconds);
    fixture_drive(b);
}

/* Reports a trial that ran so long. */
static void ran(struct fixture *b, uint64_t trial, double seconds)
{
    struct msg_result result = fixture_done(trial, 1, ENDING_COMPLETED, 1);
    result.seconds = seconds;
    b->now += seconds;
    fixture_report(b, 7, result);
}

static uint64_t last_lease(const struct fixture *b)
{
    const struct msg *leases = fixture_last_sent(b, MSG_LEASES);
    return leases ? leases->leases.leases[leases->leases.leases_count - 1].trial : 0;
}

static void with_nothing_known_trials_are_started(void **state)
{
    struct fixture *b = *state;
    start_with(b, 11, false);
    fixture_join(b, 7, 1, 2, 0);
    assert_int_equal(fixture_figures(b).busy, 2);
}

static void leases_say_when_the_time_is_up(void **state)
{
    struct fixture *b = *state;
    start_with(b, 100, false);
    fixture_join(b, 7, 1, 1, 0);
    assert_true(fixture_last_sent(b, MSG_LEASES)->leases.deadline == b->now + 100 + b->config.wall_offset);
}

static void no_trial_is_started_that_would_not_end(void **state)
{
    struct fixture *b = *state;
    start_with(b, 100, false);
    fixture_join(b, 7, 1, 2, 0);
    ran(b, 1, 40); /* 50 s are left, and one that ran 40 s may run 80 */
    assert_int_equal(fixture_figures(b).busy, 1);
    assert_int_equal(fixture_figures(b).trials[TRIAL_RUNNING], 1);
    assert_false(b->ended);
    assert_true(fixture_figures(b).exceeds_walltime > 0);
    assert_true(fixture_figures(b).warn == 10);
    core_cancel_trial(b->core, b->now, fixture_figures(b).exceeding_trial, NULL);
    fixture_drive(b);
    assert_int_equal(fixture_figures(b).exceeds_walltime, fixture_figures(b).trials[TRIAL_WAITING]);
}

/* 36 s have passed and trials may take 72: they would end at 108. Of 110 s the last 10 are for leaving. */
static void no_other_trial_is_asked_for_when_even_a_usual_one_would_end_in_the_warning(void **state)
{
    struct fixture *b = *state;
    start_with(b, 110, false);
    fixture_join(b, 7, 1, 2, 0);
    uint64_t asked = b->asked;
    ran(b, 1, 36);
    assert_true(fixture_figures(b).exceeds_walltime > 0);
    uint64_t least = b->asked;
    assert_true(least <= asked + 1);             /* for the slot that got free, before it was known that none fits */
    core_deadline(b->core, b->now, b->now + 73); /* a usual one would end before this, but not before its warning */
    fixture_drive(b);
    assert_int_equal(b->asked, least);
}

static void a_trial_that_can_go_on_later_is_started(void **state)
{
    struct fixture *b = *state;
    start_with(b, 100, true);
    fixture_join(b, 7, 1, 2, 0);
    ran(b, 1, 40);
    assert_int_equal(fixture_figures(b).busy, 2);
}

static void when_nothing_would_end_in_time_the_session_ends_at_once(void **state)
{
    struct fixture *b = *state;
    start_with(b, 100, false);
    fixture_join(b, 7, 1, 1, 0);
    ran(b, 1,
        42); /* up to twice as long are expected: 84 s, which the next job has, but not what is left of this one */
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_WALLTIME);
}

static void more_time_lets_the_trials_start_after_all(void **state)
{
    struct fixture *b = *state;
    start_with(b, 100, false);
    fixture_join(b, 7, 1, 2, 0);
    ran(b, 1, 40);
    assert_int_equal(fixture_figures(b).busy, 1);
    core_deadline(b->core, b->now, b->now + 1000);
    fixture_drive(b);
    assert_int_equal(fixture_figures(b).busy, 2);
}

static void trials_that_can_go_on_are_stopped_and_wait(void **state)
{
    struct fixture *b = *state;
    start_with(b, 100, true);
    fixture_join(b, 7, 1, 2, 0);
    fixture_wait(b, 91);
    const struct msg *stop = fixture_last_sent(b, MSG_STOP_RUN);
    assert_non_null(stop);
    assert_int_equal(stop->stop_run.ending, ENDING_WALLTIME);
    assert_true(stop->stop_run.seconds > 0 && stop->stop_run.seconds < 9);
    assert_int_equal(fixture_count_sent(b, MSG_STOP_RUN), 2);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_WALLTIME, NAN));
    assert_false(b->ended);
    fixture_report(b, 7, fixture_done(2, 1, ENDING_WALLTIME, NAN));
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_WALLTIME);
    assert_int_equal(b->told_count, 0);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 2);
    assert_int_equal(fixture_figures(b).attempts_failed, 0);
}

static void workers_with_jobs_of_their_own_wait_for_the_next_session(void **state)
{
    struct fixture *b = *state;
    b->config.workers_stay = true;
    start_with(b, 100, true);
    fixture_join(b, 7, 1, 2, 0);
    fixture_wait(b, 91);
    assert_int_equal(fixture_count_sent(b, MSG_STOP_RUN), 2);
    fixture_say(b, 7, &(struct msg){.kind = MSG_HEARTBEAT});
    fixture_report(b, 7, fixture_done(1, 1, ENDING_WALLTIME, NAN));
    fixture_report(b, 7, fixture_done(2, 1, ENDING_WALLTIME, NAN));
    assert_true(b->ended);
    assert_int_equal(fixture_count_sent(b, MSG_DRAIN), 0);
}

static void they_leave_when_no_session_goes_on(void **state)
{
    struct fixture *b = *state;
    b->config.workers_stay = true;
    start_with(b, 100, true);
    fixture_join(b, 7, 1, 2, 0);
    core_stop(b->core, b->now, REASON_STOPPED);
    fixture_drive(b);
    assert_int_equal(fixture_count_sent(b, MSG_DRAIN), 1);
}

static void a_run_that_ends_by_itself_although_it_was_stopped_counts(void **state)
{
    struct fixture *b = *state;
    start_with(b, 100, true);
    fixture_join(b, 7, 1, 1, 0);
    fixture_wait(b, 91);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    assert_true(b->ended);
    assert_int_equal(b->told_count, 1);
}

static void a_run_without_checkpoints_may_end_in_the_last_seconds(void **state)
{
    struct fixture *b = *state;
    start_with(b, 100, false);
    fixture_join(b, 7, 1, 1, 0);
    fixture_wait(b, 91);
    assert_null(fixture_last_sent(b, MSG_STOP_RUN));
    assert_int_equal(fixture_figures(b).state, EXPERIMENT_DRAINING);
    fixture_wait(b, 5.5); /* grace is 4 s: this is the end of its time */
    assert_int_equal(fixture_last_sent(b, MSG_STOP_RUN)->stop_run.ending, ENDING_WALLTIME);
}

static void a_run_that_would_not_end_in_the_last_seconds_is_stopped_at_once(void **state)
{
    struct fixture *b = *state;
    start_with(b, 200, false);
    fixture_join(b, 7, 1, 2, 0);
    ran(b, 1, 120); /* the other one may run 240 s, which is beyond the end */
    fixture_wait(b, 71);
    assert_non_null(fixture_last_sent(b, MSG_STOP_RUN));
}

static void nothing_runs_at_the_deadline(void **state)
{
    struct fixture *b = *state;
    start_with(b, 100, true);
    fixture_join(b, 7, 1, 2, 0);
    fixture_wait(b, 91);
    fixture_wait(b, 7.5); /* its worker says nothing */
    assert_true(b->ended);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 2);
    assert_int_equal(b->told_count, 0);
}

static void of_a_short_warning_runs_have_three_quarters(void **state)
{
    struct fixture *b = *state;
    b->config.warn = 4;
    b->config.can_continue = true;
    b->config.suspect = b->config.lost = 1000;
    fixture_start(b);
    core_deadline(b->core, b->now, b->now + 100);
    fixture_join(b, 7, 1, 2, 0);
    fixture_wait(b, 97);
    fixture_wait(b, 1.8);
    assert_false(b->ended);
    fixture_wait(b, 0.4);
    assert_true(b->ended);
}

static void the_warning_of_the_job_is_as_good_as_the_clock(void **state)
{
    struct fixture *b = *state;
    b->config.can_continue = true;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    core_leave(b->core, b->now, REASON_WALLTIME);
    fixture_drive(b);
    assert_int_equal(fixture_last_sent(b, MSG_STOP_RUN)->stop_run.ending, ENDING_WALLTIME);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_WALLTIME, NAN));
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_WALLTIME);
}

static void a_job_that_is_taken_away_stops_what_runs(void **state)
{
    struct fixture *b = *state;
    start_with(b, 1000, false);
    fixture_join(b, 7, 1, 1, 0);
    core_leave(b->core, b->now, REASON_PREEMPTED);
    fixture_drive(b);
    assert_int_equal(fixture_last_sent(b, MSG_STOP_RUN)->stop_run.ending, ENDING_PREEMPTED);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_PREEMPTED, NAN));
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_PREEMPTED);
    assert_int_equal(b->told_count, 0);
}

/* Two runs, each on a worker of its own, are cut short by the same end of a job: one says so, one does not. */
static void cut_short(struct fixture *b, enum ending said)
{
    struct msg_result result = fixture_done(1, 1, said, NAN);
    fixture_report(b, 7, result);
    assert_int_equal(b->last_run.run.ending, ENDING_WALLTIME);
    core_worker_dead(b->core, b->now, 2, ENDING_LOST, "its process died");
    fixture_drive(b);
    assert_int_equal(b->last_run.run.ending, ENDING_WALLTIME);
    assert_int_equal(b->told_count, 0);
}

static void whoever_sees_the_end_of_a_job_first_its_time_was_up(void **state)
{
    struct fixture *b = *state;
    start_with(b, 100, false);
    fixture_join(b, 7, 1, 1, 0);
    fixture_join(b, 8, 2, 1, 0);
    b->now += 91; /* the warning has come; the core has not heard of time yet */
    cut_short(b, ENDING_PREEMPTED);
}

static void so_it_was_when_only_a_signal_says_so(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fixture_join(b, 8, 2, 1, 0);
    core_leave(b->core, b->now, REASON_WALLTIME);
    fixture_drive(b);
    cut_short(b, ENDING_PREEMPTED);
}

static void without_a_deadline_near_a_worker_is_believed(void **state)
{
    struct fixture *b = *state;
    start_with(b, 1000, false);
    fixture_join(b, 7, 1, 1, 0);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_PREEMPTED, NAN));
    assert_int_equal(b->last_run.run.ending, ENDING_PREEMPTED);
}

static void a_pause_keeps_the_trials_for_later(void **state)
{
    struct fixture *b = *state;
    start_with(b, 1000, true);
    fixture_join(b, 7, 1, 1, 0);
    core_leave(b->core, b->now, REASON_PAUSED);
    fixture_drive(b);
    assert_true(fixture_last_sent(b, MSG_DRAIN)->drain.now);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_PAUSED);
    assert_int_equal(b->told_count, 0);
}

static void what_a_person_drained_stays_drained_but_ends_in_time(void **state)
{
    struct fixture *b = *state;
    start_with(b, 100, true);
    fixture_join(b, 7, 1, 1, 0);
    core_drain(b->core, b->now, REASON_STOPPED);
    fixture_drive(b);
    fixture_wait(b, 91);
    assert_int_equal(fixture_last_sent(b, MSG_STOP_RUN)->stop_run.ending, ENDING_WALLTIME);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_WALLTIME, NAN));
    assert_int_equal(b->reason, REASON_STOPPED);
    assert_int_equal(b->told_count, 0);
}

static void trials_that_no_such_job_has_time_for_end_the_search_with_advice(void **state)
{
    struct fixture *b = *state;
    start_with(b, 60, false);
    fixture_join(b, 7, 1, 1, 0);
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 1);
    result.seconds = 90; /* in an earlier job, which was longer */
    b->now += 20;
    fixture_report(b, 7, result);
    assert_int_equal(fixture_figures(b).reason, REASON_NO_PROGRESS);
    assert_has(b->why, "the job has 1m00s, 10 s of it for leaving; give the jobs more time (slurm.time)");
}

/* A search whose last trial needs 95 s, since it was cut short after 76 before, of jobs of 100 s with 10 for leaving.
 */
static void start_with_a_long_one(struct fixture *b, struct memory_trial trial)
{
    trial.trial = 1, trial.params = "{}", trial.attempts = 1, trial.cut = 76;
    struct memory memory = {.next_trial = 2, .session = 1, .trials = &trial, .trial_count = 1};
    b->config.max_trials = 1;
    b->config.warn = 10;
    fixture_start_from(b, &memory);
    core_deadline(b->core, b->now, b->now + 100);
    fixture_join(b, 7, 1, 1, 0);
    fixture_wait(b, 1);
}

static void so_does_one_that_would_end_while_a_whole_job_leaves(void **state)
{
    start_with_a_long_one(*state, (struct memory_trial){0});
    assert_int_equal(fixture_figures(*state).reason, REASON_NO_PROGRESS);
}

static void so_does_one_that_has_to_run_alone(void **state)
{
    start_with_a_long_one(*state, (struct memory_trial){.losses = 2});
    assert_int_equal(fixture_figures(*state).reason, REASON_NO_PROGRESS);
}

static void a_trial_that_was_cut_short_needs_more_time_than_it_had(void **state)
{
    struct fixture *b = *state;
    b->config.warn = 10;
    struct memory_trial trial = {.trial = 1, .params = "{}", .attempts = 1, .cut = 80};
    struct memory memory = {.next_trial = 2, .session = 1, .trials = &trial, .trial_count = 1};
    fixture_start_from(b, &memory);
    core_deadline(b->core, b->now, b->now + 100); /* 90 s to run, and it needs more than 80: 100 */
    fixture_join(b, 7, 1, 1, 0);
    assert_int_equal(last_lease(b), 2);
    struct prospect prospect;
    assert_true(core_prospect(b->core, b->now, 1, &prospect));
    assert_false(prospect.fits);
    assert_true(prospect.predicted == 100);
    assert_true(prospect.left == 90);
    assert_false(prospect.alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(with_nothing_known_trials_are_started),
        FIXTURE_CLAIM(leases_say_when_the_time_is_up),
        FIXTURE_CLAIM(no_trial_is_started_that_would_not_end),
        FIXTURE_CLAIM(no_other_trial_is_asked_for_when_even_a_usual_one_would_end_in_the_warning),
        FIXTURE_CLAIM(a_trial_that_can_go_on_later_is_started),
        FIXTURE_CLAIM(when_nothing_would_end_in_time_the_session_ends_at_once),
        FIXTURE_CLAIM(more_time_lets_the_trials_start_after_all),
        FIXTURE_CLAIM(trials_that_can_go_on_are_stopped_and_wait),
        FIXTURE_CLAIM(workers_with_jobs_of_their_own_wait_for_the_next_session),
        FIXTURE_CLAIM(they_leave_when_no_session_goes_on),
        FIXTURE_CLAIM(a_run_that_ends_by_itself_although_it_was_stopped_counts),
        FIXTURE_CLAIM(a_run_without_checkpoints_may_end_in_the_last_seconds),
        FIXTURE_CLAIM(a_run_that_would_not_end_in_the_last_seconds_is_stopped_at_once),
        FIXTURE_CLAIM(nothing_runs_at_the_deadline),
        FIXTURE_CLAIM(of_a_short_warning_runs_have_three_quarters),
        FIXTURE_CLAIM(the_warning_of_the_job_is_as_good_as_the_clock),
        FIXTURE_CLAIM(a_job_that_is_taken_away_stops_what_runs),
        FIXTURE_CLAIM(whoever_sees_the_end_of_a_job_first_its_time_was_up),
        FIXTURE_CLAIM(so_it_was_when_only_a_signal_says_so),
        FIXTURE_CLAIM(without_a_deadline_near_a_worker_is_believed),
        FIXTURE_CLAIM(a_pause_keeps_the_trials_for_later),
        FIXTURE_CLAIM(what_a_person_drained_stays_drained_but_ends_in_time),
        FIXTURE_CLAIM(trials_that_no_such_job_has_time_for_end_the_search_with_advice),
        FIXTURE_CLAIM(so_does_one_that_would_end_while_a_whole_job_leaves),
        FIXTURE_CLAIM(so_does_one_that_has_to_run_alone),
        FIXTURE_CLAIM(a_trial_that_was_cut_short_needs_more_time_than_it_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
