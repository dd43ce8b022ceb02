/* Times as sbatch writes them, and what Slurm's refusals are about. */
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/sbatch_time.h"
#include "scheduler/slurm/refusal.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- time limits --- */

static void time_limits_are_read_as_sbatch_reads_them(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t minutes;
    } rows[] = {{"30", 30},
                {"30:00", 30},
                {"1:30", 2},
                {"4:00:00", 240},
                {"4:00:01", 241},
                {"2-12", 60 * 60},
                {"2-12:30", 60 * 60 + 30},
                {"2-00:00:30", 2 * 24 * 60 + 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t minutes = 0;
        assert_int_equal(sbatch_minutes(rows[i].text, &minutes, NULL), 0);
        assert_int_equal(minutes, rows[i].minutes);
    }
}

static void what_is_no_time_limit_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",      "0",         "-1",       "x",  "1:",          ":1", "1:2:3:4", "1-",
                                        "-1:00", "UNLIMITED", "INFINITE", "1 ", "99999999999", "4h", "1-2-3",   "1.5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint32_t minutes;
        struct err err = {""};
        assert_int_equal(sbatch_minutes(texts[i], &minutes, &err), -1);
        assert_has(err.text, "no time limit");
    }
}

/* --- beginnings --- */

/* 2026-11-20 16:00 of wherever we are. */
static double some_afternoon(void)
{
    struct tm day = {.tm_year = 126, .tm_mon = 10, .tm_mday = 20, .tm_hour = 16, .tm_isdst = -1};
    return (double)mktime(&day);
}

static void beginnings_are_read_as_sbatch_reads_them(void **state)
{
    (void)state;
    const double hour = 3600, now = some_afternoon();
    const struct {
        const char *text;
        double later;
    } rows[] = {
        {"now", 0},          {"now+90", 90},          {"now+2hours", 2 * hour},    {"now+1week", 7 * 24 * hour},
        {"18:00", 2 * hour}, {"15:00", 23 * hour},    {"18:00:30", 2 * hour + 30}, {"midnight", 8 * hour},
        {"noon", 20 * hour}, {"tomorrow", 24 * hour}, {"2026-11-21", 8 * hour},    {"2026-11-20T17:30", 1.5 * hour}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double seconds = 0;
        assert_int_equal(sbatch_begin(rows[i].text, now, &seconds, NULL), 0);
        assert_true(seconds - now == rows[i].later);
    }
}

static void what_is_no_beginning_is_refused_with_examples(void **state)
{
    (void)state;
    static const char *const texts[] = {"",      "later",  "now+",       "now+2fortnights",  "25:00",
                                        "12:60", "12",     "2026-13-01", "2026-11-20T25:00", "2026-11-20 17:00",
                                        "now-1", "1:2:3:4"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double seconds;
        struct err err = {""};
        assert_int_equal(sbatch_begin(texts[i], some_afternoon(), &seconds, &err), -1);
        assert_has(err.text, "now+2hours");
    }
}

/* --- refusals --- */

static const char *explained(int number, const struct slurm_request *request, struct buf *out)
{
    static const char *const partitions[] = {"main", "gpu", "long"};
    refusal_explain(number, request, partitions, 3, out);
    return out->length ? buf_str(out) : "";
}

static void a_refusal_names_the_key_its_value_and_what_is_near(void **state)
{
    (void)state;
    struct buf out = {0};
    struct slurm_request request;
    slurm_request_init(&request);
    request.partition = strdup("gup");
    request.minutes = 6000;
    assert_has(explained(2000, &request, &out),
               "slurm.partition (gup): there is no such partition; did you mean 'gpu'?");
    assert_has(buf_str(&out), "The partitions: main, gpu, long");
    buf_fini(&out);
    assert_has(explained(2051, &request, &out), "slurm.time (6000): the partition's limit is shorter");
    assert_null(strstr(buf_str(&out), "The partitions"));
    buf_fini(&out);
    slurm_request_fini(&request);
}

static void a_partition_that_was_not_given_has_no_value_to_show(void **state)
{
    (void)state;
    struct buf out = {0};
    struct slurm_request request;
    slurm_request_init(&request);
    assert_has(explained(2001, &request, &out), "slurm.partition: this cluster has no default partition");
    buf_fini(&out);
}

static void an_unknown_number_is_left_to_slurms_own_words(void **state)
{
    (void)state;
    struct buf out = {0};
    struct slurm_request request;
    slurm_request_init(&request);
    assert_string_equal(explained(2999, &request, &out), "");
    assert_string_equal(explained(0, &request, &out), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_limits_are_read_as_sbatch_reads_them),
        cmocka_unit_test(what_is_no_time_limit_is_refused),
        cmocka_unit_test(beginnings_are_read_as_sbatch_reads_them),
        cmocka_unit_test(what_is_no_beginning_is_refused_with_examples),
        cmocka_unit_test(a_refusal_names_the_key_its_value_and_what_is_near),
        cmocka_unit_test(a_partition_that_was_not_given_has_no_value_to_show),
        cmocka_unit_test(an_unknown_number_is_left_to_slurms_own_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
