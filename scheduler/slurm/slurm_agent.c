/* Answering questions about Slurm, one line each; see slurm_agent.h for the conversation. */
#include "scheduler/slurm/slurm_agent.h"
#include "common/buf.h"
#include "common/json.h"
#include "common/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A question has an environment and a script of at most 4 MiB, which Slurm refuses beyond. */
enum { LONGEST_QUESTION = 64 << 20 };

struct slurm_agent {
    const struct slurm_module *module;
    const char *path; /* of the module */
    bool open;        /* the configuration was read */
    int out;
};

/* A question at work. */
struct agent_request {
    const struct slurm_agent *agent;
    const json_t *question;
    json_t *answer;            /* an object to be filled in */
    struct slurm_error *error; /* where that fails */
    uint32_t id;               /* the job's that it names */
    const char *text;          /* the text that it names */
};

/* One kind of question: fills in the answer, or -1 with the error. */
struct call {
    const char *name;
    bool open;          /* needs the configuration */
    const char *member; /* what it names: "id", a text, or NULL */
    int (*answer)(const struct agent_request *asked);
};

static int set_fault(struct slurm_error *error, const char *sentence)
{
    *error = (struct slurm_error){0};
    snprintf(error->text, sizeof error->text, "%.500s", sentence);
    return -1;
}

/* Reads the member that a question must have. */
static int read_member(const char *member, struct agent_request *asked)
{
    const json_t *value = member ? json_object_get(asked->question, member) : NULL;
    json_int_t number = json_integer_value(value);
    asked->id = (uint32_t)number;
    asked->text = json_string_value(value);
    if (!member)
        return 0;
    if (strcmp(member, "id") == 0)
        return number > 0 && number < SLURM_UNSET ? 0 : set_fault(asked->error, "the question has no id of a job");
    return asked->text ? 0 : set_fault(asked->error, "the question lacks a text");
}

static int answer_about(const struct agent_request *asked)
{
    json_object_set_new(asked->answer, "module", json_of_text(asked->agent->path));
    json_object_set_new(asked->answer, "built_for", json_of_text(asked->agent->module->built_for));
    json_object_set_new(asked->answer, "library", json_of_text(asked->agent->module->library()));
    return 0;
}

static int answer_ping(const struct agent_request *asked)
{
    return asked->agent->module->ping(asked->error);
}

static int answer_submit(const struct agent_request *asked)
{
    struct slurm_request request;
    struct err err;
    uint32_t id = 0;
    if (slurm_request_read(json_object_get(asked->question, "request"), &request, &err))
        return set_fault(asked->error, err.text);
    int failed = asked->agent->module->submit(&request, &id, asked->error);
    slurm_request_fini(&request);
    json_object_set_new(asked->answer, "id", json_integer(id));
    return failed;
}

static int answer_check(const struct agent_request *asked)
{
    struct slurm_request request;
    struct err err;
    if (slurm_request_read(json_object_get(asked->question, "request"), &request, &err))
        return set_fault(asked->error, err.text);
    int failed = asked->agent->module->check(&request, asked->error);
    slurm_request_fini(&request);
    return failed;
}

/* Takes over what is in `jobs`. */
static void add_jobs(json_t *answer, struct slurm_jobs *jobs)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < jobs->count; i++)
        json_array_append_new(list, slurm_job_json(&jobs->items[i]));
    json_object_set_new(answer, "jobs", list);
    if (jobs->cores)
        json_object_set_new(answer, "cores", json_of_text(jobs->cores));
    free(jobs->items);
    if (jobs->gpus)
        json_object_set_new(answer, "gpus", json_of_text(jobs->gpus));
    free(jobs->cores);
    free(jobs->gpus);
}

static int answer_job(const struct agent_request *asked)
{
    struct slurm_jobs jobs = {0};
    if (asked->agent->module->job(asked->id, &jobs, asked->error))
        return -1;
    add_jobs(asked->answer, &jobs);
    return 0;
}

static int answer_find(const struct agent_request *asked)
{
    struct slurm_jobs jobs = {0};
    if (asked->agent->module->find(asked->text, &jobs, asked->error))
        return -1;
    add_jobs(asked->answer, &jobs);
    return 0;
}

