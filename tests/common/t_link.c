/* Links: messages over local sockets and over TCP with CURVE, strangers, and peers that come and go. */
#include "common/clock.h"
#include "common/link.h"
#include "common/msg.h"
#include "tests/claims.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

enum { PATIENCE = 30 }; /* seconds after which a test that waits has failed */

/* One bound and one connecting side with their keys. */
struct pair {
    struct link_context *context;
    struct key_pair server, client;
    struct link *bound, *connected;
};

static struct err err;

static struct link *bind_tcp(struct pair *pair, const char *endpoint)
{
    const char *allowed[] = {pair->client.public};
    return link_bind(pair->context, endpoint, &pair->server, allowed, 1, &err);
}

static void open_pair(struct pair *pair)
{
    *pair = (struct pair){.context = link_context_create(&err)};
    assert_non_null(pair->context);
    assert_int_equal(keys_make(&pair->server, &err), 0);
    assert_int_equal(keys_make(&pair->client, &err), 0);
}

static void open_tcp(struct pair *pair)
{
    open_pair(pair);
    pair->bound = bind_tcp(pair, "tcp://127.0.0.1:*");
    assert_non_null(pair->bound);
    pair->connected = link_connect(pair->context, link_endpoint(pair->bound), &pair->client, pair->server.public, &err);
    assert_non_null(pair->connected);
}

static void open_ipc(struct pair *pair, const char *path)
{
    char endpoint[512];
    open_pair(pair);
    snprintf(endpoint, sizeof endpoint, "ipc://%s", path);
    pair->bound = link_bind(pair->context, endpoint, NULL, NULL, 0, &err);
    assert_non_null(pair->bound);
    pair->connected = link_connect(pair->context, endpoint, NULL, NULL, &err);
    assert_non_null(pair->connected);
}

static void close_pair(struct pair *pair)
{
    link_close(pair->connected);
    link_close(pair->bound);
    link_context_destroy(pair->context);
}

/* Waits until the link can be read or `seconds` passed. */
static bool wait_readable(struct link *link, double seconds)
{
    struct link_poll item = {.link = link, .want_read = true};
    for (double end = clock_monotonic() + seconds; !item.can_read && clock_monotonic() < end;)
        assert_int_equal(link_wait(&item, 1, end - clock_monotonic(), &err), 0);
    return item.can_read;
}

static void expect_message(struct link *link, uint64_t *peer, const char *text)
{
    struct buf bytes = {0};
    assert_true(wait_readable(link, PATIENCE));
    assert_int_equal(link_receive(link, peer, &bytes), LINK_OK);
    assert_string_equal(buf_str(&bytes), text);
    assert_int_equal(bytes.length, strlen(text));
    buf_fini(&bytes);
}

/* Sends as soon as there is a connection. */
static void send_text(struct link *link, uint64_t peer, const char *text)
{
    struct link_poll item = {.link = link, .want_write = true};
    enum link_result result;
    for (double end = clock_monotonic() + PATIENCE;
         (result = link_send(link, peer, text, strlen(text))) == LINK_NONE && clock_monotonic() < end;)
        assert_int_equal(link_wait(&item, 1, 0.1, &err), 0);
    assert_int_equal(result, LINK_OK);
}

static void talk(struct pair *pair)
{
    uint64_t peer = 0, none = 1;
    send_text(pair->connected, 0, "hello");
    expect_message(pair->bound, &peer, "hello");
    assert_true(peer > 0);
    send_text(pair->bound, peer, "welcome");
    expect_message(pair->connected, &none, "welcome");
    assert_int_equal(none, 0);
}

/* Says it over and over until it is heard: what is sent while a connection breaks is lost. */
static void reach(struct pair *pair)
{
    uint64_t peer = 0;
    struct buf bytes = {0};
    for (double end = clock_monotonic() + PATIENCE; !peer && clock_monotonic() < end;) {
        (void)link_send(pair->connected, 0, "hello again", 11);
        if (wait_readable(pair->bound, 0.1))
            (void)link_receive(pair->bound, &peer, &bytes);
    }
    assert_string_equal(buf_str(&bytes), "hello again");
    buf_fini(&bytes);
    send_text(pair->bound, peer, "welcome back");
    expect_message(pair->connected, &peer, "welcome back");
}

static void messages_go_both_ways_over_a_local_socket(void **state)
{
    struct pair pair;
    open_ipc(&pair, path_in(state, "socket"));
    talk(&pair);
    close_pair(&pair);
}

