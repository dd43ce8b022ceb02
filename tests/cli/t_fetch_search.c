/* The section search and its screen: of the rungs of early stopping all who came there are accounted for, and what
 * matters is what the command says. */
#include "cli/data/importance.h"
#include "cli/fetch/sections.h"
#include "cli/screen/frame.h"
#include "cli/screen/model.h"
#include "common/clock.h"
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/stores.h"
#include "tests/test_metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char spec[] = "version: 1\nname: rungs\nseed: 3\n"
                           "trial: {command: [\"true\"]}\n"
                           "metric: {name: loss, goal: minimize}\n"
                           "parameters:\n  lr: {min: 0.001, max: 1.0, log: true}\n  layers: {min: 1, max: 4}\n"
                           "  width: {min: 1.0, max: 2.0, when: {layers: 2}}\n"
                           "strategy: {name: tpe}\n"
                           "early_stop: {name: asha, min_steps: 1, max_steps: 27, brackets: 2}\n"
                           "limits: {max_trials: 1000}\n";

static struct store *make_store(void **state)
{
    struct store_experiment experiment = {.name = "rungs",
                                          .spec = spec,
                                          .seed = 3,
                                          .metrics = metrics_min,
                                          .strategy = "tpe",
                                          .parameters = "[{\"name\": \"lr\", \"kind\": \"real\"},"
                                                        " {\"name\": \"layers\", \"kind\": \"int\"},"
                                                        " {\"name\": \"width\", \"kind\": \"real\"}]"};
    struct err err = {""};
    struct store *store = store_make(path_in(state, "rungs.db"), &experiment, &err);
    fine(!store, &err);
    return store;
}

static void put(struct store *store, const struct event *events, size_t count)
{
    struct err err = {""};
    fine(store_write(store, events, count, &err), &err);
}

static struct source *open_source(void **state)
{
    struct rundir dir = {0};
    struct source *source = NULL;
    struct err err = {""};
    rundir_name(path_in(state, ""), &dir);
    free(dir.store);
    dir.store = mem_text(path_in(state, "rungs.db"));
    assert_int_equal(source_open_dir(&dir, &source, &err), 0);
    rundir_fini(&dir);
    return source;
}

static json_t *read_search(struct source *source)
{
    struct section_memory memory = {0};
    struct wants wants = {0};
    struct section_reading reading = {.source = source, .wants = &wants, .memory = &memory};
    struct err err = {""};
    json_t *value = section_search(&reading, &err);
    fine(!value, &err);
    memory.free(memory.data);
    return value;
}

/* A part of the screen in one size; in ASCII. */
static char *draw_part(const json_t *value, unsigned tab, unsigned rows, unsigned columns)
{
    struct model model = {.now = 2020, .name = mem_text("rungs"), .view = {.screen = SCREEN_SEARCH, .tab = tab}};
    struct look look = {0};
    struct canvas canvas;
    struct buf out = {0};
    model.sections[SECTION_SEARCH] = (struct section_value){.value = json_deep_copy(value), .read = 2020};
    canvas_init(&canvas, rows, columns, &look);
    frame_draw(&model, &canvas);
    canvas_write(&canvas, &out);
    canvas_fini(&canvas);
    screen_model_fini(&model);
    return buf_take(&out);
}

/* Trial `trial` comes to the rung of a bracket at step 1, waits there, and is taken up again (1), ended (2) or not. */
static void wait_at_rung(struct store *store, uint64_t trial, uint32_t bracket, double cut_off, int then)
{
    double loss = 1 / (double)trial;
    const struct event events[] = {
        {.kind = EVENT_PROPOSED, .trial = trial, .proposed = {.params = "{\"lr\": 0.5, \"layers\": 3}"}},
        {.kind = EVENT_DECIDED,
         .trial = trial,
         .decided = {.step = 1,
                     .decision = EARLY_STOP_PAUSE,
                     .values = &loss,
                     .values_count = 1,
                     .cut_off = cut_off,
                     .bracket = bracket,
                     .detail = "it waits"}}};
    put(store, events, 2);
    struct event resumed = {
        .kind = EVENT_RESUMED, .trial = trial, .resumed = {.held_back = true, .cut_off = cut_off / 2, .detail = "up"}};
    struct event ended = {.kind = EVENT_TRIAL_ENDED,
                          .trial = trial,
                          .end = {.ending = ENDING_STOPPED_EARLY, .told = trial, .watched = true}};
    if (then)
        put(store, then == 1 ? &resumed : &ended, 1);
}