static int answer_cancel(const struct agent_request *asked)
{
    json_int_t number = json_integer_value(json_object_get(asked->question, "signal"));
    if (number < 0 || number > 64)
        return set_fault(asked->error, "there is no such signal");
    return asked->agent->module->cancel(asked->text, (int)number, asked->error);
}

static int answer_requeue(const struct agent_request *asked)
{
    return asked->agent->module->requeue(asked->id, asked->error);
}

static int answer_hold(const struct agent_request *asked)
{
    bool hold = json_is_true(json_object_get(asked->question, "hold"));
    return asked->agent->module->hold(asked->id, hold, asked->error);
}

static int answer_partitions(const struct agent_request *asked)
{
    char names[8192] = "";
    if (asked->agent->module->partitions(names, sizeof names, asked->error))
        return -1;
    json_t *list = json_array();
    for (char *at = names, *name; (name = strsep(&at, ","));)
        if (*name)
            json_array_append_new(list, json_of_text(name));
    json_object_set_new(asked->answer, "partitions", list);
    return 0;
}

static const struct call calls[] = {
    {"about", false, NULL, answer_about},          {"ping", true, NULL, answer_ping},
    {"submit", true, NULL, answer_submit},         {"job", true, "id", answer_job},
    {"find", true, "comment", answer_find},        {"cancel", true, "which", answer_cancel},
    {"requeue", true, "id", answer_requeue},       {"hold", true, "id", answer_hold},
    {"partitions", true, NULL, answer_partitions}, {"check", true, NULL, answer_check},
};

static const struct call *find_call(const char *name)
{
    for (size_t i = 0; name && i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, name) == 0)
            return &calls[i];
    return NULL;
}

/* The configuration is read at the first question that needs it. */
static int open_module(struct slurm_agent *agent, struct slurm_error *error)
{
    static const char note[] = "{\"note\":\"open\"}\n";
    if (agent->open)
        return 0;
    if (agent->module->open(error))
        return -1;
    agent->open = true;
    return path_write_all(agent->out, note, sizeof note - 1) ? set_fault(error, "nobody reads the answers") : 0;
}

static json_t *answer_question(struct slurm_agent *agent, const json_t *question)
{
    struct slurm_error error = {0};
    json_t *answer = json_object();
    struct agent_request asked = {.agent = agent, .question = question, .answer = answer, .error = &error};
    const struct call *call = find_call(json_string_value(json_object_get(question, "call")));
    int failed =
        !call ? set_fault(&error, "this is no question that gannet's Slurm agent knows")
              : (call->open && open_module(agent, &error)) || read_member(call->member, &asked) || call->answer(&asked);
    if (!failed)
        return answer;
    json_object_clear(answer);
    json_object_set_new(answer, "error", json_of_text(error.text));
    json_object_set_new(answer, "number", json_integer(error.number));
    json_object_set_new(answer, "unclear", json_boolean(error.unclear));
    return answer;
}

static int answer_line(struct slurm_agent *agent, const char *line, size_t length)
{
    json_t *question = json_loadb(line, length, 0, NULL), *answer = answer_question(agent, question);
    char *text = json_dumps(answer, JSON_COMPACT);
    struct buf out = {0};
    buf_format(&out, "%s\n", text ? text : "{\"error\": \"the answer can't be written\"}");
    int failed = path_write_all(agent->out, out.data, out.length);
    buf_fini(&out);
    free(text);
    json_decref(answer);
    json_decref(question);
    return failed;
}

/* Answers the whole lines that are there. */
static int answer_lines(struct slurm_agent *agent, struct buf *in)
{
    const char *end;
    while (in->length && (end = memchr(in->data, '\n', in->length))) {
        size_t length = (size_t)(end - in->data);
        if (answer_line(agent, in->data, length))
            return -1;
        buf_drop(in, length + 1);
    }
    return in->length > LONGEST_QUESTION ? -1 : 0;
}

int slurm_agent_serve(const struct slurm_module *module, const char *path, int in, int out)
{
    struct slurm_agent agent = {.module = module, .path = path, .out = out};
    struct buf text = {0};
    char bytes[65536];
    ssize_t count;
    int failed = 0;
    while (!failed && ((count = read(in, bytes, sizeof bytes)) > 0 || (count < 0 && errno == EINTR))) {
        if (count > 0)
            buf_add(&text, bytes, (size_t)count);
        failed = answer_lines(&agent, &text);
    }
    buf_fini(&text);
    return failed ? 1 : 0;
}
