/* Durations, sizes and numbers as people write and read them. */
#include "common/rng.h"
#include "common/units.h"
#include "tests/claims.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct err err;

static double seconds_of(const char *text)
{
    double seconds = -1;
    assert_int_equal(units_duration(text, &seconds, &err), 0);
    return seconds;
}

static void durations_are_read_as_people_write_them(void **state)
{
    (void)state;
    assert_true(seconds_of("90s") == 90);
    assert_true(seconds_of("500ms") == 0.5);
    assert_true(seconds_of("40m") == 2400);
    assert_true(seconds_of("1.5h") == 5400);
    assert_true(seconds_of("1d12h") == 129600);
    assert_true(seconds_of("1d2h3m4s5ms") == 93784.005);
    assert_true(seconds_of("0s") == 0);
}

static void durations_are_read_as_slurm_writes_them(void **state)
{
    (void)state;
    assert_true(seconds_of("01:30:00") == 5400);
    assert_true(seconds_of("1:30:05") == 5405);
    assert_true(seconds_of("01:30") == 5400);
    assert_true(seconds_of("2-00:30") == 174600);
    assert_true(seconds_of("2-01:00:01") == 176401);
}

static void a_duration_without_unit_is_refused_with_both_readings(void **state)
{
    (void)state;
    double seconds;
    assert_int_equal(units_duration("90", &seconds, &err), -1);
    assert_string_equal(err.text, "'90' has no unit; write '90s' for seconds or '90m' for minutes");
}

static void what_is_no_duration_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"abc",    "-1",      "inf",    "nan",      "1x",    "1h30",     "h",
                                        "-5s",    "1.2.3s",  "5 s",    " 5s",      "5s ",   "1e3s",     "12:60",
                                        "12:345", "1::2",    "12:34:", "1-2",      "-1:00", "+5-01:00", " 5-01:00",
                                        ":30",    "1:2:3:4", "1h-2m",  "99999:00", "s5",    "1H"};
    double seconds;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (units_duration(wrong[i], &seconds, &err) == 0)
            fail_msg("'%s' was taken as %g s", wrong[i], seconds);
        assert_has(err.text, wrong[i]);
        assert_has(err.text, "is no duration");
    }
    assert_int_equal(units_duration("", &seconds, &err), -1);
    assert_has(err.text, "a duration is missing");
}

static uint64_t bytes_of(const char *text)
{
    uint64_t bytes = 0;
    assert_int_equal(units_size(text, &bytes, &err), 0);
    return bytes;
}

static void sizes_are_read_as_people_write_them(void **state)
{
    (void)state;
    assert_int_equal(bytes_of("1K"), 1024);
    assert_int_equal(bytes_of("512M"), 512 << 20);
    assert_int_equal(bytes_of("512MiB"), 512 << 20);
    assert_int_equal(bytes_of("32G"), 32ull << 30);
    assert_int_equal(bytes_of("32GB"), 32ull << 30);
    assert_int_equal(bytes_of("32Gi"), 32ull << 30);
    assert_int_equal(bytes_of("1.5T"), 3ull << 39);
    assert_int_equal(bytes_of("0M"), 0);
}

static void what_is_no_size_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",     "G",    "-1G",  "1 G", "1X",     "1Gx", "1GiBx",
                                        "1GB ", "1e9G", "0x1G", "1k",  "1.2.3G", "iB",  "16777216T"};
    uint64_t bytes;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (units_size(wrong[i], &bytes, &err) == 0)
            fail_msg("'%s' was taken as %llu bytes", wrong[i], (unsigned long long)bytes);
    assert_string_equal(err.text, "'16777216T' is larger than any memory");
    assert_int_equal(units_size("512", &bytes, &err), -1);
    assert_string_equal(err.text, "'512' has no unit; write for example '512M' or '512G'");
}

static void numbers_are_read_whole_or_not_at_all(void **state)
{
    (void)state;
    double real;
    int64_t whole;
    assert_true(units_number("1e-5", &real) && real == 1e-5);
    assert_true(units_number("-inf", &real) && real == -INFINITY);
    assert_true(units_number("nan", &real) && isnan(real));
    assert_false(units_number("", &real) || units_number(" 1", &real) || units_number("1 ", &real));
    assert_false(units_number("1,5", &real) || units_number("one", &real) || units_number("1e", &real));
    assert_true(units_integer("-9223372036854775808", &whole) && whole == INT64_MIN);
    assert_false(units_integer("9223372036854775808", &whole));
    assert_false(units_integer("", &whole) || units_integer("1.0", &whole) || units_integer(" 1", &whole));
    assert_false(units_integer("0x10", &whole) || units_integer("1e3", &whole));
}

static void seconds_are_shown_short(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } rows[] = {{0, "0s"},          {2.5e-4, "250us"}, {0.9996e-3, "1ms"}, {0.4, "400ms"},  {0.9996, "1.0s"},
                {1.54, "1.5s"},     {9.94, "9.9s"},    {9.96, "10s"},      {12, "12s"},     {59.4, "59s"},
                {59.6, "1m00s"},    {185, "3m05s"},    {3599.6, "1h00m"},  {8040, "2h14m"}, {93600, "1d02h"},
                {86399.7, "1d00h"}, {1e8, "1157d09h"}, {-1, "?"},          {NAN, "?"},      {INFINITY, "?"}};
    char text[32];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(units_show_duration(rows[i].seconds, text, sizeof text), rows[i].text);
}

