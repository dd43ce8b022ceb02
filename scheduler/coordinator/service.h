/* What the command line may ask a living coordinator: the answering side in the coordinator's loop, and the asking
 * side. The table of questions is in service.c:
 *
 *     status       {"workers": false}           a snapshot (snapshot.h) and: name, directory, session, node, pid,
 *                                               trouble (why nothing can be written at present, or null), counters;
 *                                               "workers": false: of the workers their sums and a few odd ones
 *     workers      {"workers": ["1f...", ...]}  some workers with their slots (worker_list.h): those of these names,
 *                  {"after": "", "limit": 100}  or in the order of their names those behind this one
 *     read         {"function": "trials", ...}  what that function of the reading half gives (query.h)
 *     drain        {"why": "interrupted"}       {}: nothing new is started; it ends when what runs has ended
 *     stop         {"why": "interrupted"}       {}: what runs is ended too; why: "stopped" (default) or "interrupted"
 *     cancel       {"trial": 131}               {}: this trial is ended
 *     ignore, retry, add                        what a person changes of the past (amends.h); answered once on disk
 *     worker_dead  {"pid": 47, "why": "..."}    {"workers": 1, "ended": 12}: this worker of this node was seen dead
 *     share        {}                           {"to": "tcp://..."}: the pass (pass.h) was given or withdrawn, and is
 *                                               looked at anew; "to": where viewers are heard; null: nowhere
 *     silent       {"pid": 47}                  {"silent": 3.5}: seconds since its last word; null: not known
 *     no_workers   {"why": "they have left"}    {}: nobody is left to run trials, so the session ends
 */
#ifndef GANNET_SCHEDULER_COORDINATOR_SERVICE_H
#define GANNET_SCHEDULER_COORDINATOR_SERVICE_H

#include "common/err.h"
#include "common/link.h"
#include "common/loop.h"
#include "scheduler/coordinator/amends.h"
#include "scheduler/coordinator/commit.h"
#include "scheduler/core/core.h"
#include "scheduler/rundir/rundir.h"

#include <jansson.h>
#include <stdatomic.h>

/* Who asks, by the key that the link was made with; the control link allows these keys in this order. */
enum service_role {
    SERVICE_OPERATOR, /* asks anything */
    SERVICE_VIEWER,   /* looks: status, workers and read */
    SERVICE_ROLES
};

/* "operator", "viewer": its key's name, too. */
const char *service_role_name(enum service_role role);

/* Exit statuses that a command which asked is to have, beside 0. */
enum { SERVICE_FAILED = 1, SERVICE_USAGE = 2, SERVICE_NO_TRIAL = 5, SERVICE_UNREACHABLE = 69 };

/* --- answering --- */

struct service;
struct viewers; /* viewers.h */

/* What answers are made of; all of it lives as long as the service. */
struct service_setup {
    struct loop *loop;
    struct link *link;    /* bound, for the command line; or for viewers alone: */
    bool viewers_only;    /* whoever comes looks, and gets a quarter of the loop's and of a reader's time at most */
    const char *store;    /* the file that those read (readings.h); NULL: the store's thread has it for itself */
    struct link *workers; /* bound, for workers; NULL: there are none */
    struct core *core;
    struct commit *commit;
    struct amends *amends;
    struct viewers *viewers; /* who may look by a pass; NULL: nobody can be given one here */
    const struct counters *counters;
    const char *name, *directory; /* of the experiment */
    uint64_t session;
};

/* Answers from then on; what the questions do to the core shows in its outputs, which the coordinator takes at the end
 * of each turn. */
struct service *service_open(const struct service_setup *setup);
void service_close(struct service *service); /* NULL is fine */

/* --- asking --- */

/* A connection to the coordinator of a run directory. */
struct service_client;

/* NULL with a sentence when no coordinator lives there, or on another host that it does not listen beyond. A viewer is
 * taken for the operator where the run directory has no viewer's key. */
struct service_client *service_connect(struct link_context *context, const struct rundir *dir, enum service_role role,
                                       struct err *err);

/* From when on *stop is true, its questions end soon, with a sentence. Another thread may set it. */
void service_stop_at(struct service_client *client, const atomic_bool *stop);
void service_disconnect(struct service_client *client); /* NULL is fine */

/* Asks and waits up to `seconds`. 0 and the answer (json_decref it), or one of the exit statuses above and a sentence.
 * `arguments` may be NULL. */
int service_ask(struct service_client *client, const char *what, const json_t *arguments, double seconds,
                json_t **answer, struct err *err);

#endif
