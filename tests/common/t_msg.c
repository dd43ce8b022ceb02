/* Messages as bytes: every kind comes back as it was, and no bytes do harm. */
#include "common/mem.h"
#include "common/msg.h"
#include "tests/claims.h"
#include "tests/random_msg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct err err;

static void decode(struct msg *msg, const struct buf *bytes)
{
    assert_int_equal(msg_decode(msg, bytes->data, bytes->length, &err), 0);
}

static void every_kind_comes_back_as_it_was(void **state)
{
    (void)state;
    for (int kind = MSG_NONE + 1; kind < MSG_KINDS; kind++)
        for (uint64_t round = 0; round < 200; round++) {
            struct rng rng = rng_make(round, "msg", (uint64_t)kind);
            struct msg msg, back;
            struct buf bytes = {0}, again = {0};
            random_msg(&rng, (enum msg_kind)kind, &msg);
            msg_encode(&msg, &bytes);
            decode(&back, &bytes);
            assert_true(same_msg(&msg, &back));
            msg_encode(&back, &again);
            assert_int_equal(bytes.length, again.length);
            assert_memory_equal(bytes.data, again.data, bytes.length);
            msg_fini(&msg);
            msg_fini(&back);
            buf_fini(&bytes);
            buf_fini(&again);
        }
}

static void the_bytes_of_a_message_never_change(void **state)
{
    (void)state;
    struct msg msg = {.kind = MSG_STOP_RUN,
                      .stop_run = {.trial = 131, .attempt = 2, .ending = 0x01020304, .seconds = 1}};
    struct buf bytes = {0};
    msg_encode(&msg, &bytes);
    const unsigned char expected[] = {
        'G', MSG_VERSION, MSG_STOP_RUN, 0,   131, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 4, 3, 2, 1, 0, 0, 0, 0,
        0,   0,           0xf0,         0x3f};
    assert_int_equal(bytes.length, sizeof expected);
    assert_memory_equal(bytes.data, expected, sizeof expected);
    buf_fini(&bytes);
}

static void a_missing_text_is_sent_as_an_empty_one(void **state)
{
    (void)state;
    struct msg msg = {.kind = MSG_REFUSED}, back;
    struct buf bytes = {0};
    msg_encode(&msg, &bytes);
    decode(&back, &bytes);
    assert_string_equal(back.refused.why, "");
    msg_fini(&back);
    buf_fini(&bytes);
}

/* A copy of the first `length` bytes on the heap, so that reading one beyond is seen. */
static int decode_copy(const void *bytes, size_t length)
{
    struct msg msg;
    void *copy = test_malloc(length);
    memcpy(copy, bytes, length);
    err.text[0] = '\0';
    int result = msg_decode(&msg, copy, length, &err);
    test_free(copy);
    if (result) {
        assert_int_equal(msg.kind, MSG_NONE);
        assert_true(err.text[0]);
    } else {
        struct buf again = {0};
        msg_print(&msg, &again);
        buf_clear(&again);
        msg_encode(&msg, &again); /* what was read can be written */
        assert_int_equal(again.length, length);
        buf_fini(&again);
        msg_fini(&msg);
    }
    return result;
}

static void every_cut_message_is_refused(void **state)
{
    (void)state;
    for (int kind = MSG_NONE + 1; kind < MSG_KINDS; kind++) {
        struct rng rng = rng_make(7, "cut", (uint64_t)kind);
        struct msg msg;
        struct buf bytes = {0};
        random_msg(&rng, (enum msg_kind)kind, &msg);
        msg_encode(&msg, &bytes);
        size_t step = bytes.length / 500 + 1;
        for (size_t length = 0; length < bytes.length; length += step)
            assert_int_equal(decode_copy(bytes.data, length), -1);
        buf_add(&bytes, "x", 1);
        assert_int_equal(decode_copy(bytes.data, bytes.length), -1);
        assert_has(err.text, "followed by 1 byte");
        msg_fini(&msg);
        buf_fini(&bytes);
    }
}

