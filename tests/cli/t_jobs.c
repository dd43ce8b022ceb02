/* What `gannet status` says of jobs at Slurm, from made-up records; see cli/data/jobs.h. */
#include "cli/data/jobs.h"
#include "cli/view/job_list.h"
#include "tests/claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct look pipe_look = {0};
static const double now = 1795185600; /* 2026-11-20 14:40 UTC */

static int in_utc(void **state)
{
    (void)state;
    setenv("TZ", "UTC", 1);
    tzset();
    return 0;
}

static struct slurm_submission submission(uint32_t id, enum slurm_role role, enum slurm_state state)
{
    return (struct slurm_submission){
        .id = id, .role = role, .count = 1, .submitted = now - 60, .looked = now, .seen = {.id = id, .state = state}};
}

static struct slurm_submission pending(uint32_t id, enum slurm_role role, const char *reason)
{
    struct slurm_submission one = submission(id, role, SLURM_PENDING);
    snprintf(one.seen.reason, sizeof one.seen.reason, "%s", reason);
    return one;
}

static void explains(const struct slurm_record *record, bool lives, const char *expected)
{
    struct buf text = {0};
    assert_int_equal(job_list_explain(record, lives, now, &text), *expected != '\0');
    assert_has(buf_str(&text), expected);
    buf_fini(&text);
}

static void a_pending_job_comes_with_slurms_reason_and_the_time(void **state)
{
    (void)state;
    struct slurm_submission job = pending(7, SLURM_ROLE_EXPERIMENT, "Priority");
    struct slurm_record record = {.items = &job, .count = 1};
    explains(&record, false, "job 7 waits: Priority - jobs of higher priority come first");
    job.seen.started = now + 3600;
    explains(&record, false, "; expected to start at 15:40");
    job.seen.started = now + 48 * 3600;
    explains(&record, false, "; expected to start at Sun 22 Nov 14:40");
    assert_string_equal(jobs_state(&record), "pending");
    job.looked = 0;
    explains(&record, false, "job 7 waits; it was submitted at 14:39");
}

static void a_running_job_without_a_coordinator_is_starting(void **state)
{
    (void)state;
    struct slurm_submission job = submission(7, SLURM_ROLE_EXPERIMENT, SLURM_RUNNING);
    struct slurm_record record = {.items = &job, .count = 1};
    explains(&record, false, "job 7 runs; its coordinator is starting");
    assert_string_equal(jobs_state(&record), "starting");
}

static void how_a_job_ended_is_said(void **state)
{
    (void)state;
    struct slurm_submission job = submission(7, SLURM_ROLE_EXPERIMENT, SLURM_FAILED);
    struct slurm_record record = {.items = &job, .count = 1};
    job.seen.exit_status = 3;
    explains(&record, false, "job 7 ended with status 3");
    job.seen.exit_signal = 9;
    explains(&record, false, "job 7 was ended by signal 9");
    job.seen.state = SLURM_TIMEOUT;
    explains(&record, false, "job 7 reached its time limit, and the search has not");
    job.seen.state = SLURM_PREEMPTED;
    explains(&record, false, "job 7 was preempted: Slurm gave its nodes to a job of higher priority, and");
    job.seen.state = SLURM_OUT_OF_MEMORY;
    explains(&record, false, "job 7 needed more memory than it had asked for; slurm.mem asks for more, and");
    job.seen.state = SLURM_CANCELLED;
    strcpy(job.seen.nodes, "n1");
    explains(&record, false, "job 7 was cancelled (`sacct -j 7 --format=State%30` says by whom");
    strcpy(job.seen.by, "by ada\033[2J");
    explains(&record, false, "job 7 was cancelled by ada?[2J, and the search has not");
    job.seen.state = SLURM_VANISHED;
    explains(&record, false, "job 7 is not in Slurm's queue any more");
    assert_null(jobs_state(&record));
}

static void gives_reason(const struct slurm_record *record, enum reason reason, const char *expected)
{
    struct buf text = {0};
    assert_int_equal(job_list_reason(record, reason, &text), *expected != '\0');
    assert_string_equal(buf_str(&text), expected);
    buf_fini(&text);
}

