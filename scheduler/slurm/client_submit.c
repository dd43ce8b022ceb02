/* Submitting once, whatever happens to the answer; see client.h.
 *
 * submit -> answered: done. Unclear -> find -> a new job with our comment: that is it. None -> wait, for a controller
 * that wakes up works off what it was sent before -> find -> none -> submit once more, and its answer stands. */
#include "common/mem.h"
#include "scheduler/slurm/agent.h"
#include "scheduler/slurm/client_parts.h"

#include <stdlib.h>
#include <string.h>

/* How long a controller that just woke up may take for what waited: its threads need milliseconds. */
static const double moment = 2;

struct attempt {
    struct attempt *next;
    struct slurm_client *client;
    struct loop_watch *pause; /* before the second look; NULL: it is not on */
    json_t *question;         /* the submission, kept to be sent again */
    char *comment;
    uint32_t *known;
    size_t known_count;
    double seconds;
    unsigned looks; /* how often it was looked for */
    slurm_answered *answered;
    void *context;
};

static void destroy(struct attempt *attempt)
{
    loop_remove(attempt->pause);
    json_decref(attempt->question);
    free(attempt->comment);
    free(attempt->known);
    free(attempt);
}

static void finish(struct attempt *attempt, const json_t *answer, int number, const char *error)
{
    struct attempt **at = client_attempts(attempt->client);
    while (*at != attempt)
        at = &(*at)->next;
    *at = attempt->next;
    attempt->answered(attempt->context, answer, number, error);
    destroy(attempt);
}

void client_submit_drop(struct attempt **list)
{
    for (struct attempt *attempt; (attempt = *list);) {
        *list = attempt->next;
        destroy(attempt);
    }
}

static bool is_known(const struct attempt *attempt, uint32_t id)
{
    for (size_t i = 0; i < attempt->known_count; i++)
        if (attempt->known[i] == id)
            return true;
    return false;
}

/* The job, or array, among those found that nobody knew; 0: none. */
static uint32_t find_new(const struct attempt *attempt, const json_t *answer)
{
    size_t index;
    const json_t *item;
    json_array_foreach(json_object_get(answer, "jobs"), index, item)
    {
        struct slurm_job job;
        if (slurm_job_read(item, &job))
            continue;
        uint32_t id = job.array ? job.array : job.id;
        if (!is_known(attempt, id))
            return id;
    }
    return 0;
}

static void look(void *context);
static void submitted_again(void *context, const json_t *answer, int number, const char *error);

static void looked(void *context, const json_t *answer, int number, const char *error)
{
    struct attempt *attempt = context;
    uint32_t id = answer ? find_new(attempt, answer) : 0;
    (void)number;
    if (id) {
        json_t *found = json_pack("{s:I}", "id", (json_int_t)id);
        finish(attempt, found, 0, NULL);
        json_decref(found);
    } else if (!answer) {
        finish(attempt, NULL, SLURM_UNCLEAR, error);
    } else if (attempt->looks < 2) {
        attempt->pause = loop_timer(client_loop(attempt->client), moment, look, attempt);
    } else {
        slurm_client_ask(attempt->client, json_incref(attempt->question), attempt->seconds, submitted_again, attempt);
    }
}

static void look(void *context)
{
    struct attempt *attempt = context;
    attempt->pause = NULL;
    attempt->looks++;
    slurm_client_ask(attempt->client, slurm_ask_find(attempt->comment), attempt->seconds, looked, attempt);
}

static void submitted_again(void *context, const json_t *answer, int number, const char *error)
{
    finish(context, answer, number, error);
}

static void submitted(void *context, const json_t *answer, int number, const char *error)
{
    struct attempt *attempt = context;
    if (number == SLURM_UNCLEAR && attempt->comment)
        look(attempt);
    else
        finish(attempt, answer, number, error);
}

void slurm_client_submit(struct slurm_client *client, const struct slurm_request *request, const uint32_t *known,
                         size_t count, double seconds, slurm_answered *answered, void *context)
{
    struct attempt *attempt = MEM_NEW(struct attempt), **list = client_attempts(client);
    *attempt = (struct attempt){.next = *list,
                                .client = client,
                                .question = slurm_ask_submit(request),
                                .comment = mem_text(request->comment),
                                .known = MEM_ARRAY(uint32_t, count + 1),
                                .known_count = count,
                                .seconds = seconds,
                                .answered = answered,
                                .context = context};
    if (count)
        memcpy(attempt->known, known, count * sizeof *known);
    *list = attempt;
    slurm_client_ask(client, json_incref(attempt->question), seconds, submitted, attempt);
}
