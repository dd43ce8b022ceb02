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
static const double wake_up = 2;

struct submission {
    struct submission *next;
    struct slurm_client *client;
    struct loop_watch *pause; /* before the second search; NULL: there is none now */
    json_t *question;         /* the submission, kept to be sent again */
    char *comment;
    uint32_t *known;
    size_t known_count;
    double seconds;
    unsigned searches; /* how often the job was looked for */
    slurm_answered *answered;
    void *context;
};

static void destroy_submission(struct submission *submission)
{
    loop_remove(submission->pause);
    json_decref(submission->question);
    free(submission->comment);
    free(submission->known);
    free(submission);
}

static void finish_submission(struct submission *submission, const json_t *answer, int number, const char *error)
{
    struct submission **at = client_submissions(submission->client);
    while (*at != submission)
        at = &(*at)->next;
    *at = submission->next;
    submission->answered(submission->context, answer, number, error);
    destroy_submission(submission);
}

void client_submit_drop(struct submission **list)
{
    for (struct submission *submission; (submission = *list);) {
        *list = submission->next;
        destroy_submission(submission);
    }
}

static bool is_known(const struct submission *submission, uint32_t id)
{
    for (size_t i = 0; i < submission->known_count; i++)
        if (submission->known[i] == id)
            return true;
    return false;
}

/* The job, or array, among those found that nobody knew; 0: none. */
static uint32_t find_new(const struct submission *submission, const json_t *answer)
{
    size_t index;
    const json_t *item;
    json_array_foreach(json_object_get(answer, "jobs"), index, item)
    {
        struct slurm_job job;
        if (slurm_job_read(item, &job))
            continue;
        uint32_t id = job.array ? job.array : job.id;
        if (!is_known(submission, id))
            return id;
    }
    return 0;
}

static void search_queue(void *context);
static void submitted_again(void *context, const json_t *answer, int number, const char *error);

static void on_search_answered(void *context, const json_t *answer, int number, const char *error)
{
    struct submission *submission = context;
    uint32_t id = answer ? find_new(submission, answer) : 0;
    (void)number;
    if (id) {
        json_t *found = json_pack("{s:I}", "id", (json_int_t)id);
        finish_submission(submission, found, 0, NULL);
        json_decref(found);
    } else if (!answer) {
        finish_submission(submission, NULL, SLURM_UNCLEAR, error);
    } else if (submission->searches < 2) {
        submission->pause = loop_timer(client_loop(submission->client), wake_up, search_queue, submission);
    } else {
        slurm_client_ask(submission->client, json_incref(submission->question), submission->seconds, submitted_again,
                         submission);
    }
}

static void search_queue(void *context)
{
    struct submission *submission = context;
    submission->pause = NULL;
    submission->searches++;
    slurm_client_ask(submission->client, slurm_ask_find(submission->comment), submission->seconds, on_search_answered,
                     submission);
}

static void submitted_again(void *context, const json_t *answer, int number, const char *error)
{
    finish_submission(context, answer, number, error);
}

static void on_submit_answered(void *context, const json_t *answer, int number, const char *error)
{
    struct submission *submission = context;
    if (number == SLURM_UNCLEAR && submission->comment)
        search_queue(submission);
    else
        finish_submission(submission, answer, number, error);
}

void slurm_client_submit(struct slurm_client *client, const struct slurm_request *request, const uint32_t *known,
                         size_t count, double seconds, slurm_answered *answered, void *context)
{
    struct submission *submission = MEM_NEW(struct submission), **list = client_submissions(client);
    *submission = (struct submission){.next = *list,
                                      .client = client,
                                      .question = slurm_ask_submit(request),
                                      .comment = mem_text(request->comment),
                                      .known = MEM_ARRAY(uint32_t, count + 1),
                                      .known_count = count,
                                      .seconds = seconds,
                                      .answered = answered,
                                      .context = context};
    if (count)
        memcpy(submission->known, known, count * sizeof *known);
    *list = submission;
    slurm_client_ask(client, json_incref(submission->question), seconds, on_submit_answered, submission);
}
