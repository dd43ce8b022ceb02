/* Two ends of a link; see pair.h. */
#include "tests/pair.h"
#include "common/buf.h"
#include "common/clock.h"

#include <stdio.h>
#include <string.h>

struct link *pair_bind(struct pair *pair, const char *endpoint, struct err *err)
{
    const char *allowed[] = {pair->client.public};
    return link_bind(pair->context, endpoint, &pair->server, allowed, 1, err);
}

void pair_open(struct pair *pair)
{
    struct err err;
    *pair = (struct pair){.context = link_context_create(&err)};
    assert_non_null(pair->context);
    assert_int_equal(keys_make(&pair->server, &err), 0);
    assert_int_equal(keys_make(&pair->client, &err), 0);
}

void pair_open_tcp(struct pair *pair)
{
    struct err err;
    pair_open(pair);
    pair->bound = pair_bind(pair, "tcp://127.0.0.1:*", &err);
    assert_non_null(pair->bound);
    pair->connected = link_connect(pair->context, link_endpoint(pair->bound), &pair->client, pair->server.public, &err);
    assert_non_null(pair->connected);
}

void pair_open_ipc(struct pair *pair, const char *path)
{
    struct err err;
    char endpoint[512];
    pair_open(pair);
    snprintf(endpoint, sizeof endpoint, "ipc://%s", path);
    pair->bound = pair_bind(pair, endpoint, &err);
    assert_non_null(pair->bound);
    pair->connected = link_connect(pair->context, endpoint, &pair->client, pair->server.public, &err);
    assert_non_null(pair->connected);
}

void pair_close(struct pair *pair)
{
    link_close(pair->connected);
    link_close(pair->bound);
    link_context_destroy(pair->context);
}

bool pair_can_read(struct link *link, double seconds)
{
    struct err err;
    struct link_poll item = {.link = link, .want_read = true};
    for (double end = clock_monotonic() + seconds; !item.can_read && clock_monotonic() < end;)
        assert_int_equal(link_wait(&item, 1, end - clock_monotonic(), &err), 0);
    return item.can_read;
}

void pair_expect(struct link *link, uint64_t *peer, const char *text)
{
    struct buf bytes = {0};
    enum link_result result = LINK_NONE; /* also when all that could be read was dropped */
    for (double end = clock_monotonic() + (double)PAIR_PATIENCE; result == LINK_NONE && clock_monotonic() < end;)
        if (pair_can_read(link, end - clock_monotonic()))
            result = link_receive(link, peer, &bytes);
    assert_int_equal(result, LINK_OK);
    assert_string_equal(buf_str(&bytes), text);
    assert_int_equal(bytes.length, strlen(text));
    buf_fini(&bytes);
}

void pair_send(struct link *link, uint64_t peer, const char *text)
{
    struct err err;
    struct link_poll item = {.link = link, .want_write = true};
    enum link_result result;
    for (double end = clock_monotonic() + (double)PAIR_PATIENCE;
         (result = link_send(link, peer, text, strlen(text))) == LINK_NONE && clock_monotonic() < end;)
        assert_int_equal(link_wait(&item, 1, 0.1, &err), 0);
    assert_int_equal(result, LINK_OK);
}

void pair_talk(struct pair *pair)
{
    uint64_t peer = 0, none = 1;
    pair_send(pair->connected, 0, "hello");
    pair_expect(pair->bound, &peer, "hello");
    assert_true(peer > 0);
    pair_send(pair->bound, peer, "welcome");
    pair_expect(pair->connected, &none, "welcome");
    assert_int_equal(none, 0);
}

void pair_reach(struct pair *pair)
{
    uint64_t peer = 0;
    struct buf bytes = {0};
    for (double end = clock_monotonic() + (double)PAIR_PATIENCE; !peer && clock_monotonic() < end;) {
        (void)link_send(pair->connected, 0, "hello again", 11);
        if (pair_can_read(pair->bound, 0.1))
            (void)link_receive(pair->bound, &peer, &bytes);
    }
    assert_string_equal(buf_str(&bytes), "hello again");
    buf_fini(&bytes);
    pair_send(pair->bound, peer, "welcome back");
    pair_expect(pair->connected, &peer, "welcome back");
}

void pair_expect_refused(struct pair *pair, struct link *stranger)
{
    uint64_t peer;
    struct buf bytes = {0};
    enum link_result sent = link_send(stranger, 0, "let me in", 9);
    pair_talk(pair);
    for (double end = clock_monotonic() + 1; clock_monotonic() < end;) {
        sent = link_send(stranger, 0, "let me in", 9);
        if (pair_can_read(pair->bound, 0.1))
            assert_int_equal(link_receive(pair->bound, &peer, &bytes), LINK_NONE);
    }
    assert_int_equal(sent, LINK_NONE);
    buf_fini(&bytes);
}