static void every_single_wrong_byte_is_refused_or_read_without_harm(void **state)
{
    (void)state;
    static const unsigned char changes[] = {1, 0x80, 0xff};
    for (int kind = MSG_NONE + 1; kind < MSG_KINDS; kind++) {
        struct rng rng = rng_make(8, "corrupt", (uint64_t)kind);
        struct msg msg;
        struct buf bytes = {0};
        random_msg(&rng, (enum msg_kind)kind, &msg);
        msg_encode(&msg, &bytes);
        size_t step = bytes.length / 500 + 1;
        for (size_t at = 0; at < bytes.length; at += at < 64 ? 1 : step)
            for (size_t i = 0; i < sizeof changes; i++) {
                bytes.data[at] = (char)(bytes.data[at] ^ changes[i]);
                decode_copy(bytes.data, bytes.length);
                bytes.data[at] = (char)(bytes.data[at] ^ changes[i]);
            }
        msg_fini(&msg);
        buf_fini(&bytes);
    }
}

static void random_bytes_do_no_harm(void **state)
{
    (void)state;
    struct rng rng = rng_make(9, "noise", 0);
    char bytes[256];
    for (int round = 0; round < 20000; round++) {
        size_t length = rng_below(&rng, sizeof bytes);
        for (size_t i = 0; i < length; i++)
            bytes[i] = (char)(rng_below(&rng, 2) ? 0 : rng_next(&rng));
        if (length > 4) {
            memcpy(bytes, "G", 1);
            bytes[1] = MSG_VERSION;
            bytes[2] = (char)rng_below(&rng, MSG_KINDS + 1);
            bytes[3] = 0;
        }
        decode_copy(bytes, length);
    }
}

static void a_list_longer_than_its_message_is_refused_before_memory_is_taken(void **state)
{
    (void)state;
    const unsigned char bytes[] = {'G', MSG_VERSION, MSG_RETURNED, 0, 0xff, 0xff, 0xff, 0xff};
    assert_int_equal(decode_copy(bytes, sizeof bytes), -1);
    assert_string_equal(err.text, "the list 'runs' is longer than its message");
}

static void another_version_is_named_with_ours(void **state)
{
    (void)state;
    char ours[16];
    const unsigned char bytes[] = {'G', 250, MSG_WHO, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    assert_int_equal(decode_copy(bytes, sizeof bytes), -1);
    snprintf(ours, sizeof ours, " %d", MSG_VERSION);
    assert_has(err.text, "version 250");
    assert_has(err.text, ours);
}

static void what_is_no_message_says_so(void **state)
{
    (void)state;
    const char *http = "GET / HTTP/1.1\r\n\r\n", *ssh = "SSH-2.0-OpenSSH_9.2";
    assert_int_equal(decode_copy(http, strlen(http)), -1);
    assert_int_equal(decode_copy(ssh, strlen(ssh)), -1);
    assert_int_equal(decode_copy("", 0), -1);
    const unsigned char unknown[] = {'G', MSG_VERSION, 255, 0};
    assert_int_equal(decode_copy(unknown, sizeof unknown), -1);
    assert_has(err.text, "255");
}

static void a_text_with_a_zero_inside_is_refused(void **state)
{
    (void)state;
    const unsigned char bytes[] = {'G', MSG_VERSION, MSG_REFUSED, 0, 3, 0, 0, 0, 'a', 0, 'c', 0};
    assert_int_equal(decode_copy(bytes, sizeof bytes), -1);
    assert_string_equal(err.text, "a text is not closed where its length says");
}

static void a_switch_is_0_or_1(void **state)
{
    (void)state;
    const unsigned char bytes[] = {'G', MSG_VERSION, MSG_DRAIN, 0, 2, 0, 0, 0, 0, 0};
    assert_int_equal(decode_copy(bytes, sizeof bytes), -1);
    assert_string_equal(err.text, "'now' is neither true nor false");
}

static void messages_are_printed_for_people(void **state)
{
    (void)state;
    struct msg_run_id runs[5] = {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}};
    struct msg stop = {.kind = MSG_STOP_RUN, .stop_run = {.trial = 131, .attempt = 1, .ending = 8}};
    struct msg returned = {.kind = MSG_RETURNED, .returned = {.runs = runs, .runs_count = 5}};
    struct buf out = {0};
    msg_print(&stop, &out);
    assert_string_equal(buf_str(&out), "STOP_RUN trial=131 attempt=1 ending=8 seconds=0");
    buf_clear(&out);
    msg_print(&returned, &out);
    assert_string_equal(buf_str(&out),
                        "RETURNED runs=5[{ trial=1 attempt=1 }{ trial=2 attempt=1 }{ trial=3 attempt=1 }...]");
    buf_clear(&out);
    struct msg refused = {.kind = MSG_REFUSED,
                          .refused = {.why = "a sentence that is far longer than the sixty letters "
                                             "that are shown of any text"}};
    msg_print(&refused, &out);
    assert_string_equal(buf_str(&out), "REFUSED why='a sentence that is far longer than the sixty letters that ar'...");
    buf_clear(&out);
    msg_print(&(struct msg){.kind = MSG_REFUSED}, &out);
    assert_string_equal(buf_str(&out), "REFUSED why=''");
    buf_clear(&out);
    msg_print(&(struct msg){.kind = (enum msg_kind)200}, &out);
    assert_string_equal(buf_str(&out), "?");
    assert_string_equal(msg_kind_name(MSG_HELLO), "HELLO");
    assert_string_equal(msg_kind_name((enum msg_kind)200), "?");
    buf_fini(&out);
}

