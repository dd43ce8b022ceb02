/* The loop: what calls when, and that any watch may be added and removed by any call. */
#include "common/clock.h"
#include "common/loop.h"
#include "common/mem.h"
#include "common/rng.h"
#include "tests/claims.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct err err;

/* What the calls of a test wrote down, one character each. */
static char story[64];

static void tell(char letter)
{
    size_t length = strlen(story);
    assert_true(length + 1 < sizeof story);
    story[length] = letter;
    story[length + 1] = '\0';
}

static int fresh_loop(void **state)
{
    story[0] = '\0';
    *state = loop_create();
    return 0;
}

static int drop_loop(void **state)
{
    loop_destroy(*state);
    return 0;
}

static void end_loop(void *context)
{
    tell('.');
    loop_stop(context);
}

static void run(struct loop *loop)
{
    assert_int_equal(loop_run(loop, &err), 0);
}

static void tell_a(void *context)
{
    (void)context;
    tell('a');
}

static void tell_b(void *context)
{
    (void)context;
    tell('b');
}

static void timers_call_in_the_order_they_are_due(void **state)
{
    struct loop *loop = *state;
    loop_timer(loop, -1, tell_a, NULL);
    loop_timer(loop, 0, tell_b, NULL);
    loop_timer(loop, 0.01, tell_a, NULL);
    loop_timer(loop, 0.02, end_loop, loop);
    run(loop);
    assert_string_equal(story, "aba.");
}

/* Timers that check that none is called before one that was due earlier. */
struct crowd {
    struct loop *loop;
    double latest; /* of the timers called so far: the latest time that one was due at the earliest */
    size_t called, count, wrong;
};

/* When exactly a timer is due only the loop knows: between `early` and `late`. */
struct member {
    struct crowd *crowd;
    struct loop_watch *watch;
    double early, late;
    bool removed;
};

static void member_call(void *context)
{
    struct member *member = context;
    struct crowd *crowd = member->crowd;
    crowd->wrong += member->removed || member->late < crowd->latest || clock_monotonic() < member->early;
    if (member->early > crowd->latest)
        crowd->latest = member->early;
    if (++crowd->called == crowd->count)
        loop_stop(crowd->loop);
}

static void member_set(struct member *member, double seconds)
{
    member->early = clock_monotonic() + seconds;
    if (member->watch)
        loop_move(member->watch, seconds);
    else
        member->watch = loop_timer(member->crowd->loop, seconds, member_call, member);
    member->late = clock_monotonic() + seconds;
}

/* Thousands of timers, some moved and some removed again, against what their due times say. */
static void thousands_of_timers_keep_their_order(void **state)
{
    enum { MEMBERS = 5000 };
    struct rng rng = rng_make(1, "timers", 0);
    struct crowd crowd = {.loop = *state, .count = MEMBERS};
    struct member *members = MEM_ARRAY(struct member, MEMBERS);
    for (size_t i = 0; i < MEMBERS; i++) {
        members[i].crowd = &crowd;
        member_set(&members[i], rng_unit(&rng) * 0.05);
    }
    for (size_t i = 0; i < MEMBERS; i += 1 + rng_below(&rng, 3)) {
        members[i].removed = rng_below(&rng, 2);
        crowd.count -= members[i].removed;
        if (members[i].removed)
            loop_remove(members[i].watch);
        else
            member_set(&members[i], rng_unit(&rng) * 0.05);
    }
    run(crowd.loop);
    assert_int_equal(crowd.called, crowd.count);
    assert_int_equal(crowd.wrong, 0);
    free(members);
}

struct again {
    struct loop *loop;
    struct loop_watch *timer;
    int calls;
};

static void call_again(void *context)
{
    struct again *again = context;
    if (++again->calls == 3)
        loop_stop(again->loop);
    else
        loop_move(again->timer, 0);
}

static void a_timer_moved_in_its_own_call_goes_on(void **state)
{
    struct again again = {.loop = *state};
    again.timer = loop_timer(again.loop, 0, call_again, &again);
    run(again.loop);
    assert_int_equal(again.calls, 3);
}

static void restart_at_once(void *context)
{
    struct again *again = context;
    again->calls++;
    again->timer = loop_timer(again->loop, 0, restart_at_once, again);
}

