/* Links and strangers: who is refused, and what is dropped unread. */
#include "common/clock.h"
#include "common/log.h"
#include "common/msg.h"
#include "tests/pair.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

static struct err err;

static void a_client_with_an_unknown_key_is_refused(void **state)
{
    (void)state;
    struct pair pair;
    struct key_pair unknown;
    pair_open_tcp(&pair);
    assert_int_equal(keys_make(&unknown, &err), 0);
    struct link *stranger = link_connect(pair.context, link_endpoint(pair.bound), &unknown, pair.server.public, &err);
    pair_expect_refused(&pair, stranger);
    link_close(stranger);
    pair_close(&pair);
}

static void who_wants_to_know_learns_that_its_key_was_refused(void **state)
{
    (void)state;
    struct pair pair;
    struct key_pair unknown;
    pair_open_tcp(&pair);
    assert_int_equal(keys_make(&unknown, &err), 0);
    const char *const endpoint = link_endpoint(pair.bound);
    struct link *stranger = link_connect_watched(pair.context, endpoint, &unknown, pair.server.public, &err);
    for (double end = clock_monotonic() + (double)PAIR_PATIENCE; !link_is_refused(stranger) && clock_monotonic() < end;)
        assert_false(pair_can_read(stranger, 0.05));
    assert_true(link_is_refused(stranger));
    struct zap_refusals refusals = link_refusals(pair.bound);
    assert_true(refusals.count >= 1);
    assert_string_equal(refusals.address, "127.0.0.1");
    assert_true(refusals.last <= clock_monotonic());
    link_close(stranger);
    link_close(pair.connected);
    pair.connected = link_connect_watched(pair.context, endpoint, &pair.client, pair.server.public, &err);
    pair_talk(&pair);
    assert_false(link_is_refused(pair.connected));
    pair_close(&pair);
}

/* How many lines a descriptor has to read that have these words. */
static int count_lines(int fd, const char *words)
{
    static char said[65536];
    ssize_t length = read(fd, said, sizeof said - 1);
    int count = 0;
    said[length > 0 ? length : 0] = '\0';
    for (const char *at = said; (at = strstr(at, words)); at++)
        count++;
    return count;
}

static void strangers_who_knock_over_and_over_fill_no_log(void **state)
{
    (void)state;
    enum { KNOCKS = 40 };
    struct pair pair;
    struct key_pair unknown;
    int ends[2], kept = dup(STDERR_FILENO);
    pair_open_tcp(&pair);
    assert_int_equal(keys_make(&unknown, &err), 0);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    log_open("links", LOG_WARNING);
    double since = clock_monotonic();
    for (uint64_t knock = 1; knock <= KNOCKS; knock++) {
        struct link *stranger =
            link_connect(pair.context, link_endpoint(pair.bound), &unknown, pair.server.public, &err);
        for (double end = clock_monotonic() + (double)PAIR_PATIENCE;
             link_refusals(pair.bound).count < knock && clock_monotonic() < end;)
            usleep(1000);
        link_close(stranger);
    }
    double most = 2 + (clock_monotonic() - since);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(ends[1]);
    int lines = count_lines(ends[0], "refused a connection from 127.0.0.1");
    close(ends[0]);
    assert_true(link_refusals(pair.bound).count >= KNOCKS);
    assert_true(lines >= 1 && lines <= most);
    pair_close(&pair);
}

static void a_client_that_expects_another_server_is_refused(void **state)
{
    (void)state;
    struct pair pair;
    pair_open_tcp(&pair);
    struct link *stranger =
        link_connect(pair.context, link_endpoint(pair.bound), &pair.client, pair.client.public, &err);
    pair_expect_refused(&pair, stranger);
    link_close(stranger);
    pair_close(&pair);
}

static void the_keys_of_one_socket_do_not_open_another(void **state)
{
    (void)state;
    struct pair pair;
    struct key_pair other;
    pair_open_tcp(&pair);
    assert_int_equal(keys_make(&other, &err), 0);
    const char *allowed[] = {other.public};
    struct link *second = link_bind(pair.context, "tcp://127.0.0.1:*", &pair.server, allowed, 1, &err);
    struct link *stranger = link_connect(pair.context, link_endpoint(pair.bound), &other, pair.server.public, &err);
    pair_expect_refused(&pair, stranger);
    link_close(stranger);
    link_close(second);
    pair_close(&pair);
}

