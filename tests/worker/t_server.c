/* Persistent programs as their worker sees them: a test is the program. What it says of trials that it was not given
 * counts for none, and whatever it does ends no other trial than its own. */
#include "common/buf.h"
#include "tests/claims.h"
#include "tests/server_stage.h"
#include "tests/until.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- trial after trial --- */

static void it_is_told_a_trial_when_it_serves_and_says_how_that_ended(void **state)
{
    struct server_stage *stage = *state;
    server_stage_begin(stage);
    assert_has(buf_str(&stage->answers), stage->log);
    server_stage_say(stage, "{\"ended\":7,\"attempt\":1,\"status\":1,\"detail\":\"ValueError: bad\"}\n");
    server_stage_await(stage, "ended 1 ValueError: bad;");
    server_stage_give(stage, 9);
    server_stage_await(stage, "{\"trial\":9}\n");
    server_stage_say(stage, "{\"ended\":9,\"attempt\":1}\n");
    server_stage_await(stage, "ended 0;");
    assert_false(server_is_ending(stage->server));
}

static void what_it_says_before_it_is_given_a_trial_counts_for_none(void **state)
{
    struct server_stage *stage = *state;
    server_stage_give(stage, 7);
    stage->client = server_stage_knock(stage, ",\"serve\":1,\"ended\":7,\"attempt\":1");
    server_stage_await(stage, "began;"); /* the line that serves says that alone */
    server_stage_say(stage, "{\"ended\":7,\"attempt\":1}\n");
    server_stage_await(stage, "ended 0;");
    assert_string_equal(buf_str(&stage->said), "began;ended 0;");
}

/* --- lies --- */

static void an_end_of_another_trial_is_a_mistake(void **state)
{
    static const char *const lies[] = {"{\"ended\":8,\"attempt\":1}\n", "{\"ended\":7,\"attempt\":2}\n",
                                       "{\"ended\":7}\n", "{\"ended\":1000000000000000,\"attempt\":1}\n"};
    struct server_stage *stage = *state;
    server_stage_begin(stage);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        buf_clear(&stage->answers);
        server_stage_say(stage, lies[i]);
        server_stage_await(stage, "is not what this program runs");
    }
    assert_string_equal(buf_str(&stage->said), "began;");
}

static void a_second_end_is_a_mistake(void **state)
{
    struct server_stage *stage = *state;
    server_stage_begin(stage);
    server_stage_say(stage, "{\"ended\":7,\"attempt\":1}\n{\"ended\":7,\"attempt\":1,\"status\":1}\n");
    server_stage_await(stage, "is not what this program runs");
    server_stage_await(stage, "ended 0;");
    server_stage_give(stage, 9);
    server_stage_await(stage, "{\"trial\":9}\n");
    buf_clear(&stage->answers);
    server_stage_say(stage, "{\"ended\":7,\"attempt\":1}\n"); /* once more, of the one before */
    server_stage_await(stage, "is not what this program runs");
    assert_string_equal(buf_str(&stage->said), "began;ended 0;began;");
}

static void an_end_that_can_not_be_read_is_a_mistake(void **state)
{
    static const struct {
        const char *line, *sentence;
    } mistakes[] = {
        {"{\"ended\":-1}\n", "'ended' is to be a whole number"},
        {"{\"ended\":\"7\"}\n", "'ended' is to be a whole number"},
        {"{\"ended\":7,\"attempt\":0.5}\n", "'attempt' is to be a whole number"},
        {"{\"ended\":7,\"attempt\":1,\"status\":256}\n", "'status' is to be an exit status"},
        {"{\"ended\":7,\"attempt\":1,\"detail\":[]}\n", "'detail' is to be a text"},
        {"{\"serve\":2}\n", "programs that say"},
        {"{\"serve\":1}\n", "serves already"},
        {"{\"metric\":{\"loss\":1}}\n", "with that trial's GANNET_TOKEN"},
        {"{\"should_stop\":true}\n", "with that trial's GANNET_TOKEN"},
    };
    struct server_stage *stage = *state;
    server_stage_begin(stage);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        buf_clear(&stage->answers);
        server_stage_say(stage, mistakes[i].line);
        server_stage_await(stage, mistakes[i].sentence);
    }
    assert_string_equal(buf_str(&stage->said), "began;");
}

static void one_of_its_processes_serves(void **state)
{
    struct server_stage *stage = *state;
    server_stage_begin(stage);
    int first = stage->client;
    buf_clear(&stage->answers);
    stage->client = server_stage_knock(stage, ",\"serve\":1");
    server_stage_await(stage, "serves already");
    server_stage_say(stage, "{\"ended\":7,\"attempt\":1}\n");
    server_stage_await(stage, "the process that serves says");
    close(stage->client);
    buf_clear(&stage->answers);
    stage->client = server_stage_knock(stage, "");
    server_stage_await(stage, "this token gives trials");
    close(stage->client);
    stage->client = first;
    assert_string_equal(buf_str(&stage->said), "began;");
}

