/* Every call to ZeroMQ, and of waiting, fails once: whoever opens a link is told why and nothing of it is left; what a
 * signal interrupts goes on. */
#include "common/msg.h"
#include "tests/pair.h"
#include "tests/zmq_faults.h"

#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zmq.h>

/* Here and not in zmq_faults.h: the C library has it inline, and a header may not lend such one its own functions. */
int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *time, const sigset_t *mask)
{
    NEXT(int, "ppoll", struct pollfd *, nfds_t, const struct timespec *, const sigset_t *)
    return fails() ? -1 : next(fds, count, time, mask);
}

/* --- opening --- */

static struct err err;

static struct link *bind_narrow(struct pair *pair, const char *endpoint)
{
    const char *allowed = pair->client.public;
    return link_bind_narrow(pair->context, endpoint, &pair->server, &allowed, 1, &err);
}

static struct link *bind_usual(struct pair *pair, const char *endpoint)
{
    return pair_bind(pair, endpoint, &err);
}

/* Binds until no call fails; how often it could not. A socket that asks too little, or of which the kernel could not
 * say whose it is, goes without. */
static unsigned bind_at_last(struct pair *pair, struct link *(*bind)(struct pair *, const char *), const char *endpoint)
{
    unsigned failures = 0;
    bool came = true;
    for (unsigned at = 1; came; at++) {
        err.text[0] = '\0';
        fail_at(at, EMFILE);
        struct link *link = bind(pair, endpoint);
        came = mend();
        if (link && came)
            link_close(link);
        else if (link)
            pair->bound = link;
        else
            assert_true(*err.text);
        failures += !link;
    }
    return failures;
}

typedef struct link *connect_function(struct link_context *context, const char *endpoint, const struct key_pair *mine,
                                      const char *server_public, struct err *err);

static unsigned connect_at_last(struct pair *pair, connect_function *connect, const char *endpoint)
{
    unsigned failures = 0;
    bool came = true;
    for (unsigned at = 1; came; at++) {
        err.text[0] = '\0';
        fail_at(at, EMFILE);
        struct link *link = connect(pair->context, endpoint, &pair->client, pair->server.public, &err);
        came = mend();
        if (link && came)
            link_close(link);
        else if (link)
            pair->connected = link;
        else
            assert_true(*err.text);
        failures += !link;
    }
    return failures;
}

static void a_link_that_can_not_be_opened_says_why_and_the_next_try_goes_well(void **state)
{
    struct pair pair;
    pair_open(&pair);
    assert_true(bind_at_last(&pair, bind_usual, "tcp://127.0.0.1:*") > 10);
    assert_true(connect_at_last(&pair, link_connect, link_endpoint(pair.bound)) > 10);
    pair_talk(&pair);
    pair_close(&pair);
    char endpoint[200];
    snprintf(endpoint, sizeof endpoint, "ipc://%s", path_in(state, "socket"));
    pair_open(&pair);
    assert_true(bind_at_last(&pair, bind_usual, endpoint) > 10);
    assert_true(connect_at_last(&pair, link_connect, link_endpoint(pair.bound)) > 10);
    pair_talk(&pair);
    pair_close(&pair);
}

static void what_only_looks_is_bound_wholly_or_not_at_all(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair);
    unsigned usual = bind_at_last(&pair, bind_usual, "tcp://127.0.0.1:*");
    link_close(pair.bound);
    pair.bound = NULL;
    /* limits of two queues; then the socket that says who comes and goes, its two options, and both its ends */
    assert_true(bind_at_last(&pair, bind_narrow, "tcp://127.0.0.1:*") >= usual + 2 + 5);
    assert_true(connect_at_last(&pair, link_connect, link_endpoint(pair.bound)) > 10);
    pair_talk(&pair);
    pair_close(&pair);
}

