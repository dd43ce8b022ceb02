/* What programs say on their stream: who is let in, what counts, what is answered, and that nobody makes the worker
 * wait. */
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"
#include "tests/until.h"
#include "worker/program/stream.h"
#include "worker/program/stream_line.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct stage {
    struct loop *loop;
    struct stream_port *port;
    struct stream *stream;
    struct buf said; /* what was called, "loss@4=0.3;" */
    struct stream_stop stop;
    int client;
    struct buf answers;
    const char *awaited; /* in one of the two */
};

static void on_metric(void *context, const char *name, int64_t step, double value)
{
    buf_format(&((struct stage *)context)->said, "%s@%lld=%g;", name, (long long)step, value);
}

static void on_phase(void *context, const char *name, double seconds, uint64_t count)
{
    if (seconds < 100)
        buf_format(&((struct stage *)context)->said, "%s:some/%llu;", name, (unsigned long long)count);
    else
        buf_format(&((struct stage *)context)->said, "%s:%g/%llu;", name, seconds, (unsigned long long)count);
}

static void on_saved(void *context, int64_t step)
{
    buf_format(&((struct stage *)context)->said, "saved@%lld;", (long long)step);
}

static void on_asked(void *context, int64_t step, struct stream_stop *out)
{
    struct stage *stage = context;
    buf_format(&stage->said, "asked@%lld;", (long long)step);
    *out = stage->stop;
}

static const struct stream_calls calls = {on_metric, on_phase, on_saved, on_asked};

static int enter(void **state)
{
    struct stage *stage = MEM_NEW(struct stage);
    struct err err = {""};
    stage->loop = loop_create();
    stage->port = stream_port_create(stage->loop, 100, &err);
    if (!stage->port)
        fail_msg("%s", err.text);
    stage->stream = stream_create(stage->port, 12, 2, &calls, stage);
    stage->client = -1;
    *state = stage;
    return 0;
}

static int leave(void **state)
{
    struct stage *stage = *state;
    stream_destroy(stage->stream);
    stream_port_destroy(stage->port);
    loop_destroy(stage->loop);
    if (stage->client >= 0)
        close(stage->client);
    buf_fini(&stage->said);
    buf_fini(&stage->answers);
    free(stage);
    return 0;
}

/* The value of a variable that programs get. */
static char *variable(const struct stage *stage, const char *name)
{
    struct texts env = {0};
    char *value = NULL;
    stream_env(stage->stream, 0, &env);
    for (size_t i = 0; i < env.count; i++)
        if (strncmp(env.items[i], name, strlen(name)) == 0 && env.items[i][strlen(name)] == '=')
            value = mem_text(env.items[i] + strlen(name) + 1);
    texts_fini(&env);
    assert_non_null(value);
    return value;
}

