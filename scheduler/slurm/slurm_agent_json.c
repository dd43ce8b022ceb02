/* Requests and jobs as JSON and back, by tables of their members; see slurm_agent.h. */
#include "scheduler/slurm/slurm_agent.h"
#include "common/json.h"
#include "common/mem.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum agent_field_kind {
    KIND_TEXT,   /* char *, owned; NULL: not given */
    KIND_NUMBER, /* uint32_t; SLURM_UNSET: not given */
    KIND_SWITCH, /* bool */
    KIND_WORDS,  /* char[size] */
    KIND_SMALL,  /* int */
    KIND_TIME,   /* double, seconds */
    KIND_STATE   /* enum slurm_state, by its name */
};

/* One member of a struct. */
struct request_member {
    const char *name;
    enum agent_field_kind kind;
    size_t offset, size;
};

#define X(ktype, kname, key, help)                                                                                     \
    {.name = #kname, .kind = KIND_##ktype, .offset = offsetof(struct slurm_request, kname)},
static const struct request_member request_members[] = {SLURM_REQUEST(X){.name = NULL}};
#undef X

#define JOB(kname, kkind)                                                                                              \
    {                                                                                                                  \
        .name = #kname, .kind = KIND_##kkind, .offset = offsetof(struct slurm_job, kname),                             \
        .size = sizeof((struct slurm_job *)NULL)->kname                                                                \
    }
static const struct request_member job_members[] = {
    JOB(id, NUMBER),        JOB(array, NUMBER),      JOB(element, NUMBER),    JOB(restarts, NUMBER),
    JOB(state, STATE),      JOB(final_state, STATE), JOB(requeued, SWITCH),   JOB(reason, WORDS),
    JOB(submitted, TIME),   JOB(started, TIME),      JOB(ends, TIME),         JOB(nodes, WORDS),
    JOB(batch_node, WORDS), JOB(exit_status, SMALL), JOB(exit_signal, SMALL), JOB(by, WORDS),
    {.name = NULL}};

static const char *const state_names[SLURM_STATES] = {
    [SLURM_PENDING] = "pending",         [SLURM_RUNNING] = "running",
    [SLURM_SUSPENDED] = "suspended",     [SLURM_COMPLETED] = "completed",
    [SLURM_FAILED] = "failed",           [SLURM_CANCELLED] = "cancelled",
    [SLURM_TIMEOUT] = "timeout",         [SLURM_PREEMPTED] = "preempted",
    [SLURM_NODE_FAILED] = "node_failed", [SLURM_OUT_OF_MEMORY] = "out_of_memory",
    [SLURM_VANISHED] = "vanished",       [SLURM_REQUEUED] = "requeued"};

const char *slurm_state_name(enum slurm_state state)
{
    return (unsigned)state < SLURM_STATES ? state_names[state] : "?";
}

int slurm_state_named(const char *name)
{
    for (int i = 0; i < SLURM_STATES; i++)
        if (strcmp(state_names[i], name) == 0)
            return i;
    return -1;
}

bool slurm_state_is_end(enum slurm_state state)
{
    return state != SLURM_PENDING && state != SLURM_RUNNING && state != SLURM_SUSPENDED;
}

bool slurm_job_is_ending(const struct slurm_job *job)
{
    return job->state == SLURM_RUNNING && slurm_state_is_end(job->final_state) && !job->requeued;
}

const char *slurm_job_exit(const struct slurm_job *job, char *out, size_t size)
{
    if (!slurm_state_is_end(job->state) || job->state == SLURM_VANISHED)
        return NULL;
    if (job->exit_signal)
        snprintf(out, size, "signal %d", job->exit_signal);
    else
        snprintf(out, size, "%d", job->exit_status);
    return out;
}

/* The member as JSON; NULL: it is not given. */
static json_t *write_member(const struct request_member *member, const char *at)
{
    switch (member->kind) {
    case KIND_TEXT:
        return *(char *const *)(const void *)at ? json_of_text(*(char *const *)(const void *)at) : NULL;
    case KIND_NUMBER:
        return *(const uint32_t *)(const void *)at != SLURM_UNSET ? json_integer(*(const uint32_t *)(const void *)at)
                                                                  : NULL;
    case KIND_SWITCH:
        return *(const bool *)at ? json_true() : NULL;
    case KIND_WORDS:
        return *at ? json_of_text(at) : NULL;
    case KIND_SMALL:
        return json_integer(*(const int *)(const void *)at);
    case KIND_TIME:
        return json_of_real(*(const double *)(const void *)at);
    default:
        return json_string(slurm_state_name(*(const enum slurm_state *)(const void *)at));
    }
}

static json_t *write_all(const struct request_member *members, const void *object)
{
    json_t *json = json_object();
    for (const struct request_member *member = members; member->name; member++) {
        json_t *value = write_member(member, (const char *)object + member->offset);
        if (value)
            json_object_set_new(json, member->name, value);
    }
    return json;
}

static bool read_whole(const json_t *json, json_int_t least, json_int_t most, json_int_t *out)
{
    *out = json_integer_value(json);
    return json_is_integer(json) && *out >= least && *out <= most;
}

static bool read_state(const json_t *json, enum slurm_state *out)
{
    int state = json_is_string(json) ? slurm_state_named(json_string_value(json)) : -1;
    *out = state < 0 ? SLURM_PENDING : (enum slurm_state)state;
    return state >= 0;
}

static bool read_words(const json_t *json, char *out, size_t size)
{
    const char *text = json_string_value(json);
    if (!text)
        return false;
    size_t length = strlen(text) < size ? strlen(text) : size - 1;
    memcpy(out, text, length);
    out[length] = '\0';
    return true;
}

/* false when the value is of the wrong type. */
static bool read_member(const struct request_member *member, const json_t *json, char *at)
{
    json_int_t whole;
    switch (member->kind) {
    case KIND_TEXT:
        *(char **)(void *)at = mem_text(json_string_value(json));
        return json_is_string(json);
    case KIND_NUMBER:
        if (!read_whole(json, 0, SLURM_UNSET, &whole))
            return false;
        *(uint32_t *)(void *)at = (uint32_t)whole;
        return true;
    case KIND_SWITCH:
        *(bool *)at = json_is_true(json);
        return json_is_boolean(json);
    case KIND_WORDS:
        return read_words(json, at, member->size);
    case KIND_SMALL:
        if (!read_whole(json, INT32_MIN, INT32_MAX, &whole))
            return false;
        *(int *)(void *)at = (int)whole;
        return true;
    case KIND_TIME:
        return json_to_finite(json, (double *)(void *)at);
    default:
        return read_state(json, (enum slurm_state *)(void *)at);
    }
}

/* The name of the first member of a wrong type, or NULL. */
static const char *read_all(const struct request_member *members, const json_t *json, void *object)
{
    if (!json_is_object(json))
        return "it";
    for (const struct request_member *member = members; member->name; member++) {
        const json_t *value = json_object_get(json, member->name);
        if (value && !read_member(member, value, (char *)object + member->offset))
            return member->name;
    }
    return NULL;
}

static json_t *components_json(const struct slurm_request *request)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < request->component_count; i++)
        json_array_append_new(list, write_all(request_members, &request->components[i]));
    return list;
}

