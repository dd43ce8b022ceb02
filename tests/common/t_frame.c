/* Messages over a stream: in any pieces, and broken streams. */
#include "common/frame.h"
#include "tests/claims.h"
#include "tests/random_msg.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct err err;

/* Three messages one behind the other. */
static void put_three(struct buf *out, struct msg msgs[3])
{
    static const enum msg_kind kinds[] = {MSG_READY, MSG_RUN, MSG_ENDED};
    struct rng rng = rng_make(1, "frame", 0);
    for (int i = 0; i < 3; i++) {
        random_msg(&rng, kinds[i], &msgs[i]);
        frame_put(out, &msgs[i]);
    }
}

static void take_all(struct buf *in, struct msg msgs[3], int *taken)
{
    struct msg msg;
    int result;
    while ((result = frame_take(in, &msg, &err)) == 1) {
        assert_true(*taken < 3);
        assert_true(same_msg(&msg, &msgs[(*taken)++]));
        msg_fini(&msg);
    }
    assert_int_equal(result, 0);
}

static void messages_arrive_whole_wherever_the_stream_is_split(void **state)
{
    (void)state;
    struct buf bytes = {0};
    struct msg msgs[3];
    put_three(&bytes, msgs);
    for (size_t split = 0; split <= bytes.length; split++) {
        struct buf in = {0};
        int taken = 0;
        buf_add(&in, bytes.data, split);
        take_all(&in, msgs, &taken);
        buf_add(&in, bytes.data + split, bytes.length - split);
        take_all(&in, msgs, &taken);
        assert_int_equal(taken, 3);
        assert_int_equal(in.length, 0);
        buf_fini(&in);
    }
    for (int i = 0; i < 3; i++)
        msg_fini(&msgs[i]);
    buf_fini(&bytes);
}

static void messages_arrive_whole_byte_by_byte(void **state)
{
    (void)state;
    struct buf bytes = {0}, in = {0};
    struct msg msgs[3];
    int taken = 0;
    put_three(&bytes, msgs);
    for (size_t i = 0; i < bytes.length; i++) {
        buf_add(&in, bytes.data + i, 1);
        take_all(&in, msgs, &taken);
    }
    assert_int_equal(taken, 3);
    for (int i = 0; i < 3; i++)
        msg_fini(&msgs[i]);
    buf_fini(&bytes);
    buf_fini(&in);
}

static void a_message_that_is_too_long_breaks_the_stream_at_once(void **state)
{
    (void)state;
    struct buf in = {0};
    struct msg msg;
    buf_add(&in, "\1\0\200\0", 4); /* one more than MSG_LARGEST; nothing of it has to come */
    assert_int_equal(frame_take(&in, &msg, &err), -1);
    assert_has(err.text, "8388609 bytes");
    buf_fini(&in);
}

static void what_is_no_message_breaks_the_stream(void **state)
{
    (void)state;
    struct buf in = {0};
    struct msg msg;
    buf_add(&in, "\5\0\0\0hello", 9);
    assert_int_equal(frame_take(&in, &msg, &err), -1);
    assert_has(err.text, "no message");
    buf_clear(&in);
    buf_add(&in, "\0\0\0\0", 4);
    assert_int_equal(frame_take(&in, &msg, &err), -1);
    buf_fini(&in);
}

static void messages_go_through_a_narrow_socket(void **state)
{
    (void)state;
    int ends[2], taken = 0;
    struct buf out = {0}, in = {0};
    struct msg msgs[3];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &(int){1}, sizeof(int)), 0);
    assert_int_equal(frame_read(ends[1], &in), 0);
    put_three(&out, msgs);
    struct msg large = {.kind = MSG_READY};
    char *trouble = test_malloc(1 << 20);
    memset(trouble, 'x', (1 << 20) - 1);
    trouble[(1 << 20) - 1] = '\0';
    large.ready.trouble = trouble;
    frame_put(&out, &large);
    int waits = 0;
    for (struct msg msg; taken < 4;) {
        assert_int_equal(frame_write(ends[0], &out), 0);
        waits += out.length > 0;
        assert_true(frame_read(ends[1], &in) >= 0);
        while (taken < 4 && frame_take(&in, &msg, &err) == 1) {
            assert_true(same_msg(&msg, taken < 3 ? &msgs[taken] : &large));
            taken++;
            msg_fini(&msg);
        }
    }
    assert_true(waits > 0); /* it did not all go at once */
    test_free(trouble);
    for (int i = 0; i < 3; i++)
        msg_fini(&msgs[i]);
    buf_fini(&out);
    buf_fini(&in);
    close(ends[0]);
    close(ends[1]);
}

static void an_end_that_is_gone_is_an_error_and_no_signal(void **state)
{
    (void)state;
    int ends[2];
    struct buf out = {0}, in = {0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    close(ends[1]);
    buf_text(&out, "x");
    assert_int_equal(frame_write(ends[0], &out), -1);
    assert_int_equal(frame_read(ends[0], &in), -1);
    close(ends[0]);
    buf_fini(&out);
    buf_fini(&in);
}

static void a_pipe_will_do_too(void **state)
{
    (void)state;
    int ends[2], taken = 0;
    struct buf out = {0}, in = {0};
    struct msg msgs[3];
    assert_int_equal(pipe(ends), 0);
    put_three(&out, msgs);
    assert_int_equal(frame_write(ends[1], &out), 0);
    assert_int_equal(out.length, 0);
    while (taken < 3) {
        assert_int_equal(frame_read(ends[0], &in), 1);
        take_all(&in, msgs, &taken);
    }
    for (int i = 0; i < 3; i++)
        msg_fini(&msgs[i]);
    buf_fini(&out);
    buf_fini(&in);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_arrive_whole_wherever_the_stream_is_split),
        cmocka_unit_test(messages_arrive_whole_byte_by_byte),
        cmocka_unit_test(a_message_that_is_too_long_breaks_the_stream_at_once),
        cmocka_unit_test(what_is_no_message_breaks_the_stream),
        cmocka_unit_test(messages_go_through_a_narrow_socket),
        cmocka_unit_test(an_end_that_is_gone_is_an_error_and_no_signal),
        cmocka_unit_test(a_pipe_will_do_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
