/* See stream_stage.h. */
#include "tests/stream_stage.h"
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/until.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void on_metric(void *context, const char *name, int64_t step, double value)
{
    buf_format(&((struct stream_stage *)context)->said, "%s@%lld=%g;", name, (long long)step, value);
}

static void on_phase(void *context, const char *name, double seconds, uint64_t count)
{
    if (seconds < 100)
        buf_format(&((struct stream_stage *)context)->said, "%s:some/%llu;", name, (unsigned long long)count);
    else
        buf_format(&((struct stream_stage *)context)->said, "%s:%g/%llu;", name, seconds, (unsigned long long)count);
}

static void on_saved(void *context, int64_t step)
{
    buf_format(&((struct stream_stage *)context)->said, "saved@%lld;", (long long)step);
}

static void on_asked(void *context, int64_t step, struct stream_stop *out)
{
    struct stream_stage *stage = context;
    buf_format(&stage->said, "asked@%lld;", (long long)step);
    *out = stage->stop;
}

static const struct stream_calls calls = {on_metric, on_phase, on_saved, on_asked};

int stream_stage_enter(void **state)
{
    struct stream_stage *stage = MEM_NEW(struct stream_stage);
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

int stream_stage_leave(void **state)
{
    struct stream_stage *stage = *state;
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

char *stream_stage_variable(const struct stream_stage *stage, const char *name)
{
    struct texts env = {0};
    stream_env(stage->stream, 0, &env);
    const char *found = texts_variable((const char *const *)env.items, name);
    assert_non_null(found);
    char *value = mem_text(found);
    texts_fini(&env);
    return value;
}

int stream_stage_knock(const struct stream_stage *stage)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *path = stream_stage_variable(stage, "GANNET_SOCKET");
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    free(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

void stream_stage_say(const struct stream_stage *stage, const char *text)
{
    size_t length = strlen(text);
    assert_int_equal(send(stage->client, text, length, MSG_NOSIGNAL), length);
}

/* What has come becomes part of the answers; as recv. */
static ssize_t read_answers(struct stream_stage *stage)
{
    char bytes[4096];
    ssize_t length = recv(stage->client, bytes, sizeof bytes, MSG_DONTWAIT);
    if (length > 0)
        buf_add(&stage->answers, bytes, (size_t)length);
    return length;
}

static bool has_come(void *context)
{
    struct stream_stage *stage = context;
    read_answers(stage);
    return strstr(buf_str(&stage->answers), stage->awaited) || strstr(buf_str(&stage->said), stage->awaited);
}

void stream_stage_await(struct stream_stage *stage, const char *what)
{
    stage->awaited = what;
    until(stage->loop, has_come, stage);
}

bool stream_stage_is_put_out(void *context)
{
    ssize_t length = read_answers(context);
    return length == 0 || (length < 0 && errno != EAGAIN);
}

void stream_stage_greet(struct stream_stage *stage, const char *more)
{
    char *token = stream_stage_variable(stage, "GANNET_TOKEN"),
         *line = mem_format("{\"gannet\": 1, \"token\": \"%s\"%s}\n", token, more);
    stage->client = stream_stage_knock(stage);
    stream_stage_say(stage, line);
    free(line);
    free(token);
}
