/* Persistent programs as their worker sees them: a test is the program. What it says of trials that it was not given
 * counts for none, and whatever it does ends no other trial than its own. */
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"
#include "tests/until.h"
#include "worker/program/server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct stage {
    struct loop *loop;
    struct stream_port *port;
    struct server *server;
    char *log;
    struct buf said; /* what was called, "began;ended 1 why;" */
    int client;
    struct buf answers;
    const char *awaited; /* in one of the two */
};

static void on_began(void *context)
{
    buf_text(&((struct stage *)context)->said, "began;");
}

static void on_ended(void *context, const struct server_end *end)
{
    buf_format(&((struct stage *)context)->said, "ended %d%s%s;", end->status, *end->detail ? " " : "", end->detail);
    assert_true(end->cpu >= 0);
}

static void on_gone(void *context, const struct proc_exit *how)
{
    buf_format(&((struct stage *)context)->said, "gone by %d;", how->number);
}

static void on_idle_gone(void *context)
{
    buf_text(&((struct stage *)context)->said, "gone idle;");
}

static const struct server_calls calls = {on_began, on_ended, on_gone};

static int enter(void **state)
{
    struct stage *stage = MEM_NEW(struct stage);
    struct err err = {""};
    stage->loop = loop_create();
    stage->port = stream_port_create(stage->loop, 100, &err);
    if (!stage->port)
        fail_msg("%s", err.text);
    stage->log = mem_format("/tmp/gannet-t-server-%d.log", (int)getpid());
    stage->server = server_create(stage->loop, stage->port, stage->log, on_idle_gone, stage);
    stage->client = -1;
    *state = stage;
    return 0;
}

static int leave(void **state)
{
    struct stage *stage = *state;
    server_destroy(stage->server);
    assert_false(path_exists(stage->log)); /* nothing was printed between trials */
    stream_port_destroy(stage->port);
    loop_destroy(stage->loop);
    if (stage->client >= 0)
        close(stage->client);
    buf_fini(&stage->said);
    buf_fini(&stage->answers);
    free(stage->log);
    free(stage);
    return 0;
}

/* Gives it a trial; the first one starts its process. */
static void give_to(struct stage *stage, uint64_t trial, const char *const *argv, int fd3)
{
    struct proc_setup setup = {.argv = argv, .fd0 = -1, .fd1 = -1, .fd2 = -1, .fd3 = fd3};
    struct err err;
    json_t *line = json_pack("{s:I}", "trial", (json_int_t)trial);
    if (server_begin(stage->server, &setup, trial, 1, line, &calls, stage, &err))
        fail_msg("%s", err.text);
    json_decref(line);
}

/* To a process that does nothing: the test speaks for it. */
static void give(struct stage *stage, uint64_t trial)
{
    static const char *const argv[] = {"sleep", "1000", NULL};
    give_to(stage, trial, argv, -1);
}

/* --- the program --- */

static const char *variable(const struct texts *env, const char *name)
{
    const char *value = texts_variable((const char *const *)env->items, name);
    assert_non_null(value);
    return value;
}

static int knock(const struct stage *stage, const char *more)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct texts env = {0};
    server_env(stage->server, &env);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", variable(&env, "GANNET_SOCKET"));
    char *line = mem_format("{\"gannet\":1,\"token\":\"%s\"%s}\n", variable(&env, "GANNET_TOKEN"), more);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(send(fd, line, strlen(line), MSG_NOSIGNAL), strlen(line));
    free(line);
    texts_fini(&env);
    return fd;
}