static void bytes_are_shown_short(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } rows[] = {{0, "0 B"},        {1023, "1023 B"},           {1024, "1.0 KiB"},       {1536, "1.5 KiB"},
                {10189, "10 KiB"}, {(1 << 20) - 1, "1.0 MiB"}, {3ull << 29, "1.5 GiB"}, {UINT64_MAX, "16 EiB"}};
    char text[32];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(units_show_size(rows[i].bytes, text, sizeof text), rows[i].text);
}

static void reals_stay_reals(void **state)
{
    (void)state;
    static const struct {
        double number;
        const char *text;
    } rows[] = {{1, "1.0"},
                {0.1, "0.1"},
                {1e-5, "1e-05"},
                {-0.0, "-0.0"},
                {1e22, "1e+22"},
                {100000, "100000.0"},
                {0.1 + 0.2, "0.30000000000000004"},
                {5e-324, "5e-324"},
                {NAN, "nan"},
                {INFINITY, "inf"},
                {-INFINITY, "-inf"},
                {DBL_MAX, "1.7976931348623157e+308"}};
    char text[32];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(units_show_real(rows[i].number, text, sizeof text), rows[i].text);
}

/* Any double comes back with the same bits, and no text of fewer digits would do. */
static void the_shortest_text_of_a_real_reads_back_the_same(void **state)
{
    (void)state;
    struct rng rng = rng_make(1, "reals", 0);
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = rng_next(&rng);
        if (i % 4 == 0)
            bits &= 0x800fffffffffffffu >> rng_below(&rng, 50); /* next to zero */
        double number, back;
        char text[32], shorter[400];
        memcpy(&number, &bits, sizeof number);
        if (i % 4 == 1)
            number = (double)(int64_t)rng_below(&rng, 100000) / 1000;
        if (!isfinite(number))
            continue;
        back = strtod(units_show_real(number, text, sizeof text), NULL);
        assert_memory_equal(&number, &back, sizeof number);
        int digits = 0;
        for (const char *c = text; *c && *c != 'e'; c++)
            digits += *c >= '0' && *c <= '9' && (digits || *c != '0');
        bool filled = strcmp(text + strlen(text) - 2, ".0") == 0; /* with zeros that say nothing */
        snprintf(shorter, sizeof shorter, "%.*g", digits > 1 ? digits - 1 : 1, number);
        assert_true(digits < 2 || filled || strtod(shorter, NULL) != number);
    }
}

/* Decimals of few digits, which have a way of their own, and what lies beside them. */
static void a_decimal_has_the_text_that_printf_gives_it(void **state)
{
    (void)state;
    struct rng rng = rng_make(2, "decimals", 0);
    for (int i = 0; i < 200000; i++) {
        char text[32], wanted[40];
        int digits = 1 + (int)rng_below(&rng, 16);
        double number = floor(pow(10, digits) * rng_unit(&rng)) / pow(10, (double)rng_below(&rng, 22) - 2);
        number = i % 3 ? number : nextafter(number, i % 2 ? INFINITY : 0);
        number = i % 5 ? number : -number;
        if (fabs(number) < DBL_MIN)
            continue;
        int least = 15;
        do
            snprintf(wanted, sizeof wanted, "%.*g", least, number);
        while (strtod(wanted, NULL) != number && ++least <= 17);
        if (!strpbrk(wanted, ".e"))
            strcat(wanted, ".0");
        assert_string_equal(units_show_real(number, text, sizeof text), wanted);
    }
}

static void times_are_rfc_3339(void **state)
{
    (void)state;
    char text[40];
    assert_string_equal(units_show_time(0, text, sizeof text), "1970-01-01T00:00:00.000Z");
    assert_string_equal(units_show_time(1795183331.123, text, sizeof text), "2026-11-20T14:02:11.123Z");
    assert_string_equal(units_show_time(NAN, text, sizeof text), "?");
    assert_string_equal(units_show_time(-1, text, sizeof text), "?");
    assert_true(units_time("2026-11-20T14:02:11.123Z") == 1795183331.123);
    assert_true(units_time("2026-11-20T14:02:11+00:00") == 1795183331);
    assert_true(isnan(units_time("yesterday")));
    assert_string_equal(units_show_time(1e300, text, sizeof text), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_read_as_people_write_them),
        cmocka_unit_test(durations_are_read_as_slurm_writes_them),
        cmocka_unit_test(a_duration_without_unit_is_refused_with_both_readings),
        cmocka_unit_test(what_is_no_duration_is_refused),
        cmocka_unit_test(sizes_are_read_as_people_write_them),
        cmocka_unit_test(what_is_no_size_is_refused),
        cmocka_unit_test(numbers_are_read_whole_or_not_at_all),
        cmocka_unit_test(seconds_are_shown_short),
        cmocka_unit_test(bytes_are_shown_short),
        cmocka_unit_test(reals_stay_reals),
        cmocka_unit_test(the_shortest_text_of_a_real_reads_back_the_same),
        cmocka_unit_test(a_decimal_has_the_text_that_printf_gives_it),
        cmocka_unit_test(times_are_rfc_3339),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
