/* Pictures in a terminal: what fits, what is told apart without colours, what is said in words. */
#include "cli/format.h"
#include "cli/plot/sign.h"
#include "cli/plot/terminal.h"
#include "tests/claims.h"
#include "tests/plot_subject.h"

#include <stdlib.h>
#include <string.h>

enum { TRIALS = 120, SUBJECTS = 3 };

static void make_subjects(struct plot_subject subjects[SUBJECTS], size_t trials, bool hostile)
{
    for (size_t i = 0; i < SUBJECTS; i++)
        plot_subject_make(&subjects[i], trials, hostile);
}

static void end_subjects(struct plot_subject subjects[SUBJECTS])
{
    for (size_t i = 0; i < SUBJECTS; i++)
        plot_subject_fini(&subjects[i]);
}

/* A question about one, or, of kinds that compare, about all of them. */
static struct plot_question ask(const struct plot_kind *kind, const struct plot_subject *subjects, bool several)
{
    return (struct plot_question){.subjects = subjects, .count = several && kind->compares ? SUBJECTS : 1};
}

static void draw(const struct plot_kind *kind, const struct plot_subject *subjects, bool several,
                 struct picture *picture)
{
    struct plot_question question = ask(kind, subjects, several);
    struct err err = {""};
    picture_init(picture);
    if (kind->draw(&question, picture, &err))
        fail_msg("%s: %s", kind->name, err.text);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
    (void)state;
    static const unsigned widths[] = {30, 40, 80, 160};
    struct plot_subject subjects[SUBJECTS];
    make_subjects(subjects, TRIALS, true);
    for (size_t i = 0; plot_kinds[i]; i++)
        for (unsigned j = 0; j < 16; j++) {
            struct look look = {.width = widths[j % 4], .unicode = j & 4};
            struct picture picture;
            struct buf text = {0};
            draw(plot_kinds[i], subjects, j & 8, &picture);
            terminal_picture(&picture, &look, &text);
            for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n"))
                if (format_width(line) > look.width)
                    fail_msg("%s, %u columns: %s", plot_kinds[i]->name, look.width, line);
            buf_fini(&text);
            picture_fini(&picture);
        }
    end_subjects(subjects);
}

static void a_sentence_is_broken_between_words_and_in_a_file_not_at_all(void **state)
{
    (void)state;
    struct plot_subject subjects[SUBJECTS];
    make_subjects(subjects, TRIALS, false);
    for (size_t i = 0; plot_kinds[i]; i++) {
        struct picture picture;
        struct buf text = {0}, file = {0};
        draw(plot_kinds[i], subjects, false, &picture);
        terminal_picture(&picture, &(struct look){.width = 40}, &text);
        for (size_t j = 0; j < text.length; j++)
            text.data[j] = text.data[j] == '\n' ? ' ' : text.data[j];
        assert_has(buf_str(&text), picture.sentence);
        terminal_picture(&picture, &(struct look){0}, &file);
        assert_has(buf_str(&file), picture.sentence);
        buf_fini(&text);
        buf_fini(&file);
        picture_fini(&picture);
    }
    end_subjects(subjects);
}

static void marks_of_a_legend_differ_without_colours_and_are_drawn_so(void **state)
{
    (void)state;
    struct plot_subject subjects[SUBJECTS];
    make_subjects(subjects, TRIALS, false);
    for (size_t i = 0; plot_kinds[i]; i++)
        for (unsigned j = 0; j < 4; j++) {
            struct look look = {.width = 80, .unicode = j & 1};
            struct picture picture;
            struct buf text = {0};
            draw(plot_kinds[i], subjects, j & 2, &picture);
            struct signs signs = signs_decide(&picture, &look);
            terminal_picture(&picture, &look, &text);
            for (size_t a = 0; a < picture.legend_count; a++) {
                const char *sign = signs_legend(&signs, &picture.legends[a], &look);
                assert_has(buf_str(&text), sign);
                for (size_t b = 0; b < a; b++)
                    assert_string_not_equal(sign, signs_legend(&signs, &picture.legends[b], &look));
            }
            buf_fini(&text);
            picture_fini(&picture);
        }
    end_subjects(subjects);
}

