/* What a program says on its stream; see stream_line.h. */
#include "worker/program/stream_line.h"

#include <string.h>

#define LONGEST_SECONDS 1e9
#define HIGHEST_NUMBER  1000000000000000 /* as in what programs print */

/* --- its members --- */

/* A whole number from 0 on; what is not said stays as it is. */
static int read_number(const json_t *json, const char *name, int64_t *out, struct err *err)
{
    const json_t *member = json_object_get(json, name);
    if (!member)
        return 0;
    json_int_t number = json_integer_value(member);
    if (!json_is_integer(member) || number < 0 || number > HIGHEST_NUMBER)
        return err_set(err, "'%s' is to be a whole number from 0 on", name);
    *out = number;
    return 0;
}

static int read_truth(const json_t *json, const char *name, bool *out, struct err *err)
{
    const json_t *member = json_object_get(json, name);
    if (member && !json_is_boolean(member))
        return err_set(err, "'%s' is to be true or false", name);
    *out = json_is_true(member);
    return 0;
}

static int read_phase(const json_t *json, const char *name, const char **out, struct err *err)
{
    const json_t *member = json_object_get(json, name);
    const char *text = json_string_value(member);
    if (!member)
        return 0;
    if (!text || !phase_is_name(text))
        return err_set(err, "'%s' is to be the name of a phase: up to %d letters, digits, _ - . /", name,
                       PHASE_NAME_LONGEST);
    *out = text;
    return 0;
}

static int read_seconds(const json_t *json, struct stream_line *out, struct err *err)
{
    int64_t count = 1;
    const json_t *member = json_object_get(json, "seconds");
    if (!out->phase)
        return 0;
    if (!json_is_number(member) || !(json_number_value(member) >= 0 && json_number_value(member) < LONGEST_SECONDS))
        return err_set(err, "'seconds' is to say how long the phase '%s' took", out->phase);
    if (read_number(json, "count", &count, err))
        return -1;
    if (!count)
        return err_set(err, "'count' is to be 1 or more");
    out->seconds = json_number_value(member);
    out->count = (uint64_t)count;
    return 0;
}

static int read_metrics(const json_t *json, const json_t **out, struct err *err)
{
    const json_t *metrics = json_object_get(json, "metric");
    const char *name;
    json_t *value;
    double number;
    if (!metrics)
        return 0;
    if (!json_is_object(metrics))
        return err_set(err, "'metric' is to be an object, {\"loss\": 0.3}");
    if (json_object_size(metrics) > STREAM_METRICS_MOST)
        return err_set(err, "one line has %zu metrics; %d is the most", json_object_size(metrics), STREAM_METRICS_MOST);
    json_object_foreach((json_t *)metrics, name, value)
    {
        if (!*name || strlen(name) > STREAM_NAME_LONGEST)
            return err_set(err, "a metric's name has 1 to %d bytes", STREAM_NAME_LONGEST);
        if (!json_to_real(value, &number))
            return err_set(err, "the value of '%s' is to be a number, or \"nan\", \"inf\" or \"-inf\"", name);
    }
    *out = metrics;
    return 0;
}

static int read_token(const json_t *json, const char **out, struct err *err)
{
    const json_t *version = json_object_get(json, "gannet"), *token = json_object_get(json, "token");
    if (!version && !token)
        return 0;
    if (!json_is_integer(version) || json_integer_value(version) != STREAM_VERSION)
        return err_set(err, "this worker speaks version %d: {\"gannet\": %d, \"token\": \"...\"}", STREAM_VERSION,
                       STREAM_VERSION);
    if (!json_is_string(token))
        return err_set(err, "'token' is to be what GANNET_TOKEN says");
    *out = json_string_value(token);
    return 0;
}

static int read_serve(const json_t *json, bool *out, struct err *err)
{
    const json_t *version = json_object_get(json, "serve");
    if (version && (!json_is_integer(version) || json_integer_value(version) != STREAM_SERVE_VERSION))
        return err_set(err, "this worker gives trials to programs that say {\"serve\": %d}", STREAM_SERVE_VERSION);
    *out = version != NULL;
    return 0;
}

/* How a trial ended that was given to a persistent program. */
static int read_end(const json_t *json, struct stream_line *out, struct err *err)
{
    enum { HIGHEST_STATUS = 255 };
    const json_t *detail = json_object_get(json, "detail");
    if (!json_object_get(json, "ended"))
        return 0;
    if (read_number(json, "ended", &out->ended, err) || read_number(json, "attempt", &out->attempt, err) ||
        read_number(json, "status", &out->status, err))
        return -1;
    if (out->status > HIGHEST_STATUS)
        return err_set(err, "'status' is to be an exit status, up to %d", HIGHEST_STATUS);
    if (detail && !json_is_string(detail))
        return err_set(err, "'detail' is to be a text");
    out->detail = json_string_value(detail);
    return 0;
}

/* --- the line --- */

static int read_members(const json_t *json, struct stream_line *out, struct err *err)
{
    return read_truth(json, "should_stop", &out->asks, err) || read_token(json, &out->token, err) ||
                   read_number(json, "rank", &out->rank, err) || read_metrics(json, &out->metrics, err) ||
                   read_number(json, "step", &out->step, err) || read_phase(json, "phase", &out->phase, err) ||
                   read_seconds(json, out, err) || read_phase(json, "begin", &out->begun, err) ||
                   read_phase(json, "end", &out->over, err) || read_truth(json, "checkpoint", &out->saved, err) ||
                   read_serve(json, &out->serves, err) || read_end(json, out, err)
               ? -1
               : 0;
}

int stream_line_read(const char *text, size_t length, struct stream_line *out, struct err *err)
{
    json_error_t error;
    *out = (struct stream_line){.rank = -1, .step = -1, .ended = -1, .attempt = -1};
    out->json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    int result = json_is_object(out->json) ? read_members(out->json, out, err)
                 : out->json               ? err_set(err, "a line is to be a JSON object")
                                           : err_set(err, "a line is to be a JSON object: %s", error.text);
    bool asks = out->asks;
    if (result) {
        stream_line_fini(out);
        out->asks = asks;
    }
    return result;
}

void stream_line_fini(struct stream_line *line)
{
    json_decref(line->json);
    *line = (struct stream_line){.rank = -1, .step = -1, .ended = -1, .attempt = -1};
}
