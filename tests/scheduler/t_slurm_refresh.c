/* What Slurm says, taken into the record; see scheduler/slurm/refresh.h. */
#include "scheduler/slurm/refresh.h"
#include "common/buf.h"
#include "scheduler/slurm/slurm_agent.h"
#include "tests/claims.h"

#include <string.h>

/* A record of an array with 4 elements, 7, and two single jobs, 8 and 9. */
static struct slurm_record some(void)
{
    struct slurm_record record = {0};
    struct slurm_submission *array = slurm_record_add(&record, 7, SLURM_ROLE_WORKER);
    array->count = 4;
    array->array = true;
    slurm_record_add(&record, 8, SLURM_ROLE_WORKER);
    slurm_record_add(&record, 9, SLURM_ROLE_COORDINATOR);
    return record;
}

static struct slurm_job single(uint32_t id, enum slurm_state state)
{
    return (struct slurm_job){.id = id, .element = SLURM_UNSET, .state = state};
}

static struct slurm_job element_of(uint32_t element, enum slurm_state state)
{
    return (struct slurm_job){.id = 100 + element, .array = 7, .element = element, .state = state};
}

static void see(struct slurm_record *record, struct slurm_job *jobs, uint32_t count, bool whole)
{
    slurm_record_update(record, &(struct slurm_jobs){.items = jobs, .count = count}, whole, 1000);
}

static void of_an_array_what_matters_most_is_kept(void **state)
{
    (void)state;
    struct slurm_record record = some();
    struct slurm_job jobs[] = {element_of(0, SLURM_COMPLETED), element_of(SLURM_UNSET, SLURM_PENDING),
                               element_of(1, SLURM_RUNNING)};
    see(&record, jobs, 2, false);
    assert_int_equal(record.items[0].seen.state, SLURM_PENDING);
    see(&record, jobs, 3, false);
    assert_int_equal(record.items[0].seen.state, SLURM_RUNNING);
    see(&record, jobs, 1, false);
    assert_int_equal(record.items[0].seen.state, SLURM_COMPLETED);
    slurm_record_fini(&record);
}

static void what_is_missing_of_all_that_live_has_ended(void **state)
{
    (void)state;
    struct slurm_record record = some();
    struct slurm_job jobs[] = {single(8, SLURM_RUNNING)};
    see(&record, jobs, 1, false);
    assert_int_equal(record.items[2].seen.state, SLURM_PENDING);
    assert_true(record.items[2].looked < 1);
    record.items[2].seen.ends = 5e9; /* when its time would have been up */
    see(&record, jobs, 1, true);
    assert_int_equal(record.items[1].seen.state, SLURM_RUNNING);
    assert_int_equal(record.items[2].seen.state, SLURM_VANISHED);
    assert_true(record.items[2].seen.ends <= 0);
    slurm_record_fini(&record);
}

static void how_a_vanished_job_ended_may_become_known_and_then_stays(void **state)
{
    (void)state;
    struct slurm_record record = some();
    struct slurm_job ended = single(8, SLURM_TIMEOUT), odd = single(8, SLURM_RUNNING);
    see(&record, NULL, 0, true);
    see(&record, &ended, 1, false);
    assert_int_equal(record.items[1].seen.state, SLURM_TIMEOUT);
    see(&record, &odd, 1, false);
    assert_int_equal(record.items[1].seen.state, SLURM_TIMEOUT);
    slurm_record_fini(&record);
}

/* "STATE restarts, ..." of all rows of job 9. */
static void rows_are(const struct slurm_record *record, const char *expected)
{
    struct buf text = {0};
    for (uint32_t i = 0; i < record->count; i++)
        if (record->items[i].id == 9)
            buf_format(&text, "%s%s %u", text.length ? ", " : "", slurm_state_name(record->items[i].seen.state),
                       (unsigned)record->items[i].seen.restarts);
    assert_string_equal(buf_str(&text), expected);
    buf_fini(&text);
}

