/* What a line on a stream says, and the answers; see stream.h. */
#include "worker/program/stream_parts.h"
#include "common/clock.h"
#include "common/json.h"
#include "worker/program/stream_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    OF_A_RUN_MOST = 64, /* connections, and one more for each process: all may ask whether to stop */
    MISTAKES_MOST = 100 /* of a connection that are answered, questions apart */
};

/* --- answers --- */

void stream_answer(struct connection *connection, json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT);
    buf_format(&connection->answers, "%s\n", text ? text : "{}");
    free(text);
    json_decref(json);
}

void stream_send_answers(struct connection *connection)
{
    struct buf *answers = &connection->answers;
    if (!answers->length)
        return;
    ssize_t sent = send(connection->fd, answers->data, answers->length, MSG_DONTWAIT | MSG_NOSIGNAL);
    bool has_left = sent < 0 && (errno == EPIPE || errno == ECONNRESET); /* its last words are read all the same */
    connection->is_gone |= sent != (ssize_t)answers->length && !has_left;
    if (has_left && connection->stream && connection->stream->server == connection)
        connection->stream->left_unread = true;
    buf_clear(answers);
}

void stream_answer_mistake(struct connection *connection, const char *sentence, bool asks)
{
    json_t *json = json_object();
    json_object_set_new(json, "error", json_of_text(sentence));
    if (asks)
        json_object_set_new(json, "stop", json_false());
    if (asks || connection->mistakes++ < MISTAKES_MOST)
        stream_answer(connection, json);
    else
        json_decref(json);
    connection->is_gone |= !connection->stream; /* a stranger has one try */
}

/* --- what is said --- */

/* "TOKEN", or "TOKEN.3" of a process that is not the first of several. */
static struct stream *find_stream(const struct stream_port *port, const char *token, uint32_t *rank)
{
    const char *dot = strchr(token, '.');
    size_t length = dot ? (size_t)(dot - token) : strlen(token);
    *rank = dot ? (uint32_t)strtoul(dot + 1, NULL, 10) : 0;
    for (struct list_link *link = port->streams.after; link != &port->streams; link = link->after) {
        struct stream *stream = LIST_ITEM(link, struct stream, link);
        if (length == strlen(stream->token) && memcmp(stream->token, token, length) == 0)
            return stream;
    }
    return NULL;
}

static uint32_t most_of(const struct stream *stream)
{
    return OF_A_RUN_MOST + (stream->ranks > 1 ? stream->ranks : 0);
}

/* The first line: whose the connection is. */
static int introduce_process(struct connection *connection, const struct stream_line *line, json_t *out,
                             struct err *err)
{
    uint32_t rank = 0;
    struct stream *stream = line->token ? find_stream(connection->port, line->token, &rank) : NULL;
    if (!line->token)
        return err_set(err, "the first line is to say who speaks: {\"gannet\": %d, \"token\": \"...\"}",
                       STREAM_VERSION);
    if (!stream)
        return err_set(err, "no trial that runs here has this token");
    if (stream->serve_calls && !line->serves)
        return err_set(err,
                       "this token gives trials: {\"gannet\": %d, \"token\": \"...\", \"serve\": %d}; "
                       "each trial has a token of its own",
                       STREAM_VERSION, STREAM_SERVE_VERSION);
    if (stream->count >= most_of(stream))
        return err_set(err, "this trial has %u connections already", most_of(stream));
    loop_remove(connection->patience);
    connection->patience = NULL;
    list_remove(&connection->link);
    connection->port->stranger_count--;
    list_append(&stream->connections, &connection->link);
    stream->count++;
    connection->stream = stream;
    connection->rank = line->rank;
    connection->token_rank = rank;
    if (line->rank > 0 && stream->ranks < 2)
        stream->ranks = 2; /* the program starts processes by itself */
    json_object_set_new(out, "gannet", json_integer(STREAM_VERSION));
    if (stream->serve_calls)
        return 0;
    json_object_set_new(out, "trial", json_of_u64(stream->trial));
    json_object_set_new(out, "attempt", json_integer(stream->attempt));
    return 0;
}

static int take_metrics(struct stream *stream, const struct stream_line *line, struct err *err)
{
    const char *name;
    json_t *json;
    double value;
    json_object_foreach((json_t *)line->metrics, name, json)
    {
        int64_t step = line->step;
        if (!stream_said_metric(&stream->said, name, &step))
            return err_set(err, "this trial has told %d metrics already: '%s' is one too many", STREAM_SAID_METRICS,
                           name);
        if (step >= 0 && json_to_real(json, &value))
            stream->calls->metric(stream->context, name, step, value);
    }
    return 0;
}

