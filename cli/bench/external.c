/* An outside program and the line to it; see external.h. One socket is both its input and its output: writing to a
 * program that is gone is then an error and no signal. */
#include "cli/bench/external.h"
#include "common/buf.h"
#include "common/json.h"
#include "common/mem.h"
#include "search/param_json.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_LINE = 1 << 20, LOOK_AGAIN = 100 /* milliseconds between looks at *stop */ };

extern char **environ;

struct external {
    char *command;
    pid_t pid; /* of its process, and of its process group; 0: not started */
    int line;  /* our end of the socket; -1: none */
    const atomic_bool *stop;
    struct buf in; /* what it wrote and was not read yet */
};

/* --- starting and stopping --- */

/* Starts the shell with `end` as its input and output, in a process group of its own and with no signal blocked. */
static int spawn_program(struct external *outside, int end)
{
    char *command = mem_format("exec %s", outside->command);
    char *argv[] = {"sh", "-c", command, NULL};
    sigset_t none;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO);
    int failed = posix_spawn(&outside->pid, "/bin/sh", &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free(command);
    outside->pid = failed ? 0 : outside->pid;
    errno = failed;
    return failed ? -1 : 0;
}

static int start_program(struct external *outside, struct err *err)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return err_errno(err, "can't open a line to '%s'", outside->command);
    outside->line = ends[0];
    int failed = spawn_program(outside, ends[1]);
    close(ends[1]);
    return failed ? err_errno(err, "can't start '%s'", outside->command) : 0;
}

struct external *external_start(const char *command, json_t *json, const atomic_bool *stop, struct err *err)
{
    struct external *outside = MEM_NEW(struct external);
    outside->command = mem_text(command);
    outside->line = -1;
    outside->stop = stop;
    int failed = start_program(outside, err);
    if (failed)
        json_decref(json);
    else
        failed = external_send(outside, json_pack("{s:o}", "start", json), err);
    if (!failed)
        return outside;
    external_stop(outside);
    return NULL;
}

/* Waits until it closes its output, a second at most. */
static void wait_for_end(struct external *outside)
{
    char rest[4096];
    for (int looks = 0; looks < 1000 / LOOK_AGAIN;) {
        int ready = poll(&(struct pollfd){outside->line, POLLIN, 0}, 1, LOOK_AGAIN);
        looks += ready <= 0;
        if (ready > 0 && read(outside->line, rest, sizeof rest) <= 0)
            return;
    }
}