/* More mistakes than are answered, and more bytes than are read at once. */
static void a_flood_of_lies_ends_nothing(void **state)
{
    enum { LINES = 5000 };
    struct server_stage *stage = *state;
    struct buf flood = {0};
    for (int i = 0; i < LINES; i++)
        buf_text(&flood, "{\"ended\":8,\"attempt\":1}\n");
    server_stage_begin(stage);
    for (size_t sent = 0; sent < flood.length;) {
        ssize_t part = send(stage->client, flood.data + sent, flood.length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        bool flag = true;
        sent += part > 0 ? (size_t)part : 0;
        assert_true(part > 0 || errno == EAGAIN);
        until_true(stage->loop, &flag);
        server_stage_read(stage);
    }
    server_stage_say(stage, "{\"ended\":7,\"attempt\":1}\n");
    server_stage_await(stage, "ended 0;");
    assert_false(server_is_ending(stage->server));
    buf_fini(&flood);
}

/* --- its process --- */

static void a_process_that_dies_takes_its_trial_with_it(void **state)
{
    struct server_stage *stage = *state;
    server_stage_begin(stage);
    kill(server_pid(stage->server), SIGSEGV);
    server_stage_await(stage, "gone by 11;");
    assert_true(server_is_gone(stage->server));
    assert_null(server_trouble(stage->server));
}

static void a_process_that_dies_without_a_trial_takes_none(void **state)
{
    struct server_stage *stage = *state;
    server_stage_begin(stage);
    server_stage_say(stage, "{\"ended\":7,\"attempt\":1}\n");
    server_stage_await(stage, "ended 0;");
    kill(server_pid(stage->server), SIGKILL);
    server_stage_await(stage, "gone idle;");
}

static void what_it_said_before_it_died_counts(void **state)
{
    struct server_stage *stage = *state;
    server_stage_begin(stage);
    kill(server_pid(stage->server), SIGKILL);
    server_stage_say(stage, "{\"ended\":7,\"attempt\":1}\n");
    server_stage_await(stage, "ended 0;");
}

/* Lets the process die, and longer than one that is deaf may live. */
static void fall_asleep(void *context)
{
    struct server_stage *stage = context;
    kill(server_pid(stage->server), SIGKILL);
    usleep(2300000);
}

/* The connection is closed first, and the worker did not run when the process had ended as well. */
static void a_process_that_ended_by_itself_is_not_said_to_be_deaf(void **state)
{
    struct server_stage *stage = *state;
    server_stage_begin(stage);
    close(stage->client);
    stage->client = -1;
    loop_timer(stage->loop, 0.2, fall_asleep, stage);
    server_stage_await(stage, "gone by");
    assert_null(server_trouble(stage->server));
}

static void one_that_does_not_listen_is_ended(void **state)
{
    struct server_stage *stage = *state;
    server_stage_begin(stage);
    close(stage->client);
    stage->client = -1;
    server_stage_await(stage, "gone by 15;");
    assert_has(server_trouble(stage->server), "closed its connection");
}

/* Trial 7 has ended, and 8 was given; `client` is not read, and what was said before is forgotten. */
static int give_next(struct server_stage *stage)
{
    server_stage_begin(stage);
    server_stage_say(stage, "{\"ended\":7,\"attempt\":1}\n");
    server_stage_await(stage, "ended 0;");
    int client = stage->client;
    stage->client = -1;
    buf_clear(&stage->said);
    server_stage_give(stage, 8);
    return client;
}

static void a_trial_that_a_process_left_without_reading_of_has_not_begun(void **state)
{
    struct server_stage *stage = *state;
    int client = give_next(stage);
    server_stage_await(stage, "began;");
    close(client);
    kill(server_pid(stage->server), SIGKILL);
    server_stage_await(stage, "gone by 9;");
    assert_true(server_left_early(stage->server));
}

static void a_trial_that_it_could_not_be_told_of_has_not_begun(void **state)
{
    struct server_stage *stage = *state;
    close(give_next(stage)); /* it closes the connection, and stays */
    server_stage_await(stage, "gone by 15;");
    assert_true(server_left_early(stage->server));
}

static void a_trial_that_it_had_read_of_goes_with_it(void **state)
{
    struct server_stage *stage = *state;
    stage->client = give_next(stage);
    server_stage_await(stage, "{\"trial\":8}\n");
    kill(server_pid(stage->server), SIGKILL);
    server_stage_await(stage, "gone by 9;");
    assert_false(server_left_early(stage->server));
}

static void a_first_trial_goes_with_a_process_that_never_reads(void **state)
{
    struct server_stage *stage = *state;
    server_stage_give(stage, 7);
    int client = server_stage_knock(stage, ",\"serve\":1");
    server_stage_await(stage, "began;");
    close(client);
    server_stage_await(stage, "gone by 15;");
    assert_false(server_left_early(stage->server));
}

static void one_that_is_to_exit_hears_the_end_of_its_connection(void **state)
{
    struct server_stage *stage = *state;
    char byte;
    server_stage_begin(stage);
    server_stage_say(stage, "{\"ended\":7,\"attempt\":1}\n");
    server_stage_await(stage, "ended 0;");
    server_close(stage->server);
    assert_true(server_is_ending(stage->server));
    while (recv(stage->client, &byte, 1, 0) > 0)
        continue;
    server_stage_await(stage, "gone idle;"); /* it did not exit by itself, and was ended */
}

/* Its last words were said, and then it saves. */
static void one_that_was_told_to_end_may_close_its_connection_and_has_its_time(void **state)
{
    static const char *const argv[] = {
        "sh", "-c", "trap 'trap \"\" TERM; sleep 6; exit 3' TERM; echo ready >&3; while :; do sleep 0.05; done", NULL};
    struct server_stage *stage = *state;
    int ready[2];
    char byte;
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    server_stage_give_to(stage, 7, argv, ready[1]);
    server_stage_serve(stage);
    server_stage_await(stage, "began;");
    assert_int_equal(read(ready[0], &byte, 1), 1);
    server_end(stage->server, 60);
    close(stage->client);
    stage->client = -1;
    server_stage_await(stage, "gone by 3;");
    close(ready[0]);
    close(ready[1]);
}

static void end_wait(void *context)
{
    *(bool *)context = true;
}

/* That it has left is seen by its place being free. What is to happen later still would meet no server any more. */
static void one_that_leaves_as_it_is_to_exit_is_ended_once(void **state)
{
    struct server_stage *stage = *state;
    bool is_late = false;
    server_stage_begin(stage);
    server_stage_say(stage, "{\"ended\":7,\"attempt\":1}\n");
    server_stage_await(stage, "ended 0;");
    close(stage->client);
    buf_clear(&stage->answers);
    while (!strstr(buf_str(&stage->answers), "\"serve\":1")) {
        buf_clear(&stage->answers);
        stage->client = server_stage_knock(stage, ",\"serve\":1");
        server_stage_await(stage, "\n");
        close(stage->client);
    }
    stage->client = -1;
    server_close(stage->server);
    loop_timer(stage->loop, 6, end_wait, &is_late);
    server_stage_await(stage, "gone idle;");
    server_destroy(stage->server);
    stage->server = NULL;
    until_true(stage->loop, &is_late);
}

static void one_that_was_told_to_end_gets_no_other_trial(void **state)
{
    struct server_stage *stage = *state;
    server_stage_begin(stage);
    server_end(stage->server, 60);
    assert_true(server_is_ending(stage->server));
    server_stage_await(stage, "gone by 15;");
}

static void without_a_socket_it_says_so(void **state)
{
    struct server_stage *stage = *state;
    struct err err;
    struct proc_setup setup = {0};
    struct server *server = server_create(stage->loop, NULL, NULL, NULL, NULL);
    assert_int_equal(server_begin(server, &setup, 1, 1, NULL, &(struct server_calls){0}, NULL, &err), -1);
    assert_has(err.text, "needs a socket");
    server_destroy(server);
}

static void it_is_worn_after_so_many_trials(void **state)
{
    struct server_stage *stage = *state;
    struct task task = {.persistent = true, .persistent_trials = 2, .persistent_growth = 1 << 30};
    server_stage_begin(stage);
    server_stage_say(stage, "{\"ended\":7,\"attempt\":1}\n");
    server_stage_await(stage, "ended 0;");
    assert_false(server_is_worn(stage->server, &task, 0));
    server_stage_give(stage, 9);
    server_stage_await(stage, "{\"trial\":9}\n");
    buf_clear(&stage->said);
    server_stage_say(stage, "{\"ended\":9,\"attempt\":1}\n");
    server_stage_await(stage, "ended 0;");
    assert_true(server_is_worn(stage->server, &task, 0));
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, server_stage_enter, server_stage_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(it_is_told_a_trial_when_it_serves_and_says_how_that_ended),
        STAGED(what_it_says_before_it_is_given_a_trial_counts_for_none),
        STAGED(an_end_of_another_trial_is_a_mistake),
        STAGED(a_second_end_is_a_mistake),
        STAGED(an_end_that_can_not_be_read_is_a_mistake),
        STAGED(one_of_its_processes_serves),
        STAGED(a_flood_of_lies_ends_nothing),
        STAGED(a_process_that_dies_takes_its_trial_with_it),
        STAGED(a_process_that_dies_without_a_trial_takes_none),
        STAGED(what_it_said_before_it_died_counts),
        STAGED(a_process_that_ended_by_itself_is_not_said_to_be_deaf),
        STAGED(one_that_does_not_listen_is_ended),
        STAGED(a_trial_that_a_process_left_without_reading_of_has_not_begun),
        STAGED(a_trial_that_it_could_not_be_told_of_has_not_begun),
        STAGED(a_trial_that_it_had_read_of_goes_with_it),
        STAGED(a_first_trial_goes_with_a_process_that_never_reads),
        STAGED(one_that_is_to_exit_hears_the_end_of_its_connection),
        STAGED(one_that_was_told_to_end_may_close_its_connection_and_has_its_time),
        STAGED(one_that_leaves_as_it_is_to_exit_is_ended_once),
        STAGED(one_that_was_told_to_end_gets_no_other_trial),
        STAGED(without_a_socket_it_says_so),
        STAGED(it_is_worn_after_so_many_trials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