json_t *slurm_request_json(const struct slurm_request *request)
{
    json_t *json = write_all(request_members, request), *environment = json_array();
    if (request->component_count)
        json_object_set_new(json, "components", components_json(request));
    for (uint32_t i = 0; i < request->environment_count; i++)
        json_array_append_new(environment, json_of_text(request->environment[i]));
    json_object_set_new(json, "environment", environment);
    return json;
}

static bool read_environment(const json_t *json, struct slurm_request *out)
{
    size_t index;
    const json_t *entry;
    if (json && !json_is_array(json))
        return false;
    out->environment = MEM_ARRAY(char *, json_array_size(json) + 1);
    json_array_foreach(json, index, entry)
    {
        if (!json_is_string(entry))
            return false;
        out->environment[out->environment_count++] = mem_text(json_string_value(entry));
    }
    return true;
}

/* The name of the first member of a wrong type, or NULL. */
static const char *read_components(const json_t *json, struct slurm_request *out)
{
    size_t index;
    const json_t *entry;
    const char *wrong = json && !json_is_array(json) ? "components" : NULL;
    out->components = MEM_ARRAY(struct slurm_request, json_array_size(json) + 1);
    json_array_foreach(json, index, entry)
    {
        struct slurm_request *one = &out->components[out->component_count++];
        slurm_request_init(one);
        wrong = wrong ? wrong : read_all(request_members, entry, one);
    }
    return wrong;
}

int slurm_request_read(const json_t *json, struct slurm_request *out, struct err *err)
{
    slurm_request_init(out);
    const char *wrong = read_all(request_members, json, out);
    if (!wrong && !read_environment(json_object_get(json, "environment"), out))
        wrong = "environment";
    if (!wrong)
        wrong = read_components(json_object_get(json, "components"), out);
    if (!wrong)
        return 0;
    slurm_request_fini(out);
    return err_set(err, "a request to Slurm can't be read: %s is of the wrong type", wrong);
}

void slurm_request_init(struct slurm_request *out)
{
    *out = (struct slurm_request){0};
    for (const struct request_member *member = request_members; member->name; member++)
        if (member->kind == KIND_NUMBER)
            *(uint32_t *)(void *)((char *)out + member->offset) = SLURM_UNSET;
}

void slurm_request_fini(struct slurm_request *request)
{
    for (const struct request_member *member = request_members; member->name; member++)
        if (member->kind == KIND_TEXT)
            free(*(char **)(void *)((char *)request + member->offset));
    for (uint32_t i = 0; i < request->environment_count; i++)
        free(request->environment[i]);
    free(request->environment);
    for (uint32_t i = 0; i < request->component_count; i++)
        slurm_request_fini(&request->components[i]);
    free(request->components);
    slurm_request_init(request);
}

void slurm_request_set(char **member, const char *text)
{
    free(*member);
    *member = mem_text(text);
}

json_t *slurm_job_json(const struct slurm_job *job)
{
    return write_all(job_members, job);
}

int slurm_job_read(const json_t *json, struct slurm_job *out)
{
    *out = (struct slurm_job){.element = SLURM_UNSET};
    if (!read_all(job_members, json, out))
        return 0;
    *out = (struct slurm_job){.element = SLURM_UNSET};
    return -1;
}