void external_stop(struct external *outside)
{
    if (!outside)
        return;
    if (outside->pid) {
        shutdown(outside->line, SHUT_WR);
        if (!atomic_load(outside->stop))
            wait_for_end(outside);
        kill(-outside->pid, SIGKILL);
        while (waitpid(outside->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (outside->line >= 0)
        close(outside->line);
    buf_fini(&outside->in);
    free(outside->command);
    free(outside);
}

/* --- lines --- */

int external_send(struct external *outside, json_t *json, struct err *err)
{
    char *text = json_dumps(json, JSON_COMPACT);
    struct buf line = {0};
    json_decref(json);
    buf_format(&line, "%s\n", text ? text : "null");
    free(text);
    int result = 0;
    for (size_t sent = 0; sent < line.length && !result;) {
        ssize_t count = send(outside->line, line.data + sent, line.length - sent, MSG_NOSIGNAL);
        if (count > 0)
            sent += (size_t)count;
        else if (errno != EINTR)
            result = err_errno(err, "'%s' does not listen any more", outside->command);
    }
    buf_fini(&line);
    return result;
}

/* Reads on. -1 with a sentence: the program is gone, or we are to stop. */
static int read_more(struct external *outside, struct err *err)
{
    char bytes[4096];
    while (poll(&(struct pollfd){outside->line, POLLIN, 0}, 1, LOOK_AGAIN) <= 0)
        if (atomic_load(outside->stop))
            return err_set(err, "'%s' was stopped", outside->command);
    ssize_t count = read(outside->line, bytes, sizeof bytes);
    if (count <= 0)
        return err_set(err, "'%s' ended without an answer; what it says is above", outside->command);
    buf_add(&outside->in, bytes, (size_t)count);
    return outside->in.length <= LONGEST_LINE
               ? 0
               : err_set(err, "'%s' wrote a line of more than %d bytes", outside->command, LONGEST_LINE);
}

/* The next line as JSON; NULL with a sentence. */
static json_t *receive_line(struct external *outside, struct err *err)
{
    const char *end;
    while (!outside->in.length || !(end = memchr(outside->in.data, '\n', outside->in.length)))
        if (read_more(outside, err))
            return NULL;
    json_error_t at;
    size_t length = (size_t)(end - outside->in.data);
    json_t *json = json_loadb(outside->in.data, length, 0, &at);
    if (!json_is_object(json)) {
        err_write(err, "'%s' wrote what is no JSON object: %.*s", outside->command, (int)(length < 200 ? length : 200),
                  outside->in.data);
        json_decref(json);
        json = NULL;
    }
    buf_drop(&outside->in, length + 1);
    return json;
}

enum searcher_answer external_ask(struct external *outside, uint64_t trial, json_t **params, struct err *err)
{
    if (external_send(outside, json_pack("{s:I}", "ask", (json_int_t)trial), err))
        return SEARCHER_BROKEN;
    json_t *answer = receive_line(outside, err);
    if (!answer)
        return SEARCHER_BROKEN;
    enum searcher_answer result = SEARCHER_BROKEN;
    const char *error = json_string_value(json_object_get(answer, "error"));
    *params = json_incref(json_object_get(answer, "params"));
    if (json_is_object(*params))
        result = SEARCHER_PROPOSED;
    else if (json_is_true(json_object_get(answer, "later")))
        result = SEARCHER_LATER;
    else if (json_is_true(json_object_get(answer, "no_more")))
        result = SEARCHER_NO_MORE;
    else
        err_write(err, "'%s' failed: %s", outside->command,
                  error ? error : "its answer has no \"params\", \"later\", \"no_more\" or \"error\"");
    if (result != SEARCHER_PROPOSED)
        json_decref(*params);
    json_decref(answer);
    return result;
}

/* --- the space in the words that outside programs are told --- */

static void add_range(json_t *json, const struct param *param)
{
    json_object_update_new(json, json_pack("{s:o, s:o, s:b}", "min", json_of_real(param->min), "max",
                                           json_of_real(param->max), "log", (int)param->log));
    if (param->step > 0)
        json_object_set_new(json, "step", json_of_real(param->step));
    if (param->kind == PARAM_NORMAL)
        json_object_update_new(
            json, json_pack("{s:o, s:o}", "mean", json_of_real(param->mean), "stddev", json_of_real(param->stddev)));
}

static void add_values(json_t *json, const struct param *param)
{
    json_object_set_new(json, "values", param_values_json(param->values, param->count));
    if (param->kind == PARAM_CHOICE)
        json_object_set_new(json, "ordered", json_boolean(param->ordered));
    if (!param->weights)
        return;
    json_t *weights = json_array();
    for (uint32_t i = 0; i < param->count; i++)
        json_array_append_new(weights, json_of_real(param->weights[i]));
    json_object_set_new(json, "weights", weights);
}

json_t *external_parameters(const struct space *space)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < space_count(space); i++) {
        const struct param *param = space_param(space, i);
        json_t *json = json_pack("{s:s, s:s}", "name", param->name, "type", param_kind_name(param->kind));
        if (param->kind == PARAM_CHOICE || param->kind == PARAM_CONSTANT)
            add_values(json, param);
        else
            add_range(json, param);
        if (param->default_value.kind != VALUE_NONE)
            json_object_set_new(json, "default", value_to_json(&param->default_value));
        if (param->condition_count)
            json_object_set_new(json, "when", param_when_json(space, param));
        json_array_append_new(list, json);
    }
    return list;
}
