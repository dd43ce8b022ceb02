/* The report of made-up experiments: what it holds, what stays text in it, how large it gets. */
#include "cli/report/report.h"
#include "tests/claims.h"
#include "tests/plot_subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_page(size_t trials, bool hostile, struct report report, struct buf *out)
{
    struct plot_subject subject;
    plot_subject_make(&subject, trials, hostile);
    report.subjects = &subject;
    report.count = 1;
    report_write(&report, out);
    plot_subject_fini(&subject);
}

/* How often a text occurs. */
static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + strlen(part), part))
        count++;
    return count;
}

static void it_has_every_section_once(void **state)
{
    (void)state;
    struct buf page = {0};
    write_page(120, false, (struct report){.command = "python train.py --lr=0.1", .directory = "/runs/a"}, &page);
    static const char *const parts[] = {
#define PAGE(kind, heading) "<section id=\"" #kind "\">",
#include "cli/report/page_list.h"
#undef PAGE
        "<section id=\"best\">", "<section id=\"trials\">", "<section id=\"again\">", "python train.py --lr=0.1",
        "/runs/a"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_int_equal(count_of(buf_str(&page), parts[i]), 1);
    buf_fini(&page);
}

static void the_same_trials_are_the_same_page(void **state)
{
    (void)state;
    struct buf once = {0}, again = {0};
    write_page(60, false, (struct report){0}, &once);
    write_page(60, false, (struct report){0}, &again);
    assert_string_equal(buf_str(&once), buf_str(&again));
    buf_fini(&once);
    buf_fini(&again);
}

static void hostile_names_make_no_element(void **state)
{
    (void)state;
    struct buf page = {0}, harmless = {0};
    struct report report = {.command = HOSTILE, .directory = HOSTILE};
    write_page(60, true, report, &page);
    write_page(60, false, (struct report){.command = "x", .directory = "x"}, &harmless);
    static const char *const tags[] = {"<script", "</script", "<style", "</style", "<!--", "<img", "<pre", "</pre"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        assert_int_equal(count_of(buf_str(&page), tags[i]), count_of(buf_str(&harmless), tags[i]));
    assert_null(strstr(buf_str(&page), "alert(1)</script>"));
    assert_null(strchr(buf_str(&page), '\x1b'));
    buf_fini(&page);
    buf_fini(&harmless);
}

/* What stands between the tags of the only style or script without a type. */
static char *between(const char *page, const char *begin, const char *end)
{
    const char *from = strstr(page, begin);
    assert_non_null(from);
    from += strlen(begin);
    assert_non_null(strstr(from, end));
    return strndup(from, (size_t)(strstr(from, end) - from));
}

static void its_policy_names_what_may_run_and_nothing_else(void **state)
{
    (void)state;
    struct buf page = {0}, script = {0}, style = {0};
    write_page(20, false, (struct report){0}, &page);
    char *in_style = between(buf_str(&page), "<style>", "</style>");
    char *in_script = between(buf_str(&page), "<script>", "</script>");
    buf_text(&style, "style-src ");
    policy_hash(in_style, &style);
    buf_text(&script, "script-src ");
    policy_hash(in_script, &script);
    assert_has(buf_str(&page), "default-src 'none'");
    assert_has(buf_str(&page), buf_str(&style));
    assert_has(buf_str(&page), buf_str(&script));
    assert_string_equal(in_script, asset_script);
    assert_null(strstr(buf_str(&page), "unsafe"));
    assert_null(strstr(buf_str(&page), " style=\""));
    assert_null(strstr(buf_str(&page), " onclick"));
    free(in_style);
    free(in_script);
    buf_fini(&style);
    buf_fini(&script);
    buf_fini(&page);
}

/* RFC 6234 has the hash of "abc". */
static void a_hash_is_sha_256_in_base64(void **state)
{
    (void)state;
    struct buf hash = {0};
    policy_hash("abc", &hash);
    assert_string_equal(buf_str(&hash), "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
    buf_fini(&hash);
}

static void ten_thousand_trials_take_less_than_5_mb_and_no_number_of_them_much_more(void **state)
{
    (void)state;
    struct buf page = {0};
    write_page(10000, false, (struct report){0}, &page);
    assert_in_range(page.length, 100000, 5000000);
    buf_clear(&page);
    write_page(40000, false, (struct report){0}, &page);
    assert_in_range(page.length, 100000, 6000000);
    assert_has(buf_str(&page), "The best 12000 of 40000 trials are listed");
    buf_fini(&page);
}

static void what_is_not_for_the_public_is_left_out(void **state)
{
    (void)state;
    struct buf page = {0};
    write_page(20, false, (struct report){.directory = "/secret", .no_env = true, .no_commands = true}, &page);
    assert_null(strstr(buf_str(&page), "/secret"));
    assert_null(strstr(buf_str(&page), "The experiment file"));
    buf_fini(&page);
}

static void an_experiment_without_trials_has_a_page(void **state)
{
    (void)state;
    struct buf page = {0};
    write_page(0, false, (struct report){0}, &page);
    assert_has(buf_str(&page), "<h1>experiment</h1>");
    assert_null(strstr(buf_str(&page), "<svg"));
    buf_fini(&page);
}

static void several_experiments_are_compared(void **state)
{
    (void)state;
    struct plot_subject subjects[2];
    struct buf page = {0};
    plot_subject_make(&subjects[0], 50, true);
    plot_subject_make(&subjects[1], 80, true);
    report_write(&(struct report){.subjects = subjects, .count = 2}, &page);
    assert_has(buf_str(&page), "<section id=\"searches\">");
    assert_has(buf_str(&page), "<section id=\"bests\">");
    assert_has(buf_str(&page), "<svg id=\"plot-history-2\"");
    assert_int_equal(count_of(buf_str(&page), "<script"), 0);
    buf_fini(&page);
    plot_subject_fini(&subjects[0]);
    plot_subject_fini(&subjects[1]);
}

/* One of them still runs. */
static void each_of_several_has_its_state_and_its_half(void **state)
{
    (void)state;
    struct plot_subject subjects[2];
    struct buf page = {0};
    for (size_t i = 0; i < 2; i++)
        plot_subject_make(&subjects[i], 50 + 40 * i, false);
    json_object_set_new(subjects[1].data.experiment, "state", json_string("running"));
    free(subjects[1].data.name);
    subjects[1].data.name = strdup("late");
    report_write(&(struct report){.subjects = subjects, .count = 2}, &page);
    assert_has(buf_str(&page), "<td>experiment</td><td>ended</td>");
    assert_has(buf_str(&page), "<td>late</td><td>running</td>");
    assert_has(buf_str(&page), "Not ended when this page was written: late.");
    assert_has(buf_str(&page), "Half of the trials of experiment came to loss ");
    assert_has(buf_str(&page), " or better, of late ");
    json_object_set_new(subjects[1].data.experiment, "state", json_string("ended"));
    buf_clear(&page);
    report_write(&(struct report){.subjects = subjects, .count = 2}, &page);
    assert_null(strstr(buf_str(&page), "Not ended"));
    buf_fini(&page);
    for (size_t i = 0; i < 2; i++)
        plot_subject_fini(&subjects[i]);
}

/* Trials 5, 29, 53, ... with one line, 17, 41, 65, ... with another. */
static void failures_are_listed_by_what_they_said(void **state)
{
    (void)state;
    struct buf page = {0};
    write_page(240, false, (struct report){0}, &page);
    assert_has(buf_str(&page), "<tr><td>crashed</td><td class=\"n\">10</td><td>5, 29, 53, 77, 101, 125, ...</td>"
                               "<td class=\"said\">/data is full</td></tr>");
    assert_has(buf_str(&page), "<td>17, 41, 65, 89, 113, 137, ...</td><td class=\"said\">why</td></tr>");
    buf_clear(&page);
    write_page(240, false, (struct report){.no_env = true}, &page);
    assert_has(buf_str(&page), "<td class=\"n\">20</td><td>5, 17, 29, 41, 53, 65, ...</td></tr>");
    assert_null(strstr(buf_str(&page), "/data is full"));
    buf_fini(&page);
}

static void very_many_kinds_of_failures_are_not_all_listed(void **state)
{
    (void)state;
    struct plot_subject subject;
    struct buf page = {0};
    plot_subject_make(&subject, 600, false);
    for (size_t i = 0; i < json_array_size(subject.failures); i++) {
        char line[40];
        snprintf(line, sizeof line, "at step %zu", i);
        json_object_set_new(json_array_get(subject.failures, i), "line", json_string(line));
    }
    report_write(&(struct report){.subjects = &subject, .count = 1}, &page);
    assert_int_equal(count_of(buf_str(&page), "<td class=\"said\">"), 20);
    assert_has(buf_str(&page), "The 20 most frequent of 50 kinds of failures.");
    buf_clear(&page);
    json_array_remove(subject.failures, 49);
    report_write(&(struct report){.subjects = &subject, .count = 1}, &page);
    assert_has(buf_str(&page), "Of 50 trials that failed, the first 49 are counted here.");
    buf_fini(&page);
    plot_subject_fini(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_every_section_once),
        cmocka_unit_test(the_same_trials_are_the_same_page),
        cmocka_unit_test(hostile_names_make_no_element),
        cmocka_unit_test(its_policy_names_what_may_run_and_nothing_else),
        cmocka_unit_test(a_hash_is_sha_256_in_base64),
        cmocka_unit_test(ten_thousand_trials_take_less_than_5_mb_and_no_number_of_them_much_more),
        cmocka_unit_test(what_is_not_for_the_public_is_left_out),
        cmocka_unit_test(an_experiment_without_trials_has_a_page),
        cmocka_unit_test(failures_are_listed_by_what_they_said),
        cmocka_unit_test(very_many_kinds_of_failures_are_not_all_listed),
        cmocka_unit_test(several_experiments_are_compared),
        cmocka_unit_test(each_of_several_has_its_state_and_its_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
