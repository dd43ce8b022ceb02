/* The sections and screens about workers, slots and the search: what is read bit by bit is what a fresh reading gives,
 * and a frame of any size is complete, whatever the names of nodes are. */
#include "cli/fetch/sections.h"
#include "cli/screen/frame.h"
#include "cli/screen/model.h"
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/stores.h"
#include "tests/test_metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOOD = 7, EVIL = 8, EMPTY = 9 };

static const char hostile[] = "n2\033[31m\x9b\xff\xe2\x80\xae<b>\n\a'";

static const char spec[] = "version: 1\nname: slots\nseed: 3\n"
                           "trial: {command: [\"true\"]}\n"
                           "metric: {name: loss, goal: minimize}\n"
                           "parameters:\n  lr: {min: 0.001, max: 1.0, log: true}\n  layers: {min: 1, max: 4}\n"
                           "strategy: {name: tpe, options: {startup_trials: 20}}\n"
                           "early_stop: {name: asha, min_steps: 1, max_steps: 27}\n"
                           "limits: {max_trials: 1000}\n";

/* --- a search on three workers --- */

static void put(struct store *store, const struct event *events, size_t count)
{
    struct err err = {""};
    fine(store_write(store, events, count, &err), &err);
}

static void add_workers(struct store *store)
{
    struct msg_slot two[] = {{.index = 0, .cpus = "0-3", .numa = "0", .gpus = "0"},
                             {.index = 1, .cpus = "4-7", .numa = "1", .gpus = "1"}},
                    one = {.cpus = "0", .numa = "", .gpus = ""};
    const struct event events[] = {
        {.kind = EVENT_WORKER,
         .worker = GOOD,
         .time = 1000,
         .hello = {.node = "n1", .pid = 11, .version = "0.1.0", .machine = "2 sockets", .cores = 8, .gpus = 2}},
        {.kind = EVENT_SLOTS, .worker = GOOD, .offered = {.slots = two, .slots_count = 2}},
        {.kind = EVENT_WORKER,
         .worker = EVIL,
         .time = 1000,
         .hello = {.node = (char *)hostile, .pid = 12, .version = "0.1.0\033[5m", .machine = "m\033c"}},
        {.kind = EVENT_SLOTS, .worker = EVIL, .offered = {.slots = &one, .slots_count = 1}},
        {.kind = EVENT_WORKER, .worker = EMPTY, .time = 1000, .hello = {.node = "n3", .version = "0.1.0"}},
        {.kind = EVENT_SLOTS, .worker = EMPTY, .offered = {.slots = &one, .slots_count = 1}}};
    put(store, events, sizeof events / sizeof *events);
}

static struct store *make_store(void **state)
{
    struct store_experiment experiment = {.name = "slots",
                                          .spec = spec,
                                          .seed = 3,
                                          .metrics = metrics_min,
                                          .strategy = "tpe",
                                          .parameters = "[{\"name\": \"lr\", \"kind\": \"real\"},"
                                                        " {\"name\": \"layers\", \"kind\": \"int\"}]"};
    struct err err = {""};
    struct store *store = store_make(path_in(state, "slots.db"), &experiment, &err);
    fine(!store, &err);
    add_workers(store);
    return store;
}

/* Of every five trials one fails at first and is tried again, one fails for good, one is stopped early. Trial n is in
 * its slot from 1000 + 10 n to 1008 + 10 n. */