static void timers_that_set_timers_do_not_starve_the_rest(void **state)
{
    struct again again = {.loop = *state};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    loop_timer(again.loop, 0, restart_at_once, &again);
    loop_read(again.loop, ends[0], end_loop, again.loop);
    run(again.loop);
    assert_true(again.calls <= 2);
    close(ends[0]);
    close(ends[1]);
}

static void descriptors_call_when_they_are_ready(void **state)
{
    struct loop *loop = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct loop_watch *writer = loop_write(loop, ends[1], tell_b, NULL);
    loop_read(loop, ends[0], tell_a, NULL);
    loop_timer(loop, 0, end_loop, loop);
    run(loop);
    assert_string_equal(story, "b.");
    loop_remove(writer);
    assert_int_equal(write(ends[1], "x", 1), 1);
    loop_timer(loop, 0, end_loop, loop);
    run(loop);
    assert_string_equal(story, "b.a.");
    close(ends[0]);
    close(ends[1]);
}

/* As in a process that did not run when both came. */
static void what_is_ready_is_called_before_a_timer_that_is_due(void **state)
{
    struct loop *loop = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    loop_timer(loop, 0, tell_b, NULL);
    loop_timer(loop, 0, end_loop, loop);
    loop_read(loop, ends[0], tell_a, NULL);
    run(loop);
    assert_string_equal(story, "ab.");
    close(ends[0]);
    close(ends[1]);
}

static void a_writer_whose_reader_is_gone_is_called(void **state)
{
    struct loop *loop = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    loop_write(loop, ends[1], end_loop, loop);
    run(loop);
    close(ends[1]);
}

/* Two watches of which the first to be called removes both. */
struct duel {
    struct loop *loop;
    struct loop_watch *both[2];
    int calls;
};

static void remove_both(void *context)
{
    struct duel *duel = context;
    duel->calls++;
    for (int i = 0; i < 2; i++)
        loop_remove(duel->both[i]);
    loop_stop(duel->loop);
}

static void a_watch_removed_in_the_same_turn_is_not_called(void **state)
{
    struct duel duel = {.loop = *state};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    for (int i = 0; i < 2; i++)
        duel.both[i] = loop_read(duel.loop, ends[0], remove_both, &duel);
    run(duel.loop);
    assert_int_equal(duel.calls, 1);
    for (int i = 0; i < 2; i++)
        duel.both[i] = loop_timer(duel.loop, 0, remove_both, &duel);
    run(duel.loop);
    assert_int_equal(duel.calls, 2);
    for (int i = 0; i < 2; i++)
        duel.both[i] = loop_turn(duel.loop, remove_both, &duel);
    loop_timer(duel.loop, 0, tell_a, NULL);
    run(duel.loop);
    assert_int_equal(duel.calls, 3);
    for (int i = 0; i < 2; i++)
        duel.both[i] = loop_signal(duel.loop, SIGUSR1, remove_both, &duel);
    raise(SIGUSR1);
    run(duel.loop);
    assert_int_equal(duel.calls, 4);
    close(ends[0]);
    close(ends[1]);
}

/* Any call may add and remove any watch. */
struct churn {
    struct loop *loop;
    struct rng rng;
    int fd;
    struct loop_watch *watches[64];
    int calls;
};

static void churn_call(void *context)
{
    struct churn *churn = context;
    for (int i = 0; i < 8; i++) {
        size_t at = rng_below(&churn->rng, 64);
        loop_remove(churn->watches[at]);
        switch (rng_below(&churn->rng, 4)) {
        case 0:
            churn->watches[at] = loop_read(churn->loop, churn->fd, churn_call, churn);
            break;
        case 1:
            churn->watches[at] = loop_turn(churn->loop, churn_call, churn);
            break;
        case 2:
            churn->watches[at] = loop_signal(churn->loop, SIGUSR1, churn_call, churn);
            break;
        default:
            churn->watches[at] = NULL;
        }
    }
    raise(SIGUSR1);
    if (++churn->calls >= 5000)
        loop_stop(churn->loop);
}

static void any_call_may_add_and_remove_any_watch(void **state)
{
    struct churn churn = {.loop = *state, .rng = rng_make(2, "churn", 0)};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    churn.fd = ends[0];
    loop_signal(churn.loop, SIGUSR1, churn_call, &churn); /* stays, so that the signal never kills us */
    loop_read(churn.loop, ends[0], churn_call, &churn);
    run(churn.loop);
    signal(SIGUSR1, SIG_IGN); /* drops the one that still waits: it would end us with the loop's mask */
    signal(SIGUSR1, SIG_DFL);
    close(ends[0]);
    close(ends[1]);
}

