/* A question to a coordinator's service, asked by a thread of its own while the caller's is the coordinator's. */
#ifndef GANNET_TESTS_SERVICE_QUESTION_H
#define GANNET_TESTS_SERVICE_QUESTION_H

#include "common/err.h"
#include "common/loop.h"
#include "scheduler/coordinator/service.h"

#include <jansson.h>
#include <stdatomic.h>

struct service_question {
    const struct rundir *dir;
    enum service_role role;
    const char *what, *arguments;
    double seconds;
    int status;
    json_t *answer;
    struct err err;
    atomic_bool done;
};

/* Asks in the role that stands there, and runs the loop until it is answered; json_decref the answer. `arguments`:
 * JSON, or NULL. */
void service_question_ask(struct service_question *question, struct loop *loop, const struct rundir *dir,
                          const char *what, const char *arguments);

#endif
