/* A persistent program that a test plays; see server_stage.h. */
#include "tests/server_stage.h"

#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"
#include "tests/until.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void on_began(void *context)
{
    buf_text(&((struct server_stage *)context)->said, "began;");
}

static void on_ended(void *context, const struct server_end *end)
{
    buf_format(&((struct server_stage *)context)->said, "ended %d%s%s;", end->status, *end->detail ? " " : "",
               end->detail);
    assert_true(end->cpu >= 0);
}

static void on_gone(void *context, const struct proc_exit *how)
{
    buf_format(&((struct server_stage *)context)->said, "gone by %d;", how->number);
}

static void on_idle_gone(void *context)
{
    buf_text(&((struct server_stage *)context)->said, "gone idle;");
}

static const struct server_calls calls = {on_began, on_ended, on_gone};

int server_stage_enter(void **state)
{
    struct server_stage *stage = MEM_NEW(struct server_stage);
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

int server_stage_leave(void **state)
{
    struct server_stage *stage = *state;
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

void server_stage_give_to(struct server_stage *stage, uint64_t trial, const char *const *argv, int fd3)
{
    struct proc_setup setup = {.argv = argv, .fd0 = -1, .fd1 = -1, .fd2 = -1, .fd3 = fd3};
    struct err err;
    json_t *line = json_pack("{s:I}", "trial", (json_int_t)trial);
    if (server_begin(stage->server, &setup, trial, 1, line, &calls, stage, &err))
        fail_msg("%s", err.text);
    json_decref(line);
}

void server_stage_give(struct server_stage *stage, uint64_t trial)
{
    static const char *const argv[] = {"sleep", "1000", NULL};
    server_stage_give_to(stage, trial, argv, -1);
}

static const char *variable(const struct texts *env, const char *name)
{
    const char *value = texts_variable((const char *const *)env->items, name);
    assert_non_null(value);
    return value;
}

int server_stage_knock(const struct server_stage *stage, const char *more)
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

void server_stage_say(const struct server_stage *stage, const char *text)
{
    assert_int_equal(send(stage->client, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

void server_stage_read(struct server_stage *stage)
{
    char bytes[4096];
    ssize_t length = stage->client >= 0 ? recv(stage->client, bytes, sizeof bytes, MSG_DONTWAIT) : 0;
    if (length > 0)
        buf_add(&stage->answers, bytes, (size_t)length);
}

static bool has_come(void *context)
{
    struct server_stage *stage = context;
    server_stage_read(stage);
    return strstr(buf_str(&stage->answers), stage->awaited) || strstr(buf_str(&stage->said), stage->awaited);
}

void server_stage_await(struct server_stage *stage, const char *what)
{
    stage->awaited = what;
    until(stage->loop, has_come, stage);
}

void server_stage_serve(struct server_stage *stage)
{
    stage->client = server_stage_knock(stage, ",\"serve\":1");
    server_stage_await(stage, "\"serve\":1");
}

void server_stage_begin(struct server_stage *stage)
{
    server_stage_give(stage, 7);
    server_stage_serve(stage);
    server_stage_await(stage, "{\"trial\":7}\n");
    server_stage_await(stage, "began;");
}
