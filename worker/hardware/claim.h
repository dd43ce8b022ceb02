/* Cores and GPUs that a worker uses, claimed against the other searches on this machine, whoever's they are: a file for
 * each in a directory that all users share, locked (flock) by the worker. The kernel gives a lock back when its process
 * is gone, however that ended. A claim is a word between gannets: nothing keeps other programs from using a core. */
#ifndef GANNET_WORKER_HARDWARE_CLAIM_H
#define GANNET_WORKER_HARDWARE_CLAIM_H

#include "common/buf.h"
#include "common/texts.h"
#include "worker/hardware/slots.h"

#include <stdbool.h>

#define CLAIM_VARIABLE  "GANNET_CORE_LOCKS" /* another directory; "off": nothing is claimed */
#define CLAIM_DIRECTORY "/tmp/gannet-cores"

struct claims;

/* Opens the directory, and makes it when it is not there. Never NULL: where it can't be used every claim succeeds, and
 * a warning says so once. */
struct claims *claims_create(const char *directory);
void claims_destroy(struct claims *claims); /* gives back all; NULL is fine */

/* Takes all of the names, or none: then false, and in `why` a sentence that says who has the first one that could not
 * be had. A process may take a name several times; it gives it back as often. */
bool claims_take(struct claims *claims, const struct texts *names, struct buf *why);
void claims_return(struct claims *claims, const struct texts *names);

/* Which cores and GPUs of a machine other searches use: an array of {"what": "core 3", "by": "your search 'digits'
 * (process 4711)"}. json_decref it. */
json_t *claims_json(struct claims *claims, const struct topology *topology);

/* The directory that the environment names, else the machine's; NULL: nothing is to be claimed. */
const char *claims_directory(void);

/* Adds the names of a slot's cores and GPUs: "core-3", "gpu-GPU-7f3a...". They are the same for all processes of the
 * machine, also for those that may use other hyperthreads of the core. */
void claims_name_slot(const struct topology *topology, const struct slot_place *place, struct texts *names);

#endif
