/* Links: messages over local sockets and over TCP with CURVE, and peers that come and go. */
#include "common/clock.h"
#include "common/msg.h"
#include "tests/pair.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct err err;

static void messages_go_both_ways_over_a_local_socket(void **state)
{
    struct pair pair;
    pair_open_ipc(&pair, path_in(state, "socket"));
    pair_talk(&pair);
    pair_close(&pair);
}

static void messages_go_both_ways_over_tcp_with_the_right_keys(void **state)
{
    (void)state;
    struct pair pair;
    pair_open_tcp(&pair);
    pair_talk(&pair);
    pair_close(&pair);
}

static void a_peer_keeps_its_number_and_two_peers_have_two(void **state)
{
    struct pair pair;
    uint64_t first = 0, again = 0, second = 0;
    pair_open_ipc(&pair, path_in(state, "socket"));
    struct link *other = link_connect(pair.context, link_endpoint(pair.bound), &pair.client, pair.server.public, &err);
    pair_send(pair.connected, 0, "one");
    pair_expect(pair.bound, &first, "one");
    pair_send(other, 0, "two");
    pair_expect(pair.bound, &second, "two");
    pair_send(pair.connected, 0, "three");
    pair_expect(pair.bound, &again, "three");
    assert_int_equal(first, again);
    assert_int_not_equal(first, second);
    link_close(other);
    pair_close(&pair);
}

static void an_address_of_another_form_is_refused_with_the_forms(void **state)
{
    (void)state;
    struct pair pair;
    char long_path[300] = "ipc:///";
    pair_open(&pair);
    assert_null(link_connect(pair.context, "udp://somewhere", NULL, NULL, &err));
    assert_has(err.text, "write tcp://ADDRESS:PORT or ipc:///PATH");
    memset(long_path + 7, 'x', 200);
    assert_null(link_connect(pair.context, long_path, NULL, NULL, &err));
    assert_has(err.text, "the system takes 107");
    pair_close(&pair);
}

static void an_address_in_use_says_so(void **state)
{
    (void)state;
    struct pair pair;
    pair_open_tcp(&pair);
    assert_null(pair_bind(&pair, link_endpoint(pair.bound), &err));
    assert_has(err.text, "that port is in use by another process");
    pair_close(&pair);
}

/* Waits until sending to the peer says that it is gone. */
static void expect_gone(struct link *bound, uint64_t peer)
{
    enum link_result result = LINK_OK;
    for (double end = clock_monotonic() + (double)PAIR_PATIENCE; result != LINK_GONE && clock_monotonic() < end;) {
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
    pair_open_ipc(&pair, path_in(state, "socket"));
    pair_send(pair.connected, 0, "hello");
    pair_expect(pair.bound, &peer, "hello");
    link_close(pair.connected);
    pair.connected = NULL;
    expect_gone(pair.bound, peer);
    assert_int_equal(link_send(pair.bound, 0, "?", 1), LINK_GONE);
    assert_int_equal(link_send(pair.bound, UINT64_MAX, "?", 1), LINK_GONE);
    pair_close(&pair);
}

static void without_a_connection_nothing_is_queued(void **state)
{
    struct pair pair;
    char endpoint[512];
    pair_open(&pair);
    snprintf(endpoint, sizeof endpoint, "ipc://%s", path_in(state, "nobody"));
    pair.connected = link_connect(pair.context, endpoint, &pair.client, pair.server.public, &err);
    assert_int_equal(link_send(pair.connected, 0, "hello", 5), LINK_NONE);
    pair_close(&pair);
}

static void the_largest_message_arrives_and_a_larger_one_is_not_sent(void **state)
{
    (void)state;
    struct pair pair;
    struct buf bytes = {0};
    uint64_t peer;
    pair_open_tcp(&pair);
    pair_talk(&pair);
    char *large = test_calloc(1, MSG_LARGEST + 1);
    assert_int_equal(link_send(pair.connected, 0, large, MSG_LARGEST + 1), LINK_LARGE);
    assert_int_equal(link_send(pair.connected, 0, large, MSG_LARGEST), LINK_OK);
    assert_true(pair_can_read(pair.bound, (double)PAIR_PATIENCE));
    assert_int_equal(link_receive(pair.bound, &peer, &bytes), LINK_OK);
    assert_int_equal(bytes.length, MSG_LARGEST);
    test_free(large);
    buf_fini(&bytes);
    pair_close(&pair);
}

static void a_client_comes_back_to_a_server_that_was_started_again(void **state)
{
    (void)state;
    struct pair pair;
    char endpoint[512];
    pair_open_tcp(&pair);
    pair_talk(&pair);
    snprintf(endpoint, sizeof endpoint, "%s", link_endpoint(pair.bound));
    link_close(pair.bound);
    do
        pair.bound = pair_bind(&pair, endpoint, &err); /* the old one lets go of the port in its own time */
    while (!pair.bound && strstr(err.text, "in use"));
    assert_non_null(pair.bound);
    pair_reach(&pair);
    pair_close(&pair);
}

static void ending_does_not_wait_for_a_server_that_never_came(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair);
    pair.connected = link_connect(pair.context, "tcp://127.0.0.1:1", &pair.client, pair.server.public, &err);
    assert_non_null(pair.connected);
    assert_int_equal(link_send(pair.connected, 0, "hello", 5), LINK_NONE);
    pair_close(&pair); /* returns */
}

static void what_was_sent_before_the_end_still_arrives(void **state)
{
    struct pair pair;
    uint64_t peer = 0;
    char text[32];
    pair_open_ipc(&pair, path_in(state, "socket"));
    pair_talk(&pair);
    struct link_context *context = link_context_create(&err);
    struct link *leaving = link_connect(context, link_endpoint(pair.bound), &pair.client, pair.server.public, &err);
    pair_send(leaving, 0, "0");
    for (int i = 1; i < 500; i++) {
        snprintf(text, sizeof text, "%d", i);
        assert_int_equal(link_send(leaving, 0, text, strlen(text)), LINK_OK);
    }
    link_close(leaving);
    link_context_destroy(context);
    for (int i = 0; i < 500; i++) {
        snprintf(text, sizeof text, "%d", i);
        pair_expect(pair.bound, &peer, text);
    }
    pair_close(&pair);
}

static void waiting_sees_descriptors_beside_links(void **state)
{
    struct pair pair;
    int ends[2];
    pair_open_ipc(&pair, path_in(state, "socket"));
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
    pair_send(pair.connected, 0, "hello");
    assert_true(pair_can_read(pair.bound, (double)PAIR_PATIENCE));
    pair_close(&pair);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(messages_go_both_ways_over_a_local_socket),
        CLAIM(messages_go_both_ways_over_tcp_with_the_right_keys),
        CLAIM(a_peer_keeps_its_number_and_two_peers_have_two),
        CLAIM(an_address_of_another_form_is_refused_with_the_forms),
        CLAIM(an_address_in_use_says_so),
        CLAIM(a_peer_that_left_is_gone),
        CLAIM(without_a_connection_nothing_is_queued),
        CLAIM(the_largest_message_arrives_and_a_larger_one_is_not_sent),
        CLAIM(a_client_comes_back_to_a_server_that_was_started_again),
        CLAIM(ending_does_not_wait_for_a_server_that_never_came),
        CLAIM(what_was_sent_before_the_end_still_arrives),
        CLAIM(waiting_sees_descriptors_beside_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
