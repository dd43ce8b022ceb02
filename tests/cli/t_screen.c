/* The frame around the screens, its keys, the overview and the log: drawn from models that are made up. */
#include "cli/screen/deed.h"
#include "cli/screen/frame.h"
#include "cli/screen/press.h"
#include "cli/screen/words.h"
#include "common/mem.h"
#include "tests/claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct look ascii = {0}, unicode = {.unicode = true};
static const struct {
    unsigned rows, columns;
} sizes[] = {{24, 80}, {40, 120}, {50, 200}, {12, 40}, {3, 10}, {1, 1}};

#define HOSTILE "a\\u001b[31mb\\u202e<script>"

/* A model of a search on its way; hostile words stand wherever a person's or a program's do. */
static struct model made_up(const char *name)
{
    struct model model = {.now = 1000, .name = mem_text(name), .directory = mem_text("/runs/x")};
    char text[4096];
    snprintf(
        text, sizeof text,
        "{\"overview\": {\"status\": {\"lives\": true, \"metric\": \"%s\", \"trials\": {\"running\": 2, \"failed\": "
        "1, \"completed\": 3}, \"max_trials\": 10, \"slots\": 4, \"busy\": 2, \"rate\": 0.5, \"left\": 60, "
        "\"best\": 0.25, \"best_trial\": 3, \"held\": 90, \"aside\": [{\"node\": \"n7\", \"why\": \"%s\"}]}, "
        "\"state\": \"running\", \"explanation\": \"%s\", \"reason\": \"\", \"jobs\": [\"job state\", \"88 %s\"], "
        "\"best\": {\"trial\": 3, \"params\": {\"%s\": 1}}, \"goal\": \"minimize\"}, "
        "\"top\": {\"best\": [{\"trial\": 3, \"state\": \"completed\", \"value\": 0.25, \"params\": {\"%s\": 1}}, "
        "{\"trial\": 1, \"state\": \"completed\", \"value\": 0.5}], \"running\": [{\"trial\": 5, \"state\": "
        "\"running\", \"step\": 2}], \"names\": [\"%s\"]}, "
        "\"attention\": {\"sentences\": [\"%s\"], \"failures\": [{\"trial\": 4, \"reason\": \"crashed\", \"node\": "
        "\"n1\", \"line\": \"out of %s\"}], \"missing\": \"\"}, "
        "\"history\": {\"improvements\": [[1, 10, 0.5, 1], [3, 20, 0.25, 3]], \"ended\": 4}, "
        "\"log\": {\"events\": [{\"id\": 1, \"time\": \"1970-01-01T00:10:00Z\", \"kind\": \"failed\", \"trial\": "
        "4, \"text\": \"%s\"}, {\"id\": 2, \"kind\": \"worker_gone\", \"node\": \"n1\", \"text\": \"gone\"}]}, "
        "\"experiments\": {\"experiments\": [{\"name\": \"%s\", \"directory\": \"/runs/x\", \"state\": \"running\", "
        "\"lives\": true, \"ended\": 4, \"total\": 10, \"failed\": 1, \"best\": 0.25, \"metric\": \"%s\", "
        "\"changed\": 990}, {\"name\": \"y\", \"directory\": \"/runs/y\", \"trouble\": \"%s\"}], \"remembered\": 2}}",
        HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE,
        HOSTILE);
    json_t *sections = json_loads(text, 0, NULL);
    assert_non_null(sections);
    for (enum section i = 0; i < SECTIONS_COUNT; i++) {
        json_t *value = json_object_get(sections, section_name(i));
        model.sections[i] = (struct section_value){.value = json_incref(value), .read = value ? 999 : 0};
    }
    json_decref(sections);
    return model;
}

static char *drawn(struct model *model, unsigned rows, unsigned columns, const struct look *look)
{
    struct canvas canvas;
    struct buf out = {0};
    canvas_init(&canvas, rows, columns, look);
    frame_draw(model, &canvas);
    canvas_write(&canvas, &out);
    canvas_fini(&canvas);
    return buf_take(&out);
}

