/* Ends of trials whose rows the store remembers are written over what is there; others are read and updated. A store
 * that is opened anew before every commit remembers nothing: it has to hold the same as one that stayed open. */
#include "tests/claims.h"
#include "tests/random_history.h"
#include "tests/stores.h"

#include "common/mem.h"
#include "scheduler/store/ended_row.h"
#include "scheduler/store/fresh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what is in a store --- */

/* All columns of all rows of a table, as SQLite quotes them; free() it. */
static char *table_text(const char *path, const char *table)
{
    char *list =
        mem_format("SELECT group_concat('quote(' || name || ')', ' || '','' || ') FROM pragma_table_info('%s')", table);
    char *columns = stores_sql(path, list);
    char *all =
        mem_format("SELECT group_concat(line, char(10)) FROM (SELECT %s AS line FROM %s ORDER BY 1)", columns, table);
    char *text = stores_sql(path, all);
    free(list);
    free(columns);
    free(all);
    return text;
}

static void same_tables(const char *path, const char *other)
{
    static const char *const tables[] = {"trials", "runs", "samples", "outcomes", "progress"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char *one = table_text(path, tables[i]), *two = table_text(other, tables[i]);
        assert_true(*one || strcmp(tables[i], "outcomes") == 0);
        assert_string_equal(one, two);
        free(one);
        free(two);
    }
}

/* --- writing to both --- */

/* Two stores of the same events; the second is opened anew before each commit. */
struct both {
    const char *path, *other;
    struct store *open, *anew;
};

static void make_both(void **state, struct both *both)
{
    both->path = path_in(state, "a.db");
    both->other = path_in(state, "b.db");
    both->open = stores_make(both->path);
    both->anew = stores_make(both->other);
}

static void write_both(struct both *both, const struct event *events, size_t count)
{
    struct err err;
    fine(store_write(both->open, events, count, &err), &err);
    store_leave(both->anew);
    both->anew = stores_open(both->other);
    fine(store_write(both->anew, events, count, &err), &err);
}

static void compare_both(struct both *both)
{
    store_close(both->open);
    store_close(both->anew);
    same_tables(both->path, both->other);
}

/* --- trials from their proposal to their end --- */

enum { TRIALS = 50 }; /* three statements of many rows, and some that are alone */

enum step { PROPOSES, LEASES, ENDS_RUN, ENDS };

static struct event event_of(enum step step, uint64_t trial, struct msg_sample *sample)
{
    static const struct phase_time profile[PHASES_COUNT] = {
        [PHASE_QUEUE] = {.seconds = 0.5, .count = 1, .min = 0.5, .max = 0.5}};
    struct event event = {
        .trial = trial, .time = 100 + (double)trial + 1000 * step, .attempt = step == LEASES || step == ENDS_RUN};
    *sample = (struct msg_sample){.metric = "loss", .step = 3, .value = (double)trial, .time = 0.25};
    if (step == PROPOSES) {
        event.kind = EVENT_PROPOSED;
        event.proposed = (struct event_proposed){.params = "{\"x\": 0.5}",
                                                 .fingerprint = ~trial,
                                                 .told_before = trial,
                                                 .from_start = trial == 1,
                                                 .from = trial / 2};
    } else if (step == LEASES) {
        event.kind = EVENT_LEASED;
        event.worker = 7 + trial % 2;
        event.lease = (struct event_lease){
            .slot = (uint32_t)(trial % 3), .resumed = trial % 5, .memory = trial % 7, .time = (double)(trial % 11)};
    } else if (step == ENDS_RUN) {
        event.kind = EVENT_RUN_ENDED;
        event.worker = 7 + trial % 2;
        event.run = (struct event_run){.sampled = {.resumed = trial % 4, .samples = sample, .samples_count = 1},
                                       .ending = trial % 9 ? ENDING_COMPLETED : ENDING_CRASHED,
                                       .detail = trial % 9 ? "" : "it crashed",
                                       .tail = trial % 9 ? "" : "segmentation fault",
                                       .started = (double)trial,
                                       .seconds = 0.5,
                                       .cpu_seconds = 0.25,
                                       .peak_memory = 4096 * trial,
                                       .profile = profile};
    } else {
        event.kind = EVENT_TRIAL_ENDED;
        event.end = (struct event_end){.ending = trial % 9 ? ENDING_COMPLETED : ENDING_CRASHED,
                                       .detail = trial % 9 ? "" : "it crashed",
                                       .has_value = trial % 9 != 0,
                                       .value = (double)trial,
                                       .infeasible = trial % 6 == 0,
                                       .seconds = 0.5,
                                       .energy = (double)(trial % 4),
                                       .step = 3,
                                       .told = trial};
    }
    return event;
}