static void the_end_of_a_job_is_why_a_session_ended(void **state)
{
    (void)state;
    struct slurm_submission jobs[] = {submission(7, SLURM_ROLE_EXPERIMENT, SLURM_CANCELLED),
                                      pending(7, SLURM_ROLE_EXPERIMENT, "BeginTime")};
    struct slurm_record record = {.items = jobs, .count = 1};
    strcpy(jobs[0].seen.by, "by ada");
    gives_reason(&record, REASON_INTERRUPTED, "job 7 was cancelled by ada; `gannet resume` goes on");
    gives_reason(&record, REASON_MAX_TRIALS, "");
    jobs[0].seen.state = SLURM_COMPLETED; /* a session may end before its time is up */
    gives_reason(&record, REASON_WALLTIME, "");
    record.count = 2;
    jobs[0].seen.state = SLURM_PREEMPTED;
    gives_reason(&record, REASON_INTERRUPTED, "");
    gives_reason(&record, REASON_PREEMPTED,
                 "job 7 was preempted: Slurm gave its nodes to a job of higher priority; it "
                 "goes on when the job comes back from the queue");
    explains(&record, false, "; before, job 7 was preempted: Slurm gave its nodes to");
    jobs[0].seen.state = SLURM_TIMEOUT;
    jobs[1].id = 8;
    gives_reason(&record, REASON_WALLTIME, "job 7 reached its time limit; job 8 goes on");
    gives_reason(&(struct slurm_record){0}, REASON_WALLTIME, "");
    gives_reason(&(struct slurm_record){0}, REASON_PREEMPTED, "what ran it was killed");
}

static void a_lost_node_is_named(void **state)
{
    (void)state;
    struct slurm_submission jobs[] = {submission(7, SLURM_ROLE_EXPERIMENT, SLURM_RUNNING),
                                      pending(7, SLURM_ROLE_EXPERIMENT, "Resources")};
    struct slurm_record record = {.items = jobs, .count = 1};
    strcpy(jobs[0].seen.batch_node, "n1");
    strcpy(jobs[0].seen.nodes, "n[2-4]");
    explains(&record, false, "job 7 has lost n1, on which its coordinator was");
    strcpy(jobs[0].seen.nodes, "n[1-4]");
    explains(&record, false, "job 7 runs; its coordinator is starting");
    jobs[0].seen.state = SLURM_NODE_FAILED;
    explains(&record, false, "job 7 ended because node n1 failed, and the search has not");
    record.count = 2;
    explains(&record, false, "job 7 waits: Resources");
    explains(&record, false, "; before, job 7 lost n1, on which its coordinator was");
}

static void a_paused_experiment_says_so(void **state)
{
    (void)state;
    struct slurm_submission job = pending(7, SLURM_ROLE_EXPERIMENT, "JobHeldUser");
    struct slurm_record record = {.items = &job, .count = 1, .paused = true};
    explains(&record, false, "it is paused; `gannet resume` goes on");
    assert_string_equal(jobs_state(&record), "paused");
}

static void missing_workers_are_explained_by_their_jobs_not_by_the_coordinators(void **state)
{
    (void)state;
    struct slurm_submission jobs[] = {submission(7, SLURM_ROLE_COORDINATOR, SLURM_RUNNING),
                                      submission(8, SLURM_ROLE_WORKER, SLURM_COMPLETED),
                                      pending(9, SLURM_ROLE_WORKER, "Resources")};
    struct slurm_record record = {.items = jobs, .count = 3};
    explains(&record, true, "job 9 waits: Resources");
    record.count = 2;
    explains(&record, true, "");
    strcpy(record.note, "Slurm takes no worker at present: Invalid account");
    explains(&record, true, "Invalid account");
}

static void what_ended_the_worker_before_is_said(void **state)
{
    (void)state;
    struct slurm_submission jobs[] = {submission(6, SLURM_ROLE_COORDINATOR, SLURM_RUNNING),
                                      submission(7, SLURM_ROLE_WORKER, SLURM_NODE_FAILED),
                                      pending(8, SLURM_ROLE_WORKER, "Resources")};
    struct slurm_record record = {.items = jobs, .count = 3};
    strcpy(jobs[1].seen.batch_node, "n7");
    explains(&record, true, "; before, job 7 ended because node n7 failed");
    jobs[1].seen.state = SLURM_OUT_OF_MEMORY;
    explains(&record, true, "; before, job 7 needed more memory than it had asked for");
}