static void run_trial(struct store *store, uint64_t trial)
{
    char params[80];
    double at = 1000 + 10 * (double)trial, loss = 1 / (double)trial;
    uint64_t worker = trial % 3 == 2 ? EVIL : GOOD;
    uint32_t slot = trial % 3 == 1;
    enum ending ending = trial % 5 == 1 ? ENDING_CRASHED : trial % 5 == 2 ? ENDING_STOPPED_EARLY : ENDING_COMPLETED;
    bool again = trial % 5 == 0, has_value = ending != ENDING_CRASHED;
    snprintf(params, sizeof params, "{\"lr\": %.6f, \"layers\": %d}", 0.001 * (double)(trial % 900 + 1),
             (int)(trial % 4) + 1);
    struct event begin[] = {
        {.kind = EVENT_PROPOSED, .trial = trial, .time = at, .proposed = {.params = params, .told_before = trial / 2}},
        {.kind = EVENT_LEASED, .trial = trial, .attempt = 1, .worker = worker, .time = at, .lease = {.slot = slot}}};
    put(store, begin, 2);
    if (again) {
        struct event lost[] = {{.kind = EVENT_RUN_ENDED,
                                .trial = trial,
                                .attempt = 1,
                                .worker = worker,
                                .time = at + 2,
                                .run = {.slot = slot, .ending = ENDING_CRASHED, .started = at, .seconds = 2}},
                               {.kind = EVENT_RETRIED,
                                .trial = trial,
                                .attempt = 1,
                                .time = at + 2,
                                .retried = {.ending = ENDING_CRASHED, .detail = "CUDA error \033[2J"}},
                               {.kind = EVENT_LEASED,
                                .trial = trial,
                                .attempt = 2,
                                .worker = worker,
                                .time = at + 3,
                                .lease = {.slot = slot}}};
        put(store, lost, 3);
    }
    struct event decided = {.kind = EVENT_DECIDED,
                            .trial = trial,
                            .time = at + 4,
                            .decided = {.step = 1 + 2 * (trial % 2),
                                        .decision = ending == ENDING_STOPPED_EARLY ? EARLY_STOP_STOP : EARLY_STOP_GO_ON,
                                        .values = &loss,
                                        .values_count = 1,
                                        .detail = trial % 2 ? "rung 1: up to 0.5" : "rung 2: up to 0.25"}};
    struct event end[] = {
        {.kind = EVENT_RUN_ENDED,
         .trial = trial,
         .attempt = again ? 2 : 1,
         .worker = worker,
         .time = at + 8,
         .run = {.slot = slot,
                 .ending = ending,
                 .started = at + (again ? 3 : 0),
                 .seconds = again ? 5 : 8,
                 .cpu_seconds = 4}},
        {.kind = EVENT_TRIAL_ENDED,
         .trial = trial,
         .time = at + 8,
         .end = {.ending = ending, .seconds = 8, .has_value = has_value, .value = loss, .told = trial}}};
    put(store, &decided, 1);
    put(store, end, 2);
}

/* One that runs on the first worker since 2000. */
static void begin_trial(struct store *store, uint64_t trial)
{
    struct msg_sample sample = {.metric = "loss", .step = 12, .value = 0.125};
    const struct event events[] = {
        {.kind = EVENT_PROPOSED, .trial = trial, .time = 2000, .proposed = {.params = "{\"lr\": 0.5, \"layers\": 2}"}},
        {.kind = EVENT_LEASED, .trial = trial, .attempt = 1, .worker = GOOD, .time = 2000, .lease = {.slot = 1}},
        {.kind = EVENT_SAMPLED,
         .trial = trial,
         .attempt = 1,
         .worker = GOOD,
         .time = 2010,
         .sampled = {.samples = &sample, .samples_count = 1}}};
    put(store, events, 3);
}

/* --- reading --- */

static struct source *open_source(void **state)
{
    struct rundir dir = {0};
    struct source *source = NULL;
    struct err err = {""};
    rundir_name(path_in(state, ""), &dir);
    free(dir.store);
    dir.store = mem_text(path_in(state, "slots.db"));
    assert_int_equal(source_open_dir(&dir, &source, &err), 0);
    rundir_fini(&dir);
    return source;
}

static section_function *const functions[] = {
#define SECTION(id, name, seconds, shape) section_##name,
#include "cli/fetch/section_list.h"
#undef SECTION
};

static json_t *read_with(struct source *source, enum section section, const struct wants *wants,
                         struct section_memory *memory)
{
    struct err err = {""};
    struct section_reading reading = {.source = source, .wants = wants, .memory = memory};
    json_t *value = functions[section](&reading, &err);
    fine(!value, &err);
    return value;
}

static json_t *read_fresh(struct source *source, enum section section, const struct wants *wants)
{
    struct section_memory memory = {0};
    json_t *value = read_with(source, section, wants, &memory);
    if (memory.free)
        memory.free(memory.data);
    return value;
}

static struct wants wants_all(void)
{
    struct wants wants = {.workers = {.count = 50}, .timeline = {.count = 20, .columns = 60}};
    snprintf(wants.parameter, sizeof wants.parameter, "layers");
    return wants;
}

