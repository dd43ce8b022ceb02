/* What is pressed and typed: moving, prompts, changes that ask first, commands. */
#include "cli/screen/key_change.h"
#include "cli/screen/press.h"
#include "cli/screen/words.h"
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- keys --- */

static void keys_choose_rows_and_go_no_further(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    struct list_place *place = &model.view.places[SCREEN_OVERVIEW];
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
    struct model model = frames_model("digits");
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
    assert_int_equal(press_key(&model, "Esc"), ACTION_NONE); /* it never quits */
    assert_int_equal(press_key(&model, "q"), ACTION_QUIT);
    screen_model_fini(&model);
}

static void every_key_of_the_table_does_no_harm_on_any_screen(void **state)
{
    (void)state;
    for (enum screen screen = 0; screen < SCREENS_COUNT; screen++)
        for (enum screen_key key = PRESS_NONE + 1; key < PRESS_COUNT; key++) {
            const char *at = key_row(key)->spellings;
            while (*at) {
                struct model model = frames_model("digits");
                char spelling[16];
                size_t length = strcspn(at, " ");
                snprintf(spelling, sizeof spelling, "%.*s", (int)length, at);
                model.view.screen = screen;
                press_key(&model, spelling);
                free(frames_draw(&model, 24, 80, &frames_unicode));
                screen_model_fini(&model);
                at += length + (at[length] == ' ');
            }
        }
}

static void the_help_has_every_key_and_is_moved_through(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    press_key(&model, "?");
    for (enum screen_key key = PRESS_NONE + 1; key < PRESS_COUNT; key++)
        if (!*key_row(key)->screens)
            frames_have(&model, 80, 160, key_row(key)->help);
    for (enum prompt_key key = PROMPT_KEY_NONE + 1; key < PROMPT_KEYS; key++)
        frames_have(&model, 80, 160, prompt_key_row(key)->help);
    frames_have(&model, 12, 40, "Up");
    for (int i = 0; i < 100; i++)
        press_key(&model, "j");
    frames_have(&model, 24, 80, "drop all to the right");
    press_key(&model, "x");
    assert_false(model.view.helps);
    screen_model_fini(&model);
}