/* A plain ZeroMQ socket, as a stranger would open it, or (pair) somebody who has a key and misbehaves. */
static void *make_raw(void *context, const struct pair *pair)
{
    void *socket = zmq_socket(context, ZMQ_DEALER);
    assert_non_null(socket);
    zmq_setsockopt(socket, ZMQ_LINGER, &(int){0}, sizeof(int));
    if (pair) {
        zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, pair->client.public, KEY_TEXT - 1);
        zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, pair->client.secret, KEY_TEXT - 1);
        zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, pair->server.public, KEY_TEXT - 1);
    }
    return socket;
}

static void *open_raw(void *context, const char *endpoint, const struct pair *pair)
{
    void *socket = make_raw(context, pair);
    assert_int_equal(zmq_connect(socket, endpoint), 0);
    return socket;
}

static void refuse_raw(struct pair *pair)
{
    void *context = zmq_ctx_new();
    struct buf bytes = {0};
    uint64_t peer;
    void *stranger = open_raw(context, link_endpoint(pair->bound), NULL);
    assert_int_equal(zmq_send(stranger, "let me in", 9, 0), 9);
    pair_talk(pair);
    assert_false(pair_can_read(pair->bound, 1));
    assert_int_equal(link_receive(pair->bound, &peer, &bytes), LINK_NONE);
    buf_fini(&bytes);
    zmq_close(stranger);
    zmq_ctx_term(context);
}

static void a_client_without_curve_is_refused(void **state)
{
    struct pair pair;
    pair_open_tcp(&pair);
    refuse_raw(&pair);
    pair_close(&pair);
    pair_open_ipc(&pair, path_in(state, "socket"));
    refuse_raw(&pair);
    pair_close(&pair);
}

static void a_local_client_with_an_unknown_key_is_refused(void **state)
{
    struct pair pair;
    struct key_pair unknown;
    pair_open_ipc(&pair, path_in(state, "socket"));
    assert_int_equal(keys_make(&unknown, &err), 0);
    struct link *stranger = link_connect(pair.context, link_endpoint(pair.bound), &unknown, pair.server.public, &err);
    pair_expect_refused(&pair, stranger);
    link_close(stranger);
    pair_close(&pair);
}

static void whoever_listens_at_a_local_path_without_the_servers_key_is_not_believed(void **state)
{
    struct pair pair;
    struct key_pair server;
    pair_open_ipc(&pair, path_in(state, "socket"));
    assert_int_equal(keys_make(&server, &err), 0); /* a client that expects another one than listens there */
    struct link *client = link_connect(pair.context, link_endpoint(pair.bound), &pair.client, server.public, &err);
    pair_expect_refused(&pair, client);
    link_close(client);
    pair_close(&pair);
}

static void without_keys_there_is_no_link(void **state)
{
    struct pair pair;
    char local[512];
    pair_open(&pair);
    snprintf(local, sizeof local, "ipc://%s", path_in(state, "socket"));
    const char *const endpoints[] = {"tcp://127.0.0.1:*", local};
    for (int i = 0; i < 2; i++) {
        assert_null(link_bind(pair.context, endpoints[i], NULL, NULL, 0, &err));
        assert_has(err.text, "needs keys");
        assert_null(link_bind(pair.context, endpoints[i], &pair.server, NULL, 0, &err));
        assert_has(err.text, "needs keys");
        assert_null(link_connect(pair.context, endpoints[i], NULL, NULL, &err));
        assert_has(err.text, "needs keys");
    }
    pair_close(&pair);
}

static void a_key_that_is_none_is_refused(void **state)
{
    (void)state;
    struct pair pair;
    const char *allowed[] = {"not a key"};
    pair_open(&pair);
    assert_null(link_bind(pair.context, "tcp://127.0.0.1:*", &pair.server, allowed, 1, &err));
    assert_has(err.text, "'not a key' is no public key");
    pair_close(&pair);
}

static void expect_no_local_link(struct pair *pair, const char *endpoint, const char *why)
{
    assert_null(pair_bind(pair, endpoint, &err));
    assert_has(err.text, why);
    assert_null(link_connect(pair->context, endpoint, &pair->client, pair->server.public, &err));
    assert_has(err.text, why);
}

