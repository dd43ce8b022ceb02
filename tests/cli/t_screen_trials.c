/* The screens of trials: what stands in frames of several sizes, in UTF-8 and in ASCII, and what keys do. */
#include "cli/screen/frame.h"
#include "cli/screen/press.h"
#include "tests/claims.h"
#include "common/buf.h"
#include "common/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAMS "{\"lr\": 0.01, \"opt\": \"sgd\", \"hostile\": \"\\u001b[31m<b>\\r\\n\"}"

/* Three trials in the order of their values, of 1000. */
static const char trials_text[] =
    "{\"total\": 1000, \"matching\": 900, \"first\": 0, \"metric\": \"loss\", \"goal\": \"minimize\", \"looking\": "
    "false,"
    " \"looked_at\": 1000, \"mistake\": \"\", \"all\": [\"trial\", \"state\", \"reason\", \"seconds\", \"node\", "
    "\"step\","
    " \"value\", \"param.lr\", \"param.opt\", \"param.hostile\", \"metric.acc\", \"time.data\"], \"rows\": ["
    "{\"trial\": 12, \"state\": \"completed\", \"reason\": \"completed\", \"seconds\": 65.5, \"step\": 30, \"value\":"
    " 0.0714, \"params\": " PARAMS "},"
    "{\"trial\": 131, \"state\": \"running\", \"reason\": null, \"seconds\": 242, \"step\": 12, \"value\": 0.083, "
    "\"left\":"
    " 363, \"params\": {\"lr\": 0.0022, \"opt\": \"adam\"}},"
    "{\"trial\": 97, \"state\": \"failed\", \"reason\": \"out_of_memory\", \"seconds\": 41, \"step\": null, \"value\": "
    "null,"
    " \"params\": {\"lr\": 0.09, \"opt\": \"sgd\"}}]}";

static const char trial_text[] =
    "{\"metric\": \"loss\", \"goal\": \"minimize\", \"verdict\": \"68 % of the time waited for data\", \"advice\":"
    " \"read ahead\", \"command\": \"cd /x && \\u0001gannet-trainer --run mlp\", \"directory\": "
    "\"/runs/d/trials/000097\","
    " \"files\": [{\"name\": \"stdout\", \"bytes\": 2048, \"directory\": false}, {\"name\": \"\\u001bodd\", \"bytes\": "
    "0,"
    " \"directory\": true}], \"stdout\": \"epoch 1\\nepoch 2\\n\", \"stderr\": \"\\u001b[2JTraceback\\n\", \"curve\": "
    "[[1,"
    " 0.9, 1.0], [2, 0.5, 2.0], [3, \"nan\", 3.0], [4, 0.4, 4.0]], \"best\": {\"trial\": 12, \"value\": 0.0714, "
    "\"seconds\":"
    " 65, \"params\": {\"lr\": 0.01, \"opt\": \"sgd\", \"momentum\": 0.9}, \"curve\": [[1, 0.5, 1.0], [4, 0.0714, "
    "4.0]]},"
    " \"trial\": {\"trial\": 97, \"state\": \"failed\", \"reason\": \"out_of_memory\", \"detail\": \"it took 9 GB\","
    " \"value\": null, \"step\": 4, \"node\": \"n03\", \"slot\": 2, \"seconds\": 41.5, \"params\": {\"lr\": 0.09, "
    "\"opt\":"
    " \"sgd\"}, \"metrics\": {\"loss\": 0.4, \"acc\": 0.8}, \"profile\": {\"queue\": {\"seconds\": 3}, \"data\": "
    "{\"seconds\":"
    " 30}, \"forward\": {\"seconds\": 10}}, \"decisions\": [{\"decision\": \"goes_on\", \"step\": 2, \"value\": 0.5, "
    "\"cut_off\": 2.5, "
    "\"why\":"
    " \"rung 1 (step 2): 0.5 is number 1 of 3\"}], \"runs\": [{\"attempt\": 1, \"reason\": \"lost\", \"detail\": \"\","
    " \"node\": \"n02\", \"slot\": 0, \"seconds\": 7, \"tail\": \"\", \"peak_memory\": null, \"job\": null}, "
    "{\"attempt\": 2,"
    " \"reason\": \"out_of_memory\", \"detail\": \"it took 9 GB\", \"node\": \"n03\", \"slot\": 2, \"seconds\": 41.5,"
    " \"tail\": \"MemoryError\\nat \\u001b]0;x line 3\", \"peak_memory\": 1073741824, \"job\": \"77_1\"}]}}";

struct stage {
    struct model model;
    char *frame; /* the last one */
};