static void the_last_submission_counts(void **state)
{
    (void)state;
    struct slurm_submission jobs[] = {submission(7, SLURM_ROLE_EXPERIMENT, SLURM_TIMEOUT),
                                      pending(8, SLURM_ROLE_EXPERIMENT, "Priority")};
    struct slurm_record record = {.items = jobs, .count = 2};
    explains(&record, false, "job 8 waits");
    jobs[1].seen.state = SLURM_CANCELLED;
    explains(&record, false, "job 8 was taken out of the queue; `gannet resume` goes on");
    strcpy(jobs[1].seen.nodes, "n1");
    explains(&record, false, "job 8 was cancelled");
}

static void what_was_cancelled_is_not_paused(void **state)
{
    (void)state;
    struct slurm_submission job = submission(7, SLURM_ROLE_EXPERIMENT, SLURM_CANCELLED);
    struct slurm_record record = {.items = &job, .count = 1, .paused = true};
    explains(&record, false, "job 7 was taken out of the queue");
    assert_null(jobs_state(&record));
    assert_false(jobs_wait(&record));
}

static void the_table_has_what_has_not_ended(void **state)
{
    (void)state;
    struct slurm_submission jobs[] = {submission(7, SLURM_ROLE_COORDINATOR, SLURM_RUNNING),
                                      submission(8, SLURM_ROLE_WORKER, SLURM_COMPLETED),
                                      pending(9, SLURM_ROLE_WORKER, "Resources")};
    struct slurm_record record = {.items = jobs, .count = 3};
    struct buf text = {0};
    strcpy(jobs[0].seen.nodes, "n1");
    jobs[0].seen.ends = now + 600;
    jobs[0].seen.restarts = 2;
    jobs[2].array = true;
    jobs[2].count = 8;
    job_list_draw(&record, now, &pipe_look, &text);
    assert_string_equal(buf_str(&text), "\n"
                                        "job    role         state                      nodes  time        reason\n"
                                        "9_[8]  worker       pending                    -      -           Resources\n"
                                        "7      coordinator  running, requeued 2 times  n1     ends 14:50  -\n");
    buf_clear(&text);
    jobs[0].seen.restarts = 1;
    jobs[0].seen.started = now;
    jobs[0].seen.ends = now + 365 * 86400; /* Slurm's word for no limit */
    record.count = 1;
    job_list_draw(&record, now, &pipe_look, &text);
    assert_has(buf_str(&text), "running, requeued 1 time ");
    assert_null(strstr(buf_str(&text), "ends"));
    buf_clear(&text);
    record.count = 0;
    job_list_draw(&record, now, &pipe_look, &text);
    assert_string_equal(buf_str(&text), "");
    buf_fini(&text);
}

static void programs_get_all_of_them(void **state)
{
    (void)state;
    struct slurm_submission jobs[] = {submission(7, SLURM_ROLE_EXPERIMENT, SLURM_FAILED),
                                      pending(8, SLURM_ROLE_EXPERIMENT, "Priority")};
    struct slurm_record record = {.items = jobs, .count = 2};
    json_t *json = job_list_json(&record);
    const json_t *first = json_array_get(json_object_get(json, "jobs"), 0);
    const json_t *second = json_array_get(json_object_get(json, "jobs"), 1);
    assert_int_equal(json_integer_value(json_object_get(first, "job")), 7);
    assert_true(json_is_null(json_object_get(first, "reason")));
    assert_string_equal(json_string_value(json_object_get(second, "reason")), "Priority");
    assert_true(json_is_null(json_object_get(second, "expected")));
    assert_true(json_is_null(json_object_get(second, "exit_status")));
    json_decref(json);
    record.count = 0;
    json = job_list_json(&record);
    assert_true(json_is_null(json));
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pending_job_comes_with_slurms_reason_and_the_time),
        cmocka_unit_test(a_running_job_without_a_coordinator_is_starting),
        cmocka_unit_test(how_a_job_ended_is_said),
        cmocka_unit_test(the_end_of_a_job_is_why_a_session_ended),
        cmocka_unit_test(a_lost_node_is_named),
        cmocka_unit_test(a_paused_experiment_says_so),
        cmocka_unit_test(missing_workers_are_explained_by_their_jobs_not_by_the_coordinators),
        cmocka_unit_test(what_ended_the_worker_before_is_said),
        cmocka_unit_test(the_last_submission_counts),
        cmocka_unit_test(what_was_cancelled_is_not_paused),
        cmocka_unit_test(the_table_has_what_has_not_ended),
        cmocka_unit_test(programs_get_all_of_them),
    };
    return cmocka_run_group_tests(tests, in_utc, NULL);
}
