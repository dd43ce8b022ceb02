/* The process that speaks with Slurm: `gannet slurm-agent`, which loads the module and answers questions, one JSON
 * object a line, on its standard input and output. It may be ended by libslurm, or hang: whoever asks (client.h) has a
 * deadline.
 *
 *     {"call": "submit", "request": {...}}        {"id": 1234}
 *     {"call": "job", "id": 1234}                 {"jobs": [{...}]}
 *     ...                                         {"error": "sentence", "number": 2000}
 */
#ifndef GANNET_SCHEDULER_SLURM_AGENT_H
#define GANNET_SCHEDULER_SLURM_AGENT_H

#include "common/err.h"
#include "scheduler/slurm/interface.h"

#include <jansson.h>

/* Where the module is looked for: GANNET_SLURM_MODULE, lib/gannet/slurm.so beside the program's directory (installed),
 * or
 * ../slurm.so of it (in a build directory). free() it. */
char *agent_module_path(void);

/* Loads a module; NULL with a sentence that says what to install or build. */
const struct slurm_module *agent_load(const char *path, struct err *err);

/* Answers until standard input ends. The exit status. */
int agent_serve(const struct slurm_module *module, int in, int out);

/* Requests and jobs as JSON and back; what is missing is unset. -1 when a member is of the wrong type. */
json_t *slurm_request_json(const struct slurm_request *request);
int slurm_request_read(const json_t *json, struct slurm_request *out, struct err *err);
void slurm_request_init(struct slurm_request *out); /* nothing given */
void slurm_request_fini(struct slurm_request *request);
json_t *slurm_job_json(const struct slurm_job *job);
int slurm_job_read(const json_t *json, struct slurm_job *out);

const char *slurm_state_name(enum slurm_state state); /* "pending", ... */
int slurm_state_named(const char *name);              /* -1: none */

#endif