static void a_handshake_that_can_not_be_watched_is_not_begun(void **state)
{
    (void)state;
    struct pair pair;
    pair_open_tcp(&pair);
    link_close(pair.connected);
    unsigned usual = connect_at_last(&pair, link_connect, link_endpoint(pair.bound));
    link_close(pair.connected);
    unsigned watched = connect_at_last(&pair, link_connect_watched, link_endpoint(pair.bound));
    assert_true(watched >= usual + 4); /* a socket, its option, and both its ends */
    pair_talk(&pair);
    assert_false(link_is_refused(pair.connected));
    pair_close(&pair);
}

static void an_address_in_brackets_needs_a_socket_for_ipv6(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair);
    unsigned usual = connect_at_last(&pair, link_connect, "tcp://127.0.0.1:9");
    link_close(pair.connected);
    assert_int_equal(connect_at_last(&pair, link_connect, "tcp://[::1]:9"), usual + 1);
    pair_close(&pair);
}

static void a_connection_without_both_keys_is_refused(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair);
    assert_null(link_connect(pair.context, "tcp://127.0.0.1:9", &pair.client, NULL, &err));
    assert_has(err.text, "needs keys");
    err.text[0] = '\0';
    assert_null(link_connect(pair.context, "tcp://127.0.0.1:9", NULL, pair.server.public, &err));
    assert_has(err.text, "needs keys");
    pair_close(&pair);
}

static void a_library_with_known_holes_or_without_curve_is_refused(void **state)
{
    (void)state;
    is_old = true;
    assert_null(link_context_create(&err));
    assert_has(err.text, "4.3.2 has known holes");
    is_old = false;
    is_bare = true;
    assert_null(link_context_create(&err));
    assert_has(err.text, "without CURVE");
    is_bare = false;
    struct link_context *context = link_context_create(&err);
    assert_non_null(context);
    fail_at(1, EINTR); /* a signal while ZeroMQ ends */
    link_context_destroy(context);
    assert_true(mend());
}