static int take_phases(struct stream *stream, const struct stream_line *line, struct err *err)
{
    double seconds, now = clock_monotonic();
    if (line->phase)
        stream->calls->phase(stream->context, line->phase, line->seconds, line->count);
    if (line->begun && !stream_said_begin(&stream->said, line->begun, now))
        return err_set(err, "%d phases have begun already: '%s' is one too many", STREAM_SAID_PHASES, line->begun);
    if (line->over && !stream_said_end(&stream->said, line->over, now, &seconds))
        return err_set(err, "the phase '%s' has not begun", line->over);
    if (line->over)
        stream->calls->phase(stream->context, line->over, seconds, 1);
    return 0;
}

/* Whether a process of several is to hear the same as those that have asked about this step before: go on. They would
 * wait for each other for ever if some stopped there and others did not. */
static bool keeps_step(struct stream *stream, int64_t step, struct stream_stop *stop)
{
    if (step < 0)
        return false;
    bool was_told = stream->ranks > 1 && stop->reason && step <= stream->told_on;
    if (!stop->reason && step > stream->told_on)
        stream->told_on = step;
    return was_told;
}

static void answer_question(struct stream *stream, int64_t step, json_t *out)
{
    struct stream_stop stop = {.detail = ""};
    stream->calls->asked(stream->context, step, &stop);
    if (keeps_step(stream, step, &stop))
        stop.reason = NULL;
    json_object_set_new(out, "stop", json_boolean(stop.reason));
    if (stop.reason) {
        json_object_set_new(out, "reason", json_of_text(stop.reason));
        json_object_set_new(out, "detail", json_of_text(stop.detail));
        json_object_set_new(out, "save", json_boolean(stop.save));
    }
    if (stop.until)
        json_object_set_new(out, "until", json_of_u64(stop.until));
}

/* --- a persistent program --- */

static int begin_serving(struct connection *connection, json_t *out, struct err *err)
{
    struct stream *stream = connection->stream;
    if (!stream->serve_calls)
        return err_set(err, "this program was started for one trial (trial.persistent is not set)");
    if (stream->server)
        return err_set(err, "this program serves already: one of its processes does so, once");
    stream->server = connection;
    json_object_set_new(out, "serve", json_integer(STREAM_SERVE_VERSION));
    if (stream->log)
        json_object_set_new(out, "log", json_of_text(stream->log));
    stream->serve_calls->serves(stream->context);
    return 0;
}

/* All else is said of a trial, by its token. */
static int take_served(struct connection *connection, const struct stream_line *line, json_t *out, struct err *err)
{
    struct stream *stream = connection->stream;
    struct stream_end end = {line->ended, line->attempt, (int)line->status, line->detail};
    if (line->metrics || line->phase || line->begun || line->over || line->saved || line->asks)
        return err_set(err, "what is said of a trial is said with that trial's GANNET_TOKEN");
    if (line->serves)
        return begin_serving(connection, out, err);
    if (line->ended < 0)
        return 0;
    if (stream->server != connection)
        return err_set(err, "the process that serves says which trial has ended");
    return stream->serve_calls->ended(stream->context, &end, err);
}

/* Every process may ask; what it says of the trial counts of the first rank alone. */
static int take_said(struct connection *connection, const struct stream_line *line, json_t *out, struct err *err)
{
    struct stream *stream = connection->stream;
    int64_t rank = connection->token_rank ? connection->token_rank : line->rank >= 0 ? line->rank : connection->rank;
    if (stream->serve_calls)
        return take_served(connection, line, out, err);
    if (line->serves)
        return begin_serving(connection, out, err);
    if (rank <= 0 && (take_metrics(stream, line, err) || take_phases(stream, line, err)))
        return -1;
    if (rank <= 0 && line->saved)
        stream->calls->saved(stream->context, line->step);
    if (line->asks)
        answer_question(stream, line->step, out);
    return 0;
}

/* *asks: whether whoever said it waits for an answer, even when the rest of the line is a mistake. */
static int take_words(struct connection *connection, const char *text, size_t length, json_t *out, bool *asks,
                      struct err *err)
{
    struct stream_line line;
    int result = stream_line_read(text, length, &line, err);
    *asks = line.asks;
    if (result)
        return -1;
    result = connection->stream ? 0 : introduce_process(connection, &line, out, err);
    if (result == 0)
        result = take_said(connection, &line, out, err);
    stream_line_fini(&line);
    return result;
}

void stream_take_line(struct connection *connection, const char *text, size_t length)
{
    struct err err;
    bool asks;
    json_t *out = json_object();
    if (take_words(connection, text, length, out, &asks, &err)) {
        json_decref(out);
        stream_answer_mistake(connection, err.text, asks && connection->stream);
    } else if (json_object_size(out)) {
        stream_answer(connection, out);
    } else {
        json_decref(out);
    }
}
