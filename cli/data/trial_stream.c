/* The stream to the worker of the trial around this process; see trial_stream.h. */
#include "cli/data/trial_stream.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { STREAM_VERSION = 1, ANSWER_SECONDS = 10, ANSWER_LONGEST = 64 << 10 };

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

bool trial_stream_is_trial(void)
{
    return variable("GANNET_TRIAL");
}

uint32_t trial_stream_rank(void)
{
    static const char *const names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    const char *launch = variable("GANNET_LAUNCH");
    size_t count = sizeof names / sizeof *names;
    if (!launch || strcmp(launch, "first") != 0)
        count = 2; /* those of Slurm and PMI may be the worker's own among workers then */
    for (size_t i = 0; i < count; i++)
        if (variable(names[i]))
            return (uint32_t)strtoul(variable(names[i]), NULL, 10);
    return 0;
}

static int connect_to(const char *path, struct err *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval patience = {.tv_sec = ANSWER_SECONDS};
    if (strlen(path) >= sizeof address.sun_path)
        return err_set(err, "GANNET_SOCKET is no path of a socket");
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
        connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    err_write_errno(err, "can't reach the trial's worker at '%s'", path);
    if (fd >= 0)
        close(fd);
    return -1;
}

static int send_line(int fd, const json_t *line, struct err *err)
{
    char *text = json_dumps(line, JSON_COMPACT);
    struct buf bytes = {0};
    buf_format(&bytes, "%s\n", text ? text : "{}");
    ssize_t sent = send(fd, bytes.data, bytes.length, MSG_NOSIGNAL);
    bool is_sent = sent == (ssize_t)bytes.length;
    buf_fini(&bytes);
    free(text);
    return is_sent ? 0 : err_errno(err, "can't speak to the trial's worker");
}

static json_t *read_answer(int fd, struct err *err)
{
    struct buf answer = {0};
    char bytes[4096];
    ssize_t length = 1;
    while (length > 0 && answer.length < ANSWER_LONGEST && !memchr(buf_str(&answer), '\n', answer.length)) {
        length = recv(fd, bytes, sizeof bytes, 0);
        if (length > 0)
            buf_add(&answer, bytes, (size_t)length);
    }
    json_t *json = json_loads(buf_str(&answer), 0, NULL);
    buf_fini(&answer);
    const char *mistake = json_string_value(json_object_get(json, "error"));
    if (!json)
        err_write(err, "the trial's worker does not answer");
    else if (mistake)
        err_write(err, "the trial's worker says: %s", mistake);
    else
        return json;
    json_decref(json);
    return NULL;
}

json_t *trial_stream_say(json_t *line, struct err *err)
{
    const char *path = variable("GANNET_SOCKET"), *token = variable("GANNET_TOKEN");
    json_t *answer = NULL;
    int fd = -1;
    if (!path || !token)
        err_write(err, "this trial has no stream to its worker");
    else
        fd = connect_to(path, err);
    json_object_set_new(line, "gannet", json_integer(STREAM_VERSION));
    json_object_set_new(line, "token", json_string(token ? token : ""));
    if (trial_stream_rank())
        json_object_set_new(line, "rank", json_integer(trial_stream_rank()));
    if (fd >= 0) {
        answer = send_line(fd, line, err) ? NULL : read_answer(fd, err);
        close(fd);
    }
    json_decref(line);
    return answer;
}