static int knock(const struct stage *stage)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *path = variable(stage, "GANNET_SOCKET");
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    free(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void say(const struct stage *stage, const char *text)
{
    size_t length = strlen(text);
    assert_int_equal(send(stage->client, text, length, MSG_NOSIGNAL), length);
}

static bool has_come(void *context)
{
    struct stage *stage = context;
    char bytes[4096];
    ssize_t length = recv(stage->client, bytes, sizeof bytes, MSG_DONTWAIT);
    if (length > 0)
        buf_add(&stage->answers, bytes, (size_t)length);
    return strstr(buf_str(&stage->answers), stage->awaited) || strstr(buf_str(&stage->said), stage->awaited);
}

static void await(struct stage *stage, const char *what)
{
    stage->awaited = what;
    until(stage->loop, has_come, stage);
}

static bool is_put_out(void *context)
{
    struct stage *stage = context;
    char bytes[4096];
    ssize_t length = recv(stage->client, bytes, sizeof bytes, MSG_DONTWAIT);
    if (length > 0)
        buf_add(&stage->answers, bytes, (size_t)length);
    return length == 0 || (length < 0 && errno != EAGAIN);
}

static void greet(struct stage *stage, const char *more)
{
    char *token = variable(stage, "GANNET_TOKEN"),
         *line = mem_format("{\"gannet\": 1, \"token\": \"%s\"%s}\n", token, more);
    stage->client = knock(stage);
    say(stage, line);
    free(line);
    free(token);
}

/* --- who is let in --- */

static void the_first_line_says_which_run_it_is(void **state)
{
    struct stage *stage = *state;
    greet(stage, "");
    await(stage, "{\"gannet\":1,\"trial\":12,\"attempt\":2}\n");
    say(stage, "{\"metric\": {\"loss\": 0.3}, \"step\": 4}\n");
    await(stage, "loss@4=0.3;");
}

static void the_socket_is_in_a_private_directory(void **state)
{
    struct stat status;
    char *path = variable(*state, "GANNET_SOCKET"), *directory = path_directory(path);
    assert_int_equal(stat(directory, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    free(directory);
    free(path);
}

static void refused(struct stage *stage, const char *line, const char *sentence)
{
    stage->client = knock(stage);
    say(stage, line);
    until(stage->loop, is_put_out, stage);
    assert_has(buf_str(&stage->answers), sentence);
    buf_clear(&stage->answers);
    close(stage->client);
    stage->client = -1;
}

static void who_does_not_know_the_token_is_put_out(void **state)
{
    struct stage *stage = *state;
    refused(stage, "{\"gannet\":1,\"token\":\"00000000000000000000000000000000\"}\n", "no trial that runs here");
    refused(stage, "{\"metric\":{\"loss\":1}}\n", "the first line is to say who speaks");
    refused(stage, "{\"gannet\":2,\"token\":\"0\"}\n", "this worker speaks version 1");
    refused(stage, "GET / HTTP/1.1\r\n", "JSON object");
    assert_string_equal(buf_str(&stage->said), "");
}

/* It would have seconds for its first line, in which it could keep the loop busy. */
static void who_says_much_without_a_first_line_is_put_out(void **state)
{
    enum { MANY = 4096, MOST = 4 << 20 };
    struct stage *stage = *state;
    char blank_lines[MANY];
    size_t sent = 0;
    memset(blank_lines, '\n', sizeof blank_lines);
    stage->client = knock(stage);
    for (bool open = true; open && sent < MOST;) {
        ssize_t part = send(stage->client, blank_lines, sizeof blank_lines, MSG_NOSIGNAL | MSG_DONTWAIT);
        open = part >= 0 || errno == EAGAIN;
        sent += part > 0 ? (size_t)part : 0;
        bool flag = true;
        until_true(stage->loop, &flag);
    }
    assert_true(sent < MOST);
}

/* --- what counts --- */

static void everything_may_stand_in_one_line(void **state)
{
    struct stage *stage = *state;
    greet(stage, ", \"metric\": {\"loss\": \"nan\"}, \"step\": 1, \"phase\": \"data\", \"seconds\": 200, \"count\": 3, "
                 "\"checkpoint\": true, \"should_stop\": true, \"later\": [1]");
    await(stage, "\"stop\":false");
    assert_string_equal(buf_str(&stage->said), "loss@1=nan;data:200/3;saved@1;asked@1;");
}

static void without_a_step_it_is_one_more_than_the_last(void **state)
{
    struct stage *stage = *state;
    greet(stage, "");
    say(stage, "{\"metric\":{\"a\":1}}\n{\"metric\":{\"a\":2},\"step\":7}\n{\"metric\":{\"a\":3,\"b\":4}}\n");
    await(stage, "a@1=1;a@7=2;a@8=3;b@1=4;");
}

static void what_was_told_and_printed_counts_once(void **state)
{
    struct stage *stage = *state;
    assert_true(stream_printed(stage->stream, "loss", 1)); /* printed first */
    assert_true(stream_printed(stage->stream, "acc", 1));
    greet(stage, "");
    say(stage, "{\"metric\":{\"loss\":1},\"step\":1}\n{\"metric\":{\"loss\":2},\"step\":2}\n");
    await(stage, "loss@2=2;");
    assert_string_equal(buf_str(&stage->said), "loss@2=2;");
    assert_false(stream_printed(stage->stream, "loss", 2));
    assert_true(stream_printed(stage->stream, "acc", 2)); /* of which nothing was told */
    assert_true(stream_printed(NULL, "loss", 1));
}

static void only_the_first_rank_counts_and_all_may_ask(void **state)
{
    struct stage *stage = *state;
    greet(stage, ", \"rank\": 3");
    say(stage, "{\"metric\":{\"loss\":1},\"checkpoint\":true}\n{\"should_stop\":true}\n");
    await(stage, "\"stop\":false");
    assert_string_equal(buf_str(&stage->said), "asked@-1;");
    say(stage, "{\"metric\":{\"loss\":1},\"rank\":0}\n");
    await(stage, "loss@1=1;");
}

static void a_token_that_says_its_rank_is_believed_more_than_a_line(void **state)
{
    struct stage *stage = *state;
    char *token = variable(stage, "GANNET_TOKEN"), *line = mem_format("{\"gannet\": 1, \"token\": \"%s.2\"}\n", token);
    stage->client = knock(stage);
    say(stage, line);
    say(stage, "{\"metric\":{\"loss\":1},\"checkpoint\":true,\"rank\":0}\n{\"should_stop\":true}\n");
    await(stage, "\"stop\":false");
    assert_string_equal(buf_str(&stage->said), "asked@-1;");
    free(line);
    free(token);
}

static void the_environment_of_a_rank_has_its_token(void **state)
{
    struct stage *stage = *state;
    struct texts env = {0};
    char *token = variable(stage, "GANNET_TOKEN"), *expected = mem_format("GANNET_TOKEN=%s.7", token);
    stream_env(stage->stream, 7, &env);
    assert_string_equal(env.items[1], expected);
    texts_fini(&env);
    free(expected);
    free(token);
}

/* The second asks about step 4 when the first was told to go on there, and a stop has come in between. */
static void several_processes_stop_after_the_same_step(void **state)
{
    struct stage *stage = *state;
    stream_share(stage->stream, 2);
    greet(stage, "");
    say(stage, "{\"should_stop\":true,\"step\":4}\n");
    await(stage, "\"stop\":false");
    buf_clear(&stage->answers);
    stage->stop = (struct stream_stop){.reason = "walltime", .detail = ""};
    say(stage, "{\"should_stop\":true,\"step\":4,\"rank\":1}\n");
    await(stage, "\"stop\":false");
    say(stage, "{\"should_stop\":true,\"step\":5,\"rank\":1}\n");
    await(stage, "\"stop\":true");
    buf_clear(&stage->answers);
    say(stage, "{\"should_stop\":true,\"step\":5}\n");
    await(stage, "\"stop\":true");
}

static void one_process_hears_of_a_stop_at_once(void **state)
{
    struct stage *stage = *state;
    greet(stage, "");
    say(stage, "{\"should_stop\":true,\"step\":4}\n");
    await(stage, "\"stop\":false");
    stage->stop = (struct stream_stop){.reason = "walltime", .detail = ""};
    say(stage, "{\"should_stop\":true,\"step\":4}\n");
    await(stage, "\"stop\":true");
}

static void phases_begin_and_end(void **state)
{
    struct stage *stage = *state;
    greet(stage, "");
    say(stage, "{\"begin\":\"data\"}\n{\"begin\":\"augment\"}\n{\"end\":\"data\"}\n{\"end\":\"data\"}\n");
    await(stage, "the phase 'data' has not begun");
    assert_string_equal(buf_str(&stage->said), "data:some/1;");
    stream_drain(stage->stream);
    assert_string_equal(buf_str(&stage->said), "data:some/1;augment:some/1;");
}

static void its_last_words_are_read_when_it_has_ended(void **state)
{
    struct stage *stage = *state;
    greet(stage, ", \"metric\": {\"loss\": 1}");
    say(stage, "{\"metric\":{\"loss\":2}}\n{\"metric\":{\"loss\":3}}"); /* its last line has no end */
    close(stage->client);
    stage->client = -1;
    stream_drain(stage->stream); /* the loop never ran */
    assert_string_equal(buf_str(&stage->said), "loss@1=1;loss@2=2;loss@3=3;");
}

static void the_reason_to_stop_is_told(void **state)
{
    struct stage *stage = *state;
    stage->stop =
        (struct stream_stop){.reason = "walltime", .detail = "the time of the job was up", .save = true, .until = 9};
    greet(stage, "");
    say(stage, "{\"should_stop\": true, \"step\": 5}\n");
    await(stage, "{\"stop\":true,\"reason\":\"walltime\",\"detail\":\"the time of the job was "
                 "up\",\"save\":true,\"until\":9}\n");
    assert_string_equal(buf_str(&stage->said), "asked@5;");
}

/* --- mistakes and floods --- */

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
    struct stage *stage = *state;
    greet(stage, "");
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        say(stage, mistakes[i].line);
        say(stage, "\n");
        await(stage, mistakes[i].sentence);
        buf_clear(&stage->answers);
    }
    assert_string_equal(buf_str(&stage->said), "");
}

/* Else a program that is often mistaken would wait for an answer that never comes. */
static void a_question_is_answered_however_many_mistakes_there_were(void **state)
{
    struct stage *stage = *state;
    greet(stage, "");
    for (int i = 0; i < 150; i++) {
        say(stage, "{\"metric\":3}\n");
        say(stage, "{\"should_stop\":true,\"step\":-1}\n");
        await(stage, "{\"error\":\"'step' is to be a whole number from 0 on\",\"stop\":false}\n");
        buf_clear(&stage->answers);
    }
    assert_string_equal(buf_str(&stage->said), "");
    say(stage, "{\"should_stop\":true,\"step\":3}\n");
    await(stage, "{\"stop\":false}\n");
}

static void a_line_that_is_too_long_is_passed_over(void **state)
{
    struct stage *stage = *state;
    char *much = mem_zero(STREAM_LINE_LONGEST + 2, 1);
    memset(much, 'x', STREAM_LINE_LONGEST + 1);
    greet(stage, "");
    say(stage, much);
    say(stage, "\n{\"metric\":{\"loss\":1}}\n");
    await(stage, "loss@1=1;");
    await(stage, "a line has 65536 bytes at most");
    free(much);
}

static void a_run_has_so_many_metrics_and_no_more(void **state)
{
    struct stage *stage = *state;
    greet(stage, "");
    for (int i = 0; i < 257; i++) {
        char *line = mem_format("{\"metric\":{\"m%d\":1}}\n", i);
        say(stage, line);
        free(line);
    }
    await(stage, "'m256' is one too many");
    await(stage, "m255@1=1;");
}

/* Asks without reading the answers until it is put out. */
static void who_reads_no_answers_is_put_out(void **state)
{
    struct stage *stage = *state;
    const char *line = "{\"should_stop\": true}\n";
    greet(stage, "");
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
    struct stage *stage = *state;
    const char *line = "{\"metric\":{\"loss\":1},\"step\":1}\n";
    enum { LINES = 20000, PARTS = 2 * 65536 };
    struct buf flood = {0};
    size_t sent = 0, lines;
    ssize_t more;
    for (int i = 0; i < LINES; i++)
        buf_text(&flood, line);
    greet(stage, "");
    int room = 1 << 19; /* or as much as a socket may hold here */
    assert_int_equal(setsockopt(stage->client, SOL_SOCKET, SO_SNDBUF, &room, sizeof room), 0);
    while ((more = send(stage->client, flood.data + sent, flood.length - sent, MSG_NOSIGNAL | MSG_DONTWAIT)) > 0)
        sent += (size_t)more;
    assert_true(sent > PARTS);
    await(stage, "loss@1=1;");
    lines = stage->said.length / strlen("loss@1=1;");
    assert_true(lines <= PARTS / strlen(line));
    shutdown(stage->client, SHUT_WR);
    until(stage->loop, is_put_out, stage);
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

#define STAGED(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(the_first_line_says_which_run_it_is),
        STAGED(the_socket_is_in_a_private_directory),
        STAGED(who_does_not_know_the_token_is_put_out),
        STAGED(who_says_much_without_a_first_line_is_put_out),
        STAGED(everything_may_stand_in_one_line),
        STAGED(without_a_step_it_is_one_more_than_the_last),
        STAGED(what_was_told_and_printed_counts_once),
        STAGED(only_the_first_rank_counts_and_all_may_ask),
        STAGED(a_token_that_says_its_rank_is_believed_more_than_a_line),
        STAGED(the_environment_of_a_rank_has_its_token),
        STAGED(several_processes_stop_after_the_same_step),
        STAGED(one_process_hears_of_a_stop_at_once),
        STAGED(phases_begin_and_end),
        STAGED(its_last_words_are_read_when_it_has_ended),
        STAGED(the_reason_to_stop_is_told),
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