static void say(const struct stage *stage, const char *text)
{
    assert_int_equal(send(stage->client, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static bool has_come(void *context)
{
    struct stage *stage = context;
    char bytes[4096];
    ssize_t length = stage->client >= 0 ? recv(stage->client, bytes, sizeof bytes, MSG_DONTWAIT) : 0;
    if (length > 0)
        buf_add(&stage->answers, bytes, (size_t)length);
    return strstr(buf_str(&stage->answers), stage->awaited) || strstr(buf_str(&stage->said), stage->awaited);
}

static void await(struct stage *stage, const char *what)
{
    stage->awaited = what;
    until(stage->loop, has_come, stage);
}

static void serve(struct stage *stage)
{
    stage->client = knock(stage, ",\"serve\":1");
    await(stage, "\"serve\":1");
}

/* A server with trial 7 at work. */
static void begin(struct stage *stage)
{
    give(stage, 7);
    serve(stage);
    await(stage, "{\"trial\":7}\n");
    await(stage, "began;");
}

/* --- trial after trial --- */

static void it_is_told_a_trial_when_it_serves_and_says_how_that_ended(void **state)
{
    struct stage *stage = *state;
    begin(stage);
    assert_has(buf_str(&stage->answers), stage->log);
    assert_true(server_is_busy(stage->server));
    say(stage, "{\"ended\":7,\"attempt\":1,\"status\":1,\"detail\":\"ValueError: bad\"}\n");
    await(stage, "ended 1 ValueError: bad;");
    assert_false(server_is_busy(stage->server));
    give(stage, 9);
    await(stage, "{\"trial\":9}\n");
    say(stage, "{\"ended\":9,\"attempt\":1}\n");
    await(stage, "ended 0;");
    assert_false(server_is_ending(stage->server));
}

static void what_it_says_before_it_is_given_a_trial_counts_for_none(void **state)
{
    struct stage *stage = *state;
    give(stage, 7);
    stage->client = knock(stage, ",\"serve\":1,\"ended\":7,\"attempt\":1");
    await(stage, "began;"); /* the line that serves says that alone */
    say(stage, "{\"ended\":7,\"attempt\":1}\n");
    await(stage, "ended 0;");
    assert_string_equal(buf_str(&stage->said), "began;ended 0;");
}

/* --- lies --- */

static void an_end_of_another_trial_is_a_mistake(void **state)
{
    static const char *const lies[] = {"{\"ended\":8,\"attempt\":1}\n", "{\"ended\":7,\"attempt\":2}\n",
                                       "{\"ended\":7}\n", "{\"ended\":1000000000000000,\"attempt\":1}\n"};
    struct stage *stage = *state;
    begin(stage);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        buf_clear(&stage->answers);
        say(stage, lies[i]);
        await(stage, "is not what this program runs");
    }
    assert_string_equal(buf_str(&stage->said), "began;");
    assert_true(server_is_busy(stage->server));
}

static void a_second_end_is_a_mistake(void **state)
{
    struct stage *stage = *state;
    begin(stage);
    say(stage, "{\"ended\":7,\"attempt\":1}\n{\"ended\":7,\"attempt\":1,\"status\":1}\n");
    await(stage, "is not what this program runs");
    await(stage, "ended 0;");
    give(stage, 9);
    await(stage, "{\"trial\":9}\n");
    buf_clear(&stage->answers);
    say(stage, "{\"ended\":7,\"attempt\":1}\n"); /* once more, of the one before */
    await(stage, "is not what this program runs");
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
    struct stage *stage = *state;
    begin(stage);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        buf_clear(&stage->answers);
        say(stage, mistakes[i].line);
        await(stage, mistakes[i].sentence);
    }
    assert_string_equal(buf_str(&stage->said), "began;");
}

static void one_of_its_processes_serves(void **state)
{
    struct stage *stage = *state;
    begin(stage);
    int first = stage->client;
    buf_clear(&stage->answers);
    stage->client = knock(stage, ",\"serve\":1");
    await(stage, "serves already");
    say(stage, "{\"ended\":7,\"attempt\":1}\n");
    await(stage, "the process that serves says");
    close(stage->client);
    buf_clear(&stage->answers);
    stage->client = knock(stage, "");
    await(stage, "this token gives trials");
    close(stage->client);
    stage->client = first;
    assert_string_equal(buf_str(&stage->said), "began;");
}

/* More mistakes than are answered, and more bytes than are read at once. */
static void a_flood_of_lies_ends_nothing(void **state)
{
    enum { LINES = 5000 };
    struct stage *stage = *state;
    struct buf flood = {0};
    for (int i = 0; i < LINES; i++)
        buf_text(&flood, "{\"ended\":8,\"attempt\":1}\n");
    begin(stage);
    for (size_t sent = 0; sent < flood.length;) {
        ssize_t part = send(stage->client, flood.data + sent, flood.length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        bool flag = true;
        sent += part > 0 ? (size_t)part : 0;
        assert_true(part > 0 || errno == EAGAIN);
        until_true(stage->loop, &flag);
        stage->awaited = "nothing";
        has_come(stage);
    }
    say(stage, "{\"ended\":7,\"attempt\":1}\n");
    await(stage, "ended 0;");
    assert_false(server_is_ending(stage->server));
    buf_fini(&flood);
}

/* --- its process --- */

static void a_process_that_dies_takes_its_trial_with_it(void **state)
{
    struct stage *stage = *state;
    begin(stage);
    kill(server_pid(stage->server), SIGSEGV);
    await(stage, "gone by 11;");
    assert_true(server_is_gone(stage->server));
    assert_null(server_trouble(stage->server));
}

static void a_process_that_dies_without_a_trial_takes_none(void **state)
{
    struct stage *stage = *state;
    begin(stage);
    say(stage, "{\"ended\":7,\"attempt\":1}\n");
    await(stage, "ended 0;");
    kill(server_pid(stage->server), SIGKILL);
    await(stage, "gone idle;");
}

static void what_it_said_before_it_died_counts(void **state)
{
    struct stage *stage = *state;
    begin(stage);
    kill(server_pid(stage->server), SIGKILL);
    say(stage, "{\"ended\":7,\"attempt\":1}\n");
    await(stage, "ended 0;");
}

static void one_that_does_not_listen_is_ended(void **state)
{
    struct stage *stage = *state;
    begin(stage);
    close(stage->client);
    stage->client = -1;
    await(stage, "gone by 15;");
    assert_has(server_trouble(stage->server), "closed its connection");
}

/* Trial 7 has ended, and 8 was given; `client` is not read, and what was said before is forgotten. */
static int give_next(struct stage *stage)
{
    begin(stage);
    say(stage, "{\"ended\":7,\"attempt\":1}\n");
    await(stage, "ended 0;");
    int client = stage->client;
    stage->client = -1;
    buf_clear(&stage->said);
    give(stage, 8);
    return client;
}

static void a_trial_that_a_process_left_without_reading_of_has_not_begun(void **state)
{
    struct stage *stage = *state;
    int client = give_next(stage);
    await(stage, "began;");
    close(client);
    kill(server_pid(stage->server), SIGKILL);
    await(stage, "gone by 9;");
    assert_true(server_left_early(stage->server));
}

static void a_trial_that_it_could_not_be_told_of_has_not_begun(void **state)
{
    struct stage *stage = *state;
    close(give_next(stage)); /* it closes the connection, and stays */
    await(stage, "gone by 15;");
    assert_true(server_left_early(stage->server));
}

static void a_trial_that_it_had_read_of_goes_with_it(void **state)
{
    struct stage *stage = *state;
    stage->client = give_next(stage);
    await(stage, "{\"trial\":8}\n");
    kill(server_pid(stage->server), SIGKILL);
    await(stage, "gone by 9;");
    assert_false(server_left_early(stage->server));
}

static void a_first_trial_goes_with_a_process_that_never_reads(void **state)
{
    struct stage *stage = *state;
    give(stage, 7);
    int client = knock(stage, ",\"serve\":1");
    await(stage, "began;");
    close(client);
    await(stage, "gone by 15;");
    assert_false(server_left_early(stage->server));
}

static void one_that_is_to_exit_hears_the_end_of_its_connection(void **state)
{
    struct stage *stage = *state;
    char byte;
    begin(stage);
    say(stage, "{\"ended\":7,\"attempt\":1}\n");
    await(stage, "ended 0;");
    server_close(stage->server);
    assert_true(server_is_ending(stage->server));
    while (recv(stage->client, &byte, 1, 0) > 0)
        continue;
    await(stage, "gone idle;"); /* it did not exit by itself, and was ended */
}

/* Its last words were said, and then it saves. */
static void one_that_was_told_to_end_may_close_its_connection_and_has_its_time(void **state)
{
    static const char *const argv[] = {
        "sh", "-c", "trap 'trap \"\" TERM; sleep 6; exit 3' TERM; echo ready >&3; while :; do sleep 0.05; done", NULL};
    struct stage *stage = *state;
    int ready[2];
    char byte;
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    give_to(stage, 7, argv, ready[1]);
    serve(stage);
    await(stage, "began;");
    assert_int_equal(read(ready[0], &byte, 1), 1);
    server_end(stage->server, 60);
    close(stage->client);
    stage->client = -1;
    await(stage, "gone by 3;");
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
    struct stage *stage = *state;
    bool is_late = false;
    begin(stage);
    say(stage, "{\"ended\":7,\"attempt\":1}\n");
    await(stage, "ended 0;");
    close(stage->client);
    buf_clear(&stage->answers);
    while (!strstr(buf_str(&stage->answers), "\"serve\":1")) {
        buf_clear(&stage->answers);
        stage->client = knock(stage, ",\"serve\":1");
        await(stage, "\n");
        close(stage->client);
    }
    stage->client = -1;
    server_close(stage->server);
    loop_timer(stage->loop, 6, end_wait, &is_late);
    await(stage, "gone idle;");
    server_destroy(stage->server);
    stage->server = NULL;
    until_true(stage->loop, &is_late);
}

static void one_that_was_told_to_end_gets_no_other_trial(void **state)
{
    struct stage *stage = *state;
    begin(stage);
    server_end(stage->server, 60);
    assert_true(server_is_ending(stage->server));
    await(stage, "gone by 15;");
}

static void without_a_socket_it_says_so(void **state)
{
    struct stage *stage = *state;
    struct err err;
    struct proc_setup setup = {0};
    struct server *server = server_create(stage->loop, NULL, NULL, on_idle_gone, stage);
    assert_int_equal(server_begin(server, &setup, 1, 1, NULL, &calls, stage, &err), -1);
    assert_has(err.text, "needs a socket");
    server_destroy(server);
}

static void it_is_worn_after_so_many_trials(void **state)
{
    struct stage *stage = *state;
    struct task task = {.persistent = true, .persistent_trials = 2, .persistent_growth = 1 << 30};
    begin(stage);
    say(stage, "{\"ended\":7,\"attempt\":1}\n");
    await(stage, "ended 0;");
    assert_false(server_is_worn(stage->server, &task, 0));
    give(stage, 9);
    await(stage, "{\"trial\":9}\n");
    buf_clear(&stage->said);
    say(stage, "{\"ended\":9,\"attempt\":1}\n");
    await(stage, "ended 0;");
    assert_true(server_is_worn(stage->server, &task, 0));
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, enter, leave)

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
