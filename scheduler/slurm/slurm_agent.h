/* The process that speaks with Slurm: `gannet slurm-agent`, which loads the module and answers questions, one JSON
 * object a line, on its standard input and output. It may be ended by libslurm, or hang: whoever asks (client.h) has a
 * deadline.
 *
 *     {"call": "ping"}                                {}
 *     {"call": "submit", "request": {...}}            {"id": 1234}
 *     {"call": "check", "request": {...}}             {}                          it would be taken
 *     {"call": "job", "id": 1234}                     {"jobs": [{...}, ...]}      of one that runs: "cores": "0-3;8,9",
 * "gpus": "2;1"
 *     {"call": "find", "comment": "..."}              {"jobs": [{...}, ...]}
 *     {"call": "cancel", "which": "12_3"}             {}                          with "signal": 10 it is sent that
 *     {"call": "requeue", "id": 1234}                 {}
 *     {"call": "hold", "id": 1234, "hold": true}      {}
 *     {"call": "partitions"}                          {"partitions": ["main", "low"]}
 *     {"call": "about"}                               {"module": path, "built_for": "22.05.8", "library": "38.0.0"}
 *
 * The first question that needs Slurm's configuration has it read; when that has gone well, this line comes before the
 * answer, and an agent that ends without having said it has asked Slurm for nothing:
 *
 *                                                     {"note": "open"}
 *
 * Whatever fails is answered by {"error": "sentence", "number": 2000, "unclear": true}: see struct slurm_error. */
#ifndef GANNET_SCHEDULER_SLURM_SLURM_AGENT_H
#define GANNET_SCHEDULER_SLURM_SLURM_AGENT_H

#include "common/err.h"
#include "scheduler/slurm/interface.h"

#include <jansson.h>

/* Where the module is looked for: GANNET_SLURM_MODULE; ../slurm.so of the program's directory (a build directory);
 * ../lib/gannet/slurm.so of it (installed). free() it. */
char *slurm_agent_module_path(void);

/* Loads a module; NULL with a sentence that says what to install or build. */
const struct slurm_module *slurm_agent_load(const char *path, struct err *err);

/* Answers the lines of `in` to `out` until `in` ends: 0; 1 when `out` does. `path` is where the module is. */
int slurm_agent_serve(const struct slurm_module *module, const char *path, int in, int out);

/* Requests and jobs as JSON and back; what is missing is unset, other members are passed over. -1 when a member is of
 * the wrong type; *out is as initialised then. */
json_t *slurm_request_json(const struct slurm_request *request);
int slurm_request_read(const json_t *json, struct slurm_request *out, struct err *err);
void slurm_request_init(struct slurm_request *out); /* nothing given */
void slurm_request_fini(struct slurm_request *request);
void slurm_request_set(char **member, const char *text); /* a copy of the text, or NULL, in place of what is there */
json_t *slurm_job_json(const struct slurm_job *job);
int slurm_job_read(const json_t *json, struct slurm_job *out);

const char *slurm_state_name(enum slurm_state state); /* "pending", ... */
int slurm_state_named(const char *name);              /* -1: none */
bool slurm_state_is_end(enum slurm_state state);      /* it neither waits nor runs, nor ever will */
bool slurm_job_is_ending(
    const struct slurm_job *job); /* its processes are over, or told to be; it does not come back */

/* How a job ended, "0" or "signal 9", in `out`; NULL: it has not, or nobody knows. */
const char *slurm_job_exit(const struct slurm_job *job, char *out, size_t size);

#endif
