/* Every kind of picture, of made-up experiments: as SVG and with characters. */
#include "cli/plot/layout.h"
#include "cli/plot/svg.h"
#include "cli/plot/terminal.h"
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/plot_subject.h"

#include <stdlib.h>
#include <string.h>

enum { TRIALS = 120, MANY = 20000 };

/* A picture of a kind as SVG. */
static void draw(const struct plot_kind *kind, const struct plot_subject *subject, struct buf *out)
{
    struct plot_question question = {.subjects = subject, .count = 1};
    struct picture picture;
    struct err err = {""};
    picture_init(&picture);
    if (kind->draw(&question, &picture, &err))
        fail_msg("%s: %s", kind->name, err.text);
    assert_non_null(picture.title);
    assert_true(strlen(picture.sentence) > 20);
    assert_false(json_is_null(picture.numbers));
    svg_picture_file(&picture, out);
    picture_fini(&picture);
}

static void every_kind_is_drawn_and_twice_the_same(void **state)
{
    (void)state;
    struct plot_subject subject, other;
    plot_subject_make(&subject, TRIALS, false);
    plot_subject_make(&other, TRIALS, false);
    for (size_t i = 0; plot_kinds[i]; i++) {
        struct buf once = {0}, again = {0};
        draw(plot_kinds[i], &subject, &once);
        draw(plot_kinds[i], &other, &again);
        assert_string_equal(buf_str(&once), buf_str(&again));
        assert_has(buf_str(&once), "<title>");
        assert_has(buf_str(&once), "<desc>");
        static const char *const wrong[] = {"\"nan", "\"inf", " nan", " inf", " -nan", "-inf"};
        for (size_t j = 0; j < sizeof wrong / sizeof *wrong; j++)
            if (strstr(buf_str(&once), wrong[j]))
                fail_msg("%s: %.60s", plot_kinds[i]->name, strstr(buf_str(&once), wrong[j]));
        buf_fini(&once);
        buf_fini(&again);
    }
    plot_subject_fini(&subject);
    plot_subject_fini(&other);
}

/* Whether each "<" begins a tag that the writer of SVG makes. */
static void has_own_tags_only(const char *kind, const char *text)
{
    static const char *const own[] = {"?xml",  "svg",    "/svg",    "style", "/style", "title",      "/title",
                                      "desc",  "/desc",  "g ",      "/g>",   "path",   "/path",      "rect",
                                      "/rect", "circle", "/circle", "text",  "/text",  "!-- Written"};
    for (const char *at = strchr(text, '<'); at; at = strchr(at + 1, '<')) {
        bool known = false;
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            known = known || strncmp(at + 1, own[i], strlen(own[i])) == 0;
        if (!known)
            fail_msg("%s: %.40s", kind, at);
    }
}

static void hostile_names_stay_text(void **state)
{
    (void)state;
    struct plot_subject subject;
    plot_subject_make(&subject, TRIALS, true);
    for (size_t i = 0; plot_kinds[i]; i++) {
        struct buf text = {0};
        draw(plot_kinds[i], &subject, &text);
        has_own_tags_only(plot_kinds[i]->name, buf_str(&text));
        assert_null(strchr(buf_str(&text), '\x1b'));
        buf_fini(&text);
    }
    plot_subject_fini(&subject);
}

static void a_picture_has_a_largest_size(void **state)
{
    (void)state;
    struct plot_subject subject;
    plot_subject_make(&subject, MANY, false);
    for (size_t i = 0; plot_kinds[i]; i++) {
        struct buf text = {0};
        draw(plot_kinds[i], &subject, &text);
        /* MOST_DOTS dots of at most 80 bytes in each of a few panels, or some thousand boxes of 150. */
        assert_in_range(text.length, 1000, 900000);
        buf_fini(&text);
    }
    plot_subject_fini(&subject);
}

static void without_trials_a_sentence_says_so(void **state)
{
    (void)state;
    struct plot_subject subject;
    plot_subject_make(&subject, 0, false);
    struct plot_question question = {.subjects = &subject, .count = 1};
    for (size_t i = 0; plot_kinds[i]; i++) {
        struct picture picture;
        struct err err = {""};
        picture_init(&picture);
        assert_int_equal(plot_kinds[i]->draw(&question, &picture, &err), -1);
        assert_true(strlen(err.text) > 20);
        picture_fini(&picture);
    }
    plot_subject_fini(&subject);
}

static void in_a_terminal_no_line_is_too_wide_and_no_text_is_more_than_text(void **state)
{
    (void)state;
    struct plot_subject subject;
    plot_subject_make(&subject, TRIALS, true);
    struct plot_question question = {.subjects = &subject, .count = 1};
    for (size_t i = 0; plot_kinds[i]; i++) {
        struct picture picture;
        struct buf text = {0};
        picture_init(&picture);
        assert_int_equal(plot_kinds[i]->draw(&question, &picture, NULL), 0);
        terminal_picture(&picture, &(struct look){.width = 80}, &text);
        assert_null(strchr(buf_str(&text), '\x1b'));
        for (const char *at = buf_str(&text); *at; at++)
            assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
        for (const char *line = strchr(buf_str(&text), '|'); line; line = strchr(line + 1, '\n')) {
            const char *axis = strstr(line, " | ");
            if (axis && axis < line + strcspn(line + 1, "\n"))
                assert_in_range(strcspn(line + 1, "\n"), 1, 80);
        }
        buf_fini(&text);
        picture_fini(&picture);
    }
    plot_subject_fini(&subject);
}