static void has(struct model *model, unsigned rows, unsigned columns, const char *text)
{
    char *frame = drawn(model, rows, columns, &unicode);
    if (!strstr(frame, text))
        print_error("no '%s' in:\n%s", text, frame);
    assert_non_null(strstr(frame, text));
    free(frame);
}

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
                    struct model model = full ? made_up("größe\033[2J") : (struct model){.name = mem_text("empty")};
                    struct wants wants;
                    model.view.screen = screen;
                    frame_want(&model.view, sizes[i].rows, sizes[i].columns, &wants);
                    char *frame = drawn(&model, sizes[i].rows, sizes[i].columns, plain ? &ascii : &unicode);
                    is_frame(frame, sizes[i].rows, sizes[i].columns, plain);
                    free(frame);
                    screen_model_fini(&model);
                }
}

static void the_overview_says_what_one_wants_to_know(void **state)
{
    (void)state;
    struct model model = made_up("digits");
    static const char *const words[] = {"digits",     "running",         "4/10",
                                        "2 run",      "1 failed",        "0.25  trial 3",
                                        "minimize",   "2 of 4 busy",     "about 1m00s left",
                                        "88 ",        "n7 is set aside", "trial 4 failed on n1 (crashed): out of",
                                        "best so far"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        has(&model, 24, 80, words[i]);
        has(&model, 50, 200, words[i]);
    }
    has(&model, 12, 40, "4/10");
    has(&model, 12, 40, "0.25");
    screen_model_fini(&model);
}

static void the_remaining_time_is_said_once_while_the_search_goes_on(void **state)
{
    (void)state;
    struct model model = made_up("digits");
    char *frame = drawn(&model, 24, 80, &unicode);
    const char *said = strstr(frame, " left");
    assert_non_null(said);
    assert_null(strstr(said + 1, " left"));
    free(frame);
    json_object_set_new(model.sections[SECTION_OVERVIEW].value, "state", json_string("draining"));
    frame = drawn(&model, 24, 80, &unicode);
    assert_null(strstr(frame, " left"));
    free(frame);
    screen_model_fini(&model);
}

static void what_a_failed_trial_said_last_has_room(void **state)
{
    (void)state;
    struct model model = made_up("digits");
    json_t *failure = json_array_get(model_get(&model, SECTION_ATTENTION, "failures"), 0);
    json_object_del(model_get(&model, SECTION_OVERVIEW, "status"), "aside");
    json_object_set_new(
        failure, "line",
        json_string("ModuleNotFoundError: of all that it looked for there is no module named lightning"));
    has(&model, 24, 80, "named lightning");
    has(&model, 30, 120, "lightning");
    screen_model_fini(&model);
}

/* The overview of the model was read at another moment: two of four slots are busy there. */
static void the_workers_are_counted_as_their_rows_are(void **state)
{
    (void)state;
    struct model model = made_up("digits");
    model.view.screen = SCREEN_WORKERS;
    model.sections[SECTION_WORKERS].value =
        json_loads("{\"total\": 1, \"first\": 0, \"workers\": 1, \"gone\": 0, \"slots\": 2, \"slots_here\": 2, "
                   "\"busy\": 2, \"lives\": true, \"idle\": \"the strategy has not proposed the next trial yet\", "
                   "\"rows\": [{\"row\": \"node\", \"worker\": 1, \"node\": \"vm\", \"slots\": 2, \"busy\": 2, "
                   "\"gone\": null}]}",
                   0, NULL);
    char *frame = drawn(&model, 24, 80, &unicode);
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
    struct model model = made_up("digits");
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
    struct model model = made_up("digits");
    model.sections[SECTION_OVERVIEW].read = model.now - 43;
    has(&model, 24, 80, "silent 43s, data from ");
    screen_model_fini(&model);
}