static void messages_go_both_ways_over_tcp_with_the_right_keys(void **state)
{
    (void)state;
    struct pair pair;
    open_tcp(&pair);
    talk(&pair);
    close_pair(&pair);
}

static void a_peer_keeps_its_number_and_two_peers_have_two(void **state)
{
    struct pair pair;
    uint64_t first = 0, again = 0, second = 0;
    open_ipc(&pair, path_in(state, "socket"));
    struct link *other = link_connect(pair.context, link_endpoint(pair.bound), NULL, NULL, &err);
    send_text(pair.connected, 0, "one");
    expect_message(pair.bound, &first, "one");
    send_text(other, 0, "two");
    expect_message(pair.bound, &second, "two");
    send_text(pair.connected, 0, "three");
    expect_message(pair.bound, &again, "three");
    assert_int_equal(first, again);
    assert_int_not_equal(first, second);
    link_close(other);
    close_pair(&pair);
}

/* Nothing is heard of the stranger for a second, though a friend who comes after it is. */
static void expect_refused(struct pair *pair, struct link *stranger)
{
    uint64_t peer;
    struct buf bytes = {0};
    enum link_result sent = link_send(stranger, 0, "let me in", 9);
    talk(pair);
    for (double end = clock_monotonic() + 1; clock_monotonic() < end;) {
        sent = link_send(stranger, 0, "let me in", 9);
        if (wait_readable(pair->bound, 0.1))
            assert_int_equal(link_receive(pair->bound, &peer, &bytes), LINK_NONE);
    }
    assert_int_equal(sent, LINK_NONE);
    buf_fini(&bytes);
}

static void a_client_with_an_unknown_key_is_refused(void **state)
{
    (void)state;
    struct pair pair;
    struct key_pair unknown;
    open_tcp(&pair);
    assert_int_equal(keys_make(&unknown, &err), 0);
    struct link *stranger = link_connect(pair.context, link_endpoint(pair.bound), &unknown, pair.server.public, &err);
    expect_refused(&pair, stranger);
    link_close(stranger);
    close_pair(&pair);
}

static void a_client_that_expects_another_server_is_refused(void **state)
{
    (void)state;
    struct pair pair;
    open_tcp(&pair);
    struct link *stranger =
        link_connect(pair.context, link_endpoint(pair.bound), &pair.client, pair.client.public, &err);
    expect_refused(&pair, stranger);
    link_close(stranger);
    close_pair(&pair);
}

static void the_keys_of_one_socket_do_not_open_another(void **state)
{
    (void)state;
    struct pair pair;
    struct key_pair other;
    open_tcp(&pair);
    assert_int_equal(keys_make(&other, &err), 0);
    const char *allowed[] = {other.public};
    struct link *second = link_bind(pair.context, "tcp://127.0.0.1:*", &pair.server, allowed, 1, &err);
    struct link *stranger = link_connect(pair.context, link_endpoint(pair.bound), &other, pair.server.public, &err);
    expect_refused(&pair, stranger);
    link_close(stranger);
    link_close(second);
    close_pair(&pair);
}

/* A plain ZeroMQ socket, as a stranger would open it. */
static void *open_raw(void *context, const char *endpoint)
{
    void *socket = zmq_socket(context, ZMQ_DEALER);
    assert_non_null(socket);
    zmq_setsockopt(socket, ZMQ_LINGER, &(int){0}, sizeof(int));
    assert_int_equal(zmq_connect(socket, endpoint), 0);
    return socket;
}

static void a_client_without_curve_is_refused(void **state)
{
    (void)state;
    struct pair pair;
    void *context = zmq_ctx_new();
    struct buf bytes = {0};
    uint64_t peer;
    open_tcp(&pair);
    void *stranger = open_raw(context, link_endpoint(pair.bound));
    assert_int_equal(zmq_send(stranger, "let me in", 9, 0), 9);
    talk(&pair);
    assert_false(wait_readable(pair.bound, 1));
    assert_int_equal(link_receive(pair.bound, &peer, &bytes), LINK_NONE);
    buf_fini(&bytes);
    zmq_close(stranger);
    zmq_ctx_term(context);
    close_pair(&pair);
}

