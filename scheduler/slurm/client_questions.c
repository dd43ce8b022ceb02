/* The questions as JSON; see client.h, and agent.h for what they mean. */
#include "common/json.h"
#include "scheduler/slurm/agent.h"
#include "scheduler/slurm/client.h"

static json_t *call(const char *name)
{
    json_t *question = json_object();
    json_object_set_new(question, "call", json_string(name));
    return question;
}

static json_t *call_with(const char *name, const char *member, json_t *value)
{
    json_t *question = call(name);
    json_object_set_new(question, member, value);
    return question;
}

json_t *slurm_ask_about(void)
{
    return call("about");
}

json_t *slurm_ask_ping(void)
{
    return call("ping");
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
    return call("partitions");
}