static void begin(struct stage *stage, const char *screen, const char *trials)
{
    struct err err;
    char *text =
        mem_format("{\"schema\": \"gannet.screen/1\", \"now\": 1.7e9, \"name\": \"digits\", \"programs\":"
                   " \"bin/\", \"view\": {\"screen\": \"%s\", \"before\": \"trials\", \"trial\": 97}, \"sections\":"
                   " {\"overview\": {\"value\": {\"status\": {\"best_trial\": 12}}}, \"trials\": {\"value\": %s},"
                   " \"trial\": {\"value\": %s, \"wants\": {\"trial\": 97}}}}",
                   screen, trials, trial_text);
    json_error_t error;
    json_t *json = json_loads(text, 0, &error);
    if (!json)
        fail_msg("%s at %d", error.text, error.position);
    if (model_decode(json, &stage->model, &err))
        fail_msg("%s", err.text);
    json_decref(json);
    free(text);
    stage->frame = NULL;
}

static void end(struct stage *stage)
{
    free(stage->frame);
    screen_model_fini(&stage->model);
}

static const char *frame(struct stage *stage, unsigned columns, unsigned rows, bool unicode)
{
    struct look look = {.unicode = unicode};
    struct canvas canvas;
    struct buf text = {0};
    canvas_init(&canvas, rows, columns, &look);
    frame_draw(&stage->model, &canvas);
    canvas_write(&canvas, &text);
    canvas_fini(&canvas);
    free(stage->frame);
    stage->frame = buf_take(&text);
    return stage->frame;
}

static void press(struct stage *stage, const char *keys)
{
    while (*keys) {
        char key[32];
        size_t length = strcspn(keys, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, keys);
        press_key(&stage->model, key);
        keys += length + (keys[length] == ' ');
    }
}

static void lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("%s has %s", text, part);
}

/* Nothing that a terminal would obey, and in ASCII nothing else. */
static void is_harmless(const char *text, bool unicode)
{
    for (; *text; text++)
        if (((unsigned char)*text < ' ' && *text != '\n') || *text == 127 || (!unicode && (unsigned char)*text > 126))
            fail_msg("there is a character %d", (unsigned char)*text);
}

static void the_table_fits_every_size(void **state)
{
    (void)state;
    struct stage stage;
    begin(&stage, "trials", trials_text);
    for (int unicode = 0; unicode < 2; unicode++) {
        const char *text = frame(&stage, 80, 24, unicode);
        assert_has(text, "1000 trials");
        assert_has(text, unicode ? "trial↑" : "trial ^");
        assert_has(text, "loss  elapsed");
        assert_has(text, "   12  C completed    30         0.0714");
        assert_has(text, "  131  R running      12          0.083");
        assert_has(text, "   97  F failed        -  out_of_memory");
        assert_has(text, "6m03s");
        is_harmless(text, unicode);
        text = frame(&stage, 120, 40, unicode);
        assert_has(text, "hostile");
        assert_has(text, "<b>");
        is_harmless(text, unicode);
        text = frame(&stage, 40, 12, unicode);
        assert_has(text, "   12  C ");
        assert_has(text, "columns more (c)");
        lacks(text, "completed");
        is_harmless(text, unicode);
    }
    end(&stage);
}

static void keys_say_what_is_wanted(void **state)
{
    (void)state;
    struct stage stage;
    struct wants wants;
    begin(&stage, "trials", trials_text);
    frame(&stage, 80, 24, false);
    press(&stage, "/ f a i l e d Enter");
    assert_string_equal(stage.model.view.filter, "failed");
    frame_want(&stage.model.view, 24, 80, &wants);
    assert_string_equal(wants.trials.filter, "failed");
    assert_int_equal(wants.trials.first, 0);
    assert_true(wants.trials.count >= 24);
    press(&stage, "/ Backspace ^U Enter");
    assert_string_equal(stage.model.view.filter, "");
    press(&stage, "!");
    assert_string_equal(stage.model.view.filter, "failed");
    press(&stage, "! b");
    assert_string_equal(stage.model.view.filter, "");
    assert_string_equal(stage.model.view.order, "value");
    press(&stage, "O >");
    assert_true(stage.model.view.reverse);
    assert_string_equal(stage.model.view.order, "seconds");
    press(&stage, "<");
    assert_string_equal(stage.model.view.order, "value");
    press(&stage, "< < <");
    assert_string_equal(stage.model.view.order, "");
    press(&stage, "< >");
    assert_string_equal(stage.model.view.order, "");
    press(&stage, "o l r Enter");
    assert_string_equal(stage.model.view.order, "param.lr");
    press(&stage, "o n o n e Enter");
    assert_string_equal(stage.model.view.order, "param.lr");
    assert_has(stage.model.view.note, "there is no column 'none'");
    press(&stage, "c ^U a c c , s t a t e , Space t i m e . d a t a Enter");
    assert_string_equal(stage.model.view.columns, "metric.acc,state,time.data");
    press(&stage, "c ^U x Enter");
    assert_string_equal(stage.model.view.columns, "metric.acc,state,time.data");
    press(&stage, "c ^U Enter");
    assert_string_equal(stage.model.view.columns, "");
    end(&stage);
}

