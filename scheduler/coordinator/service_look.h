/* What a coordinator answers those who only look: how it stands, and its workers. For service.c. */
#ifndef GANNET_SCHEDULER_COORDINATOR_SERVICE_LOOK_H
#define GANNET_SCHEDULER_COORDINATOR_SERVICE_LOOK_H

#include "common/node.h"
#include "scheduler/coordinator/service.h"

struct service_look {
    const struct service_setup *setup;
    char node[NODE_SIZE]; /* ours */
    char *last;           /* the last answer to a short status; NULL: there is none */
    double until;         /* when another one is made */
};

void service_look_init(struct service_look *look, const struct service_setup *setup);
void service_look_fini(struct service_look *look);

/* The answers to the questions of that name (service.h): 0, or -1 with a sentence when the arguments make no sense. To
 * a short status it is *text, until the next one. */
int service_look_status(struct service_look *look, const json_t *arguments, json_t **out, const char **text,
                        struct err *err);
int service_look_workers(struct service_look *look, const json_t *arguments, json_t **out, struct err *err);

#endif
