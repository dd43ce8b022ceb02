/* The store's thread, with a made-up store in it: this program defines what commit.c calls of it.
 */
#include "scheduler/coordinator/commit.h"
#include "scheduler/coordinator/query.h"
#include "tests/claims.h"
#include "tests/until.h"

#include "common/buf.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The made-up store: the thread's between commit_start and commit_stop, but for the gate. */
struct store {
    struct buf story; /* the groups it was given: "[1 2] [3]", "!" before one that it refused, "r" for a read */
    int refusals;     /* how many groups it still refuses */
    bool lost;        /* its file is gone */
    sem_t gate;       /* a write waits for it while `shut` */
    atomic_bool shut;
    sem_t inside; /* a write has begun */
};

uint64_t store_statements(const struct store *store)
{
    (void)store;
    return 0;
}

bool store_is_lost(const struct store *store)
{
    return store->lost;
}

int store_write(struct store *store, const struct event *events, size_t count, struct err *err)
{
    sem_post(&store->inside);
    if (atomic_load(&store->shut))
        sem_wait(&store->gate);
    buf_text(&store->story, store->refusals > 0 ? "![" : "[");
    for (size_t i = 0; i < count; i++)
        buf_format(&store->story, "%s%u", i ? " " : "", (unsigned)events[i].number);
    buf_text(&store->story, "]");
    return store->refusals-- > 0 ? err_set(err, "the disk is full") : 0;
}

struct reader *store_reader(struct store *store)
{
    return (struct reader *)store;
}

json_t *read_run(struct reader *reader, const json_t *arguments, struct err *err)
{
    buf_text(&((struct store *)reader)->story, "r");
    if (json_object_get(arguments, "fail")) {
        err_write(err, "can't be read");
        return NULL;
    }
    return json_pack("{s:O}", "asked", json_object_get(arguments, "function"));
}

struct stage {
    struct loop *loop;
    struct store store;
    struct commit *commit;
    uint64_t sent, committed;
    bool unwritten;
    struct buf answers;
    bool answered;
};

static void committed(void *context, uint64_t number)
{
    struct stage *stage = context;
    assert_true(number > stage->committed);
    stage->committed = number;
}

static void unwritten(void *context)
{
    ((struct stage *)context)->unwritten = true;
}

static int set_up(void **state)
{
    static struct stage stage;
    struct err err = {0};
    stage = (struct stage){.loop = loop_create()};
    sem_init(&stage.store.gate, 0, 0);
    sem_init(&stage.store.inside, 0, 0);
    struct commit_calls calls = {.committed = committed, .unwritten = unwritten, .context = &stage};
    stage.commit = commit_start(stage.loop, &stage.store, &calls, &err);
    *state = &stage;
    return stage.commit ? 0 : -1;
}

static void end(struct stage *stage)
{
    commit_stop(stage->commit);
    stage->commit = NULL;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    end(stage);
    loop_destroy(stage->loop);
    buf_fini(&stage->store.story);
    buf_fini(&stage->answers);
    sem_destroy(&stage->store.gate);
    sem_destroy(&stage->store.inside);
    return 0;
}

/* A turn in which so many events happen; what they say is gone at its end. */
static void turn(struct stage *stage, int count)
{
    for (int i = 0; i < count; i++) {
        char params[] = "{}";
        commit_add(stage->commit,
                   &(struct event){.kind = EVENT_PROPOSED, .number = ++stage->sent, .proposed = {.params = params}});
        memset(params, '?', sizeof params);
    }
    commit_flush(stage->commit);
}

static bool all_committed(void *context)
{
    const struct stage *stage = context;
    return stage->committed == stage->sent;
}

