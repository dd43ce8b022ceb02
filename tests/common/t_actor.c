/* Actors: letters arrive once, in order, in both directions, also at the end. */
#include "common/actor.h"
#include "common/mem.h"
#include "tests/claims.h"

#include <pthread.h>
#include <stdlib.h>

static struct err err;

struct note {
    struct letter letter;
    int number;
};

/* The actor's own state, and what the loop's side counts. */
struct room {
    struct loop *loop;
    int heard;         /* notes that the actor was given; they come in order */
    int came, wanted;  /* notes that came back; the loop stops at the last */
    bool other_thread; /* whether the work was done elsewhere */
    pthread_t home;
};

/* Gives every note back. */
static struct letter *echo(void *state, struct letter *letters)
{
    struct room *room = state;
    for (struct letter *letter = letters; letter; letter = letter->next)
        assert_int_equal(((struct note *)letter)->number, room->heard++);
    room->other_thread = !pthread_equal(room->home, pthread_self());
    return letters;
}

/* Gives every second note back, at once. */
static struct letter *answer_half(void *state, struct letter *letters)
{
    struct actor **self = state;
    for (struct letter *letter = letters, *next; letter; letter = next) {
        next = letter->next;
        if (((struct note *)letter)->number % 2 == 0)
            actor_answer(*self, letter);
        else
            free(letter);
    }
    return NULL;
}

static void count_in_order(void *context, struct letter *letter)
{
    struct room *room = context;
    struct note *note = (struct note *)letter;
    assert_int_equal(note->number, room->came++);
    free(note);
    if (room->came == room->wanted)
        loop_stop(room->loop);
}

static void count(void *context, struct letter *letter)
{
    struct room *room = context;
    free(letter);
    if (++room->came == room->wanted)
        loop_stop(room->loop);
}

static void send_note(struct actor *actor, int number)
{
    struct note *note = MEM_NEW(struct note);
    note->number = number;
    actor_send(actor, &note->letter);
}

enum { MANY = 10000 };

static void ten_thousand_letters_go_there_and_back_in_order(void **state)
{
    (void)state;
    struct room room = {.loop = loop_create(), .wanted = MANY, .home = pthread_self()};
    struct actor *actor = actor_start(room.loop, "echo", echo, &room, count_in_order, &room, &err);
    assert_non_null(actor);
    for (int i = 0; i < MANY; i++)
        send_note(actor, i);
    assert_int_equal(loop_run(room.loop, &err), 0);
    actor_stop(actor);
    assert_int_equal(room.came, MANY);
    assert_true(room.other_thread);
    loop_destroy(room.loop);
}

static void stopping_delivers_all_that_was_sent(void **state)
{
    (void)state;
    struct room room = {.loop = loop_create(), .home = pthread_self()};
    struct actor *actor = actor_start(room.loop, "echo", echo, &room, count_in_order, &room, &err);
    for (int i = 0; i < MANY; i++)
        send_note(actor, i);
    actor_stop(actor);
    assert_int_equal(room.heard, MANY);
    assert_int_equal(room.came, MANY);
    loop_destroy(room.loop);
}

static void an_answer_comes_before_the_batch_is_done(void **state)
{
    (void)state;
    struct room room = {.loop = loop_create(), .wanted = MANY / 2};
    struct actor *actor = NULL;
    actor = actor_start(room.loop, "half", answer_half, &actor, count, &room, &err);
    for (int i = 0; i < MANY; i++)
        send_note(actor, i);
    assert_int_equal(loop_run(room.loop, &err), 0);
    actor_stop(actor);
    assert_int_equal(room.came, MANY / 2);
    loop_destroy(room.loop);
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
        cmocka_unit_test(ten_thousand_letters_go_there_and_back_in_order),
        cmocka_unit_test(stopping_delivers_all_that_was_sent),
        cmocka_unit_test(an_answer_comes_before_the_batch_is_done),
        cmocka_unit_test(an_actor_that_was_sent_nothing_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