static void write_step(struct both *both, enum step step, uint64_t every)
{
    struct event events[TRIALS];
    struct msg_sample samples[TRIALS];
    size_t count = 0;
    for (uint64_t trial = every; trial <= TRIALS; trial += every) {
        events[count] = event_of(step, trial, &samples[count]);
        events[count].number = count + 1;
        count++;
    }
    write_both(both, events, count);
}

static void ends_of_remembered_trials_are_what_updates_make_of_them(void **state)
{
    struct both both;
    make_both(state, &both);
    for (enum step step = PROPOSES; step <= ENDS; step++)
        write_step(&both, step, 1);
    compare_both(&both);
}

static void a_trial_that_came_back_is_remembered_no_more(void **state)
{
    struct both both;
    make_both(state, &both);
    write_step(&both, PROPOSES, 1);
    write_step(&both, LEASES, 1);
    struct event back[TRIALS];
    for (uint64_t i = 0; i < TRIALS; i++)
        back[i] = (struct event){
            .kind = EVENT_RETURNED, .number = i + 1, .trial = i + 1, .attempt = 1, .worker = 7 + (i + 1) % 2};
    write_both(&both, back, TRIALS / 2);
    struct event again[TRIALS];
    struct msg_sample sample;
    for (uint64_t i = 0; i < TRIALS / 2; i++) {
        again[i] = event_of(LEASES, i + 1, &sample);
        again[i].attempt = 2;
    }
    write_both(&both, again, TRIALS / 2);
    write_step(&both, ENDS_RUN, 3); /* of some attempts that were given back, all the same */
    write_step(&both, ENDS, 3);
    compare_both(&both);
}

static void histories_of_all_kinds_are_written_alike(void **state)
{
    enum { EVENTS = 3000, MOST = 400 };
    static struct event events[MOST];
    struct both both;
    make_both(state, &both);
    struct random_history *history = random_history_create(77);
    for (size_t done = 0, group = 1; done < EVENTS; done += group, group = group * 7 % MOST + 1) {
        for (size_t i = 0; i < group; i++)
            events[i] = random_history_next(history);
        write_both(&both, events, group);
        for (size_t i = 0; i < group; i++)
            event_fini(&events[i]);
    }
    random_history_destroy(history);
    compare_both(&both);
}

/* --- what is remembered --- */

static void long_parameters_and_trials_far_behind_are_not_remembered(void **state)
{
    (void)state;
    struct fresh fresh = {0};
    char text[FRESH_TEXT + 1];
    memset(text, ' ', sizeof text);
    text[FRESH_TEXT] = '\0';
    struct event event = {.kind = EVENT_PROPOSED, .trial = 5, .proposed = {.params = text}};
    fresh_proposed(&fresh, &event);
    assert_null(fresh_to_end(&fresh, &event));
    event.proposed.params = text + 1;
    fresh_proposed(&fresh, &event);
    assert_non_null(fresh_to_end(&fresh, &event));
    struct event later = event;
    later.trial += FRESH_MOST;
    fresh_proposed(&fresh, &later);
    assert_null(fresh_to_end(&fresh, &event));
    assert_non_null(fresh_to_end(&fresh, &later));
    fresh_forget(&fresh);
    assert_null(fresh_to_end(&fresh, &later));
}

#define NAME(column, ...) ", trials." #column

/* A column that is missing there would fall back to its default at the end of a remembered trial. */
static void the_row_of_an_end_has_every_column_of_trials(void **state)
{
    static const char listed[] = "trials.trial" ENDED_ROW(NAME, NAME, NAME), columns[] =
#define TABLE(name, help)
#define COLUMN(table, name, type, help) #table "." #name ", "
#define END(name, key, suffix)
#include "scheduler/store/schema_list.h"
        ;
    (void)state;
    assert_non_null(strstr(columns, listed));
    assert_memory_equal(strstr(columns, listed) + strlen(listed), ", older.", 8);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(ends_of_remembered_trials_are_what_updates_make_of_them),
        IN_SCRATCH(a_trial_that_came_back_is_remembered_no_more),
        IN_SCRATCH(histories_of_all_kinds_are_written_alike),
        cmocka_unit_test(the_row_of_an_end_has_every_column_of_trials),
        cmocka_unit_test(long_parameters_and_trials_far_behind_are_not_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
