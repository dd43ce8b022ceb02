/* gannet-worker --show-slots: what this machine has, and the slots it would offer. */
#ifndef GANNET_WORKER_AGENT_SHOW_SLOTS_H
#define GANNET_WORKER_AGENT_SHOW_SLOTS_H

#include "worker/hardware/slots.h"

/* Adds it for people, or as JSON: {topology, slots, in_use, error}, with what other
 * searches use when it is this machine. When no slot fits, `error` says why, and so does the
 * result: 0, or -1 with the sentence. */
int show_slots(const struct topology *topology, const struct slot_request *request, bool this_machine, bool json,
               struct buf *out, struct err *err);

#endif