static void signals_call_all_who_watch_them(void **state)
{
    struct loop *loop = *state;
    loop_signal(loop, SIGUSR1, tell_a, NULL);
    loop_signal(loop, SIGUSR2, tell_b, NULL);
    loop_signal(loop, SIGUSR1, end_loop, loop);
    raise(SIGUSR1);
    run(loop);
    assert_string_equal(story, "a.");
}

static void destroying_the_loop_restores_the_signal_mask(void **state)
{
    sigset_t before, during, after;
    (void)state;
    sigprocmask(SIG_BLOCK, NULL, &before);
    struct loop *loop = loop_create();
    loop_signal(loop, SIGTERM, tell_a, NULL);
    sigprocmask(SIG_BLOCK, NULL, &during);
    loop_destroy(loop);
    sigprocmask(SIG_BLOCK, NULL, &after);
    assert_true(sigismember(&during, SIGTERM) && sigismember(&during, SIGCHLD));
    for (int number = 1; number < SIGRTMIN; number++)
        assert_int_equal(sigismember(&before, number), sigismember(&after, number));
}

static void stop_next_turn(void *context)
{
    tell('a');
    loop_timer(context, 0, end_loop, context);
}

static void every_turn_ends_with_the_turn_calls(void **state)
{
    struct loop *loop = *state;
    loop_turn(loop, tell_b, NULL);
    loop_timer(loop, 0, stop_next_turn, loop);
    run(loop);
    assert_string_equal(story, "ab.b");
}

static void the_turn_calls_need_no_event_to_begin(void **state)
{
    struct loop *loop = *state;
    loop_turn(loop, end_loop, loop);
    run(loop);
    assert_string_equal(story, ".");
}

static void links_call_when_a_message_came(void **state)
{
    struct loop *loop = *state;
    void *scratch;
    char endpoint[512];
    enter_scratch(&scratch);
    struct link_context *context = link_context_create(&err);
    strcpy(endpoint, "ipc://");
    strcat(endpoint, path_in(&scratch, "socket"));
    struct key_pair keys;
    const char *allowed = keys.public;
    assert_int_equal(keys_make(&keys, &err), 0); /* the same for both sides */
    struct link *bound = link_bind(context, endpoint, &keys, &allowed, 1, &err);
    struct link *connected = link_connect(context, endpoint, &keys, keys.public, &err);
    loop_link(loop, bound, end_loop, loop);
    while (link_send(connected, 0, "hello", 5) == LINK_NONE) {
        struct link_poll item = {.link = connected, .want_write = true};
        assert_int_equal(link_wait(&item, 1, 1, &err), 0);
    }
    run(loop);
    assert_string_equal(story, ".");
    link_close(connected);
    link_close(bound);
    link_context_destroy(context);
    leave_scratch(&scratch);
}

static void the_longest_turn_is_remembered(void **state)
{
    struct loop *loop = *state;
    assert_true(loop_longest_turn(loop) == 0);
    loop_timer(loop, 0, end_loop, loop);
    run(loop);
    assert_true(loop_longest_turn(loop) > 0);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, fresh_loop, drop_loop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(timers_call_in_the_order_they_are_due),
        CLAIM(thousands_of_timers_keep_their_order),
        CLAIM(a_timer_moved_in_its_own_call_goes_on),
        CLAIM(timers_that_set_timers_do_not_starve_the_rest),
        CLAIM(descriptors_call_when_they_are_ready),
        CLAIM(what_is_ready_is_called_before_a_timer_that_is_due),
        CLAIM(a_writer_whose_reader_is_gone_is_called),
        CLAIM(a_watch_removed_in_the_same_turn_is_not_called),
        CLAIM(any_call_may_add_and_remove_any_watch),
        CLAIM(signals_call_all_who_watch_them),
        CLAIM(destroying_the_loop_restores_the_signal_mask),
        CLAIM(every_turn_ends_with_the_turn_calls),
        CLAIM(the_turn_calls_need_no_event_to_begin),
        CLAIM(links_call_when_a_message_came),
        CLAIM(the_longest_turn_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