static void tcp_without_keys_is_refused(void **state)
{
    (void)state;
    struct pair pair;
    open_pair(&pair);
    assert_null(link_bind(pair.context, "tcp://127.0.0.1:*", NULL, NULL, 0, &err));
    assert_has(err.text, "needs keys");
    assert_null(link_bind(pair.context, "tcp://127.0.0.1:*", &pair.server, NULL, 0, &err));
    assert_has(err.text, "needs keys");
    assert_null(link_connect(pair.context, "tcp://127.0.0.1:1", NULL, NULL, &err));
    assert_has(err.text, "needs keys");
    close_pair(&pair);
}

static void a_key_that_is_none_is_refused(void **state)
{
    (void)state;
    struct pair pair;
    const char *allowed[] = {"not a key"};
    open_pair(&pair);
    assert_null(link_bind(pair.context, "tcp://127.0.0.1:*", &pair.server, allowed, 1, &err));
    assert_has(err.text, "'not a key' is no public key");
    close_pair(&pair);
}

static void a_local_socket_needs_a_private_directory(void **state)
{
    struct pair pair;
    char endpoint[512];
    open_pair(&pair);
    assert_int_equal(chmod(*state, 0755), 0);
    snprintf(endpoint, sizeof endpoint, "ipc://%s", path_in(state, "socket"));
    assert_null(link_bind(pair.context, endpoint, NULL, NULL, 0, &err));
    assert_has(err.text, "chmod 700");
    close_pair(&pair);
}

static void an_address_of_another_form_is_refused_with_the_forms(void **state)
{
    (void)state;
    struct pair pair;
    char long_path[300] = "ipc:///";
    open_pair(&pair);
    assert_null(link_connect(pair.context, "udp://somewhere", NULL, NULL, &err));
    assert_has(err.text, "write tcp://ADDRESS:PORT or ipc:///PATH");
    memset(long_path + 7, 'x', 200);
    assert_null(link_connect(pair.context, long_path, NULL, NULL, &err));
    assert_has(err.text, "the system takes 107");
    close_pair(&pair);
}

static void an_address_in_use_says_so(void **state)
{
    (void)state;
    struct pair pair;
    open_tcp(&pair);
    assert_null(bind_tcp(&pair, link_endpoint(pair.bound)));
    assert_has(err.text, "Address already in use");
    close_pair(&pair);
}

/* Waits until sending to the peer says that it is gone. */
static void expect_gone(struct link *bound, uint64_t peer)
{
    enum link_result result = LINK_OK;
    for (double end = clock_monotonic() + PATIENCE; result != LINK_GONE && clock_monotonic() < end;) {
        result = link_send(bound, peer, "?", 1);
        struct link_poll item = {.link = bound, .want_read = true};
        assert_int_equal(link_wait(&item, 1, 0.01, &err), 0);
    }
    assert_int_equal(result, LINK_GONE);
}

static void a_peer_that_left_is_gone(void **state)
{
    struct pair pair;
    uint64_t peer = 0;
    open_ipc(&pair, path_in(state, "socket"));
    send_text(pair.connected, 0, "hello");
    expect_message(pair.bound, &peer, "hello");
    link_close(pair.connected);
    pair.connected = NULL;
    expect_gone(pair.bound, peer);
    assert_int_equal(link_send(pair.bound, 0, "?", 1), LINK_GONE);
    assert_int_equal(link_send(pair.bound, UINT64_MAX, "?", 1), LINK_GONE);
    close_pair(&pair);
}

static void without_a_connection_nothing_is_queued(void **state)
{
    struct pair pair;
    char endpoint[512];
    open_pair(&pair);
    snprintf(endpoint, sizeof endpoint, "ipc://%s", path_in(state, "nobody"));
    pair.connected = link_connect(pair.context, endpoint, NULL, NULL, &err);
    assert_int_equal(link_send(pair.connected, 0, "hello", 5), LINK_NONE);
    close_pair(&pair);
}

static void the_largest_message_arrives_and_a_larger_one_is_not_sent(void **state)
{
    (void)state;
    struct pair pair;
    struct buf bytes = {0};
    uint64_t peer;
    open_tcp(&pair);
    talk(&pair);
    char *large = test_calloc(1, MSG_LARGEST + 1);
    assert_int_equal(link_send(pair.connected, 0, large, MSG_LARGEST + 1), LINK_LARGE);
    assert_int_equal(link_send(pair.connected, 0, large, MSG_LARGEST), LINK_OK);
    assert_true(wait_readable(pair.bound, PATIENCE));
    assert_int_equal(link_receive(pair.bound, &peer, &bytes), LINK_OK);
    assert_int_equal(bytes.length, MSG_LARGEST);
    test_free(large);
    buf_fini(&bytes);
    close_pair(&pair);
}