static void several_searches_share_their_axes(void **state)
{
    (void)state;
    struct plot_subject subjects[3];
    for (size_t i = 0; i < 3; i++)
        plot_subject_make(&subjects[i], 40 * (i + 1), true);
    for (size_t i = 0; plot_kinds[i]; i++)
        for (unsigned along = 0; along < PROGRESS_AXES_COUNT && plot_kinds[i]->compares; along++) {
            struct plot_question question = {subjects, 3, (enum progress_axis)along};
            struct picture picture;
            struct err err;
            picture_init(&picture);
            assert_int_equal(plot_kinds[i]->draw(&question, &picture, &err), 0);
            assert_int_equal(picture.legend_count, 3);
            assert_int_equal(json_array_size(picture.numbers), 3);
            picture_fini(&picture);
        }
    for (size_t i = 0; i < 3; i++)
        plot_subject_fini(&subjects[i]);
}

static void what_keeps_no_limit_is_not_said_to_have_no_value(void **state)
{
    (void)state;
    struct plot_subject subject;
    struct picture picture;
    struct err err;
    plot_subject_make(&subject, 20, false);
    for (size_t i = 0; i < subject.data.count; i++)
        subject.data.trials[i].feasible = false;
    trial_data_finish(&subject.data);
    picture_init(&picture);
    assert_int_equal(plot_history.draw(&(struct plot_question){.subjects = &subject, .count = 1}, &picture, &err), -1);
    assert_has(err.text, "no trial of experiment has a value within the limits yet");
    picture_fini(&picture);
    plot_subject_fini(&subject);
}

/* With what a search began at there would be no room for how they differ at the end. */
static void what_several_searches_began_at_does_not_set_their_axis(void **state)
{
    (void)state;
    struct plot_subject subjects[2];
    for (size_t i = 0; i < 2; i++) {
        plot_subject_make(&subjects[i], 40, false);
        assert_true(subjects[i].data.best_count > 1);
        subjects[i].data.best[0].value = 1000;
        subjects[i].data.best[1].place.trials = 2;
    }
    struct plot_question question = {.subjects = subjects, .count = 2};
    struct picture picture;
    struct err err;
    picture_init(&picture);
    assert_int_equal(plot_history.draw(&question, &picture, &err), 0);
    assert_true(picture.panels[0]->y.axis.high < 100);
    assert_has(picture.note, "2 far worse values are not on the axis");
    picture_fini(&picture);
    subjects[0].data.best_count = subjects[1].data.best_count =
        1; /* what remains to the end is shown, whatever it is */
    picture_init(&picture);
    assert_int_equal(plot_history.draw(&question, &picture, &err), 0);
    assert_true(picture.panels[0]->y.axis.low < 1000 && picture.panels[0]->y.axis.high > 1000);
    picture_fini(&picture);
    for (size_t i = 0; i < 2; i++)
        plot_subject_fini(&subjects[i]);
}

static void lines_that_coincide_are_all_to_be_seen(void **state)
{
    (void)state;
    struct plot_subject subjects[3];
    for (size_t i = 0; i < 3; i++)
        plot_subject_make(&subjects[i], 40, false);
    for (size_t i = 0; plot_kinds[i]; i++) {
        struct plot_question question = {.subjects = subjects, .count = 3};
        struct picture picture;
        struct err err;
        picture_init(&picture);
        if (plot_kinds[i]->compares) {
            assert_int_equal(plot_kinds[i]->draw(&question, &picture, &err), 0);
            const struct mark *marks = picture.panels[0]->marks;
            assert_true(marks[0].width > marks[1].width && marks[1].width > marks[2].width);
        }
        picture_fini(&picture);
    }
    for (size_t i = 0; i < 3; i++)
        plot_subject_fini(&subjects[i]);
}

static void long_names_are_cut_before_they_reach_their_neighbours(void **state)
{
    (void)state;
    static const char name[] = "a.parameter.whose.name.is.longer.than.what.there.is.room.for.by.far.1";
    struct plot_subject subject;
    static const struct plot_kind *const kinds[] = {&plot_parallel, &plot_slices, &plot_rank, &plot_history};
    plot_subject_make(&subject, TRIALS, false);
    for (size_t i = 0; i < subject.data.param_count; i++) {
        free(subject.data.params[i].name);
        subject.data.params[i].name = mem_text(name);
    }
    json_decref(subject.importance);
    subject.importance = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct buf text = {0};
        draw(kinds[i], &subject, &text);
        const char *shown = strstr(buf_str(&text), "</desc>");
        assert_null(strstr(shown, name));
        if (kinds[i] != &plot_history)
            assert_has(shown, "..");
        buf_fini(&text);
    }
    plot_subject_fini(&subject);
}