static void what_ended_a_run_of_a_job_that_comes_back_is_kept(void **state)
{
    (void)state;
    struct slurm_record record = some();
    struct slurm_job running = single(9, SLURM_RUNNING), back = single(9, SLURM_PENDING), again = running;
    see(&record, &running, 1, false);
    rows_are(&record, "running 0");
    back.requeued = true;
    back.final_state = SLURM_PREEMPTED;
    for (int i = 0; i < 2; i++)
        see(&record, &back, 1, false);
    rows_are(&record, "preempted 0, pending 0");
    again.restarts = 1;
    for (int i = 0; i < 2; i++)
        see(&record, &again, 1, false);
    rows_are(&record, "preempted 0, running 1");
    again.restarts = 2; /* nobody looked while it was in the queue */
    see(&record, &again, 1, false);
    rows_are(&record, "preempted 0, requeued 1, running 2");
    slurm_record_fini(&record);
}

static void who_cancelled_a_job_stays_known(void **state)
{
    (void)state;
    struct slurm_record record = some();
    struct slurm_job running = single(9, SLURM_RUNNING), ended = single(9, SLURM_CANCELLED);
    strcpy(running.by, "by gannet, for ada on login1");
    see(&record, &running, 1, false);
    see(&record, &ended, 1, false);
    assert_string_equal(record.items[2].seen.by, "by gannet, for ada on login1");
    slurm_record_fini(&record);
}

static void a_look_is_due_when_nobody_looked_for_ten_seconds(void **state)
{
    (void)state;
    struct slurm_record record = some();
    assert_true(slurm_refresh_is_due(&record, 1000));
    record.asked = 1000;
    assert_false(slurm_refresh_is_due(&record, 1009));
    assert_true(slurm_refresh_is_due(&record, 1010));
    record.items[1].looked = 1005; /* the coordinator did */
    assert_false(slurm_refresh_is_due(&record, 1014));
    assert_true(slurm_refresh_is_due(&record, 900)); /* the clock was put back */
    slurm_record_fini(&record);
}

static void no_look_is_due_when_all_have_ended(void **state)
{
    (void)state;
    struct slurm_record record = some();
    see(&record, NULL, 0, true);
    assert_false(slurm_refresh_is_due(&record, 1e9));
    slurm_record_fini(&record);
    assert_false(slurm_refresh_is_due(&(struct slurm_record){0}, 1e9));
}

static void answers_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}", "{\"jobs\": 3}", "{\"jobs\": [3]}", "{\"jobs\": [{\"id\": \"x\"}]}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct slurm_jobs jobs;
        struct err err;
        json_t *answer = json_loads(texts[i], 0, NULL);
        assert_non_null(answer);
        assert_int_equal(slurm_jobs_read(answer, &jobs, &err), -1);
        assert_null(jobs.items);
        json_decref(answer);
    }
}

static void an_answers_jobs_are_read(void **state)
{
    (void)state;
    struct slurm_jobs jobs;
    struct err err;
    struct slurm_job job = single(8, SLURM_RUNNING);
    json_t *answer = json_pack("{s:[o,o]}", "jobs", slurm_job_json(&job), slurm_job_json(&job));
    assert_int_equal(slurm_jobs_read(answer, &jobs, &err), 0);
    assert_int_equal(jobs.count, 2);
    assert_int_equal(jobs.items[1].state, SLURM_RUNNING);
    slurm_jobs_fini(&jobs);
    json_decref(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_an_array_what_matters_most_is_kept),
        cmocka_unit_test(what_is_missing_of_all_that_live_has_ended),
        cmocka_unit_test(how_a_vanished_job_ended_may_become_known_and_then_stays),
        cmocka_unit_test(what_ended_a_run_of_a_job_that_comes_back_is_kept),
        cmocka_unit_test(who_cancelled_a_job_stays_known),
        cmocka_unit_test(a_look_is_due_when_nobody_looked_for_ten_seconds),
        cmocka_unit_test(no_look_is_due_when_all_have_ended),
        cmocka_unit_test(answers_that_are_none_are_refused),
        cmocka_unit_test(an_answers_jobs_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