static void a_model_that_was_written_draws_the_same_frame(void **state)
{
    (void)state;
    struct model model = made_up("digits"), again;
    struct err err;
    press_key(&model, "j");
    json_t *json = model_encode(&model);
    assert_int_equal(model_decode(json, &again, &err), 0);
    char *frame = drawn(&model, 24, 80, &unicode), *other = drawn(&again, 24, 80, &unicode);
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

/* --- keys --- */

static void keys_choose_rows_and_go_no_further(void **state)
{
    (void)state;
    struct model model = made_up("digits");
    struct place *place = &model.view.places[SCREEN_OVERVIEW];
    press_key(&model, "k");
    assert_int_equal(place->chosen, 0);
    press_key(&model, "Down");
    assert_int_equal(place->chosen, 1);
    press_key(&model, "G");
    assert_int_equal(place->chosen, 2);
    press_key(&model, "j");
    assert_int_equal(place->chosen, 2);
    press_key(&model, "PageUp");
    press_key(&model, "g");
    assert_int_equal(place->chosen, 0);
    assert_int_equal(chosen_trial(&model), 5);
    screen_model_fini(&model);
}

static void digits_and_tab_go_from_screen_to_screen_and_escape_comes_back(void **state)
{
    (void)state;
    struct model model = made_up("digits");
    press_key(&model, "Tab");
    assert_int_not_equal(model.view.screen, SCREEN_OVERVIEW);
    press_key(&model, "1");
    assert_int_equal(model.view.screen, SCREEN_OVERVIEW);
    press_key(&model, "9");
    press_key(&model, "1");
    for (int i = 0; i < SCREENS_COUNT; i++)
        press_key(&model, "Tab");
    assert_false(screen_kind(model.view.screen)->page);
    view_open(&model.view, SCREEN_OUTPUT);
    press_key(&model, "Esc");
    assert_false(screen_kind(model.view.screen)->page);
    assert_int_equal(press_key(&model, "Esc"), DEED_NONE); /* it never quits */
    assert_int_equal(press_key(&model, "q"), DEED_QUIT);
    screen_model_fini(&model);
}

static void every_key_of_the_table_does_no_harm_on_any_screen(void **state)
{
    (void)state;
    for (enum screen screen = 0; screen < SCREENS_COUNT; screen++)
        for (enum key key = PRESS_NONE + 1; key < PRESS_COUNT; key++) {
            const char *at = key_row(key)->spellings;
            while (*at) {
                struct model model = made_up("digits");
                char spelling[16];
                size_t length = strcspn(at, " ");
                snprintf(spelling, sizeof spelling, "%.*s", (int)length, at);
                model.view.screen = screen;
                press_key(&model, spelling);
                free(drawn(&model, 24, 80, &unicode));
                screen_model_fini(&model);
                at += length + (at[length] == ' ');
            }
        }
}

static void the_help_has_every_key_and_is_moved_through(void **state)
{
    (void)state;
    struct model model = made_up("digits");
    press_key(&model, "?");
    for (enum key key = PRESS_NONE + 1; key < PRESS_COUNT; key++)
        if (!*key_row(key)->screens)
            has(&model, 80, 160, key_row(key)->help);
    has(&model, 12, 40, "Up");
    for (int i = 0; i < 100; i++)
        press_key(&model, "j");
    has(&model, 24, 80, "add a worker");
    press_key(&model, "x");
    assert_false(model.view.helps);
    screen_model_fini(&model);
}

static void what_is_typed_is_edited_and_taken_back(void **state)
{
    (void)state;
    struct model model = made_up("digits");
    static const char *const keys[] = {":", "l", "o", "ö", "Backspace", "g", "Space", "1", "^W", "q"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_int_equal(press_key(&model, keys[i]), DEED_NONE);
    assert_string_equal(model.view.typed, "log q");
    has(&model, 24, 80, ":log q");
    assert_int_equal(press_key(&model, "Enter"), DEED_RUN);
    press_key(&model, ":");
    assert_string_equal(model.view.typed, "");
    press_key(&model, "Esc");
    assert_int_equal(model.view.prompt, PROMPT_NONE);
    for (int i = 0; i < 2000; i++) /* more than there is room for */
        press_key(&model, i ? "ä" : ":");
    assert_int_equal(model.view.prompt, PROMPT_COMMAND);
    screen_model_fini(&model);
}

/* --- changes --- */

static char *joined(char **words)
{
    struct buf out = {0};
    for (size_t i = 0; words && words[i]; i++)
        buf_format(&out, "%s%s", i ? " " : "", words[i]);
    words_free(words);
    return buf_take(&out);
}

static void a_capital_letter_asks_and_only_yes_is_yes(void **state)
{
    (void)state;
    struct model model = made_up("digits");
    assert_int_equal(press_key(&model, "S"), DEED_NONE);
    has(&model, 24, 80, "Stop the search digits? What runs may finish first. y/N");
    assert_int_equal(press_key(&model, "Enter"), DEED_NONE);
    has(&model, 24, 80, "nothing was changed");
    press_key(&model, "S");
    assert_int_equal(press_key(&model, "y"), DEED_CHANGE);
    char *words = joined(deed_words(&model));
    assert_string_equal(words, "gannet stop /runs/x");
    free(words);
    press_key(&model, "K");
    press_key(&model, "j"); /* no answer, and no other trial */
    press_key(&model, "K");
    has(&model, 24, 80, "Cancel trial 5 of digits?");
    press_key(&model, "y");
    words = joined(deed_words(&model));
    assert_string_equal(words, "gannet cancel /runs/x 5");
    free(words);
    screen_model_fini(&model);
}

static void what_cannot_be_changed_has_its_reason(void **state)
{
    (void)state;
    struct model model = made_up("digits");
    press_key(&model, "U");
    has(&model, 24, 80, "it runs already");
    model.view.read_only = true;
    press_key(&model, "S");
    has(&model, 24, 80, "it was opened to look only");
    assert_int_equal(model.view.prompt, PROMPT_NONE);
    press_key(&model, "?");
    char *frame = drawn(&model, 80, 160, &unicode);
    assert_null(strstr(frame, "cancel the search"));
    free(frame);
    screen_model_fini(&model);
    model = made_up("digits");
    json_object_set_new(model_get(&model, SECTION_OVERVIEW, "status"), "lives", json_false());
    press_key(&model, "P");
    has(&model, 24, 80, "it does not run");
    screen_model_fini(&model);
}

static void a_trial_is_not_asked_for_what_its_state_does_not_allow(void **state)
{
    (void)state;
    struct model model = made_up("digits");
    view_open_trial(&model.view, 3);
    json_decref(model.sections[SECTION_TRIAL].value);
    model.sections[SECTION_TRIAL].value = json_loads("{\"trial\": {\"trial\": 3, \"state\": \"completed\"}}", 0, NULL);
    press_key(&model, "K");
    has(&model, 24, 80, "trial 3 has ended");
    press_key(&model, "R");
    has(&model, 24, 80, "trial 3 has not failed");
    assert_int_equal(model.view.prompt, PROMPT_NONE);
    press_key(&model, "I");
    assert_int_equal(model.view.prompt, PROMPT_CHANGE);
    screen_model_fini(&model);
}

/* --- commands --- */

static void what_is_opened_to_look_only_runs_no_command_that_changes(void **state)
{
    (void)state;
    static const char *const looking[] = {"status", "logs", "best", "report", "doctor"}, *const changing[] = {
                                                                                             "stop",        "cancel",
                                                                                             "retry",       "run",
                                                                                             "coordinator", "nonsense",
                                                                                             NULL};
    for (size_t i = 0; i < sizeof looking / sizeof *looking; i++)
        assert_true(deed_looks(looking[i]));
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
        assert_false(deed_looks(changing[i]));
}

static void output_is_searched_from_the_chosen_line_on_and_from_its_beginning(void **state)
{
    (void)state;
    struct model model = made_up("x");
    struct place *place = &model.view.places[SCREEN_OUTPUT];
    model.view.screen = SCREEN_OUTPUT;
    model.output.command = mem_text("logs 1");
    buf_text(&model.output.text, "none\nneedle\nnone\nneedle\nnone\n");
    static const uint64_t found[] = {1, 3, 1};
    screen_kind(SCREEN_OUTPUT)->answer(&model, PROMPT_SEARCH, "Needle");
    assert_int_equal(place->chosen, found[0]);
    for (size_t i = 1; i < sizeof found / sizeof *found; i++) {
        screen_kind(SCREEN_OUTPUT)->answer(&model, PROMPT_SEARCH, "needle");
        assert_int_equal(place->chosen, found[i]);
    }
    screen_kind(SCREEN_OUTPUT)->answer(&model, PROMPT_SEARCH, "hay");
    assert_int_equal(place->chosen, 1);
    screen_model_fini(&model);
}

static void of_several_experiments_one_is_opened_and_none_is_changed_unseen(void **state)
{
    (void)state;
    struct model model = made_up("x");
    model.view.several = true;
    press_key(&model, "Esc");
    assert_int_equal(model.view.screen, SCREEN_EXPERIMENTS);
    has(&model, 24, 80, "4/10");
    has(&model, 24, 80, "10s");
    press_key(&model, "X");
    assert_int_equal(model.view.prompt, PROMPT_NONE);
    has(&model, 24, 80, "Enter opens the chosen one");
    press_key(&model, "/");
    press_key(&model, "y");
    press_key(&model, "Enter");
    assert_int_equal(model.view.places[SCREEN_EXPERIMENTS].chosen, 1);
    press_key(&model, "Enter");
    assert_string_equal(model.view.experiment, "/runs/y");
    view_forget(&model.view);
    assert_int_equal(model.view.screen, SCREEN_OVERVIEW);
    assert_true(model.view.several && !*model.view.experiment);
    screen_model_fini(&model);
}

static void becomes(const char *line, const char *expected)
{
    struct err err;
    char *words = joined(words_of(line, "/runs/x", &err));
    assert_string_equal(words, expected);
    free(words);
}

static void the_experiment_is_put_in_where_none_is_named(void **state)
{
    (void)state;
    struct err err;
    becomes("status", "gannet status /runs/x");
    becomes("gannet  status --json ", "gannet status /runs/x --json");
    becomes("logs 12 --events", "gannet logs /runs/x 12 --events");
    becomes("show best", "gannet show /runs/x best");
    becomes("logs other/12", "gannet logs other/12");
    becomes("add lr=0.1 loss=2", "gannet add /runs/x lr=0.1 loss=2");
    becomes("version", "gannet version");
    becomes("nonsense 'a b' \"c d\" e\\ f", "gannet nonsense a b c d e f");
    assert_null(words_of("show 'x", "/runs/x", &err));
    assert_non_null(strstr(err.text, "quote"));
    assert_null(words_of("  ", "/runs/x", &err));
}

int main(void)
{
    const struct CMUnitTest claims[] = {
        cmocka_unit_test(every_screen_is_drawn_in_every_size_from_whatever_has_come),
        cmocka_unit_test(the_overview_says_what_one_wants_to_know),
        cmocka_unit_test(the_remaining_time_is_said_once_while_the_search_goes_on),
        cmocka_unit_test(what_a_failed_trial_said_last_has_room),
        cmocka_unit_test(the_workers_are_counted_as_their_rows_are),
        cmocka_unit_test(the_overview_has_each_trial_once),
        cmocka_unit_test(old_data_is_said_to_be_old),
        cmocka_unit_test(a_model_that_was_written_draws_the_same_frame),
        cmocka_unit_test(keys_choose_rows_and_go_no_further),
        cmocka_unit_test(digits_and_tab_go_from_screen_to_screen_and_escape_comes_back),
        cmocka_unit_test(every_key_of_the_table_does_no_harm_on_any_screen),
        cmocka_unit_test(the_help_has_every_key_and_is_moved_through),
        cmocka_unit_test(what_is_typed_is_edited_and_taken_back),
        cmocka_unit_test(a_capital_letter_asks_and_only_yes_is_yes),
        cmocka_unit_test(what_cannot_be_changed_has_its_reason),
        cmocka_unit_test(a_trial_is_not_asked_for_what_its_state_does_not_allow),
        cmocka_unit_test(what_is_opened_to_look_only_runs_no_command_that_changes),
        cmocka_unit_test(output_is_searched_from_the_chosen_line_on_and_from_its_beginning),
        cmocka_unit_test(of_several_experiments_one_is_opened_and_none_is_changed_unseen),
        cmocka_unit_test(the_experiment_is_put_in_where_none_is_named),
    };
    return cmocka_run_group_tests(claims, NULL, NULL);
}