/* Importance is worked out now and then. */
static void drop_explained(json_t *value)
{
    json_object_del(value, "importance");
    json_object_del(value, "explaining");
}

static void what_is_read_bit_by_bit_is_what_a_fresh_reading_gives(void **state)
{
    static const enum section sections[] = {SECTION_WORKERS, SECTION_TIMELINE, SECTION_SEARCH};
    struct store *store = make_store(state);
    struct source *source = open_source(state);
    struct section_memory memories[3] = {{0}};
    struct wants wants = wants_all();
    for (uint64_t trial = 1; trial <= 60; trial++) {
        run_trial(store, trial);
        if (trial == 40)
            begin_trial(store, 1000);
        for (size_t i = 0; i < 3 && trial % 7 == 0; i++)
            json_decref(read_with(source, sections[i], &wants, &memories[i]));
    }
    for (size_t i = 0; i < 3; i++) {
        json_t *kept = read_with(source, sections[i], &wants, &memories[i]),
               *fresh = read_fresh(source, sections[i], &wants);
        drop_explained(kept);
        drop_explained(fresh);
        same_json(kept, fresh);
        memories[i].free(memories[i].data);
    }
    source_close(source);
    store_close(store);
}

static json_t *find_row(json_t *rows, const char *kind, const char *member, json_int_t number)
{
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "row")), kind) == 0 &&
            json_integer_value(json_object_get(row, member)) == number)
            return row;
    }
    fail_msg("no row %s whose %s is %d", kind, member, (int)number);
    return NULL;
}

static void workers_are_a_tree_with_what_runs_and_what_failed(void **state)
{
    struct store *store = make_store(state);
    struct wants wants = wants_all();
    for (uint64_t trial = 1; trial <= 10; trial++)
        run_trial(store, trial);
    begin_trial(store, 1000);
    struct source *source = open_source(state);
    json_t *value = read_fresh(source, SECTION_WORKERS, &wants), *rows = json_object_get(value, "rows");
    json_t *good = find_row(rows, "node", "worker", 1), *runs = find_row(rows, "slot", "trial", 1000);
    assert_int_equal(json_integer_value(json_object_get(value, "total")), 3 + 2 + 2 + 1 + 1);
    assert_int_equal(json_integer_value(json_object_get(good, "failed")), 3); /* 1, 6 and, at first, 10 */
    assert_int_equal(json_integer_value(json_object_get(good, "busy")), 1);
    assert_int_equal(json_integer_value(json_object_get(runs, "slot")), 1);
    assert_int_equal(json_integer_value(json_object_get(runs, "step")), 12);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(runs, "last"), "trial")), 10);
    find_row(rows, "numa", "slots", 1);
    json_decref(value);

    snprintf(wants.workers.unfolded, sizeof wants.workers.unfolded, "1"); /* of few workers: folded */
    value = read_fresh(source, SECTION_WORKERS, &wants);
    assert_int_equal(json_integer_value(json_object_get(value, "total")), 3 + 1 + 1);
    json_decref(value);
    wants.workers.first = 2;
    wants.workers.count = 2;
    value = read_fresh(source, SECTION_WORKERS, &wants);
    assert_int_equal(json_array_size(json_object_get(value, "rows")), 2);
    json_decref(value);
    source_close(source);
    store_close(store);
}

static double lost(const json_t *value, const char *member)
{
    return json_number_value(json_object_get(json_object_get(value, "lost"), member));
}

