/* Asking and waiting for the answer, for commands; see client.h. */
#include "scheduler/slurm/client.h"

/* The one answer that is waited for. */
struct wait {
    struct loop *loop;
    json_t *answer;
    int number;
    struct err *err;
};

static void answered(void *context, const json_t *answer, int number, const char *error)
{
    struct wait *wait = context;
    wait->answer = json_deep_copy(answer);
    wait->number = number;
    if (!answer)
        err_write(wait->err, "%s", error);
    loop_stop(wait->loop);
}

/* Runs the loop until the answer is there. The answer, or NULL with a sentence. */
static json_t *run(struct wait *wait, struct slurm_client *client, int *number)
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
    slurm_client_ask(client, question, seconds, answered, &wait);
    return run(&wait, client, number);
}

uint32_t slurm_submit_now(const struct slurm_request *request, const uint32_t *known, size_t count, double seconds,
                          int *number, struct err *err)
{
    struct wait wait = {.loop = loop_create(), .err = err};
    struct slurm_client *client = slurm_client_create(wait.loop, NULL);
    slurm_client_submit(client, request, known, count, seconds, answered, &wait);
    json_t *answer = run(&wait, client, number);
    uint32_t id = (uint32_t)json_integer_value(json_object_get(answer, "id"));
    if (answer && !id)
        err_write(err, "Slurm gave the job no number");
    json_decref(answer);
    return id;
}
