/* The questions as JSON, and asking one and waiting for its answer, for commands; see client.h, and agent.h for what
 * they mean. */
#include "common/json.h"
#include "scheduler/slurm/agent.h"
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

/* The one answer that is waited for. */
struct wait {
    struct loop *loop;
    json_t *answer;
    int number;
    struct err *err;
};

static void on_answer(void *context, const json_t *answer, int number, const char *error)
{
    struct wait *wait = context;
    wait->answer = json_deep_copy(answer);
    wait->number = number;
    if (!answer)
        err_write(wait->err, "%s", error);
    loop_stop(wait->loop);
}

/* Runs the loop until the answer is there. The answer, or NULL with a sentence. */
static json_t *wait_for_answer(struct wait *wait, struct slurm_client *client, int *number)
{
    if (loop_run(wait->loop, wait->err))
        wait->number = SLURM_UNCLEAR;
    slurm_client_destroy(client);
    loop_destroy(wait->loop);
    if (number)
        *number = wait->number;
    return wait->answer;
}

json_t *slurm_ask_now(json_t *question, double seconds, int *number, struct err *err)
{
    struct wait wait = {.loop = loop_create(), .err = err};
    struct slurm_client *client = slurm_client_create(wait.loop, NULL);
    slurm_client_ask(client, question, seconds, on_answer, &wait);
    return wait_for_answer(&wait, client, number);
}

uint32_t slurm_submit_now(const struct slurm_request *request, const uint32_t *known, size_t count, double seconds,
                          int *number, struct err *err)
{
    struct wait wait = {.loop = loop_create(), .err = err};
    struct slurm_client *client = slurm_client_create(wait.loop, NULL);
    slurm_client_submit(client, request, known, count, seconds, on_answer, &wait);
    json_t *answer = wait_for_answer(&wait, client, number);
    uint32_t id = (uint32_t)json_integer_value(json_object_get(answer, "id"));
    if (answer && !id)
        err_write(err, "Slurm gave the job no number");
    json_decref(answer);
    return id;
}
