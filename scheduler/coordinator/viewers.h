/* Where people come who were given a pass (scheduler/rundir/pass.h): a port of its own, at which the pass's key alone
 * gets in and nothing but looking is answered. There is one while the run directory has a pass; the search does not
 * depend on it.
 *
 * It is TCP on this host too, at 127.0.0.1: a local socket would have to be open to other users, and libzmq does not
 * survive one without a free descriptor (descriptors.h). */
#ifndef GANNET_SCHEDULER_COORDINATOR_VIEWERS_H
#define GANNET_SCHEDULER_COORDINATOR_VIEWERS_H

#include "scheduler/coordinator/listener.h"
#include "scheduler/coordinator/service.h"

struct viewers;

/* All of it lives as long. */
struct viewers_setup {
    struct link_context *links;
    const struct rundir *dir;
    const struct spec_network *network;
    const struct listener *listener;
    uint64_t *pauses; /* as of descriptors_watch */
};

/* Nobody is heard yet. `service` is what questions are answered from, but for the link and who may ask what. */
struct viewers *viewers_open(const struct viewers_setup *setup, const struct service_setup *service);

/* The listener has announced itself: from now on viewers are heard if there is a pass. Failing at that is logged and
 * harms nothing. */
void viewers_begin(struct viewers *viewers);

/* There is a pass now, another one, or none any more: who looks by an earlier one is put out. -1 with a sentence. */
int viewers_renew(struct viewers *viewers, struct err *err);

/* Where they are heard; NULL: nowhere. */
const char *viewers_address(const struct viewers *viewers);

/* Puts out who looks; the pass has no address then. NULL is fine. */
void viewers_close(struct viewers *viewers);

#endif
