/* Every call to ZeroMQ, and of waiting, fails once: whoever opens a link is told why and nothing of it is left; what a
 * signal interrupts goes on. */
#include "common/msg.h"
#include "tests/pair.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zmq.h>

/* --- calls that fail --- */

/* Of this thread alone: the handler of keys has calls of its own. The call number `at` from now on (1: the next one)
 * fails with this errno; 0: none does. */
static _Thread_local struct {
    unsigned at;
    int number;
    bool came;
} fault;

static bool fails(void)
{
    if (!fault.at || --fault.at)
        return false;
    fault.came = true;
    errno = fault.number;
    return true;
}

static void fail_at(unsigned at, int number)
{
    fault.at = at;
    fault.number = number;
    fault.came = false;
}

static bool mend(void)
{
    fault.at = 0;
    return fault.came;
}

#define NEXT(type, name, ...)                                                                                          \
    static _Thread_local type (*next)(__VA_ARGS__);                                                                    \
    if (!next)                                                                                                         \
        *(void **)&next = dlsym(RTLD_NEXT, name);

/* These stand before those of the library. */
void *zmq_ctx_new(void)
{
    NEXT(void *, "zmq_ctx_new", void)
    return fails() ? NULL : next();
}

void *zmq_socket(void *context, int type)
{
    NEXT(void *, "zmq_socket", void *, int)
    return fails() ? NULL : next(context, type);
}

int zmq_setsockopt(void *socket, int option, const void *value, size_t length)
{
    NEXT(int, "zmq_setsockopt", void *, int, const void *, size_t)
    return fails() ? -1 : next(socket, option, value, length);
}

int zmq_getsockopt(void *socket, int option, void *value, size_t *length)
{
    NEXT(int, "zmq_getsockopt", void *, int, void *, size_t *)
    return fails() ? -1 : next(socket, option, value, length);
}

int zmq_bind(void *socket, const char *endpoint)
{
    NEXT(int, "zmq_bind", void *, const char *)
    return fails() ? -1 : next(socket, endpoint);
}

int zmq_connect(void *socket, const char *endpoint)
{
    NEXT(int, "zmq_connect", void *, const char *)
    return fails() ? -1 : next(socket, endpoint);
}

int zmq_send(void *socket, const void *bytes, size_t length, int flags)
{
    NEXT(int, "zmq_send", void *, const void *, size_t, int)
    return fails() ? -1 : next(socket, bytes, length, flags);
}

int zmq_msg_recv(zmq_msg_t *message, void *socket, int flags)
{
    NEXT(int, "zmq_msg_recv", zmq_msg_t *, void *, int)
    return fails() ? -1 : next(message, socket, flags);
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *time, const sigset_t *mask)
{
    NEXT(int, "ppoll", struct pollfd *, nfds_t, const struct timespec *, const sigset_t *)
    return fails() ? -1 : next(fds, count, time, mask);
}

/* --- opening --- */

static struct err err;

/* Binds until no call fails; how often it could not. A socket that asks too little, or of which the kernel could not
 * say whose it is, goes without. */
static unsigned bind_at_last(struct pair *pair, const char *endpoint)
{
    unsigned failures = 0;
    bool came = true;
    for (unsigned at = 1; came; at++) {
        err.text[0] = '\0';
        fail_at(at, EMFILE);
        struct link *link = pair_bind(pair, endpoint, &err);
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

static unsigned connect_at_last(struct pair *pair)
{
    unsigned failures = 0;
    bool came = true;
    for (unsigned at = 1; came; at++) {
        err.text[0] = '\0';
        fail_at(at, EMFILE);
        struct link *link =
            link_connect(pair->context, link_endpoint(pair->bound), &pair->client, pair->server.public, &err);
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
    assert_true(bind_at_last(&pair, "tcp://127.0.0.1:*") > 10);
    assert_true(connect_at_last(&pair) > 10);
    pair_talk(&pair);
    pair_close(&pair);
    char endpoint[200];
    snprintf(endpoint, sizeof endpoint, "ipc://%s", path_in(state, "socket"));
    pair_open(&pair);
    assert_true(bind_at_last(&pair, endpoint) > 10);
    assert_true(connect_at_last(&pair) > 10);
    pair_talk(&pair);
    pair_close(&pair);
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
