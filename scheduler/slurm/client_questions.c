/* The questions as JSON, and asking one and waiting for its answer, for commands; see client.h, and slurm_agent.h for
 * what they mean. */
#include "common/json.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/client.h"

static json_t *make_call(const char *name)
{
    json_t *question = json_object();
    json_object_set_new(question, "call", json_string(name));
    return question;
}

static json_t *call_with(const char *name, const char *member, json_t *value)
{
    json_t *question = make_call(name);
    json_object_set_new(question, member, value);
    return question;
}

json_t *slurm_ask_about(void)
{
    return make_call("about");
}

json_t *slurm_ask_ping(void)
{
    return make_call("ping");
}

json_t *slurm_ask_submit(const struct slurm_request *request)
{
    return call_with("submit", "request", slurm_request_json(request));
}

json_t *slurm_ask_check(const struct slurm_request *request)
{
    return call_with("check", "request", slurm_request_json(request));
}

json_t *slurm_ask_job(uint32_t id)
{
    return call_with("job", "id", json_integer(id));
}

json_t *slurm_ask_find(const char *comment)
{
    return call_with("find", "comment", json_of_text(comment));
}

json_t *slurm_ask_cancel(const char *which, int signal)
{
    json_t *question = call_with("cancel", "which", json_of_text(which));
    json_object_set_new(question, "signal", json_integer(signal));
    return question;
}

json_t *slurm_ask_requeue(uint32_t id)
{
    return call_with("requeue", "id", json_integer(id));
}

json_t *slurm_ask_hold(uint32_t id, bool hold)
{
    json_t *question = call_with("hold", "id", json_integer(id));
    json_object_set_new(question, "hold", json_boolean(hold));
    return question;
}

json_t *slurm_ask_partitions(void)
{
    return make_call("partitions");
}

/* --- asking and waiting --- */

/* A client with a loop of its own, and the last answer, which is waited for. */
struct client_talk {
    struct loop *loop;
    struct slurm_client *client;
    json_t *answer;
    int number;
    struct err *err;
};

static struct client_talk begin_talk(const char *program, struct err *err)
{
    struct loop *loop = loop_create();
    return (struct client_talk){.loop = loop, .client = slurm_client_create(loop, program), .err = err};
}

/* The last answer, which is the caller's. */
static json_t *end_talk(struct client_talk *talk, int *number)
{
    slurm_client_destroy(talk->client);
    loop_destroy(talk->loop);
    if (number)
        *number = talk->number;
    return talk->answer;
}

static void on_answer(void *context, const json_t *answer, int number, const char *error)
{
    struct client_talk *talk = context;
    talk->answer = json_deep_copy(answer);
    talk->number = number;
    if (!answer)
        err_write(talk->err, "%s", error);
    loop_stop(talk->loop);
}

/* Runs the loop until the answer is there. False: there is none, but a sentence. */
static bool ask_question(struct client_talk *talk, json_t *question, double seconds)
{
    json_decref(talk->answer);
    talk->answer = NULL;
    slurm_client_ask(talk->client, question, seconds, on_answer, talk);
    if (loop_run(talk->loop, talk->err))
        talk->number = SLURM_UNCLEAR;
    return talk->answer;
}

json_t *slurm_ask_now(json_t *question, double seconds, int *number, struct err *err)
{
    struct client_talk talk = begin_talk(NULL, err);
    ask_question(&talk, question, seconds);
    return end_talk(&talk, number);
}

/* --- submitting once, whatever happens to the answer --- */

static bool is_known(const uint32_t *known, size_t count, uint32_t id)
{
    for (size_t i = 0; i < count; i++)
        if (known[i] == id)
            return true;
    return false;
}

/* The job, or array, among those found that nobody knew; 0: none. */
static uint32_t find_new(const json_t *answer, const uint32_t *known, size_t count)
{
    size_t index;
    const json_t *item;
    json_array_foreach(json_object_get(answer, "jobs"), index, item)
    {
        struct slurm_job job;
        if (slurm_job_read(item, &job))
            continue;
        uint32_t id = job.array ? job.array : job.id;
        if (!is_known(known, count, id))
            return id;
    }
    return 0;
}

static void on_pause_over(void *context)
{
    const struct client_talk *talk = context;
    loop_stop(talk->loop);
}

/* Looks for a submission whose answer was lost, twice: a controller that wakes up works off what it was sent before,
 * for which its threads need milliseconds. The job, or 0: talk->answer tells whether it is not there. */
static uint32_t find_lost(struct client_talk *talk, const char *comment, const uint32_t *known, size_t count,
                          double seconds)
{
    static const double wake_up = 2;
    for (int search = 0; search < 2; search++) {
        if (search) {
            loop_timer(talk->loop, wake_up, on_pause_over, talk);
            loop_run(talk->loop, talk->err);
        }
        if (!ask_question(talk, slurm_ask_find(comment), seconds)) {
            talk->number = SLURM_UNCLEAR;
            return 0;
        }
        uint32_t id = find_new(talk->answer, known, count);
        if (id)
            return id;
    }
    return 0;
}

uint32_t slurm_submit_now(const char *program, const struct slurm_request *request, const uint32_t *known, size_t count,
                          double seconds, int *number, struct err *err)
{
    struct client_talk talk = begin_talk(program, err);
    uint32_t id = 0;
    bool sure =
        ask_question(&talk, slurm_ask_submit(request), seconds) || talk.number != SLURM_UNCLEAR || !request->comment;
    if (!sure && !(id = find_lost(&talk, request->comment, known, count, seconds)) && talk.answer)
        ask_question(&talk, slurm_ask_submit(request), seconds);
    json_t *answer = end_talk(&talk, number);
    if (!id)
        id = (uint32_t)json_integer_value(json_object_get(answer, "id"));
    if (answer && !id)
        err_write(err, "Slurm gave the job no number");
    json_decref(answer);
    return id;
}