static void time_adds_up_over_slots(void **state)
{
    struct store *store = make_store(state);
    struct wants wants = wants_all();
    for (uint64_t trial = 1; trial <= 10; trial++)
        run_trial(store, trial);
    struct source *source = open_source(state);
    wants.timeline.from = 1000;
    wants.timeline.to = 1120; /* all end at 1108 */
    wants.timeline.columns = 120;
    json_t *value = read_fresh(source, SECTION_TIMELINE, &wants);
    assert_float_equal(lost(value, "available"), 4 * 108, 1e-3);
    assert_float_equal(lost(value, "busy"), 10 * 8 - 2 * 1, 1e-3);
    assert_float_equal(lost(value, "idle"), 4 * 108 - 78, 1e-3);
    assert_float_equal(lost(value, "failed"), 2 * 8 + 2 * 2, 1e-3); /* two trials, and two first attempts */
    assert_float_equal(lost(value, "stopped"), 2 * 8, 1e-3);
    assert_int_equal(json_integer_value(json_object_get(value, "total")), 4);
    const json_t *rows = json_object_get(value, "rows");
    assert_string_equal(json_string_value(json_object_get(json_array_get(rows, 3), "cells")) + 108, "            ");
    json_decref(value);

    wants.timeline.from = -20; /* the last seconds: trial 10, and the end of trial 9 */
    wants.timeline.to = 0;
    value = read_fresh(source, SECTION_TIMELINE, &wants);
    assert_float_equal(lost(value, "busy"), 7 + 8, 1e-3);
    json_decref(value);
    source_close(source);
    store_close(store);
}

static void the_search_says_what_it_learned_and_decided(void **state)
{
    struct store *store = make_store(state);
    struct wants wants = wants_all();
    for (uint64_t trial = 1; trial <= 15; trial++)
        run_trial(store, trial);
    struct source *source = open_source(state);
    json_t *value = read_fresh(source, SECTION_SEARCH, &wants), *rungs = json_object_get(value, "rungs"),
           *sentences = json_object_get(value, "sentences");
    assert_int_equal(json_array_size(json_object_get(value, "points")), 15);
    assert_int_equal(json_integer_value(json_object_get(value, "improved")), 12);
    assert_int_equal(json_array_size(rungs), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(rungs, 0), "step")), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(rungs, 0), "reached")), 7);
    assert_has(json_string_value(json_object_get(json_array_get(rungs, 1), "why")), "rung 1: up to 0.5");
    assert_has(json_string_value(json_array_get(sentences, 2)), "initial design: the model begins when 20 trials");
    assert_string_equal(json_string_value(json_object_get(value, "parameter")), "layers");
    json_decref(value);
    source_close(source);
    store_close(store);
}

/* --- frames --- */

static void read_model(struct model *model, struct source *source, unsigned rows, unsigned columns)
{
    struct wants wants;
    frame_want(&model->view, rows, columns, &wants);
    for (enum section i = 0; i < SECTIONS_COUNT; i++)
        /* what the search learned is the same for every size */
        if (wants.sections & 1u << i && !(i == SECTION_SEARCH && model->sections[i].value)) {
            section_value_fini(&model->sections[i]);
            model->sections[i] = (struct section_value){.value = read_fresh(source, i, &wants), .read = model->now};
        }
}

/* No line is longer than the frame, none has a control character, and in ASCII there is nothing else. */
static void assert_tame(const char *frame, unsigned columns, bool unicode)
{
    unsigned width = 0;
    for (const char *at = frame; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        assert_true(byte == '\n' || byte >= 0x20);
        assert_true(byte != 0x7f && (unicode || byte < 0x80));
        width = byte == '\n' ? 0 : width + ((byte & 0xc0) != 0x80);
        assert_true(width <= columns);
    }
}

static char *draw_frame(struct model *model, struct source *source, unsigned rows, unsigned columns, bool unicode)
{
    struct look look = {.unicode = unicode};
    struct canvas canvas;
    struct buf out = {0};
    read_model(model, source, rows, columns);
    canvas_init(&canvas, rows, columns, &look);
    frame_draw(model, &canvas);
    canvas_write(&canvas, &out);
    canvas_fini(&canvas);
    char *text = mem_text(buf_str(&out));
    buf_fini(&out);
    assert_tame(text, columns, unicode);
    return text;
}

static const struct size {
    unsigned rows, columns;
} sizes[] = {{24, 80}, {40, 120}, {12, 40}, {50, 200}};

/* Draws a screen in all sizes and both kinds of characters; `parts` are in each frame, NULL ends them. */
static void draw_everywhere(struct model *model, struct source *source, enum screen screen, unsigned tab,
                            const char *const *parts)
{
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        model->view = (struct view){.screen = screen, .tab = tab};
        char *frame = draw_frame(model, source, sizes[i / 2].rows, sizes[i / 2].columns, i % 2);
        for (const char *const *part = parts; *part; part++)
            assert_has(frame, *part);
        free(frame);
    }
}