static void the_events_of_a_turn_are_one_group(void **state)
{
    struct stage *stage = *state;
    const struct commit_counts *counts = commit_counts(stage->commit);
    turn(stage, 3);
    assert_int_equal(counts->queue, 3);
    until(stage->loop, all_committed, stage);
    turn(stage, 2);
    until(stage->loop, all_committed, stage);
    assert_int_equal(counts->commits, 2);
    assert_int_equal(counts->events, 5);
    assert_int_equal(counts->largest_commit, 3);
    assert_int_equal(counts->queue, 0);
    assert_int_equal(counts->failures, 0);
    end(stage);
    assert_string_equal(buf_str(&stage->store.story), "[1 2 3][4 5]");
}

static bool has_gathered(void *context)
{
    struct stage *stage = context;
    commit_flush(stage->commit);
    return all_committed(stage);
}

static void while_one_group_is_written_the_next_one_gathers(void **state)
{
    struct stage *stage = *state;
    atomic_store(&stage->store.shut, true);
    turn(stage, 1);
    sem_wait(&stage->store.inside);
    turn(stage, 1);
    turn(stage, 2);
    atomic_store(&stage->store.shut, false);
    sem_post(&stage->store.gate);
    until(stage->loop, has_gathered, stage);
    end(stage);
    assert_string_equal(buf_str(&stage->store.story), "[1][2 3 4]");
}

static void a_turn_without_events_writes_nothing(void **state)
{
    struct stage *stage = *state;
    turn(stage, 0);
    end(stage);
    assert_string_equal(buf_str(&stage->store.story), "");
}

static bool is_troubled(void *context)
{
    const struct stage *stage = context;
    return commit_trouble(stage->commit);
}

static void a_group_that_could_not_be_written_is_tried_again_as_it_was(void **state)
{
    struct stage *stage = *state;
    stage->store.refusals = 1;
    turn(stage, 2);
    until(stage->loop, is_troubled, stage);
    assert_has(commit_trouble(stage->commit), "the disk is full");
    assert_int_equal(stage->committed, 0);
    turn(stage, 1); /* gathers behind it */
    until(stage->loop, has_gathered, stage);
    assert_null(commit_trouble(stage->commit));
    end(stage);
    assert_string_equal(buf_str(&stage->store.story), "![1 2][1 2][3]");
}

static void a_store_that_is_lost_is_not_tried_again(void **state)
{
    struct stage *stage = *state;
    stage->store.refusals = 1;
    stage->store.lost = true;
    turn(stage, 2);
    until_true(stage->loop, &stage->unwritten);
    assert_true(commit_is_lost(stage->commit));
    assert_has(commit_trouble(stage->commit), "the disk is full");
    turn(stage, 1);
    end(stage);
    assert_string_equal(buf_str(&stage->store.story), "![1 2]");
}

/* A turn in which so many trials end. */
static void end_trials(struct stage *stage, int count)
{
    for (int i = 0; i < count; i++)
        commit_add(stage->commit, &(struct event){.kind = EVENT_TRIAL_ENDED, .number = ++stage->sent});
    commit_flush(stage->commit);
}

static void who_wants_the_end_does_not_wait_out_trouble_for_ever(void **state)
{
    struct stage *stage = *state;
    stage->store.refusals = 1000;
    end_trials(stage, 2);
    until(stage->loop, is_troubled, stage);
    end_trials(stage, 1);
    assert_false(stage->unwritten);
    commit_hurry(stage->commit, 0.01);
    until_true(stage->loop, &stage->unwritten);
    assert_int_equal(commit_unwritten_ends(stage->commit), 3);
    assert_int_equal(stage->committed, 0);
}

static void trouble_that_comes_when_the_end_is_wanted_is_not_waited_out_either(void **state)
{
    struct stage *stage = *state;
    commit_hurry(stage->commit, 0.01);
    end_trials(stage, 2);
    until(stage->loop, all_committed, stage);
    assert_false(stage->unwritten);
    assert_int_equal(commit_unwritten_ends(stage->commit), 0);
    stage->store.refusals = 1000;
    end_trials(stage, 1);
    until_true(stage->loop, &stage->unwritten);
    assert_int_equal(commit_unwritten_ends(stage->commit), 1);
}

