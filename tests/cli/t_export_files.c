/* What exports are made of: records with checksums, names of files, times, distributions of Optuna. */
#include "cli/export/distribution.h"
#include "cli/export/event_file.h"
#include "cli/export/place.h"
#include "tests/claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- records --- */

static void a_checksum_is_that_of_the_standard(void **state)
{
    (void)state;
    unsigned char zeros[32] = {0}, ones[32], counted[32];
    memset(ones, 0xff, sizeof ones);
    for (unsigned char i = 0; i < sizeof counted; i++)
        counted[i] = i;
    /* RFC 3720, appendix B.4, and the check value of the catalogues of checksums. */
    assert_int_equal(crc32c(zeros, sizeof zeros), 0x8a9136aa);
    assert_int_equal(crc32c(ones, sizeof ones), 0x62a8ab43);
    assert_int_equal(crc32c(counted, sizeof counted), 0x46dd794e);
    assert_int_equal(crc32c("123456789", 9), 0xe3069283);
    assert_int_equal(crc32c("", 0), 0);
}

static void a_record_is_its_length_and_bytes_with_checksums(void **state)
{
    (void)state;
    struct buf record = {0}, out = {0};
    buf_text(&record, "abc");
    record_add(&out, &record);
    assert_int_equal(record.length, 0);
    assert_int_equal(out.length, 8 + 4 + 3 + 4);
    assert_memory_equal(out.data, "\3\0\0\0\0\0\0\0", 8);
    assert_memory_equal(out.data + 12, "abc", 3);
    uint32_t crc = crc32c_masked("abc", 3);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal((unsigned char)out.data[15 + i], crc >> (8 * i) & 0xff);
    buf_fini(&out);
}