static json_int_t count_of(const json_t *rung, const char *member)
{
    return json_integer_value(json_object_get(rung, member));
}

static void all_who_came_to_a_rung_passed_were_stopped_or_wait(void **state)
{
    static const int then[] = {0, 1, 2, 0, 0, 2, 0};
    struct store *store = make_store(state);
    for (uint64_t trial = 1; trial <= 7; trial++)
        wait_at_rung(store, trial, trial < 3 ? 2 : 1, trial < 7 ? 0.125 : NAN, then[trial - 1]);
    double loss = 0.25;
    const struct event complete = {.kind = EVENT_DECIDED,
                                   .trial = 7,
                                   .decided = {.step = 27,
                                               .decision = EARLY_STOP_STOP,
                                               .values = &loss,
                                               .values_count = 1,
                                               .cut_off = NAN,
                                               .detail = "it has done all"}};
    put(store, &complete, 1);
    struct source *source = open_source(state);
    json_t *value = read_search(source), *rungs = json_object_get(value, "rungs"), *first = json_array_get(rungs, 0),
           *second = json_array_get(rungs, 1);
    assert_int_equal(json_array_size(rungs), 2);
    assert_int_equal(count_of(first, "bracket"), 1);
    assert_int_equal(count_of(first, "reached"), 5);
    assert_int_equal(count_of(first, "passed"), 0);
    assert_int_equal(count_of(first, "stopped"), 2);
    assert_int_equal(count_of(first, "waiting"), 3);
    char *who = json_dumps(json_object_get(first, "who"), JSON_COMPACT);
    assert_string_equal(who, "[4,5,7]");
    assert_true(json_is_null(json_object_get(first, "cut_off"))); /* as of the last look, without any */
    assert_int_equal(count_of(second, "bracket"), 2);
    assert_int_equal(count_of(second, "passed"), 1);
    assert_int_equal(count_of(second, "waiting"), 1);
    assert_true(json_real_value(json_object_get(second, "cut_off")) == 0.0625); /* as of the resumption */
    free(who);
    char *wide = draw_part(value, 3, 24, 80), *narrow = draw_part(value, 3, 12, 40);
    assert_has(wide, "bracket:step reached  passed stopped waiting    cut-off  best there");
    assert_has(wide, "1:1       5       0       2       3          -  0.142857 (trial 7)");
    assert_has(wide, "2:1       2       1       0       1     0.0625  0.5 (trial 2)");
    assert_has(wide, "bracket 1, step 1: 5 trials reached it, 0 passed on, 2 stopped there; no cut-off");
    assert_has(wide, "trials 4, 5, 7 wait");
    assert_has(narrow, " br:step reached  passed stopped waiting");
    assert_has(narrow, "trials 4, 5, 7 wait");
    free(wide);
    free(narrow);
    json_decref(value);
    source_close(source);
    store_close(store);
}

/* --- importance --- */

/* Trials end in another order than that of their numbers; some fail. `told`: its place in that order. */
static void end_trial(struct store *store, uint64_t trial, uint64_t told)
{
    char params[80];
    double x = 0.0123 * (double)(trial * 37 % 80), value = x + 0.2 * (double)(trial % 4);
    int layers = (int)(trial % 4) + 1;
    snprintf(params, sizeof params, "{\"lr\": %.6f, \"layers\": %d%s}", 0.001 + x, layers,
             layers == 2 ? ", \"width\": 1.5" : "");
    bool fails = trial % 9 == 4;
    const struct event events[] = {{.kind = EVENT_PROPOSED, .trial = trial, .proposed = {.params = params}},
                                   {.kind = EVENT_TRIAL_ENDED,
                                    .trial = trial,
                                    .end = {.ending = fails       ? ENDING_CRASHED
                                                      : trial % 2 ? ENDING_COMPLETED
                                                                  : ENDING_STOPPED_EARLY,
                                            .has_value = !fails,
                                            .value = value,
                                            .told = told}}};
    put(store, events, 2);
}