static void frames_of_all_sizes_are_complete_whatever_nodes_are_called(void **state)
{
    static const char
        *const workers[] = {"3 workers", "node, slot", "n1", "cores 0", NULL},
               *const timeline[] = {"in use", "n1.0", "4 slots", "Of ", NULL}, *const scatter[] = {"l", "40", NULL},
               *const rungs[] = {"step", "reached", "passed", "trial 40: rung 2", NULL},
               *const strategy[] = {"strategy: tpe", "improvement: 32", NULL},
               *const importance[] = {"parameter", "layers", "lr", NULL}, *const front[] = {"one objective", NULL};
    struct store *store = make_store(state);
    for (uint64_t trial = 1; trial <= 40; trial++)
        run_trial(store, trial);
    begin_trial(store, 1000);
    struct source *source = open_source(state);
    struct model model = {.now = 2020, .name = mem_text("slots")};
    draw_everywhere(&model, source, SCREEN_WORKERS, 0, workers);
    draw_everywhere(&model, source, SCREEN_TIMELINE, 0, timeline);
    model.view = (struct view){.screen = SCREEN_TIMELINE};
    char *frame = draw_frame(&model, source, 24, 80, true);
    assert_has(frame, "C done"); /* what the letters mean */
    free(frame);
    draw_everywhere(&model, source, SCREEN_SEARCH, 0, importance);
    draw_everywhere(&model, source, SCREEN_SEARCH, 1, scatter);
    draw_everywhere(&model, source, SCREEN_SEARCH, 2, front);
    draw_everywhere(&model, source, SCREEN_SEARCH, 3, rungs);
    draw_everywhere(&model, source, SCREEN_SEARCH, 4, strategy);
    screen_model_fini(&model);
    source_close(source);
    store_close(store);
}

static void keys_fold_nodes_zoom_time_and_choose_parameters(void **state)
{
    struct store *store = make_store(state);
    for (uint64_t trial = 1; trial <= 10; trial++)
        run_trial(store, trial);
    struct source *source = open_source(state);
    struct model model = {.now = 2020, .name = mem_text("slots"), .view = {.screen = SCREEN_WORKERS}};
    free(draw_frame(&model, source, 24, 80, false));
    assert_int_equal(screen_workers.rows(&model), 9);
    assert_true(screen_workers.press(&model, PRESS_FOLD));
    free(draw_frame(&model, source, 24, 80, false));
    assert_int_equal(screen_workers.rows(&model), 5);
    assert_true(screen_workers.press(&model, PRESS_ENTER));
    assert_string_equal(model.view.unfolded, "");

    model.view.screen = SCREEN_TIMELINE;
    free(draw_frame(&model, source, 24, 80, false));
    assert_true(screen_timeline.press(&model, PRESS_ZOOM_IN));
    assert_float_equal(model.view.from, -54, 0.1);
    assert_true(screen_timeline.press(&model, PRESS_LEFT)); /* as what is seen: all of it */
    assert_true(model.view.to > 1000 && model.view.to < 1108);
    assert_true(screen_timeline.press(&model, PRESS_ZOOM_OUT));
    assert_true(model.view.from == 0 && model.view.to == 0);

    model.view.screen = SCREEN_SEARCH;
    free(draw_frame(&model, source, 24, 80, false));
    assert_true(screen_search.press(&model, PRESS_RIGHT));
    assert_int_equal(model.view.tab, 1);
    char first[WANTS_TEXT];
    snprintf(first, sizeof first, "%s", model.view.parameter);
    assert_true(screen_search.press(&model, PRESS_RIGHT));
    assert_string_not_equal(model.view.parameter, first);
    assert_true(screen_search.press(&model, PRESS_LEFT));
    assert_string_equal(model.view.parameter, first);
    model.view.tab = 4;
    assert_false(screen_search.press(&model, PRESS_NEXT)); /* the next screen */
    screen_model_fini(&model);
    source_close(source);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_read_bit_by_bit_is_what_a_fresh_reading_gives, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(workers_are_a_tree_with_what_runs_and_what_failed, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(time_adds_up_over_slots, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(the_search_says_what_it_learned_and_decided, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(frames_of_all_sizes_are_complete_whatever_nodes_are_called, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(keys_fold_nodes_zoom_time_and_choose_parameters, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
