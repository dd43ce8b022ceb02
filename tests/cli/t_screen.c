/* The frame around the screens, the overview and the log: drawn from models that are made up. */
#include "cli/screen/press.h"
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/frames.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    unsigned rows, columns;
} sizes[] = {{24, 80}, {40, 120}, {50, 200}, {12, 40}, {3, 10}, {1, 1}};

/* Only what a frame is made of: printable characters and line ends, so many lines, none wider than the window. */
static void is_frame(const char *frame, unsigned rows, unsigned columns, bool ascii_alone)
{
    unsigned lines = 0, width = 0;
    for (const char *c = frame; *c; c++) {
        bool begins = ((unsigned char)*c & 0xc0) != 0x80;
        assert_true(*c == '\n' || (unsigned char)*c >= 0x20);
        assert_true(!ascii_alone || (unsigned char)*c < 0x7f);
        width = *c == '\n' ? 0 : width + begins;
        lines += *c == '\n';
        assert_true(width <= columns);
    }
    assert_int_equal(lines, rows);
    assert_null(strstr(frame, "\xe2\x80\xae"));
}

static void every_screen_is_drawn_in_every_size_from_whatever_has_come(void **state)
{
    (void)state;
    for (int full = 0; full < 2; full++)
        for (enum screen screen = 0; screen < SCREENS_COUNT; screen++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
                for (int plain = 0; plain < 2; plain++) {
                    struct model model =
                        full ? frames_model("größe\033[2J") : (struct model){.name = mem_text("empty")};
                    struct wants wants;
                    model.view.screen = screen;
                    frame_want(&model.view, sizes[i].rows, sizes[i].columns, &wants);
                    char *frame =
                        frames_draw(&model, sizes[i].rows, sizes[i].columns, plain ? &frames_ascii : &frames_unicode);
                    is_frame(frame, sizes[i].rows, sizes[i].columns, plain);
                    free(frame);
                    screen_model_fini(&model);
                }
}

static void the_overview_says_what_one_wants_to_know(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    static const char *const words[] = {
        "digits",     "running",         "4/10",
        "2 run",      "1 failed",        "0.25  trial 3",
        "minimize",   "2 of 4 busy",     "about 1m00s left",
        "88 ",        "n7 is set aside", "trial 4 failed on n1, crashed (:logs 4): out of",
        "best so far"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        frames_have(&model, 24, 80, words[i]);
        frames_have(&model, 50, 200, words[i]);
    }
    frames_have(&model, 12, 40, "4/10");
    frames_have(&model, 12, 40, "0.25");
    screen_model_fini(&model);
}

static void the_remaining_time_is_said_once_while_the_search_goes_on(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    char *frame = frames_draw(&model, 24, 80, &frames_unicode);
    const char *said = strstr(frame, " left");
    assert_non_null(said);
    assert_null(strstr(said + 1, " left"));
    free(frame);
    json_object_set_new(model.sections[SECTION_OVERVIEW].value, "state", json_string("draining"));
    frame = frames_draw(&model, 24, 80, &frames_unicode);
    assert_null(strstr(frame, " left"));
    free(frame);
    screen_model_fini(&model);
}

static void what_a_failed_trial_said_last_has_room(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    json_t *failure = json_array_get(model_get(&model, SECTION_ATTENTION, "causes"), 0);
    json_object_del(model_get(&model, SECTION_OVERVIEW, "status"), "aside");
    json_object_set_new(
        failure, "line",
        json_string("ModuleNotFoundError: of all that it looked for there is no module named lightning"));
    frames_have(&model, 24, 80, "named lightning");
    frames_have(&model, 30, 120, "lightning");
    screen_model_fini(&model);
}

static void each_cause_of_failures_has_its_number_place_words_and_command(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    json_decref(model.sections[SECTION_ATTENTION].value);
    model.sections[SECTION_ATTENTION].value =
        json_loads("{\"failed\": 9, \"looked_at\": 9, \"sentences\": [], \"missing\": \"\", \"causes\": ["
                   "{\"reason\": \"exited\", \"count\": 8, \"trial\": 12, \"line\": \"no file x\", \"nodes\": "
                   "[\"n1\", \"n2\", \"n3\", \"n4\", \"n5\"]},"
                   "{\"reason\": \"timeout\", \"count\": 1, \"trial\": 7, \"line\": \"\", \"nodes\": [\"n2\"]}]}",
                   0, NULL);
    frames_have(&model, 50, 100, "8 trials failed on n1, n2, n3 and 2 nodes more, exited (:logs 12): no file x");
    frames_have(&model, 50, 100, "trial 7 failed on n2, timeout (:logs 7)");
    frames_have(&model, 50, 100, ":retry --failed tries what failed again");
    json_object_set_new(model.sections[SECTION_ATTENTION].value, "failed", json_integer(100));
    frames_have(&model, 50, 100, "of the last 9 that failed 8 on n1");
    screen_model_fini(&model);
}

/* The overview of the model was read at another moment: two of four slots are busy there. */
static void the_workers_are_counted_as_their_rows_are(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    model.view.screen = SCREEN_WORKERS;
    model.sections[SECTION_WORKERS].value =
        json_loads("{\"total\": 1, \"first\": 0, \"workers\": 1, \"gone\": 0, \"slots\": 2, \"slots_here\": 2, "
                   "\"busy\": 2, \"lives\": true, \"idle\": \"the strategy has not proposed the next trial yet\", "
                   "\"rows\": [{\"row\": \"node\", \"worker\": 1, \"node\": \"vm\", \"slots\": 2, \"busy\": 2, "
                   "\"gone\": null}]}",
                   0, NULL);
    char *frame = frames_draw(&model, 24, 80, &frames_unicode);
    assert_has(frame, "2 of 2 slots busy");
    assert_has(frame, "2/2 busy");
    assert_null(strstr(frame, "idle"));
    free(frame);
    screen_model_fini(&model);
}

/* A running one is in the list of the best values, too, while there are few others. */
static void the_overview_has_each_trial_once(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    json_t *best = model_get(&model, SECTION_TOP, "best");
    json_array_append_new(best, json_pack("{s:i, s:s}", "trial", 5, "state", "running"));
    json_array_append_new(best, json_pack("{s:i, s:s}", "trial", 6, "state", "running")); /* began a moment later */
    json_array_append_new(best, json_pack("{s:i, s:s}", "trial", 4, "state", "failed"));
    static const json_int_t trials[] = {5, 3, 1, 4};
    assert_int_equal(screen_kind(SCREEN_OVERVIEW)->rows(&model), 4);
    for (size_t i = 0; i < 4; i++) {
        model.view.places[SCREEN_OVERVIEW].chosen = i;
        assert_int_equal(chosen_trial(&model), trials[i]);
    }
    json_array_clear(model_get(&model, SECTION_TOP, "running")); /* nobody runs it any more */
    assert_int_equal(screen_kind(SCREEN_OVERVIEW)->rows(&model), 5);
    screen_model_fini(&model);
}

static void old_data_is_said_to_be_old(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    model.sections[SECTION_OVERVIEW].read = model.now - 43;
    frames_have(&model, 24, 80, "silent 43s, data from ");
    snprintf(model.sections[SECTION_OVERVIEW].trouble, sizeof model.sections[SECTION_OVERVIEW].trouble,
             "the run directory is gone, removed or moved; q leaves: /home/ada/runs/digits");
    frames_have(&model, 24, 80, "the run directory is gone, removed or moved; q leaves: /home/ada/runs/digits");
    frames_have(&model, 12, 40, "the run directory is gone, removed or\nmoved; q leaves: /home/ada/runs/digits");
    screen_model_fini(&model);
}

static void ignored_trials_are_counted_and_a_pause_names_the_key_that_goes_on(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    json_t *overview = model.sections[SECTION_OVERVIEW].value;
    json_object_set_new(json_object_get(overview, "status"), "ignored", json_integer(2));
    json_object_set_new(overview, "state", json_string("paused"));
    json_object_set_new(overview, "reason", json_string("gannet run runs/digits --resume goes on"));
    frames_have(&model, 24, 80, "  2 ignored");
    frames_have(&model, 24, 80, "Paused  gannet run runs/digits --resume goes on, or U here\n");
    model.view.read_only = true;
    frames_have(&model, 24, 80, "Paused  gannet run runs/digits --resume goes on\n");
    screen_model_fini(&model);
}

static void a_note_is_read_to_its_end_in_every_window(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    view_note(&model.view, "runs/digits: running trials save their checkpoints, then it ends; gannet run runs/digits "
                           "--resume goes on");
    frames_have(&model, 24, 80, "running trials save their checkpoints, then it ends; gannet run");
    frames_have(&model, 24, 80, "\nruns/digits --resume goes on\n");
    frames_have(&model, 12, 40, "--resume goes on");
    screen_model_fini(&model);
}

/* Where there is no room for all titles the digits remain, and the title of the screen that one is on. */
static void the_screen_that_is_shown_has_its_title_in_every_window(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    frames_have(&model, 24, 80, " 1 Overview \xe2\x94\x80 2 Trials \xe2\x94\x80");
    for (model.view.screen = 0; model.view.screen < SCREENS_COUNT; model.view.screen++)
        frames_have(&model, 12, 40, screen_kind(model.view.screen)->title);
    screen_model_fini(&model);
}

static void help_and_the_way_out_are_at_the_bottom_of_every_screen_and_window(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    for (model.view.screen = 0; model.view.screen < SCREENS_COUNT; model.view.screen++) {
        frames_have(&model, 12, 40, "? help");
        frames_have(&model, 12, 40, "q quit");
        frames_have(&model, 24, 80, "? help");
        frames_have(&model, 24, 80, "q quit");
    }
    screen_model_fini(&model);
}

static void a_model_that_was_written_draws_the_same_frame(void **state)
{
    (void)state;
    struct model model = frames_model("digits"), again;
    struct err err;
    press_key(&model, "j");
    json_t *json = model_encode(&model);
    assert_int_equal(model_decode(json, &again, &err), 0);
    char *frame = frames_draw(&model, 24, 80, &frames_unicode), *other = frames_draw(&again, 24, 80, &frames_unicode);
    assert_string_equal(frame, other);
    assert_int_equal(again.view.places[SCREEN_OVERVIEW].chosen, 1);
    free(frame);
    free(other);
    json_decref(json);
    screen_model_fini(&model);
    screen_model_fini(&again);
    json_t *foreign = json_object();
    assert_int_equal(model_decode(foreign, &again, &err), -1);
    json_decref(foreign);
}

static void a_caret_behind_what_is_typed_stands_at_its_end(void **state)
{
    (void)state;
    struct model model = frames_model("digits"), again;
    struct err err;
    press_key(&model, ":");
    press_key(&model, "l");
    model.view.caret = UINT32_MAX;
    json_t *json = model_encode(&model);
    assert_int_equal(model_decode(json, &again, &err), 0);
    assert_int_equal(again.view.caret, 1);
    frames_have(&again, 24, 80, ":l");
    json_decref(json);
    screen_model_fini(&again);
    screen_model_fini(&model);
}

int main(void)
{
    const struct CMUnitTest claims[] = {
        cmocka_unit_test(every_screen_is_drawn_in_every_size_from_whatever_has_come),
        cmocka_unit_test(the_overview_says_what_one_wants_to_know),
        cmocka_unit_test(the_remaining_time_is_said_once_while_the_search_goes_on),
        cmocka_unit_test(what_a_failed_trial_said_last_has_room),
        cmocka_unit_test(each_cause_of_failures_has_its_number_place_words_and_command),
        cmocka_unit_test(the_workers_are_counted_as_their_rows_are),
        cmocka_unit_test(the_overview_has_each_trial_once),
        cmocka_unit_test(old_data_is_said_to_be_old),
        cmocka_unit_test(ignored_trials_are_counted_and_a_pause_names_the_key_that_goes_on),
        cmocka_unit_test(a_note_is_read_to_its_end_in_every_window),
        cmocka_unit_test(the_screen_that_is_shown_has_its_title_in_every_window),
        cmocka_unit_test(help_and_the_way_out_are_at_the_bottom_of_every_screen_and_window),
        cmocka_unit_test(a_model_that_was_written_draws_the_same_frame),
        cmocka_unit_test(a_caret_behind_what_is_typed_stands_at_its_end),
    };
    return cmocka_run_group_tests(claims, NULL, NULL);
}