static void a_low_limit_of_descriptors_is_raised_as_far_as_it_may(void **state)
{
    (void)state;
    struct rlimit before, low, now;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    low = (struct rlimit){.rlim_cur = 64, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    struct link_context *context = link_context_create(&err);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
    link_context_destroy(context);
    assert_true(now.rlim_cur == before.rlim_max || now.rlim_cur >= 1 << 18);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* An address is tried for each of these answers of the system. */
static void an_address_that_can_not_be_had_says_what_to_do(void **state)
{
    (void)state;
    static const struct {
        int number;
        const char *said;
    } answers[] = {{EADDRINUSE, "in use by another process"},
                   {EADDRNOTAVAIL, "no such address"},
                   {ENODEV, "no such address"},
                   {EACCES, "ports below 1024"},
                   {ENOTSUP, "can't listen at"}};
    struct pair pair;
    pair_open(&pair);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        bool said = false;
        for (unsigned at = 1; !said; at++) { /* the call that binds is one of the last */
            err.text[0] = '\0';
            fail_at(at, answers[i].number);
            link_close(pair_bind(&pair, "tcp://127.0.0.1:*", &err));
            assert_true(mend());
            said = strstr(err.text, "can't listen at") && strstr(err.text, answers[i].said);
        }
    }
    assert_null(pair_bind(&pair, "udp://127.0.0.1:*", &err));
    assert_has(err.text, "write tcp://ADDRESS:PORT");
    pair_close(&pair);
}

static void without_zeromq_there_is_no_context(void **state)
{
    (void)state;
    fail_at(1, EMFILE);
    struct link_context *context = link_context_create(&err);
    assert_true(mend());
    assert_null(context);
    assert_has(err.text, "can't start ZeroMQ");
}

/* A machine that has no more than this says so elsewhere: the first socket shows it. */
static void a_context_whose_first_socket_fails_can_be_used_later(void **state)
{
    (void)state;
    fail_at(2, EMFILE);
    struct link_context *context = link_context_create(&err);
    assert_true(mend());
    assert_non_null(context);
    link_context_destroy(context);
}

static void a_low_limit_of_descriptors_makes_a_short_queue_and_no_more(void **state)
{
    (void)state;
    struct pair pair;
    struct rlimit before, tight;
    pair_open(&pair);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    tight = (struct rlimit){.rlim_cur = before.rlim_cur < 1024 ? before.rlim_cur : 1024, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
    pair.bound = pair_bind(&pair, "tcp://127.0.0.1:*", &err);
    assert_non_null(pair.bound);
    pair.connected = link_connect(pair.context, link_endpoint(pair.bound), &pair.client, pair.server.public, &err);
    assert_non_null(pair.connected);
    pair_talk(&pair);
    pair_close(&pair);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* --- messages --- */

static void what_a_signal_interrupts_goes_on(void **state)
{
    struct pair pair;
    struct buf bytes = {0};
    uint64_t peer = 0;
    pair_open_ipc(&pair, path_in(state, "socket"));
    pair_talk(&pair);
    fail_at(1, EINTR);
    assert_int_equal(link_send(pair.connected, 0, "hello", 5), LINK_OK);
    assert_true(mend());
    assert_true(pair_can_read(pair.bound, PAIR_PATIENCE));
    fail_at(1, EINTR);
    assert_int_equal(link_receive(pair.bound, &peer, &bytes), LINK_OK);
    assert_true(mend());
    assert_int_equal(bytes.length, 5);
    fail_at(1, EINTR);
    assert_int_equal(link_send(pair.bound, peer, "you", 3), LINK_OK);
    assert_true(mend());
    pair_expect(pair.connected, &peer, "you");
    buf_fini(&bytes);
    pair_close(&pair);
}

static void a_queue_that_is_full_is_not_a_peer_that_is_gone(void **state)
{
    struct pair pair;
    uint64_t peer = 0;
    pair_open_ipc(&pair, path_in(state, "socket"));
    pair_send(pair.connected, 0, "hello");
    pair_expect(pair.bound, &peer, "hello");
    fail_at(1, EAGAIN);
    assert_int_equal(link_send(pair.bound, peer, "you", 3), LINK_NONE);
    fail_at(1, EHOSTUNREACH);
    assert_int_equal(link_send(pair.bound, peer, "you", 3), LINK_GONE);
    mend();
    assert_int_equal(link_send(pair.bound, 0, "nobody", 6), LINK_GONE);
    assert_int_equal(link_send(pair.bound, peer, "you", 3), LINK_OK);
    pair_expect(pair.connected, &peer, "you");
    pair_close(&pair);
}

/* Who only looks: the frame of his address goes first, then the answer, a long one with an empty frame behind it. */
static void a_long_answer_that_signals_interrupt_arrives_whole(void **state)
{
    (void)state;
    enum { LONG_ANSWER = 100 << 10 };
    static char answer[LONG_ANSWER];
    struct pair pair;
    struct buf bytes = {0};
    uint64_t peer = 0, ignored;
    pair_open(&pair);
    pair.bound = bind_narrow(&pair, "tcp://127.0.0.1:*");
    assert_non_null(pair.bound);
    pair.connected = link_connect(pair.context, link_endpoint(pair.bound), &pair.client, pair.server.public, &err);
    pair_send(pair.connected, 0, "ask");
    pair_expect(pair.bound, &peer, "ask");
    fail_at(1, EAGAIN);
    assert_int_equal(link_send(pair.bound, peer, "you", 3), LINK_NONE);
    assert_true(mend());
    for (unsigned at = 1; at <= 4; at += at) { /* the address, a long answer, and, once made, the frame behind it */
        fail_at(at, EINTR);
        assert_int_equal(link_send(pair.bound, peer, answer, sizeof answer), LINK_OK);
        assert_true(mend());
        while (link_receive(pair.connected, &ignored, &bytes) != LINK_OK)
            assert_true(pair_can_read(pair.connected, PAIR_PATIENCE));
        assert_int_equal(bytes.length, sizeof answer);
    }
    buf_fini(&bytes);
    pair_close(&pair);
}

static void an_answer_that_does_not_leave_is_not_held(void **state)
{
    (void)state;
    struct pair pair;
    uint64_t peer = 0;
    for (unsigned at = 2; at <= 3; at++) { /* its frame is made, then sent */
        pair_open(&pair);
        pair.bound = bind_narrow(&pair, "tcp://127.0.0.1:*");
        assert_non_null(pair.bound);
        pair.connected = link_connect(pair.context, link_endpoint(pair.bound), &pair.client, pair.server.public, &err);
        pair_send(pair.connected, 0, "ask");
        pair_expect(pair.bound, &peer, "ask");
        fail_at(at, ENOMEM);
        assert_int_equal(link_send(pair.bound, peer, "you", 3), LINK_NONE);
        assert_true(mend());
        assert_int_equal(link_held(pair.bound), 0);
        pair_close(&pair);
    }
}

/* --- waiting --- */

static void a_wait_that_a_signal_ends_has_nothing(void **state)
{
    struct pair pair;
    int ends[2];
    pair_open_ipc(&pair, path_in(state, "socket"));
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    struct link_poll items[2] = {{.link = pair.bound, .want_read = true, .want_write = true},
                                 {.fd = ends[0], .want_read = true}};
    link_ready(pair.bound, &items[0].can_read, &items[0].can_write);
    items[0].want_write = false;
    fail_at(1, EINTR);
    assert_int_equal(link_wait(items, 2, -1, &err), 0);
    assert_true(mend());
    assert_false(items[0].can_read || items[1].can_read);
    assert_int_equal(link_wait(items, 2, -1, &err), 0);
    assert_true(items[1].can_read);
    fail_at(1, ENOMEM);
    assert_int_equal(link_wait(items, 2, 1, &err), -1);
    assert_true(mend());
    assert_has(err.text, "can't wait for input");
    assert_int_equal(close(ends[0]) | close(ends[1]), 0);
    pair_close(&pair);
}

/* Descriptors that can be written, and more of them than usual. */
static void many_descriptors_are_waited_for_at_once(void **state)
{
    (void)state;
    enum { MANY = 100 };
    struct link_poll items[MANY];
    int ends[MANY][2];
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(pipe(ends[i]), 0);
        items[i] = (struct link_poll){.fd = ends[i][i % 2], .want_read = i % 2 == 0, .want_write = i % 2 == 1};
    }
    assert_int_equal(link_wait(items, MANY, 1e10, &err), 0);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(items[i].can_write, i % 2 == 1);
        assert_false(items[i].can_read);
        assert_int_equal(close(ends[i][0]) | close(ends[i][1]), 0);
    }
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_only_looks_is_bound_wholly_or_not_at_all),
        cmocka_unit_test(a_handshake_that_can_not_be_watched_is_not_begun),
        cmocka_unit_test(an_address_in_brackets_needs_a_socket_for_ipv6),
        cmocka_unit_test(a_connection_without_both_keys_is_refused),
        cmocka_unit_test(a_library_with_known_holes_or_without_curve_is_refused),
        cmocka_unit_test(a_low_limit_of_descriptors_is_raised_as_far_as_it_may),
        cmocka_unit_test(a_long_answer_that_signals_interrupt_arrives_whole),
        cmocka_unit_test(an_answer_that_does_not_leave_is_not_held),
        IN_SCRATCH(a_link_that_can_not_be_opened_says_why_and_the_next_try_goes_well),
        cmocka_unit_test(an_address_that_can_not_be_had_says_what_to_do),
        cmocka_unit_test(without_zeromq_there_is_no_context),
        cmocka_unit_test(a_context_whose_first_socket_fails_can_be_used_later),
        cmocka_unit_test(a_low_limit_of_descriptors_makes_a_short_queue_and_no_more),
        IN_SCRATCH(what_a_signal_interrupts_goes_on),
        IN_SCRATCH(a_queue_that_is_full_is_not_a_peer_that_is_gone),
        IN_SCRATCH(a_wait_that_a_signal_ends_has_nothing),
        cmocka_unit_test(many_descriptors_are_waited_for_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
