/* What client.c and client_submit.c share. For them only. */
#ifndef GANNET_SCHEDULER_SLURM_CLIENT_PARTS_H
#define GANNET_SCHEDULER_SLURM_CLIENT_PARTS_H

#include "scheduler/slurm/client.h"

struct submission; /* a submission by slurm_client_submit that has no answer yet */

struct loop *client_loop(const struct slurm_client *client);
struct submission **client_submissions(struct slurm_client *client); /* the list of them; the first, or NULL */

/* Forgets all of the list; they stay unanswered. */
void client_submit_drop(struct submission **list);

#endif
