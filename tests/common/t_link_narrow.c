/* What a link for people who only look holds for them, when they don't take it: counted in bytes and connections. */
#include "common/link.h"
#include "common/mem.h"
#include "tests/pair.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

enum { READERS = 12, ANSWER = 4 << 20, ASKED = 6, LOOKS = 12000 };

static struct link *bind_narrow(struct pair *pair)
{
    struct err err = {""};
    const char *allowed = pair->client.public;
    struct link *link = link_bind_narrow(pair->context, "tcp://127.0.0.1:*", &pair->server, &allowed, 1, &err);
    if (!link)
        fail_msg("%s", err.text);
    return link;
}

/* A program of somebody's own that asks and reads nothing: its buffers are as small as can be. */
static void *connect_raw(void *zmq, const struct pair *pair, const char *endpoint)
{
    int one = 1, small = 4096, none = 0;
    void *socket = zmq_socket(zmq, ZMQ_DEALER);
    zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, pair->server.public, 40);
    zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, pair->client.public, 40);
    zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, pair->client.secret, 40);
    zmq_setsockopt(socket, ZMQ_RCVHWM, &one, sizeof one);
    zmq_setsockopt(socket, ZMQ_RCVBUF, &small, sizeof small);
    zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
    assert_int_equal(zmq_connect(socket, endpoint), 0);
    assert_int_equal(zmq_send(socket, "ask", 3, 0), 3);
    return socket;
}

static uint64_t receive_peer(struct link *link)
{
    uint64_t peer = 0;
    pair_expect(link, &peer, "ask");
    return peer;
}

static void wait_until_held(struct link *link, size_t most)
{
    for (int looks = 0; link_held(link) > most && looks < LOOKS; looks++)
        usleep(10000);
    assert_true(link_held(link) <= most);
}

static void slow_readers_together_are_held_no_more_than_the_bound(void **state)
{
    struct pair pair;
    void *zmq = zmq_ctx_new(), *readers[READERS];
    char *answer = mem_zero(ANSWER, 1);
    uint64_t peers[READERS];
    int full = 0;
    (void)state;
    pair_open(&pair);
    struct link *link = bind_narrow(&pair);
    for (int i = 0; i < READERS; i++) {
        readers[i] = connect_raw(zmq, &pair, link_endpoint(link));
        peers[i] = receive_peer(link);
    }
    for (int i = 0; i < READERS * ASKED; i++) {
        enum link_result result = link_send(link, peers[i % READERS], answer, ANSWER);
        full += result == LINK_FULL;
        assert_true(link_held(link) <= LINK_HELD);
    }
    assert_true(full > 0);
    for (int i = 0; i < READERS; i++)
        zmq_close(readers[i]);
    wait_until_held(link, 0); /* who is gone holds nothing */
    link_close(link);
    zmq_ctx_term(zmq);
    pair_close(&pair);
    free(answer);
}

static void who_reads_gets_long_answers_whole_and_they_are_let_go(void **state)
{
    struct pair pair;
    struct err err = {""};
    struct buf bytes = {0};
    uint64_t peer = 0, ignored;
    (void)state;
    pair_open(&pair);
    struct link *link = bind_narrow(&pair);
    pair.bound = link;
    pair.connected = link_connect(pair.context, link_endpoint(link), &pair.client, pair.server.public, &err);
    char *answer = mem_zero(ANSWER, 1);
    memset(answer, 'x', ANSWER);
    for (int i = 0; i < 5; i++) {
        pair_send(pair.connected, 0, "ask");
        peer = receive_peer(link);
        assert_int_equal(link_send(link, peer, answer, ANSWER), LINK_OK);
        while (link_receive(pair.connected, &ignored, &bytes) != LINK_OK)
            assert_true(pair_can_read(pair.connected, PAIR_PATIENCE));
        assert_int_equal(bytes.length, ANSWER);
        assert_memory_equal(bytes.data, answer, ANSWER);
        assert_int_equal(link_send(link, peer, "short", 5), LINK_OK);
        pair_expect(pair.connected, &ignored, "short");
        wait_until_held(link, 0);
    }
    buf_fini(&bytes);
    free(answer);
    pair_close(&pair);
}

static int knock(const char *endpoint)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)atoi(strrchr(endpoint, ':') + 1)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void wait_until_connected(struct link *link, size_t count)
{
    for (int looks = 0; link_connections(link) != count && looks < LOOKS; looks++)
        usleep(10000);
    assert_int_equal(link_connections(link), count);
}

static void connections_are_counted_whether_they_show_a_key_or_not(void **state)
{
    enum { KNOCKING = 20 };
    struct pair pair;
    struct err err = {""};
    int fds[KNOCKING];
    (void)state;
    pair_open(&pair);
    struct link *link = bind_narrow(&pair);
    pair.bound = link;
    assert_int_equal(link_connections(link), 0);
    for (int i = 0; i < KNOCKING; i++)
        fds[i] = knock(link_endpoint(link));
    wait_until_connected(link, 0); /* who says nothing is put out */
    for (int i = 0; i < KNOCKING; i++)
        close(fds[i]);
    pair.connected = link_connect(pair.context, link_endpoint(link), &pair.client, pair.server.public, &err);
    pair_send(pair.connected, 0, "ask");
    receive_peer(link);
    wait_until_connected(link, 1);
    link_close(pair.connected);
    pair.connected = NULL;
    wait_until_connected(link, 0);
    pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_readers_together_are_held_no_more_than_the_bound),
        cmocka_unit_test(who_reads_gets_long_answers_whole_and_they_are_let_go),
        cmocka_unit_test(connections_are_counted_whether_they_show_a_key_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