static void room_that_is_made_in_time_ends_the_trouble(void **state)
{
    struct stage *stage = *state;
    stage->store.refusals = 1;
    end_trials(stage, 1);
    until(stage->loop, is_troubled, stage);
    commit_hurry(stage->commit, 1000);
    until(stage->loop, has_gathered, stage);
    assert_false(stage->unwritten);
    assert_int_equal(commit_unwritten_ends(stage->commit), 0);
}

static void stopping_amid_trouble_does_not_wait_for_its_end(void **state)
{
    struct stage *stage = *state;
    stage->store.refusals = 1000;
    turn(stage, 2);
    until(stage->loop, is_troubled, stage);
    turn(stage, 1);
    end(stage);
    assert_int_equal(stage->committed, 0);
}

static void stopping_waits_for_the_group_that_is_being_written(void **state)
{
    struct stage *stage = *state;
    turn(stage, 2);
    end(stage);
    assert_string_equal(buf_str(&stage->store.story), "[1 2]");
    assert_int_equal(stage->committed, 0); /* nobody listens any more */
}

static void answered(void *context, char *answer, const struct err *err)
{
    struct stage *stage = context;
    buf_text(&stage->answers, answer ? answer : err->text);
    free(answer);
    stage->answered = true;
}

static void ask(struct stage *stage, const char *arguments)
{
    json_t *json = json_loads(arguments, 0, NULL);
    commit_read(stage->commit, json, answered, stage);
    json_decref(json); /* the thread has its own */
}

static void finishing_writes_what_has_gathered_meanwhile(void **state)
{
    struct stage *stage = *state;
    atomic_store(&stage->store.shut, true);
    turn(stage, 2);
    sem_wait(&stage->store.inside);
    turn(stage, 3);
    atomic_store(&stage->store.shut, false);
    sem_post(&stage->store.gate);
    commit_finish(stage->commit);
    stage->commit = NULL;
    assert_string_equal(buf_str(&stage->store.story), "[1 2][3 4 5]");
}

static void readers_are_served_between_two_groups(void **state)
{
    struct stage *stage = *state;
    turn(stage, 1);
    ask(stage, "{\"function\": \"best\"}");
    until_true(stage->loop, &stage->answered);
    end(stage);
    assert_string_equal(buf_str(&stage->answers), "{\"asked\":\"best\"}");
    assert_string_equal(buf_str(&stage->store.story), "[1]r");
}

static void what_can_not_be_read_is_answered_by_a_sentence(void **state)
{
    struct stage *stage = *state;
    ask(stage, "{\"fail\": true}");
    until_true(stage->loop, &stage->answered);
    assert_string_equal(buf_str(&stage->answers), "can't be read");
}

static void who_asked_is_answered_even_at_the_end(void **state)
{
    struct stage *stage = *state;
    ask(stage, "{\"function\": \"best\"}");
    end(stage);
    assert_true(stage->answered);
}

int main(void)
{
#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STAGED(the_events_of_a_turn_are_one_group),
        STAGED(while_one_group_is_written_the_next_one_gathers),
        STAGED(a_turn_without_events_writes_nothing),
        STAGED(a_group_that_could_not_be_written_is_tried_again_as_it_was),
        STAGED(a_store_that_is_lost_is_not_tried_again),
        STAGED(who_wants_the_end_does_not_wait_out_trouble_for_ever),
        STAGED(trouble_that_comes_when_the_end_is_wanted_is_not_waited_out_either),
        STAGED(room_that_is_made_in_time_ends_the_trouble),
        STAGED(stopping_amid_trouble_does_not_wait_for_its_end),
        STAGED(stopping_waits_for_the_group_that_is_being_written),
        STAGED(finishing_writes_what_has_gathered_meanwhile),
        STAGED(readers_are_served_between_two_groups),
        STAGED(what_can_not_be_read_is_answered_by_a_sentence),
        STAGED(who_asked_is_answered_even_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
