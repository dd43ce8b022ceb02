/* Who this process is on the cluster: its node by the name that Slurm gives it, and the job that it runs in. Outside
 * Slurm the node is the host. Several nodes of Slurm may share a host name; a process on this host is known by
 * node_host. */
#ifndef GANNET_COMMON_NODE_H
#define GANNET_COMMON_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NODE_SIZE = 256 }; /* bytes of a name, its end included */

#define NODE_NO_ELEMENT UINT32_MAX

/* The job of a process. */
struct node_job {
    uint32_t job;     /* of an array: the array's; 0: it runs in none */
    uint32_t element; /* of the array; NODE_NO_ELEMENT: it is none */
};

/* The node's name as Slurm has it (SLURMD_NODENAME), else the host's. Returns `out`. */
const char *node_name(char out[NODE_SIZE]);

/* The host's name; "unknown" when it has none. Returns `out`. */
const char *node_host(char out[NODE_SIZE]);

/* The job that this process runs in, by its environment. */
struct node_job node_job(void);

/* Whether a process is a task of a step of a Slurm job, by its environment. Slurm numbers the batch script, interactive
 * shells and what else belongs to no step, too. With 22.05 only the shells have that number in their environment, as
 * 4294967290; with 26.05 batch scripts have it as well, and it is written with a sign, as -5.
 * `get` is getenv but in tests. */
bool slurm_step_given(char *(*get)(const char *name));

#endif
