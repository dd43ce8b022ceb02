/* slurm.json: what is written is read again, whoever wrote in between, and what is no record is refused. */
#include "scheduler/slurm/slurm_record.h"
#include "tests/claims.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct rundir enter(void **state)
{
    struct rundir dir;
    rundir_name(path_in(state, ""), &dir);
    return dir;
}

static struct slurm_record read_record(const struct rundir *dir)
{
    struct slurm_record record;
    struct err err = {""};
    int failed = slurm_record_read(dir, &record, &err);
    if (failed)
        print_error("%s\n", err.text);
    assert_int_equal(failed, 0);
    return record;
}

static void add(void *context, struct slurm_record *record)
{
    const uint32_t *id = context;
    struct slurm_submission *one = slurm_record_add(record, *id, SLURM_ROLE_WORKER);
    one->count = 4;
    strcpy(one->seen.reason, "Priority");
    one->seen.ends = 1795190400.5;
}

static void a_missing_record_is_an_empty_one_with_a_name_of_its_own(void **state)
{
    struct rundir dir = enter(state);
    struct slurm_record one = read_record(&dir), other = read_record(&dir);
    assert_false(slurm_record_exists(&dir));
    assert_int_equal(one.count, 0);
    assert_int_equal(strncmp(one.comment, "gannet:", 7), 0);
    assert_string_not_equal(one.comment, other.comment);
    slurm_record_fini(&one);
    slurm_record_fini(&other);
    rundir_fini(&dir);
}

static void what_was_submitted_is_read_again(void **state)
{
    struct rundir dir = enter(state);
    uint32_t id = 4711;
    assert_int_equal(slurm_record_change(&dir, add, &id, NULL), 0);
    struct slurm_record record = read_record(&dir), again = read_record(&dir);
    assert_true(slurm_record_exists(&dir));
    assert_int_equal(record.count, 1);
    assert_int_equal(record.items[0].id, 4711);
    assert_int_equal(record.items[0].role, SLURM_ROLE_WORKER);
    assert_int_equal(record.items[0].count, 4);
    assert_string_equal(record.items[0].seen.reason, "Priority");
    assert_int_equal(record.items[0].seen.element, SLURM_UNSET);
    assert_true(record.items[0].seen.ends == 1795190400.5);
    assert_string_equal(record.comment, again.comment);
    slurm_record_fini(&record);
    slurm_record_fini(&again);
    rundir_fini(&dir);
}

enum { WRITERS = 4, EACH = 10 };

struct writer {
    const struct rundir *dir;
    uint32_t first;
    int failures; /* cmocka's asserts are for the main thread */
};

static void *write_some(void *context)
{
    struct writer *writer = context;
    for (uint32_t i = 0; i < EACH; i++) {
        uint32_t id = writer->first + i;
        writer->failures += slurm_record_change(writer->dir, add, &id, NULL) != 0;
    }
    return NULL;
}

static void of_several_writers_none_loses_a_submission(void **state)
{
    struct rundir dir = enter(state);
    pthread_t threads[WRITERS];
    struct writer writers[WRITERS];
    for (uint32_t i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){&dir, 100 * (i + 1), 0};
        assert_int_equal(pthread_create(&threads[i], NULL, write_some, &writers[i]), 0);
    }
    for (uint32_t i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(writers[i].failures, 0);
    }
    struct slurm_record record = read_record(&dir);
    assert_int_equal(record.count, WRITERS * EACH);
    slurm_record_fini(&record);
    rundir_fini(&dir);
}

static void a_damaged_record_is_refused_and_stays(void **state)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{\"comment\": 7, \"jobs\": []}",
        "{\"comment\": \"c\"}",
        "{\"comment\": \"c\", \"jobs\": [7]}",
        "{\"comment\": \"c\", \"jobs\": [{\"id\": -1, \"role\": \"worker\"}]}",
        "{\"comment\": \"c\", \"jobs\": [{\"id\": 1, \"role\": \"pilot\"}]}",
        ("{\"comment\": \"c\", \"jobs\": [{\"id\": 1, \"role\": \"worker\", \"count\": 4000000000,"
         " \"submitted\": 1.0, \"looked\": 0.0, \"seen\": {}}]}"),
        "{\"comment\": \"c\", \"jobs\": ["};
    struct rundir dir = enter(state);
    uint32_t id = 1;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct slurm_record record;
        struct err err = {""};
        write_file(path_in(state, "slurm.json"), texts[i], 0600);
        assert_int_equal(slurm_record_read(&dir, &record, &err), -1);
        assert_has(err.text, "is damaged");
        assert_int_equal(slurm_record_change(&dir, add, &id, &err), -1);
    }
    rundir_fini(&dir);
}

static void a_job_that_was_quicker_than_who_submitted_it_is_there_once(void **state)
{
    (void)state;
    struct slurm_record record = {0};
    slurm_record_add(&record, 7, SLURM_ROLE_EXPERIMENT)->seen.state = SLURM_RUNNING;
    assert_int_equal(slurm_record_add(&record, 7, SLURM_ROLE_COORDINATOR)->seen.state, SLURM_RUNNING);
    assert_int_equal(record.count, 1);
    assert_int_equal(record.items[0].role, SLURM_ROLE_COORDINATOR);
    record.items[0].seen.state = SLURM_COMPLETED; /* another cluster's numbers may begin anew */
    slurm_record_add(&record, 7, SLURM_ROLE_COORDINATOR);
    assert_int_equal(record.count, 2);
    slurm_record_fini(&record);
}

static void old_worker_jobs_that_have_ended_are_forgotten_and_no_others(void **state)
{
    (void)state;
    struct slurm_record record = {0};
    slurm_record_add(&record, 1, SLURM_ROLE_COORDINATOR)->seen.state = SLURM_COMPLETED;
    for (uint32_t id = 2; id <= 301; id++) {
        struct slurm_submission *one = slurm_record_add(&record, id, SLURM_ROLE_WORKER);
        one->seen.state = id == 5 ? SLURM_RUNNING : SLURM_COMPLETED;
        one->looked = 1;
    }
    slurm_record_trim(&record);
    assert_int_equal(record.count, 102);
    assert_int_equal(record.items[0].id, 1);
    assert_int_equal(record.items[1].id, 5);
    assert_int_equal(record.items[2].id, 202);
    assert_int_equal(record.items[101].id, 301);
    slurm_record_fini(&record);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_worker_jobs_that_have_ended_are_forgotten_and_no_others),
        cmocka_unit_test(a_job_that_was_quicker_than_who_submitted_it_is_there_once),
        IN_SCRATCH(a_missing_record_is_an_empty_one_with_a_name_of_its_own),
        IN_SCRATCH(what_was_submitted_is_read_again),
        IN_SCRATCH(of_several_writers_none_loses_a_submission),
        IN_SCRATCH(a_damaged_record_is_refused_and_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