/* Whatever a message holds, its print begins with its kind and has a name for each of its fields. */
static void every_kind_is_printed(void **state)
{
    (void)state;
    struct rng rng = rng_make(3, "printed", 0);
    for (int kind = MSG_NONE + 1; kind < MSG_KINDS; kind++) {
        struct buf out = {0}, bytes = {0};
        struct msg msg;
        random_msg(&rng, (enum msg_kind)kind, &msg);
        msg_print(&msg, &out);
        assert_ptr_equal(strstr(buf_str(&out), msg_kind_name(msg.kind)), buf_str(&out));
        msg_encode(&msg, &bytes);
        assert_int_equal(msg_kind_of(buf_str(&bytes), bytes.length), kind);
        assert_int_equal(msg_kind_of(buf_str(&bytes), 2), MSG_NONE);
        msg_fini(&msg);
        buf_fini(&out);
        buf_fini(&bytes);
    }
    const unsigned char unknown[] = {'G', MSG_VERSION, 255, 0};
    assert_int_equal(msg_kind_of(unknown, sizeof unknown), MSG_NONE);
    struct buf out = {0};
    msg_print(&(struct msg){.kind = MSG_NONE}, &out);
    assert_string_equal(buf_str(&out), "?");
    buf_fini(&out);
}

static void a_message_of_no_kind_is_no_good(void **state)
{
    (void)state;
    assert_int_equal(msg_check(&(struct msg){.kind = MSG_NONE}, &err), -1);
    assert_int_equal(msg_check(&(struct msg){.kind = (enum msg_kind)200}, &err), -1);
    assert_has(err.text, "kind 200");
}

static void more_bytes_than_any_message_has_are_refused(void **state)
{
    (void)state;
    char *bytes = mem_zero(MSG_LARGEST + 1, 1);
    struct msg msg;
    assert_int_equal(msg_decode(&msg, bytes, MSG_LARGEST + 1, &err), -1);
    assert_has(err.text, "larger than");
    free(bytes);
}

static void the_page_has_every_message(void **state)
{
    (void)state;
    struct buf page = {0};
    char title[64];
    msg_document(&page);
    for (int kind = MSG_NONE + 1; kind < MSG_KINDS; kind++) {
        snprintf(title, sizeof title, "\n## %s\n", msg_kind_name((enum msg_kind)kind));
        assert_has(buf_str(&page), title);
    }
    buf_fini(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_comes_back_as_it_was),
        cmocka_unit_test(the_bytes_of_a_message_never_change),
        cmocka_unit_test(a_missing_text_is_sent_as_an_empty_one),
        cmocka_unit_test(every_cut_message_is_refused),
        cmocka_unit_test(every_single_wrong_byte_is_refused_or_read_without_harm),
        cmocka_unit_test(random_bytes_do_no_harm),
        cmocka_unit_test(a_list_longer_than_its_message_is_refused_before_memory_is_taken),
        cmocka_unit_test(another_version_is_named_with_ours),
        cmocka_unit_test(what_is_no_message_says_so),
        cmocka_unit_test(a_text_with_a_zero_inside_is_refused),
        cmocka_unit_test(a_switch_is_0_or_1),
        cmocka_unit_test(messages_are_printed_for_people),
        cmocka_unit_test(every_kind_is_printed),
        cmocka_unit_test(a_message_of_no_kind_is_no_good),
        cmocka_unit_test(more_bytes_than_any_message_has_are_refused),
        cmocka_unit_test(the_page_has_every_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