static void a_local_socket_needs_a_private_directory(void **state)
{
    struct pair pair;
    char endpoint[512];
    pair_open(&pair);
    assert_int_equal(chmod(*state, 0755), 0);
    snprintf(endpoint, sizeof endpoint, "ipc://%s", path_in(state, "socket"));
    expect_no_local_link(&pair, endpoint, "chmod 700");
    assert_int_equal(chmod(*state, 0700), 0);
    assert_int_equal(symlink(".", path_in(state, "link")), 0);
    snprintf(endpoint, sizeof endpoint, "ipc://%s", path_in(state, "link/socket"));
    expect_no_local_link(&pair, endpoint, "is a symbolic link");
    pair_close(&pair);
}

static void what_is_no_socket_is_not_connected_to(void **state)
{
    struct pair pair;
    char endpoint[512];
    pair_open(&pair);
    write_file(path_in(state, "file"), "", 0600);
    snprintf(endpoint, sizeof endpoint, "ipc://%s", path_in(state, "file"));
    assert_null(link_connect(pair.context, endpoint, &pair.client, pair.server.public, &err));
    assert_has(err.text, "no socket of this user");
    pair_close(&pair);
}

static void a_larger_message_from_outside_is_refused_unread(void **state)
{
    struct pair pair;
    void *context = zmq_ctx_new();
    struct buf bytes = {0};
    uint64_t peer;
    pair_open_ipc(&pair, path_in(state, "socket"));
    void *stranger = open_raw(context, link_endpoint(pair.bound), &pair);
    char *large = test_calloc(1, MSG_LARGEST + 1000);
    assert_int_equal(zmq_send(stranger, large, MSG_LARGEST + 1000, 0), MSG_LARGEST + 1000);
    pair_talk(&pair);
    assert_false(pair_can_read(pair.bound, 1));
    assert_int_equal(link_receive(pair.bound, &peer, &bytes), LINK_NONE);
    test_free(large);
    buf_fini(&bytes);
    zmq_close(stranger);
    zmq_ctx_term(context);
    pair_close(&pair);
}

static void messages_in_several_parts_are_dropped(void **state)
{
    struct pair pair;
    void *context = zmq_ctx_new();
    uint64_t peer;
    pair_open_ipc(&pair, path_in(state, "socket"));
    void *stranger = open_raw(context, link_endpoint(pair.bound), &pair);
    for (int i = 0; i < 250; i++) {
        assert_int_equal(zmq_send(stranger, "a", 1, ZMQ_SNDMORE), 1);
        assert_int_equal(zmq_send(stranger, "b", 1, ZMQ_SNDMORE), 1);
        assert_int_equal(zmq_send(stranger, "c", 1, 0), 1);
    }
    assert_int_equal(zmq_send(stranger, "whole", 5, 0), 5);
    struct buf bytes = {0};
    enum link_result result = LINK_NONE;
    for (double end = clock_monotonic() + (double)PAIR_PATIENCE; result != LINK_OK && clock_monotonic() < end;)
        if (pair_can_read(pair.bound, (double)PAIR_PATIENCE))
            result = link_receive(pair.bound, &peer, &bytes);
    assert_int_equal(result, LINK_OK);
    assert_string_equal(buf_str(&bytes), "whole");
    buf_fini(&bytes);
    zmq_close(stranger);
    zmq_ctx_term(context);
    pair_close(&pair);
}

/* One message to whoever said hello. */
static void send_parts(void *socket, const zmq_msg_t *id, const char *const *parts, size_t count)
{
    size_t length = zmq_msg_size(id);
    assert_int_equal(zmq_send(socket, zmq_msg_data((zmq_msg_t *)id), length, ZMQ_SNDMORE), length);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(zmq_send(socket, parts[i], strlen(parts[i]), i + 1 < count ? ZMQ_SNDMORE : 0),
                         strlen(parts[i]));
}