static void other_metrics_are_not_compared(void **state)
{
    (void)state;
    struct plot_subject subjects[2];
    plot_subject_make(&subjects[0], 40, false);
    plot_subject_make(&subjects[1], 40, false);
    struct plot_question question = {.subjects = subjects, .count = 2};
    struct picture picture;
    struct err err;
    subjects[1].data.metrics[0].maximize = true;
    picture_init(&picture);
    assert_int_equal(plot_history.draw(&question, &picture, &err), -1);
    assert_has(err.text, "experiment is to minimize loss and experiment to maximize loss");
    assert_int_equal(plot_edf.draw(&question, &picture, &err), -1);
    subjects[1].data.metrics[0].maximize = false;
    assert_int_equal(plot_history.draw(&question, &picture, &err), 0);
    picture_fini(&picture);
    plot_subject_fini(&subjects[0]);
    plot_subject_fini(&subjects[1]);
}

/* Half of a title that is centred on the first or last axis would be outside. */
static void no_text_begins_or_ends_outside_of_the_picture(void **state)
{
    (void)state;
    static const char title[] = "optimizer.of.the.encoder";
    struct picture picture;
    struct buf text = {0};
    picture_init(&picture);
    struct panel *panel = picture_panel(&picture, NULL);
    scale_set(&panel->x, (struct axis){0, 1, AXIS_LINEAR}, NULL);
    scale_set(&panel->y, (struct axis){0, 1, AXIS_LINEAR}, NULL);
    panel->x.bare = panel->y.bare = true;
    panel_text(panel, INK_TEXT, 0, 0.5, title)->anchor = ANCHOR_MIDDLE;
    panel_text(panel, INK_TEXT, 1, 0.5, title)->anchor = ANCHOR_MIDDLE;
    svg_picture_file(&picture, &text);
    double half = SMALL_LETTER * (double)strlen(title) / 2, found = 0;
    for (const char *at = buf_str(&text); (at = strstr(at, "text-anchor=\"middle\" x=\"")); found++) {
        at = strstr(at, " x=\"") + 4;
        if (strtod(at, NULL) < half || strtod(at, NULL) > PICTURE_WIDTH - half)
            fail_msg("%.40s", at);
    }
    assert_true(found == 2);
    buf_fini(&text);
    picture_fini(&picture);
}

/* One of the three parameters is an integer, from 1 to 4. */
/* The first letters of one that is wider than its room lie beyond the edge, and are not seen. */
static void names_beside_an_axis_have_room_for_wide_letters(void **state)
{
    (void)state;
    static const char name[] = "out_of_memory";
    struct picture picture;
    struct buf text = {0};
    picture_init(&picture);
    struct panel *panel = picture_panel(&picture, NULL);
    scale_set(&panel->x, (struct axis){0, 1, AXIS_LINEAR}, NULL);
    scale_name(&panel->y, name);
    svg_picture_file(&picture, &text);
    const char *label = strstr(buf_str(&text), name), *at = buf_str(&text);
    assert_non_null(label);
    for (const char *next = at; (next = strstr(next + 1, " x=\"")) && next < label;)
        at = next;
    assert_true(strtod(at + 4, NULL) >= 86);
    buf_fini(&text);
    picture_fini(&picture);
}

static void integers_have_whole_ticks(void **state)
{
    (void)state;
    struct plot_subject subject;
    struct picture picture;
    struct err err = {""};
    struct tick ticks[16];
    size_t whole = 0;
    plot_subject_make(&subject, TRIALS, false);
    picture_init(&picture);
    assert_int_equal(plot_slices.draw(&(struct plot_question){.subjects = &subject, .count = 1}, &picture, &err), 0);
    for (size_t i = 0; i < picture.panel_count; i++)
        if (picture.panels[i]->x.whole) {
            assert_int_equal(scale_ticks(&picture.panels[i]->x, 8, ticks), 4);
            assert_string_equal(ticks[0].label, "1");
            assert_string_equal(ticks[3].label, "4");
            whole++;
        }
    assert_int_equal(whole, 1);
    picture_fini(&picture);
    plot_subject_fini(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_drawn_and_twice_the_same),
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(a_picture_has_a_largest_size),
        cmocka_unit_test(without_trials_a_sentence_says_so),
        cmocka_unit_test(in_a_terminal_no_line_is_too_wide_and_no_text_is_more_than_text),
        cmocka_unit_test(several_searches_share_their_axes),
        cmocka_unit_test(what_several_searches_began_at_does_not_set_their_axis),
        cmocka_unit_test(what_keeps_no_limit_is_not_said_to_have_no_value),
        cmocka_unit_test(lines_that_coincide_are_all_to_be_seen),
        cmocka_unit_test(long_names_are_cut_before_they_reach_their_neighbours),
        cmocka_unit_test(other_metrics_are_not_compared),
        cmocka_unit_test(no_text_begins_or_ends_outside_of_the_picture),
        cmocka_unit_test(names_beside_an_axis_have_room_for_wide_letters),
        cmocka_unit_test(integers_have_whole_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