static void parallel_axes_have_names_and_labels(void **state)
{
    (void)state;
    static const char *const texts[] = {"lr ", "optimizer ", "depth ", "loss", "0.0001 ", "sgd ", "adam ", "inactive"};
    struct plot_subject subjects[SUBJECTS];
    struct picture picture;
    struct buf text = {0};
    make_subjects(subjects, TRIALS, false);
    draw(&plot_parallel, subjects, false, &picture);
    terminal_picture(&picture, &(struct look){.width = 100}, &text);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_has(buf_str(&text), texts[i]);
    assert_null(strstr(buf_str(&text), "The axes:"));
    buf_clear(&text);
    terminal_picture(&picture, &(struct look){.width = 30}, &text);
    assert_has(buf_str(&text), "The axes: lr"); /* what there was no room for */
    buf_fini(&text);
    picture_fini(&picture);
    end_subjects(subjects);
}

/* They have no value: at an end of its axis they would seem to have one. */
static void failed_trials_are_not_on_the_axis_of_values(void **state)
{
    (void)state;
    static const struct plot_kind *const others[] = {&plot_parallel, &plot_slices, &plot_rank, &plot_edf};
    struct plot_subject subjects[SUBJECTS];
    struct picture picture;
    size_t failed = 0;
    make_subjects(subjects, TRIALS, false);
    draw(&plot_history, subjects, false, &picture);
    for (size_t i = 0; i < picture.panel_count; i++)
        for (size_t j = 0; j < picture.panels[i]->mark_count; j++)
            if (picture.panels[i]->marks[j].ink == INK_BAD) {
                assert_int_equal(picture.panels[i]->y.name_count, 1);
                assert_string_equal(picture.panels[i]->y.names[0], "failed");
                failed++;
            }
    assert_int_equal(failed, TRIALS / 12);
    picture_fini(&picture);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        draw(others[i], subjects, false, &picture);
        assert_has(picture.note, "10 trials that failed have no value and are left out.");
        picture_fini(&picture);
    }
    end_subjects(subjects);
}

static void one_trial_is_spoken_of_as_one(void **state)
{
    (void)state;
    struct plot_subject subjects[SUBJECTS];
    make_subjects(subjects, 1, false);
    for (size_t i = 0; plot_kinds[i]; i++) {
        struct plot_question question = ask(plot_kinds[i], subjects, false);
        struct picture picture;
        struct err err;
        picture_init(&picture);
        if (plot_kinds[i]->draw(&question, &picture, &err) == 0) {
            static const char *const wrong[] = {"1 trials", "1 attempts", "1 slots", "last quarter"};
            for (size_t j = 0; j < sizeof wrong / sizeof *wrong; j++)
                if (strstr(picture.sentence, wrong[j]))
                    fail_msg("%s: %s", plot_kinds[i]->name, picture.sentence);
        }
        picture_fini(&picture);
    }
    end_subjects(subjects);
}

static void ranks_of_equal_values_are_said_to_mean_nothing(void **state)
{
    (void)state;
    static const struct plot_kind *const kinds[] = {&plot_parallel, &plot_slices, &plot_rank};
    struct plot_subject subjects[SUBJECTS];
    make_subjects(subjects, TRIALS, false);
    for (size_t i = 0; i < subjects[0].data.count; i++)
        if (trial_data_counts(&subjects[0].data.trials[i]))
            subjects[0].data.trials[i].value = 5;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct picture picture;
        draw(kinds[i], subjects, false, &picture);
        assert_has(picture.note, "All of them came to the same value");
        picture_fini(&picture);
    }
    end_subjects(subjects);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_is_wider_than_the_terminal),
        cmocka_unit_test(a_sentence_is_broken_between_words_and_in_a_file_not_at_all),
        cmocka_unit_test(marks_of_a_legend_differ_without_colours_and_are_drawn_so),
        cmocka_unit_test(parallel_axes_have_names_and_labels),
        cmocka_unit_test(failed_trials_are_not_on_the_axis_of_values),
        cmocka_unit_test(one_trial_is_spoken_of_as_one),
        cmocka_unit_test(ranks_of_equal_values_are_said_to_mean_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