static void what_is_typed_is_edited_and_taken_back(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    static const char *const keys[] = {":", "l", "o", "ö", "Backspace", "g", "Space", "1", "^W", "q"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_int_equal(press_key(&model, keys[i]), ACTION_NONE);
    assert_string_equal(model.view.typed, "log q");
    frames_have(&model, 24, 80, ":log q");
    assert_int_equal(press_key(&model, "Enter"), ACTION_RUN);
    press_key(&model, ":");
    assert_string_equal(model.view.typed, "");
    press_key(&model, "Esc");
    assert_int_equal(model.view.prompt, PROMPT_NONE);
    for (int i = 0; i < 2000; i++) /* more than there is room for */
        press_key(&model, i ? "ä" : ":");
    assert_int_equal(model.view.prompt, PROMPT_COMMAND);
    screen_model_fini(&model);
}

/* Presses keys that a space parts. */
static void press_keys(struct model *model, const char *keys)
{
    while (*keys) {
        char spelling[16];
        size_t length = strcspn(keys, " ");
        snprintf(spelling, sizeof spelling, "%.*s", (int)length, keys);
        press_key(model, spelling);
        keys += length + (keys[length] == ' ');
    }
}

static void types(struct model *model, const char *keys, const char *expected)
{
    press_keys(model, keys);
    assert_string_equal(model->view.typed, expected);
}

static void a_caret_moves_through_what_is_typed(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    types(&model, ": a ö c Left Left x", "axöc");
    frames_have(&model, 24, 80, ":axöc");
    types(&model, "Delete", "axc");
    types(&model, "Home - End +", "-axc+");
    types(&model, "^A Right ^K", "-");
    types(&model, "a Space b Space c Left ^W", "-a c");
    types(&model, "Left ^U", " c");
    types(&model, "Backspace Left Delete Delete Delete Delete ^T F5", "");
    press_key(&model, "Esc");
    press_key(&model, ":");
    for (int i = 0; i < 60; i++)
        press_key(&model, i < 30 ? "a" : "b");
    char *frame = frames_draw(&model, 12, 40, &frames_unicode);
    assert_null(strstr(frame, "aaaaaaaaaaaaaaa")); /* its end is seen */
    free(frame);
    press_key(&model, "Home");
    frames_have(&model, 12, 40, ":aaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbb…"); /* and its beginning */
    screen_model_fini(&model);
}

static void what_was_typed_comes_back_each_to_its_own_question(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    press_keys(&model, ": o n e Enter : t w o Enter : o n e Enter 6 / t h r e e Enter");
    types(&model, ": Up", "one");
    types(&model, "Up", "two");
    types(&model, "Up", "two"); /* there is no older one: the same is kept once */
    types(&model, "Down", "one");
    types(&model, "Down", "");
    types(&model, "Down Esc / ^U Up", "three");
    press_key(&model, "Esc");
    for (char letter = 'a'; letter <= 'z'; letter++) {
        const char spelling[] = {letter, 0};
        press_key(&model, ":");
        press_key(&model, spelling);
        press_key(&model, "Enter");
    }
    press_key(&model, ":");
    for (int i = 0; i < 26; i++)
        press_key(&model, "Up");
    assert_string_equal(model.view.typed, "k"); /* sixteen are kept */
    view_forget(&model.view);
    types(&model, ": Up", "z");
    screen_model_fini(&model);
}

static void tab_completes_commands_options_experiments_and_trials(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    types(&model, ": s t a Tab", "status ");
    types(&model, "^U e x p Tab", "exp");
    frames_have(&model, 24, 80, "explain export");
    types(&model, "l Tab", "explain ");
    types(&model, "^U s t a t u s Space - - j s Tab Tab", "status --json");
    frames_have(&model, 24, 80, "--json --jsonl");
    types(&model, "^U s h o w Space d i Tab", "show digits ");
    types(&model, "5 Tab", "show digits 5 ");
    memcpy(model.name, "my its", strlen("my its")); /* half a name is none */
    types(&model, "^U s h o w Space m Tab", "show m");
    types(&model, "^U b e s t Space - - a s Tab y Tab", "best --as yaml ");
    types(&model, "^U c o m p l e t i o n Space z Tab", "completion zsh ");
    types(&model, "^U n o n s e n s e Space x Tab", "nonsense x");
    frames_have(&model, 24, 80, "nothing begins like that");
    types(&model, "^U f r a Tab", "fra"); /* what is hidden is not offered */
    model.view.read_only = true;
    types(&model, "^U c a n Tab", "can");
    screen_model_fini(&model);
}

static void what_there_is_to_complete_has_its_row_alone(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    press_key(&model, ":");
    view_note(&model.view, "öööööööööööööööööööööööööööööööööööööööö");
    for (unsigned rows = 8; rows < 30; rows++) {
        char *frame = frames_draw(&model, rows, 80, &frames_unicode);
        assert_has(frame, "öööööööööööööööööööööööööööööööööööööööö\n:");
        free(frame);
    }
    screen_model_fini(&model);
}

static void tab_completes_columns_and_states_in_a_filter(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    model.sections[SECTION_TRIALS].value =
        json_loads("{\"all\": [\"state\", \"param.lr\", \"param.layers\", \"metric.loss\", \"param.a b\"]}", 0, NULL);
    types(&model, "2 / f a Tab", "failed ");
    types(&model, "a n Tab p a r Tab", "failed and param.l");
    types(&model, "r Tab < 0 . 1", "failed and param.lr <0.1");
    types(&model, "^U ( l o Tab", "(loss ");
    press_key(&model, "Esc");
    types(&model, "o l e Tab", "left ");
    types(&model, "^U l Tab", "l");
    frames_have(&model, 24, 80, "lr layers loss left");
    types(&model, "^U l a Tab Enter", "layers");
    assert_string_equal(model.view.order, "param.layers");
    types(&model, "6 / l Tab", "l"); /* of a text that is searched for nothing is known */
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
    struct model model = frames_model("digits");
    assert_int_equal(press_key(&model, "S"), ACTION_NONE);
    frames_have(&model, 24, 80, "Stop the search digits? What runs may finish first. y/N");
    assert_int_equal(press_key(&model, "Enter"), ACTION_NONE);
    frames_have(&model, 24, 80, "nothing was changed");
    press_key(&model, "S");
    assert_int_equal(press_key(&model, "y"), ACTION_CHANGE);
    char *words = joined(key_change_words(&model));
    assert_string_equal(words, "gannet stop /runs/x");
    free(words);
    press_key(&model, "K");
    press_key(&model, "j"); /* no answer, and no other trial */
    press_key(&model, "K");
    frames_have(&model, 24, 80, "Cancel trial 5 of digits?");
    press_key(&model, "y");
    words = joined(key_change_words(&model));
    assert_string_equal(words, "gannet cancel /runs/x 5");
    free(words);
    screen_model_fini(&model);
}

static void what_is_copied_finds_the_experiment_again(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    press_key(&model, "y");
    frames_have(&model, 24, 80, "gannet show digits 5");
    model.handle = mem_text("/runs/we ird");
    press_key(&model, "y");
    frames_have(&model, 24, 80, "gannet show '/runs/we ird' 5");
    press_key(&model, "6");
    press_key(&model, "y");
    frames_have(&model, 24, 80, "gannet logs '/runs/we ird' --events --follow");
    screen_model_fini(&model);
}

static void paste(struct model *model, const char *const *spellings)
{
    for (; *spellings; spellings++)
        press_pasted(model, *spellings);
}

static void what_is_pasted_is_text_and_no_key(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    paste(&model, (const char *const[]){"2", "S", "y", "q", NULL});
    frames_have(&model, 24, 80, "what is pasted is no key");
    assert_int_equal(model.view.screen, SCREEN_OVERVIEW);
    assert_int_equal(model.view.prompt, PROMPT_NONE);
    press_key(&model, "S");
    paste(&model, (const char *const[]){"y", NULL});
    assert_int_equal(model.view.prompt, PROMPT_CHANGE); /* it still asks */
    press_key(&model, "n");
    press_key(&model, ":");
    paste(&model, (const char *const[]){"b", "Enter", "Tab", "Up", "^U", "y", "ä", NULL});
    assert_string_equal(model.view.typed, "b  yä");
    screen_model_fini(&model);
}

static void what_cannot_be_changed_has_its_reason(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    press_key(&model, "U");
    frames_have(&model, 24, 80, "it runs already");
    model.view.read_only = true;
    press_key(&model, "S");
    frames_have(&model, 24, 80, "it was opened to look only");
    assert_int_equal(model.view.prompt, PROMPT_NONE);
    press_key(&model, "?");
    char *frame = frames_draw(&model, 80, 160, &frames_unicode);
    assert_null(strstr(frame, "cancel the search"));
    free(frame);
    screen_model_fini(&model);
    model = frames_model("digits");
    json_object_set_new(model_get(&model, SECTION_OVERVIEW, "status"), "lives", json_false());
    press_key(&model, "P");
    frames_have(&model, 24, 80, "it does not run");
    screen_model_fini(&model);
}

static void a_trial_is_not_asked_for_what_its_state_does_not_allow(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    view_open_trial(&model.view, 3);
    json_decref(model.sections[SECTION_TRIAL].value);
    model.sections[SECTION_TRIAL].value = json_loads("{\"trial\": {\"trial\": 3, \"state\": \"completed\"}}", 0, NULL);
    press_key(&model, "K");
    frames_have(&model, 24, 80, "trial 3 has ended");
    press_key(&model, "R");
    frames_have(&model, 24, 80, "trial 3 has not failed");
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
        assert_true(key_change_only_looks(looking[i]));
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
        assert_false(key_change_only_looks(changing[i]));
}

/* A page holds fewer of the lines that take several rows; none is passed over, and the last one is seen whole. */
static void output_is_read_to_the_end_of_its_lines(void **state)
{
    (void)state;
    struct model model = frames_model("digits");
    struct list_place *place = &model.view.places[SCREEN_OUTPUT];
    model.view.screen = SCREEN_OUTPUT;
    model.output.command = mem_text("explain 25");
    buf_text(&model.output.text, "trial 25 failed after 5.1s: it ran longer than limits.trial_time allows, and the end "
                                 "of this line matters\nthe second\n");
    frames_have(&model, 24, 80, "\nend of this line matters\nthe second\n");
    frames_have(&model, 12, 40, "line matters\nthe second\n");
    for (int i = 0; i < 20; i++)
        buf_format(&model.output.text, "line %d has more words than there is room for in a window of forty columns\n",
                   i);
    for (uint64_t seen = 0; place->chosen + 1 < screen_kind(SCREEN_OUTPUT)->rows(&model);) {
        free(frames_draw(&model, 12, 40, &frames_unicode));
        assert_true(place->first <= seen);
        seen = place->first + place->shown;
        press_key(&model, "PageDown");
    }
    frames_have(&model, 12, 40, "line 19 has more words than there is\nroom for in a window of forty columns\n");
    screen_model_fini(&model);
}

static void output_is_searched_from_the_chosen_line_on_and_from_its_beginning(void **state)
{
    (void)state;
    struct model model = frames_model("x");
    struct list_place *place = &model.view.places[SCREEN_OUTPUT];
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
    struct model model = frames_model("x");
    model.view.several = true;
    press_key(&model, "Esc");
    assert_int_equal(model.view.screen, SCREEN_EXPERIMENTS);
    frames_have(&model, 24, 80, "4/10");
    frames_have(&model, 24, 80, "10s");
    press_key(&model, "X");
    assert_int_equal(model.view.prompt, PROMPT_NONE);
    frames_have(&model, 24, 80, "Enter opens the chosen one");
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
        cmocka_unit_test(keys_choose_rows_and_go_no_further),
        cmocka_unit_test(digits_and_tab_go_from_screen_to_screen_and_escape_comes_back),
        cmocka_unit_test(every_key_of_the_table_does_no_harm_on_any_screen),
        cmocka_unit_test(the_help_has_every_key_and_is_moved_through),
        cmocka_unit_test(what_is_typed_is_edited_and_taken_back),
        cmocka_unit_test(a_caret_moves_through_what_is_typed),
        cmocka_unit_test(what_was_typed_comes_back_each_to_its_own_question),
        cmocka_unit_test(tab_completes_commands_options_experiments_and_trials),
        cmocka_unit_test(what_there_is_to_complete_has_its_row_alone),
        cmocka_unit_test(tab_completes_columns_and_states_in_a_filter),
        cmocka_unit_test(a_capital_letter_asks_and_only_yes_is_yes),
        cmocka_unit_test(what_is_copied_finds_the_experiment_again),
        cmocka_unit_test(what_is_pasted_is_text_and_no_key),
        cmocka_unit_test(what_cannot_be_changed_has_its_reason),
        cmocka_unit_test(a_trial_is_not_asked_for_what_its_state_does_not_allow),
        cmocka_unit_test(what_is_opened_to_look_only_runs_no_command_that_changes),
        cmocka_unit_test(output_is_read_to_the_end_of_its_lines),
        cmocka_unit_test(output_is_searched_from_the_chosen_line_on_and_from_its_beginning),
        cmocka_unit_test(of_several_experiments_one_is_opened_and_none_is_changed_unseen),
        cmocka_unit_test(the_experiment_is_put_in_where_none_is_named),
    };
    return cmocka_run_group_tests(claims, NULL, NULL);
}