/* What the screen says as soon as it is worked out, in a minute at most. */
static json_t *screen_importance(struct source *source, struct section_memory *memory)
{
    struct wants wants = {0};
    struct section_reading reading = {.source = source, .wants = &wants, .memory = memory};
    struct err err = {""};
    json_t *found = NULL;
    for (double end = clock_monotonic() + 60; !found && clock_monotonic() < end;) {
        json_t *value = section_search(&reading, &err);
        fine(!value, &err);
        if (!json_is_true(json_object_get(value, "explaining")))
            found = json_incref(json_object_get(value, "importance"));
        json_decref(value);
    }
    assert_true(json_is_object(found));
    return found;
}

/* As `gannet importance` has it. */
static json_t *command_importance(struct source *source)
{
    struct err err = {""};
    struct spec *read = rundir_spec_recorded(source_dir(source), &err);
    fine(!read, &err);
    struct metrics metrics = spec_metrics(read);
    struct importance importance;
    fine(importance_read(&importance, source, read, &metrics.items[0], &err), &err);
    json_t *json = importance_json(&importance);
    importance_fini(&importance);
    spec_destroy(read);
    return json;
}

static void assert_same_importance(struct source *source, struct section_memory *memory, uint64_t trials)
{
    json_t *screen = screen_importance(source, memory), *command = command_importance(source);
    json_int_t known =
        json_integer_value(json_object_get(screen, "trials")) + json_integer_value(json_object_get(screen, "failed"));
    assert_int_equal(known, trials);
    char *one = json_dumps(screen, JSON_SORT_KEYS), *other = json_dumps(command, JSON_SORT_KEYS);
    assert_string_equal(one, other);
    free(one);
    free(other);
    json_decref(screen);
    json_decref(command);
}

/* Also when only a few have come since the screen last worked it out: of a search that does not run it says all. */
static void the_screen_and_the_command_say_the_same_of_what_matters(void **state)
{
    struct store *store = make_store(state);
    for (uint64_t told = 1; told <= 40; told++)
        end_trial(store, (told * 7 - 1) % 41 + 1, told);
    struct source *source = open_source(state);
    struct section_memory memory = {0};
    assert_same_importance(source, &memory, 40);
    end_trial(store, 50, 41);
    assert_same_importance(source, &memory, 41);
    memory.free(memory.data);
    source_close(source);
    store_close(store);
}

/* --- what there is nothing of yet --- */

static void assert_part(const json_t *value, unsigned tab, const char *sentence)
{
    char *frame = draw_part(value, tab, 24, 80);
    assert_has(frame, sentence);
    free(frame);
}

/* Nothing but failures, and a parameter that not all have. */
static void what_there_is_nothing_of_is_said(void **state)
{
    struct store *store = make_store(state);
    end_trial(store, 4, 1);
    end_trial(store, 13, 2);
    struct source *source = open_source(state);
    struct section_memory memory = {0};
    json_decref(screen_importance(source, &memory));
    struct wants wants = {.parameter = "width"};
    struct section_reading reading = {.source = source, .wants = &wants, .memory = &memory};
    struct err err = {""};
    json_t *value = section_search(&reading, &err);
    assert_part(value, 0, "no trial has a value yet");
    assert_part(value, 0, "0.001 to 1"); /* the ranges of the parameters */
    assert_part(value, 1, "no trial has a value yet");
    assert_part(value, 3, "early stopping has looked at no trial yet");
    json_object_set_new(value, "early_stop", json_null());
    assert_part(value, 3, "there is no early stopping (early_stop)");
    json_decref(value);
    for (uint64_t told = 3; told <= 12; told++)
        end_trial(store, 20 + told, told);
    value = section_search(&reading, &err);
    assert_part(value, 1, "width against loss (low is good): 12 trials, 3 have it, 3 failed");
    json_decref(value);
    memory.free(memory.data);
    source_close(source);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_screen_and_the_command_say_the_same_of_what_matters, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(what_there_is_nothing_of_is_said, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(all_who_came_to_a_rung_passed_were_stopped_or_wait, enter_scratch,
                                        leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
