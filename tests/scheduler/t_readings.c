/* What people who look read, in a thread of its own; the reading half is made up: this defines reader_open and
 * read_run, which stand before those of the library. */
#include "scheduler/coordinator/readings.h"
#include "tests/claims.h"
#include "tests/until.h"

#include "common/mem.h"
#include "scheduler/coordinator/query.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct store {
    int unused;
};

struct reader {
    const atomic_bool *stop;
};

static atomic_int readings_made; /* by read_run */

bool store_is_lost(const struct store *store)
{
    (void)store;
    return false;
}

uint64_t store_statements(const struct store *store)
{
    (void)store;
    return 0;
}

int store_write(struct store *store, const struct event *events, size_t count, struct err *err)
{
    (void)store;
    (void)events;
    (void)count;
    (void)err;
    return 0;
}

struct reader *store_reader(struct store *store)
{
    return (struct reader *)store;
}

struct reader *reader_open(const char *path, struct err *err)
{
    return strcmp(path, "missing") ? MEM_NEW(struct reader) : (err_write(err, "%s is not there", path), NULL);
}

void reader_close(struct reader *reader)
{
    free(reader);
}

void reader_stop_at(struct reader *reader, const atomic_bool *stop)
{
    reader->stop = stop;
}

/* "endless": until it is broken off. */
json_t *read_run(struct reader *reader, const json_t *arguments, struct err *err)
{
    atomic_fetch_add(&readings_made, 1);
    while (json_object_get(arguments, "endless")) {
        if (atomic_load(reader->stop))
            return err_write(err, "reading it was broken off"), NULL;
        usleep(10000);
    }
    return json_pack("[O]", json_object_get(arguments, "about"));
}

struct stage {
    struct loop *loop;
    struct store store;
    struct commit *commit;
    struct readings *readings;
    char *answer;
    struct err why;
    bool answered;
};

static void open_stage(struct stage *stage, const char *store)
{
    struct err err;
    static const struct commit_calls calls;
    *stage = (struct stage){.loop = loop_create()};
    stage->commit = commit_start(stage->loop, &stage->store, &calls, &err);
    stage->readings = readings_open(stage->loop, store, stage->commit);
    atomic_store(&readings_made, 0);
}

static void close_stage(struct stage *stage)
{
    readings_close(stage->readings);
    commit_stop(stage->commit);
    loop_destroy(stage->loop);
    free(stage->answer);
}

static void answered(void *context, const char *answer, const struct err *err)
{
    struct stage *stage = context;
    free(stage->answer);
    stage->answer = mem_text(answer);
    stage->why = answer ? (struct err){""} : *err;
    stage->answered = true;
}

static void begin(struct stage *stage, const char *question)
{
    json_t *arguments = json_loads(question, 0, NULL);
    stage->answered = false;
    readings_ask(stage->readings, arguments, question, answered, stage);
    json_decref(arguments); /* the thread has its own */
}

static void ask(struct stage *stage, const char *question)
{
    begin(stage, question);
    until_true(stage->loop, &stage->answered);
}

static void the_answer_is_the_text_of_what_is_read(void **state)
{
    struct stage stage;
    (void)state;
    open_stage(&stage, "there");
    ask(&stage, "{\"about\": 7}");
    assert_string_equal(stage.answer, "[7]");
    close_stage(&stage);
}

/* Nothing is written here, so that an answer holds for five seconds; a machine that is busier reads once more. */
static void what_was_just_read_is_not_read_again(void **state)
{
    enum { ASKED = 1000 };
    struct stage stage;
    (void)state;
    open_stage(&stage, "there");
    for (int i = 0; i < ASKED; i++) {
        ask(&stage, "{\"about\": 7}");
        assert_string_equal(stage.answer, "[7]");
    }
    assert_true(atomic_load(&readings_made) < ASKED / 2);
    int before = atomic_load(&readings_made);
    ask(&stage, "{\"about\": 8}");
    assert_string_equal(stage.answer, "[8]");
    assert_int_equal(atomic_load(&readings_made), before + 1);
    close_stage(&stage);
}

static void what_can_not_be_read_is_answered_by_a_sentence(void **state)
{
    struct stage stage;
    (void)state;
    open_stage(&stage, "missing");
    ask(&stage, "{\"about\": 7}");
    assert_null(stage.answer);
    assert_has(stage.why.text, "missing is not there");
    close_stage(&stage);
}

static void where_the_stores_thread_has_the_file_that_reads(void **state)
{
    struct stage stage;
    (void)state;
    open_stage(&stage, NULL);
    ask(&stage, "{\"about\": 7}");
    assert_string_equal(stage.answer, "[7]");
    begin(&stage, "{\"about\": 8}"); /* whose answer comes when they are closed */
    close_stage(&stage);
    assert_true(stage.answered);
}

static void what_takes_too_long_is_broken_off_and_the_next_is_read(void **state)
{
    struct stage stage;
    (void)state;
    open_stage(&stage, "there");
    ask(&stage, "{\"endless\": true}");
    assert_null(stage.answer);
    assert_has(stage.why.text, "was broken off");
    ask(&stage, "{\"about\": 7}");
    assert_string_equal(stage.answer, "[7]");
    close_stage(&stage);
}

static void closing_breaks_off_what_is_being_read(void **state)
{
    struct stage stage;
    (void)state;
    open_stage(&stage, "there");
    begin(&stage, "{\"endless\": true}");
    readings_close(stage.readings);
    stage.readings = NULL;
    assert_true(stage.answered);
    assert_has(stage.why.text, "was broken off");
    close_stage(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_is_the_text_of_what_is_read),
        cmocka_unit_test(what_was_just_read_is_not_read_again),
        cmocka_unit_test(what_can_not_be_read_is_answered_by_a_sentence),
        cmocka_unit_test(where_the_stores_thread_has_the_file_that_reads),
        cmocka_unit_test(what_takes_too_long_is_broken_off_and_the_next_is_read),
        cmocka_unit_test(closing_breaks_off_what_is_being_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