static void rows_that_have_not_come_are_said_to_come(void **state)
{
    (void)state;
    struct stage stage;
    struct wants wants;
    begin(&stage, "trials", trials_text);
    frame(&stage, 80, 24, false);
    press(&stage, "G");
    assert_has(frame(&stage, 80, 24, false), "\n...\n");
    frame_want(&stage.model.view, 24, 80, &wants);
    assert_true(wants.trials.first > 800 && wants.trials.first + wants.trials.count >= 900);
    assert_int_equal(chosen_trial(&stage.model), 0);
    press(&stage, "g j");
    frame(&stage, 80, 24, false);
    assert_int_equal(chosen_trial(&stage.model), 131);
    press(&stage, "/ x Enter");
    assert_has(frame(&stage, 80, 24, false), "looking ...");
    end(&stage);
}

static void a_mistake_and_progress_are_shown(void **state)
{
    (void)state;
    struct stage stage;
    begin(
        &stage, "trials",
        "{\"total\": 1000000, \"matching\": 0, \"first\": 0, \"metric\": \"loss\", \"goal\": \"minimize\", \"looking\":"
        " true, \"looked_at\": 340000, \"mistake\": \"\", \"all\": [], \"rows\": []}");
    assert_has(frame(&stage, 80, 24, false), "1000000 trials, looked at 340000 of 1000000 so far");
    end(&stage);
    begin(&stage, "trials",
          "{\"total\": 9, \"matching\": 0, \"first\": 0, \"metric\": \"loss\", \"goal\": \"minimize\", \"looking\":"
          " false, \"looked_at\": 0, \"mistake\": \"filter: character 1: there is no column 'x'\", \"all\": [],"
          " \"rows\": []}");
    assert_has(frame(&stage, 40, 12, true), "filter: character 1: there is no");
    end(&stage);
}

/* The end of the sentence says what to write instead; of what is not known yet nothing is said. */
static void a_mistake_in_a_filter_is_read_to_its_end(void **state)
{
    (void)state;
    struct stage stage;
    begin(&stage, "trials",
          "{\"total\": 9, \"matching\": 0, \"first\": 0, \"metric\": \"loss\", \"goal\": \"minimize\", \"looking\":"
          " false, \"looked_at\": 0, \"mistake\": \"filter: character 14: there is no column 'sgd'; a text stands in"
          " quotes: write 'sgd' for the text\", \"all\": [], \"rows\": []}");
    assert_has(frame(&stage, 80, 24, true), "a text stands in quotes: write\n'sgd' for the text");
    lacks(frame(&stage, 80, 24, true), "none (/");
    press(&stage, "/ x Enter");
    assert_has(frame(&stage, 80, 24, true), "looking ...");
    lacks(stage.frame, "none (/");
    lacks(stage.frame, "for the text");
    end(&stage);
}

static void a_trial_that_is_ignored_is_told_from_the_others(void **state)
{
    (void)state;
    struct stage stage;
    begin(&stage, "trials", trials_text);
    json_t *rows = model_get(&stage.model, SECTION_TRIALS, "rows");
    json_object_set_new(json_array_get(rows, 0), "ignored", json_true());
    assert_has(frame(&stage, 80, 24, true), "C ignored");
    lacks(stage.frame, "C completed");
    assert_has(frame(&stage, 40, 12, true), "C-");
    end(&stage);
}

static void columns_are_typed_in_a_row_of_their_own(void **state)
{
    (void)state;
    struct stage stage;
    begin(&stage, "trials", trials_text);
    frame(&stage, 80, 24, true);
    press(&stage, "c ^U a b c");
    assert_has(frame(&stage, 80, 24, true), "\nabc");
    end(&stage);
}