static void fields_are_encoded_as_protocol_buffers_are(void **state)
{
    (void)state;
    struct buf out = {0}, inner = {0};
    field_whole(&out, 1, 150); /* the example of the format's own documentation */
    field_text(&out, 2, "testing");
    field_whole(&inner, 1, 150);
    field_message(&out, 3, &inner);
    field_whole(&out, 16, (uint64_t)-1);
    assert_memory_equal(out.data, "\x08\x96\x01\x12\x07testing\x1a\x03\x08\x96\x01\x80\x01", 19);
    assert_memory_equal(out.data + 19, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
    assert_int_equal(out.length, 29);
    buf_clear(&out);
    field_double(&out, 1, 1.0);
    field_float(&out, 2, 1.0f);
    assert_memory_equal(out.data, "\x09\0\0\0\0\0\0\xf0\x3f\x15\0\0\x80\x3f", 14);
    buf_fini(&out);
}

/* --- names --- */

static void becomes(const char *name, bool slash, const char *expected)
{
    struct buf out = {0};
    place_name(name, slash, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

static void a_good_name_stays(void **state)
{
    (void)state;
    becomes("val_loss", true, "val_loss");
    becomes("val/loss", true, "val/loss");
    becomes("a b-c.d", false, "a b-c.d");
}

/* Whether it is one part of a path, or with `slash` several good ones. */
static void is_harmless(const char *name, bool slash)
{
    struct buf out = {0};
    place_name(name, slash, &out);
    const char *text = buf_str(&out);
    assert_true(*text && strlen(text) <= 200 && *text != '/' && *text != '.');
    assert_null(strstr(text, "//"));
    assert_null(strstr(text, "/."));
    if (strcmp(text, name) != 0 || !slash)
        assert_null(strchr(text, '/'));
    for (const char *at = text; *at; at++)
        assert_non_null(strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. /", *at));
    buf_fini(&out);
}

static void no_name_leads_out_of_its_directory(void **state)
{
    (void)state;
    static const char *const names[] = {"",       ".",   "..",          "/",    "//",        "a//b",     "../x",
                                        "a/../b", "a/.", "/etc/passwd", "a/",   "new\nline", "\xff\xfe", "q\"'<b>",
                                        " a",     "a ",  ".hidden",     "a/.b", "ä"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        is_harmless(names[i], false);
        is_harmless(names[i], true);
    }
    char *longest = malloc(5001);
    memset(longest, 'x', 5000);
    longest[5000] = '\0';
    is_harmless(longest, true);
    free(longest);
}

static void two_names_stay_two(void **state)
{
    (void)state;
    struct buf a = {0}, b = {0};
    place_name("a?b", false, &a);
    place_name("a!b", false, &b);
    assert_string_not_equal(buf_str(&a), buf_str(&b));
    buf_fini(&a);
    buf_fini(&b);
}

static void a_time_is_seconds(void **state)
{
    (void)state;
    json_t *time = json_string("2026-11-20T14:02:11.123Z"), *none = json_null();
    assert_true(fabs(place_seconds(time, 0) - 1795183331.123) < 1e-4);
    assert_true(place_seconds(none, 7) == 7);
    json_decref(time);
    json_decref(none);
}

/* --- distributions --- */

/* The attributes as Optuna keeps them. */
static void is_distribution(const char *parameter, const char *expected)
{
    struct optuna_distribution distribution;
    json_t *json = json_loads(parameter, 0, NULL);
    assert_non_null(json);
    distribution_init(&distribution, json);
    json_t *found = json_loads(distribution.text, 0, NULL), *wanted = json_loads(expected, 0, NULL);
    assert_non_null(wanted);
    if (!json_equal(found, wanted))
        assert_string_equal(distribution.text, expected);
    json_decref(found);
    json_decref(wanted);
    json_decref(json);
    distribution_fini(&distribution);
}

static void a_range_is_one(void **state)
{
    (void)state;
    is_distribution("{\"name\": \"x\", \"kind\": \"real\", \"min\": 1e-5, \"max\": 0.1, \"log\": true}",
                    "{\"name\": \"FloatDistribution\", \"attributes\": {\"step\": null, \"low\": 1e-5, \"high\": 0.1, "
                    "\"log\": true}}");
    is_distribution(
        "{\"name\": \"x\", \"kind\": \"int\", \"min\": 16.0, \"max\": 256.0, \"step\": 16.0}",
        "{\"name\": \"IntDistribution\", \"attributes\": {\"log\": false, \"step\": 16, \"low\": 16, \"high\": "
        "256}}");
    is_distribution(
        "{\"name\": \"x\", \"kind\": \"int\", \"min\": 1.0, \"max\": 64.0, \"log\": true}",
        "{\"name\": \"IntDistribution\", \"attributes\": {\"log\": true, \"step\": 1, \"low\": 1, \"high\": 64}}");
}

static void steps_end_where_the_last_one_is(void **state)
{
    (void)state;
    is_distribution("{\"name\": \"x\", \"kind\": \"real\", \"min\": 0.0, \"max\": 1.0, \"step\": 0.3}",
                    "{\"name\": \"FloatDistribution\", \"attributes\": {\"step\": 0.3, \"low\": 0.0, \"high\": 0.9, "
                    "\"log\": false}}");
    is_distribution("{\"name\": \"x\", \"kind\": \"real\", \"min\": 0.0, \"max\": 0.5, \"step\": 0.1}",
                    "{\"name\": \"FloatDistribution\", \"attributes\": {\"step\": 0.1, \"low\": 0.0, \"high\": 0.5, "
                    "\"log\": false}}");
    is_distribution(
        "{\"name\": \"x\", \"kind\": \"int\", \"min\": 16, \"max\": 100, \"step\": 16}",
        "{\"name\": \"IntDistribution\", \"attributes\": {\"log\": false, \"step\": 16, \"low\": 16, \"high\": "
        "96}}");
}

static void a_normal_one_is_the_range_that_it_reaches(void **state)
{
    (void)state;
    is_distribution("{\"name\": \"x\", \"kind\": \"normal\", \"mean\": 1.0, \"stddev\": 0.5, \"min\": 0.0}",
                    "{\"name\": \"FloatDistribution\", \"attributes\": {\"step\": null, \"low\": 0.0, \"high\": 3.5, "
                    "\"log\": false}}");
}

static void choices_have_the_numbers_of_their_places(void **state)
{
    (void)state;
    struct optuna_distribution distribution;
    double number = 0;
    json_t *json =
        json_loads("{\"name\": \"x\", \"kind\": \"choice\", \"values\": [\"a\", null, true, 1, 2.5, [1, 2]]}", 0, NULL);
    distribution_init(&distribution, json);
    assert_non_null(strstr(distribution.text, "[\"a\", null, true, 1, 2.5, \"[1, 2]\"]"));
    for (size_t i = 0; i < 6; i++) {
        assert_true(distribution_number(&distribution, json_array_get(json_object_get(json, "values"), i), &number));
        assert_true(number == (double)i);
    }
    json_t *one = json_real(1.0), *other = json_string("1");
    assert_true(distribution_number(&distribution, one, &number) && number == 3);
    assert_false(distribution_number(&distribution, other, &number));
    json_decref(one);
    json_decref(other);
    json_decref(json);
    distribution_fini(&distribution);
}

static void what_is_no_number_has_none_in_a_range(void **state)
{
    (void)state;
    struct optuna_distribution distribution;
    double number;
    json_t *json = json_loads("{\"name\": \"x\", \"kind\": \"real\", \"min\": 0, \"max\": 1}", 0, NULL),
           *text = json_string("nan");
    distribution_init(&distribution, json);
    assert_false(distribution_number(&distribution, text, &number));
    json_decref(text);
    json_decref(json);
    distribution_fini(&distribution);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_checksum_is_that_of_the_standard),
        cmocka_unit_test(a_record_is_its_length_and_bytes_with_checksums),
        cmocka_unit_test(fields_are_encoded_as_protocol_buffers_are),
        cmocka_unit_test(a_good_name_stays),
        cmocka_unit_test(no_name_leads_out_of_its_directory),
        cmocka_unit_test(two_names_stay_two),
        cmocka_unit_test(a_time_is_seconds),
        cmocka_unit_test(a_range_is_one),
        cmocka_unit_test(steps_end_where_the_last_one_is),
        cmocka_unit_test(a_normal_one_is_the_range_that_it_reaches),
        cmocka_unit_test(choices_have_the_numbers_of_their_places),
        cmocka_unit_test(what_is_no_number_has_none_in_a_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
