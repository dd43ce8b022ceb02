/* The thread that writes slurm.json: everything that was given to it is in the file, in order, beside what others
 * wrote. */
#include "scheduler/slurm/record_writer.h"
#include "tests/claims.h"

#include <string.h>

static struct slurm_record read_record(const struct rundir *dir)
{
    struct slurm_record record;
    assert_int_equal(slurm_record_read(dir, &record, NULL), 0);
    return record;
}

static void pause_it(void *context, struct slurm_record *record)
{
    (void)context;
    record->paused = true;
}

static void what_was_given_is_in_the_file_when_it_has_stopped(void **state)
{
    struct rundir dir;
    struct slurm_job runs = {.id = 7, .element = SLURM_UNSET, .state = SLURM_RUNNING};
    struct slurm_jobs jobs = {.items = &runs, .count = 1};
    rundir_name(path_in(state, ""), &dir);
    struct loop *loop = loop_create();
    struct record_writer *record_writer = record_writer_start(loop, &dir, NULL);
    assert_non_null(record_writer);
    record_writer_write(record_writer, &(struct record_writer_change){.id = 7, .time = 100});
    record_writer_write(record_writer,
                        &(struct record_writer_change){.id = 8, .elements = 4, .time = 101, .note = "no room"});
    record_writer_write(record_writer, &(struct record_writer_change){.jobs = &jobs, .time = 102});
    strcpy(runs.reason, "changed");                                       /* it was copied */
    assert_int_equal(slurm_record_change(&dir, pause_it, NULL, NULL), 0); /* at the same time */
    record_writer_stop(record_writer);
    struct slurm_record record = read_record(&dir);
    assert_int_equal(record.count, 2);
    assert_true(record.paused);
    assert_int_equal(record.items[0].seen.state, SLURM_RUNNING);
    assert_string_equal(record.items[0].seen.reason, "");
    assert_true(record.items[0].looked == 102);
    assert_true(record.items[1].array);
    assert_int_equal(record.items[1].count, 4);
    assert_string_equal(record.note, "no room");
    slurm_record_fini(&record);
    loop_destroy(loop);
    rundir_fini(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_given_is_in_the_file_when_it_has_stopped, enter_scratch,
                                        leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
