/* Asking Slurm, through a process of its own (slurm_agent.h), without ever waiting for it: questions are answered by a
 * call from the loop, in order, one at a time. An agent that dies or does not answer in time is replaced at the next
 * question, and the answer is a sentence in Slurm's own words (what libslurm wrote to its error output included). */
#ifndef GANNET_SCHEDULER_SLURM_CLIENT_H
#define GANNET_SCHEDULER_SLURM_CLIENT_H

#include "common/loop.h"
#include "scheduler/slurm/interface.h"

#include <jansson.h>
#include <stddef.h>

struct slurm_client;

/* Starts no process yet. `program`: the path of gannet; NULL: the one beside this program. The loop must be the one of
 * this process that watches children (common/proc.h). */
struct slurm_client *slurm_client_create(struct loop *loop, const char *program);
void slurm_client_destroy(struct slurm_client *client); /* ends the agent; unanswered questions stay so; NULL is fine */

/* `number` when the agent died or did not answer in time, and wherever an answer was lost on its way: whether what was
 * asked for was done is not known. */
enum { SLURM_UNCLEAR = -1 };

/* The answer: `answer` is the agent's object, or NULL with a sentence. `number` is Slurm's error number, SLURM_UNCLEAR,
 * or 0: an error of ours. Called from the loop, never within slurm_client_ask; may ask again, but not destroy the
 * client. */
typedef void slurm_answered(void *context, const json_t *answer, int number, const char *error);

/* Asks. `question` is taken over. `seconds`: the deadline, counted from when the agent begins with it. */
void slurm_client_ask(struct slurm_client *client, json_t *question, double seconds, slurm_answered *answered,
                      void *context);

/* --- the questions; each is a JSON object for slurm_client_ask or slurm_ask_now --- */
json_t *slurm_ask_ping(void);
json_t *slurm_ask_submit(const struct slurm_request *request);
json_t *slurm_ask_check(const struct slurm_request *request);
json_t *slurm_ask_job(uint32_t id);
json_t *slurm_ask_find(const char *comment);
json_t *slurm_ask_cancel(const char *which, int signal);
json_t *slurm_ask_requeue(uint32_t id);
json_t *slurm_ask_hold(uint32_t id, bool hold);
json_t *slurm_ask_partitions(void);
json_t *slurm_ask_about(void);

/* --- for commands of a person, with a client and a loop of their own: they return with the answer --- */

/* The answer (json_decref it), or NULL with a sentence; *number as above (may be NULL). The question is taken over. */
json_t *slurm_ask_now(json_t *question, double seconds, int *number, struct err *err);

/* Submits without ever submitting twice: when it stays unclear whether that was done, the job is looked for among those
 * with the request's comment (which must be ours alone) that are not `known`, a second time a moment later, and only
 * when it is not there submitted once more. The job's id, or 0 with a sentence; with SLURM_UNCLEAR it is still not
 * known, because the controller does not answer: look by slurm_ask_find before submitting again. `program` as for
 * slurm_client_create. */
uint32_t slurm_submit_now(const char *program, const struct slurm_request *request, const uint32_t *known, size_t count,
                          double seconds, int *number, struct err *err);

#endif
