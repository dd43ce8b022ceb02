/* What a coordinator answers those who only look: how it stands, and its workers. For service.c. */
#ifndef GANNET_SCHEDULER_COORDINATOR_OUTLOOK_H
#define GANNET_SCHEDULER_COORDINATOR_OUTLOOK_H

#include "common/node.h"
#include "scheduler/coordinator/service.h"

struct outlook {
    const struct service_setup *setup;
    char node[NODE_SIZE]; /* ours */
    json_t *last;         /* the last answer to a short status; NULL: there is none */
    double made;          /* when it was made */
};

void outlook_init(struct outlook *outlook, const struct service_setup *setup);
void outlook_fini(struct outlook *outlook);

/* The answers to the questions of that name (service.h): 0, or -1 with a sentence when the arguments make no sense. */
int outlook_status(struct outlook *outlook, const json_t *arguments, json_t **out, struct err *err);
int outlook_workers(struct outlook *outlook, const json_t *arguments, json_t **out, struct err *err);

#endif
