/* Actors: messages arrive once, in order, in both directions, also at the end. */
#include "common/actor.h"
#include "common/mem.h"
#include "tests/claims.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static struct err err;

struct note {
    struct message message;
    int number;
};

/* The actor's own state, and what the loop's side counts. */
struct stage {
    struct loop *loop;
    int heard;         /* notes that the actor was given; they come in order */
    int came, wanted;  /* notes that came back; the loop stops at the last */
    bool other_thread; /* whether the work was done elsewhere */
    pthread_t home;
};

/* Gives every note back. */
static struct message *echo(void *state, struct message *messages)
{
    struct stage *stage = state;
    for (struct message *message = messages; message; message = message->next)
        assert_int_equal(((struct note *)message)->number, stage->heard++);
    stage->other_thread = !pthread_equal(stage->home, pthread_self());
    return messages;
}

/* Gives every second note back, at once. */
static struct message *answer_half(void *state, struct message *messages)
{
    struct actor **self = state;
    for (struct message *message = messages, *next; message; message = next) {
        next = message->next;
        message->next = NULL;
        if (((struct note *)message)->number % 2 == 0)
            actor_answer(*self, message);
        else
            free(message);
    }
    return NULL;
}

static void count_in_order(void *context, struct message *message)
{
    struct stage *stage = context;
    struct note *note = (struct note *)message;
    assert_int_equal(note->number, stage->came++);
    free(note);
    if (stage->came == stage->wanted)
        loop_stop(stage->loop);
}

static void count(void *context, struct message *message)
{
    struct stage *stage = context;
    free(message);
    if (++stage->came == stage->wanted)
        loop_stop(stage->loop);
}

static void send_note(struct actor *actor, int number)
{
    struct note *note = MEM_NEW(struct note);
    note->number = number;
    actor_send(actor, &note->message);
}

enum { MANY = 10000 };

static void ten_thousand_messages_go_there_and_back_in_order(void **state)
{
    (void)state;
    struct stage stage = {.loop = loop_create(), .wanted = MANY, .home = pthread_self()};
    struct actor *actor = actor_start(stage.loop, "echo", echo, &stage, count_in_order, &stage, &err);
    assert_non_null(actor);
    for (int i = 0; i < MANY; i++)
        send_note(actor, i);
    assert_int_equal(loop_run(stage.loop, &err), 0);
    actor_stop(actor);
    assert_int_equal(stage.came, MANY);
    assert_true(stage.other_thread);
    loop_destroy(stage.loop);
}

static void stopping_delivers_all_that_was_sent(void **state)
{
    (void)state;
    struct stage stage = {.loop = loop_create(), .home = pthread_self()};
    struct actor *actor = actor_start(stage.loop, "echo", echo, &stage, count_in_order, &stage, &err);
    for (int i = 0; i < MANY; i++)
        send_note(actor, i);
    actor_stop(actor);
    assert_int_equal(stage.heard, MANY);
    assert_int_equal(stage.came, MANY);
    loop_destroy(stage.loop);
}

static void an_answer_comes_before_the_batch_is_done(void **state)
{
    (void)state;
    struct stage stage = {.loop = loop_create(), .wanted = MANY / 2};
    struct actor *actor = NULL;
    actor = actor_start(stage.loop, "half", answer_half, &actor, count, &stage, &err);
    for (int i = 0; i < MANY; i++)
        send_note(actor, i);
    assert_int_equal(loop_run(stage.loop, &err), 0);
    actor_stop(actor);
    assert_int_equal(stage.came, MANY / 2);
    loop_destroy(stage.loop);
}

/* Answers everything, then says that it has. */
struct answerer {
    struct actor *actor;
    int batches; /* that it was given */
    sem_t done;
};

static struct message *answer_all(void *state, struct message *messages)
{
    struct answerer *self = state;
    self->batches++;
    for (struct message *next; messages; messages = next) {
        next = messages->next;
        messages->next = NULL;
        actor_answer(self->actor, messages);
    }
    sem_post(&self->done);
    return NULL;
}

static void count_turn(void *context)
{
    ++*(int *)context;
}

static void messages_that_gather_wake_each_side_once(void **state)
{
    (void)state;
    int turns = 0;
    struct stage stage = {.loop = loop_create(), .wanted = MANY};
    struct answerer answerer = {0};
    struct message *all = NULL;
    for (int i = 0; i < MANY; i++) {
        struct note *note = MEM_NEW(struct note);
        note->message.next = all;
        all = &note->message;
    }
    sem_init(&answerer.done, 0, 0);
    answerer.actor = actor_start(stage.loop, "all", answer_all, &answerer, count, &stage, &err);
    actor_send(answerer.actor, all);
    sem_wait(&answerer.done);
    loop_turn(stage.loop, count_turn, &turns);
    assert_int_equal(loop_run(stage.loop, &err), 0);
    actor_stop(answerer.actor);
    assert_int_equal(answerer.batches, 1);
    assert_int_equal(turns, 1);
    sem_destroy(&answerer.done);
    loop_destroy(stage.loop);
}

static void an_actor_that_was_sent_nothing_stops(void **state)
{
    (void)state;
    struct loop *loop = loop_create();
    for (int i = 0; i < 50; i++)
        actor_stop(actor_start(loop, "a name that is far too long", echo, NULL, count, NULL, &err));
    actor_stop(NULL);
    loop_destroy(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_messages_go_there_and_back_in_order),
        cmocka_unit_test(stopping_delivers_all_that_was_sent),
        cmocka_unit_test(an_answer_comes_before_the_batch_is_done),
        cmocka_unit_test(an_actor_that_was_sent_nothing_stops),
        cmocka_unit_test(messages_that_gather_wake_each_side_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
