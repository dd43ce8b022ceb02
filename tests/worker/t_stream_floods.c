/* Programs that make mistakes on their stream, say too much, or read no answers: each is answered or put out, and
 * nobody makes the worker wait. */
#include "common/buf.h"
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/stream_stage.h"
#include "tests/until.h"
#include "worker/program/stream_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static void a_mistake_is_answered_and_nothing_of_its_line_counts(void **state)
{
    static const struct {
        const char *line, *sentence;
    } mistakes[] = {
        {"[1]", "JSON object"},
        {"{\"a\":1,\"a\":2}", "duplicate"},
        {"{\"metric\":3}", "'metric' is to be an object"},
        {"{\"metric\":{\"ok\":1,\"loss\":\"low\"}}", "the value of 'loss' is to be a number"},
        {"{\"metric\":{\"\":1}}", "a metric's name has 1 to 200 bytes"},
        {"{\"metric\":{\"ok\":1},\"step\":-1}", "'step' is to be a whole number"},
        {"{\"metric\":{\"ok\":1},\"step\":1e300}", "'step' is to be a whole number"},
        {"{\"phase\":\"data\"}", "'seconds' is to say how long"},
        {"{\"phase\":\"data\",\"seconds\":-1}", "'seconds' is to say how long"},
        {"{\"phase\":\"data\",\"seconds\":1,\"count\":0}", "'count' is to be 1 or more"},
        {"{\"phase\":\"da\\\"ta\",\"seconds\":1}", "'phase' is to be the name of a phase"},
        {"{\"begin\":7}", "'begin' is to be the name of a phase"},
        {"{\"checkpoint\":\"yes\"}", "'checkpoint' is to be true or false"},
        {"{\"serve\":1}", "was started for one trial"},
    };
    struct stream_stage *stage = *state;
    stream_stage_greet(stage, "");
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        stream_stage_say(stage, mistakes[i].line);
        stream_stage_say(stage, "\n");
        stream_stage_await(stage, mistakes[i].sentence);
        buf_clear(&stage->answers);
    }
    assert_string_equal(buf_str(&stage->said), "");
}

/* Else a program that is often mistaken would wait for an answer that never comes. */
static void a_question_is_answered_however_many_mistakes_there_were(void **state)
{
    struct stream_stage *stage = *state;
    stream_stage_greet(stage, "");
    for (int i = 0; i < 150; i++) {
        stream_stage_say(stage, "{\"metric\":3}\n");
        stream_stage_say(stage, "{\"should_stop\":true,\"step\":-1}\n");
        stream_stage_await(stage, "{\"error\":\"'step' is to be a whole number from 0 on\",\"stop\":false}\n");
        buf_clear(&stage->answers);
    }
    assert_string_equal(buf_str(&stage->said), "");
    stream_stage_say(stage, "{\"should_stop\":true,\"step\":3}\n");
    stream_stage_await(stage, "{\"stop\":false}\n");
}

static void a_line_that_is_too_long_is_passed_over(void **state)
{
    struct stream_stage *stage = *state;
    char *much = mem_zero(STREAM_LINE_LONGEST + 2, 1);
    memset(much, 'x', STREAM_LINE_LONGEST + 1);
    stream_stage_greet(stage, "");
    stream_stage_say(stage, much);
    stream_stage_say(stage, "\n{\"metric\":{\"loss\":1}}\n");
    stream_stage_await(stage, "loss@1=1;");
    stream_stage_await(stage, "a line has 65536 bytes at most");
    free(much);
}

static void a_run_has_so_many_metrics_and_no_more(void **state)
{
    struct stream_stage *stage = *state;
    stream_stage_greet(stage, "");
    for (int i = 0; i < 257; i++) {
        char *line = mem_format("{\"metric\":{\"m%d\":1}}\n", i);
        stream_stage_say(stage, line);
        free(line);
    }
    stream_stage_await(stage, "'m256' is one too many");
    stream_stage_await(stage, "m255@1=1;");
}

/* Asks without reading the answers until it is put out. */
static void who_reads_no_answers_is_put_out(void **state)
{
    struct stream_stage *stage = *state;
    const char *line = "{\"should_stop\": true}\n";
    stream_stage_greet(stage, "");
    for (bool open = true; open;) {
        ssize_t sent = send(stage->client, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT);
        open = sent >= 0 || errno == EAGAIN;
        if (sent < 0 && open)
            stream_read(stage->stream); /* and the loop, for what it rests */
        bool flag = true;
        until_true(stage->loop, &flag);
    }
    assert_true(buf_str(&stage->said)[0]);
}

/* Of all that is there to be read the loop takes two parts at most before it looks after others; the rest comes later.
 */
static void a_flood_leaves_the_loop_to_others(void **state)
{
    struct stream_stage *stage = *state;
    const char *line = "{\"metric\":{\"loss\":1},\"step\":1}\n";
    enum { LINES = 20000, PARTS = 2 * 65536 };
    struct buf flood = {0};
    size_t sent = 0, lines;
    ssize_t more;
    for (int i = 0; i < LINES; i++)
        buf_text(&flood, line);
    stream_stage_greet(stage, "");
    int room = 1 << 19; /* or as much as a socket may hold here */
    assert_int_equal(setsockopt(stage->client, SOL_SOCKET, SO_SNDBUF, &room, sizeof room), 0);
    while ((more = send(stage->client, flood.data + sent, flood.length - sent, MSG_NOSIGNAL | MSG_DONTWAIT)) > 0)
        sent += (size_t)more;
    assert_true(sent > PARTS);
    stream_stage_await(stage, "loss@1=1;");
    lines = stage->said.length / strlen("loss@1=1;");
    assert_true(lines <= PARTS / strlen(line));
    shutdown(stage->client, SHUT_WR);
    until(stage->loop, stream_stage_is_put_out, stage);
    lines = stage->said.length / strlen("loss@1=1;");
    assert_int_equal(lines, sent / strlen(line));
    buf_fini(&flood);
}

static void what_no_stream_has_is_told_as_none(void **state)
{
    (void)state;
    struct texts env = {0};
    stream_env(NULL, 0, &env);
    assert_string_equal(env.items[0], "GANNET_SOCKET=");
    assert_string_equal(env.items[1], "GANNET_TOKEN=");
    texts_fini(&env);
    stream_read(NULL);
    stream_drain(NULL);
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, stream_stage_enter, stream_stage_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(a_mistake_is_answered_and_nothing_of_its_line_counts),
        STAGED(a_question_is_answered_however_many_mistakes_there_were),
        STAGED(a_line_that_is_too_long_is_passed_over),
        STAGED(a_run_has_so_many_metrics_and_no_more),
        STAGED(who_reads_no_answers_is_put_out),
        STAGED(a_flood_leaves_the_loop_to_others),
        cmocka_unit_test(what_no_stream_has_is_told_as_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