static void a_trials_page_has_all_its_parts_in_every_size(void **state)
{
    (void)state;
    static const struct {
        const char *keys, *parts[10];
    } rows[] = {
        {"g",
         {"it needed more memory than it was given: it took 9 GB", "68 % of the time waited for data",
          "its last words: at ?]0;x line 3", "R tries it again", "the best is 0.0714", "* lr", "  opt", "* momentum",
          "cd /x && bin/gannet-trainer --run mlp"}},
        {"Tab",
         {"points: the best, trial 12", "the bar: its cut-off there", "2.5 ", "Early stopping",
          "goes on  rung 1 (step 2): 0.5 is number 1 of 3"}},
        {"Tab", {"read ahead", "queue", "data", "75 %", "forward", "25 %"}},
        {"Tab", {"1  lost", "2  out_of_memory, on n03, slot 2", "job 77_1", "MemoryError"}},
        {"Tab", {"Traceback", "epoch 1", "epoch 2"}},
        {"Tab", {"/runs/d/trials/000097", "stdout", "odd/"}},
    };
    static const struct {
        unsigned columns, rows;
    } sizes[] = {{80, 24}, {120, 40}, {40, 12}};
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
        for (int unicode = 0; unicode < 2; unicode++) {
            struct stage stage;
            begin(&stage, "trial", trials_text);
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                press(&stage, rows[i].keys);
                struct buf all = {0};
                const char *text = frame(&stage, sizes[size].columns, sizes[size].rows, unicode);
                is_harmless(text, unicode);
                assert_has(text, "Trial 97  failed");
                press(&stage, "g");
                for (int page = 0; page < 9; page++) { /* a small window shows it page by page */
                    buf_text(&all, frame(&stage, sizes[size].columns, sizes[size].rows, unicode));
                    press(&stage, "PageDown");
                }
                is_harmless(buf_str(&all), unicode);
                for (const char *const *part = rows[i].parts; *part; part++)
                    if (sizes[size].columns >= 80)
                        assert_has(buf_str(&all), *part);
                buf_fini(&all);
            }
            press(&stage, "b");
            assert_int_equal(stage.model.view.trial, 12);
            end(&stage);
        }
}

static void sentences_are_broken_between_words(void **state)
{
    (void)state;
    struct stage stage;
    begin(&stage, "trial", trials_text);
    assert_has(frame(&stage, 40, 24, false), "than it was\ngiven: it took 9 GB");
    end(&stage);
}

static void output_is_seen_from_its_end_until_one_scrolls(void **state)
{
    (void)state;
    struct stage stage;
    struct buf lines = {0};
    begin(&stage, "trial", trials_text);
    for (int i = 1; i <= 100; i++)
        buf_format(&lines, "line %d.\n", i);
    json_object_set_new(stage.model.sections[SECTION_TRIAL].value, "stdout", json_string(buf_str(&lines)));
    press(&stage, "Tab Tab Tab Tab");
    assert_has(frame(&stage, 80, 24, false), "line 100.");
    buf_text(&lines, "line 101.\n");
    json_object_set_new(stage.model.sections[SECTION_TRIAL].value, "stdout", json_string(buf_str(&lines)));
    assert_has(frame(&stage, 80, 24, false), "line 101.");
    press(&stage, "k");
    frame(&stage, 80, 24, false);
    press(&stage, "PageUp");
    lacks(frame(&stage, 80, 24, false), "line 101.");
    assert_has(stage.frame, "line 80.");
    press(&stage, "g");
    assert_has(frame(&stage, 80, 24, false), "Traceback");
    buf_fini(&lines);
    end(&stage);
}

static void enter_opens_the_page_and_escape_leads_back(void **state)
{
    (void)state;
    struct stage stage;
    begin(&stage, "trials", trials_text);
    frame(&stage, 80, 24, false);
    press(&stage, "j j Enter");
    assert_int_equal(stage.model.view.screen, SCREEN_TRIAL);
    assert_int_equal(stage.model.view.trial, 97);
    press(&stage, "Esc");
    assert_int_equal(stage.model.view.screen, SCREEN_TRIALS);
    assert_int_equal(stage.model.view.places[SCREEN_TRIALS].chosen, 2);
    end(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_fits_every_size),
        cmocka_unit_test(keys_say_what_is_wanted),
        cmocka_unit_test(rows_that_have_not_come_are_said_to_come),
        cmocka_unit_test(a_mistake_and_progress_are_shown),
        cmocka_unit_test(a_mistake_in_a_filter_is_read_to_its_end),
        cmocka_unit_test(a_trial_that_is_ignored_is_told_from_the_others),
        cmocka_unit_test(columns_are_typed_in_a_row_of_their_own),
        cmocka_unit_test(a_trials_page_has_all_its_parts_in_every_size),
        cmocka_unit_test(sentences_are_broken_between_words),
        cmocka_unit_test(output_is_seen_from_its_end_until_one_scrolls),
        cmocka_unit_test(enter_opens_the_page_and_escape_leads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