static void a_larger_message_from_outside_is_refused_unread(void **state)
{
    struct pair pair;
    void *context = zmq_ctx_new();
    struct buf bytes = {0};
    uint64_t peer;
    open_ipc(&pair, path_in(state, "socket"));
    void *stranger = open_raw(context, link_endpoint(pair.bound));
    char *large = test_calloc(1, MSG_LARGEST + 1000);
    assert_int_equal(zmq_send(stranger, large, MSG_LARGEST + 1000, 0), MSG_LARGEST + 1000);
    talk(&pair);
    assert_false(wait_readable(pair.bound, 1));
    assert_int_equal(link_receive(pair.bound, &peer, &bytes), LINK_NONE);
    test_free(large);
    buf_fini(&bytes);
    zmq_close(stranger);
    zmq_ctx_term(context);
    close_pair(&pair);
}

static void messages_in_several_parts_are_dropped(void **state)
{
    struct pair pair;
    void *context = zmq_ctx_new();
    uint64_t peer;
    open_ipc(&pair, path_in(state, "socket"));
    void *stranger = open_raw(context, link_endpoint(pair.bound));
    for (int i = 0; i < 250; i++) {
        assert_int_equal(zmq_send(stranger, "a", 1, ZMQ_SNDMORE), 1);
        assert_int_equal(zmq_send(stranger, "b", 1, ZMQ_SNDMORE), 1);
        assert_int_equal(zmq_send(stranger, "c", 1, 0), 1);
    }
    assert_int_equal(zmq_send(stranger, "whole", 5, 0), 5);
    struct buf bytes = {0};
    enum link_result result = LINK_NONE;
    for (double end = clock_monotonic() + PATIENCE; result != LINK_OK && clock_monotonic() < end;)
        if (wait_readable(pair.bound, PATIENCE))
            result = link_receive(pair.bound, &peer, &bytes);
    assert_int_equal(result, LINK_OK);
    assert_string_equal(buf_str(&bytes), "whole");
    buf_fini(&bytes);
    zmq_close(stranger);
    zmq_ctx_term(context);
    close_pair(&pair);
}

static void a_client_that_names_itself_is_not_heard(void **state)
{
    struct pair pair;
    void *context = zmq_ctx_new();
    struct buf bytes = {0};
    uint64_t peer;
    open_ipc(&pair, path_in(state, "socket"));
    void *stranger = zmq_socket(context, ZMQ_DEALER);
    zmq_setsockopt(stranger, ZMQ_LINGER, &(int){0}, sizeof(int));
    assert_int_equal(zmq_setsockopt(stranger, ZMQ_ROUTING_ID, "operator", 8), 0);
    assert_int_equal(zmq_connect(stranger, link_endpoint(pair.bound)), 0);
    assert_int_equal(zmq_send(stranger, "obey", 4, 0), 4);
    assert_true(wait_readable(pair.bound, PATIENCE));
    assert_int_equal(link_receive(pair.bound, &peer, &bytes), LINK_NONE);
    talk(&pair);
    buf_fini(&bytes);
    zmq_close(stranger);
    zmq_ctx_term(context);
    close_pair(&pair);
}

static void a_client_comes_back_to_a_server_that_was_started_again(void **state)
{
    (void)state;
    struct pair pair;
    char endpoint[512];
    open_tcp(&pair);
    talk(&pair);
    snprintf(endpoint, sizeof endpoint, "%s", link_endpoint(pair.bound));
    link_close(pair.bound);
    do
        pair.bound = bind_tcp(&pair, endpoint); /* the old one lets go of the port in its own time */
    while (!pair.bound && strstr(err.text, "in use"));
    assert_non_null(pair.bound);
    reach(&pair);
    close_pair(&pair);
}

