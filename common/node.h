/* Who this process is on the cluster: its node by the name that Slurm gives it, and the job that it runs in. Outside
 * Slurm the node is the host. Several nodes of Slurm may share a host name; a process on this host is known by
 * node_host. */
#ifndef GANNET_COMMON_NODE_H
#define GANNET_COMMON_NODE_H

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

#endif
