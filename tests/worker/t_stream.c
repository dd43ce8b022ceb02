/* What programs say on their stream: who is let in, what counts, what is answered, and that nobody makes the worker
 * wait. */
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"
#include "tests/stream_stage.h"
#include "tests/until.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- who is let in --- */

static void the_first_line_says_which_run_it_is(void **state)
{
    struct stream_stage *stage = *state;
    stream_stage_greet(stage, "");
    stream_stage_await(stage, "{\"gannet\":1,\"trial\":12,\"attempt\":2}\n");
    stream_stage_say(stage, "{\"metric\": {\"loss\": 0.3}, \"step\": 4}\n");
    stream_stage_await(stage, "loss@4=0.3;");
}

static void the_socket_is_in_a_private_directory(void **state)
{
    struct stat status;
    char *path = stream_stage_variable(*state, "GANNET_SOCKET"), *directory = path_directory(path);
    assert_int_equal(stat(directory, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    free(directory);
    free(path);
}

static void refused(struct stream_stage *stage, const char *line, const char *sentence)
{
    stage->client = stream_stage_knock(stage);
    stream_stage_say(stage, line);
    until(stage->loop, stream_stage_is_put_out, stage);
    assert_has(buf_str(&stage->answers), sentence);
    buf_clear(&stage->answers);
    close(stage->client);
    stage->client = -1;
}

static void who_does_not_know_the_token_is_put_out(void **state)
{
    struct stream_stage *stage = *state;
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
    struct stream_stage *stage = *state;
    char blank_lines[MANY];
    size_t sent = 0;
    memset(blank_lines, '\n', sizeof blank_lines);
    stage->client = stream_stage_knock(stage);
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
    struct stream_stage *stage = *state;
    stream_stage_greet(
        stage, ", \"metric\": {\"loss\": \"nan\"}, \"step\": 1, \"phase\": \"data\", \"seconds\": 200, \"count\": 3, "
               "\"checkpoint\": true, \"should_stop\": true, \"later\": [1]");
    stream_stage_await(stage, "\"stop\":false");
    assert_string_equal(buf_str(&stage->said), "loss@1=nan;data:200/3;saved@1;asked@1;");
}

static void without_a_step_it_is_one_more_than_the_last(void **state)
{
    struct stream_stage *stage = *state;
    stream_stage_greet(stage, "");
    stream_stage_say(stage,
                     "{\"metric\":{\"a\":1}}\n{\"metric\":{\"a\":2},\"step\":7}\n{\"metric\":{\"a\":3,\"b\":4}}\n");
    stream_stage_await(stage, "a@1=1;a@7=2;a@8=3;b@1=4;");
}

static void what_was_told_and_printed_counts_once(void **state)
{
    struct stream_stage *stage = *state;
    assert_true(stream_printed(stage->stream, "loss", 1)); /* printed first */
    assert_true(stream_printed(stage->stream, "acc", 1));
    stream_stage_greet(stage, "");
    stream_stage_say(stage, "{\"metric\":{\"loss\":1},\"step\":1}\n{\"metric\":{\"loss\":2},\"step\":2}\n");
    stream_stage_await(stage, "loss@2=2;");
    assert_string_equal(buf_str(&stage->said), "loss@2=2;");
    assert_false(stream_printed(stage->stream, "loss", 2));
    assert_true(stream_printed(stage->stream, "acc", 2)); /* of which nothing was told */
    assert_true(stream_printed(NULL, "loss", 1));
}

static void only_the_first_rank_counts_and_all_may_ask(void **state)
{
    struct stream_stage *stage = *state;
    stream_stage_greet(stage, ", \"rank\": 3");
    stream_stage_say(stage, "{\"metric\":{\"loss\":1},\"checkpoint\":true}\n{\"should_stop\":true}\n");
    stream_stage_await(stage, "\"stop\":false");
    assert_string_equal(buf_str(&stage->said), "asked@-1;");
    stream_stage_say(stage, "{\"metric\":{\"loss\":1},\"rank\":0}\n");
    stream_stage_await(stage, "loss@1=1;");
}

static void a_token_that_says_its_rank_is_believed_more_than_a_line(void **state)
{
    struct stream_stage *stage = *state;
    char *token = stream_stage_variable(stage, "GANNET_TOKEN"),
         *line = mem_format("{\"gannet\": 1, \"token\": \"%s.2\"}\n", token);
    stage->client = stream_stage_knock(stage);
    stream_stage_say(stage, line);
    stream_stage_say(stage, "{\"metric\":{\"loss\":1},\"checkpoint\":true,\"rank\":0}\n{\"should_stop\":true}\n");
    stream_stage_await(stage, "\"stop\":false");
    assert_string_equal(buf_str(&stage->said), "asked@-1;");
    free(line);
    free(token);
}

static void the_environment_of_a_rank_has_its_token(void **state)
{
    struct stream_stage *stage = *state;
    struct texts env = {0};
    char *token = stream_stage_variable(stage, "GANNET_TOKEN"), *expected = mem_format("GANNET_TOKEN=%s.7", token);
    stream_env(stage->stream, 7, &env);
    assert_string_equal(env.items[1], expected);
    texts_fini(&env);
    free(expected);
    free(token);
}

/* The second asks about step 4 when the first was told to go on there, and a stop has come in between. */
static void several_processes_stop_after_the_same_step(void **state)
{
    struct stream_stage *stage = *state;
    stream_share(stage->stream, 2);
    stream_stage_greet(stage, "");
    stream_stage_say(stage, "{\"should_stop\":true,\"step\":4}\n");
    stream_stage_await(stage, "\"stop\":false");
    buf_clear(&stage->answers);
    stage->stop = (struct stream_stop){.reason = "walltime", .detail = ""};
    stream_stage_say(stage, "{\"should_stop\":true,\"step\":4,\"rank\":1}\n");
    stream_stage_await(stage, "\"stop\":false");
    stream_stage_say(stage, "{\"should_stop\":true,\"step\":5,\"rank\":1}\n");
    stream_stage_await(stage, "\"stop\":true");
    buf_clear(&stage->answers);
    stream_stage_say(stage, "{\"should_stop\":true,\"step\":5}\n");
    stream_stage_await(stage, "\"stop\":true");
}

static void one_process_hears_of_a_stop_at_once(void **state)
{
    struct stream_stage *stage = *state;
    stream_stage_greet(stage, "");
    stream_stage_say(stage, "{\"should_stop\":true,\"step\":4}\n");
    stream_stage_await(stage, "\"stop\":false");
    stage->stop = (struct stream_stop){.reason = "walltime", .detail = ""};
    stream_stage_say(stage, "{\"should_stop\":true,\"step\":4}\n");
    stream_stage_await(stage, "\"stop\":true");
}

static void phases_begin_and_end(void **state)
{
    struct stream_stage *stage = *state;
    stream_stage_greet(stage, "");
    stream_stage_say(stage, "{\"begin\":\"data\"}\n{\"begin\":\"augment\"}\n{\"end\":\"data\"}\n{\"end\":\"data\"}\n");
    stream_stage_await(stage, "the phase 'data' has not begun");
    assert_string_equal(buf_str(&stage->said), "data:some/1;");
    stream_drain(stage->stream);
    assert_string_equal(buf_str(&stage->said), "data:some/1;augment:some/1;");
}

static void its_last_words_are_read_when_it_has_ended(void **state)
{
    struct stream_stage *stage = *state;
    stream_stage_greet(stage, ", \"metric\": {\"loss\": 1}");
    stream_stage_say(stage, "{\"metric\":{\"loss\":2}}\n{\"metric\":{\"loss\":3}}"); /* its last line has no end */
    close(stage->client);
    stage->client = -1;
    stream_drain(stage->stream); /* the loop never ran */
    assert_string_equal(buf_str(&stage->said), "loss@1=1;loss@2=2;loss@3=3;");
}

static void the_reason_to_stop_is_told(void **state)
{
    struct stream_stage *stage = *state;
    stage->stop =
        (struct stream_stop){.reason = "walltime", .detail = "the time of the job was up", .save = true, .until = 9};
    stream_stage_greet(stage, "");
    stream_stage_say(stage, "{\"should_stop\": true, \"step\": 5}\n");
    stream_stage_await(stage, "{\"stop\":true,\"reason\":\"walltime\",\"detail\":\"the time of the job was "
                              "up\",\"save\":true,\"until\":9}\n");
    assert_string_equal(buf_str(&stage->said), "asked@5;");
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, stream_stage_enter, stream_stage_leave)

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