static void a_client_that_was_refused_can_connect_again(void **state)
{
    (void)state;
    struct pair pair;
    char endpoint[512];
    open_tcp(&pair);
    talk(&pair);
    snprintf(endpoint, sizeof endpoint, "%s", link_endpoint(pair.bound));
    /* Meanwhile a server that does not know the client has the port. */
    struct key_pair client = pair.client;
    assert_int_equal(keys_make(&pair.client, &err), 0);
    link_close(pair.bound);
    while (!(pair.bound = bind_tcp(&pair, endpoint)) && strstr(err.text, "in use"))
        continue;
    struct link *refused = pair.connected;
    pair.connected = link_connect(pair.context, endpoint, &pair.client, pair.server.public, &err);
    expect_refused(&pair, refused);
    /* Then the right one is back. */
    link_close(pair.connected);
    link_close(pair.bound);
    pair.connected = refused;
    pair.client = client;
    while (!(pair.bound = bind_tcp(&pair, endpoint)) && strstr(err.text, "in use"))
        continue;
    link_close(pair.connected);
    pair.connected = link_connect(pair.context, endpoint, &pair.client, pair.server.public, &err);
    reach(&pair);
    close_pair(&pair);
}

static void ending_does_not_wait_for_a_server_that_never_came(void **state)
{
    (void)state;
    struct pair pair;
    open_pair(&pair);
    pair.connected = link_connect(pair.context, "tcp://127.0.0.1:1", &pair.client, pair.server.public, &err);
    assert_non_null(pair.connected);
    assert_int_equal(link_send(pair.connected, 0, "hello", 5), LINK_NONE);
    close_pair(&pair); /* returns */
}

static void what_was_sent_before_the_end_still_arrives(void **state)
{
    struct pair pair;
    uint64_t peer = 0;
    char text[32];
    open_ipc(&pair, path_in(state, "socket"));
    talk(&pair);
    struct link_context *context = link_context_create(&err);
    struct link *leaving = link_connect(context, link_endpoint(pair.bound), NULL, NULL, &err);
    send_text(leaving, 0, "0");
    for (int i = 1; i < 500; i++) {
        snprintf(text, sizeof text, "%d", i);
        assert_int_equal(link_send(leaving, 0, text, strlen(text)), LINK_OK);
    }
    link_close(leaving);
    link_context_destroy(context);
    for (int i = 0; i < 500; i++) {
        snprintf(text, sizeof text, "%d", i);
        expect_message(pair.bound, &peer, text);
    }
    close_pair(&pair);
}

static void waiting_sees_descriptors_beside_links(void **state)
{
    struct pair pair;
    int ends[2];
    open_ipc(&pair, path_in(state, "socket"));
    assert_int_equal(pipe(ends), 0);
    struct link_poll items[] = {{.link = pair.bound, .want_read = true},
                                {.fd = ends[0], .want_read = true},
                                {.fd = ends[1], .want_write = true}};
    assert_int_equal(link_wait(items, 3, 0, &err), 0);
    assert_false(items[0].can_read || items[1].can_read);
    assert_true(items[2].can_write);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(link_wait(items, 2, -1, &err), 0);
    assert_true(items[1].can_read && !items[0].can_read);
    close(ends[1]);
    assert_int_equal(link_wait(items + 1, 1, 0, &err), 0);
    assert_true(items[1].can_read);
    close(ends[0]);
    send_text(pair.connected, 0, "hello");
    assert_true(wait_readable(pair.bound, PATIENCE));
    close_pair(&pair);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(messages_go_both_ways_over_a_local_socket),
        CLAIM(messages_go_both_ways_over_tcp_with_the_right_keys),
        CLAIM(a_peer_keeps_its_number_and_two_peers_have_two),
        CLAIM(a_client_with_an_unknown_key_is_refused),
        CLAIM(a_client_that_expects_another_server_is_refused),
        CLAIM(the_keys_of_one_socket_do_not_open_another),
        CLAIM(a_client_without_curve_is_refused),
        CLAIM(tcp_without_keys_is_refused),
        CLAIM(a_key_that_is_none_is_refused),
        CLAIM(a_local_socket_needs_a_private_directory),
        CLAIM(an_address_of_another_form_is_refused_with_the_forms),
        CLAIM(an_address_in_use_says_so),
        CLAIM(a_peer_that_left_is_gone),
        CLAIM(without_a_connection_nothing_is_queued),
        CLAIM(the_largest_message_arrives_and_a_larger_one_is_not_sent),
        CLAIM(a_larger_message_from_outside_is_refused_unread),
        CLAIM(messages_in_several_parts_are_dropped),
        CLAIM(a_client_that_names_itself_is_not_heard),
        CLAIM(a_client_comes_back_to_a_server_that_was_started_again),
        CLAIM(a_client_that_was_refused_can_connect_again),
        CLAIM(ending_does_not_wait_for_a_server_that_never_came),
        CLAIM(what_was_sent_before_the_end_still_arrives),
        CLAIM(waiting_sees_descriptors_beside_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