/* A message is one frame, or a frame with an empty one behind it. */
static void answers_in_odd_parts_are_dropped(void **state)
{
    (void)state;
    struct pair pair;
    int one = 1, none = 0;
    char endpoint[128];
    size_t size = sizeof endpoint;
    uint64_t peer;
    zmq_msg_t id;
    pair_open(&pair);
    void *zmq = zmq_ctx_new(), *server = zmq_socket(zmq, ZMQ_ROUTER);
    zmq_setsockopt(server, ZMQ_LINGER, &none, sizeof none);
    zmq_setsockopt(server, ZMQ_CURVE_SERVER, &one, sizeof one);
    zmq_setsockopt(server, ZMQ_CURVE_SECRETKEY, pair.server.secret, 40);
    assert_int_equal(zmq_bind(server, "tcp://127.0.0.1:*"), 0);
    assert_int_equal(zmq_getsockopt(server, ZMQ_LAST_ENDPOINT, endpoint, &size), 0);
    pair.connected = link_connect(pair.context, endpoint, &pair.client, pair.server.public, &err);
    pair_send(pair.connected, 0, "hello");
    zmq_msg_init(&id);
    assert_true(zmq_msg_recv(&id, server, 0) > 0);
    send_parts(server, &id, (const char *const[]){"odd", "two"}, 2);
    send_parts(server, &id, (const char *const[]){"odd", "", ""}, 3);
    send_parts(server, &id, (const char *const[]){"odd", "two", "three", "four"}, 4);
    send_parts(server, &id, (const char *const[]){"long", ""}, 2);
    send_parts(server, &id, (const char *const[]){"short"}, 1);
    pair_expect(pair.connected, &peer, "long");
    pair_expect(pair.connected, &peer, "short");
    zmq_msg_close(&id);
    zmq_close(server);
    zmq_ctx_term(zmq);
    pair_close(&pair);
}

static void a_client_that_names_itself_is_not_heard(void **state)
{
    struct pair pair;
    void *context = zmq_ctx_new();
    struct buf bytes = {0};
    uint64_t peer;
    pair_open_ipc(&pair, path_in(state, "socket"));
    void *stranger = make_raw(context, &pair);
    assert_int_equal(zmq_setsockopt(stranger, ZMQ_ROUTING_ID, "operator", 8), 0);
    assert_int_equal(zmq_connect(stranger, link_endpoint(pair.bound)), 0);
    assert_int_equal(zmq_send(stranger, "obey", 4, 0), 4);
    assert_true(pair_can_read(pair.bound, (double)PAIR_PATIENCE));
    assert_int_equal(link_receive(pair.bound, &peer, &bytes), LINK_NONE);
    pair_talk(&pair);
    buf_fini(&bytes);
    zmq_close(stranger);
    zmq_ctx_term(context);
    pair_close(&pair);
}

static void a_client_that_was_refused_can_connect_again(void **state)
{
    (void)state;
    struct pair pair;
    char endpoint[512];
    pair_open_tcp(&pair);
    pair_talk(&pair);
    snprintf(endpoint, sizeof endpoint, "%s", link_endpoint(pair.bound));
    /* Meanwhile a server that does not know the client has the port. */
    struct key_pair client = pair.client;
    assert_int_equal(keys_make(&pair.client, &err), 0);
    link_close(pair.bound);
    while (!(pair.bound = pair_bind(&pair, endpoint, &err)) && strstr(err.text, "in use"))
        continue;
    struct link *refused = pair.connected;
    pair.connected = link_connect(pair.context, endpoint, &pair.client, pair.server.public, &err);
    pair_expect_refused(&pair, refused);
    /* Then the right one is back. */
    link_close(pair.connected);
    link_close(pair.bound);
    pair.connected = refused;
    pair.client = client;
    while (!(pair.bound = pair_bind(&pair, endpoint, &err)) && strstr(err.text, "in use"))
        continue;
    link_close(pair.connected);
    pair.connected = link_connect(pair.context, endpoint, &pair.client, pair.server.public, &err);
    pair_reach(&pair);
    pair_close(&pair);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(a_client_with_an_unknown_key_is_refused),
        CLAIM(who_wants_to_know_learns_that_its_key_was_refused),
        CLAIM(strangers_who_knock_over_and_over_fill_no_log),
        CLAIM(a_client_that_expects_another_server_is_refused),
        CLAIM(the_keys_of_one_socket_do_not_open_another),
        CLAIM(a_client_without_curve_is_refused),
        CLAIM(a_local_client_with_an_unknown_key_is_refused),
        CLAIM(whoever_listens_at_a_local_path_without_the_servers_key_is_not_believed),
        CLAIM(without_keys_there_is_no_link),
        CLAIM(a_key_that_is_none_is_refused),
        CLAIM(a_local_socket_needs_a_private_directory),
        CLAIM(what_is_no_socket_is_not_connected_to),
        CLAIM(a_larger_message_from_outside_is_refused_unread),
        CLAIM(messages_in_several_parts_are_dropped),
        CLAIM(answers_in_odd_parts_are_dropped),
        CLAIM(a_client_that_names_itself_is_not_heard),
        CLAIM(a_client_that_was_refused_can_connect_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
