/* Binds the processes of a slot to its place: cores, memory, GPUs, number of threads. Everything takes effect before
 * the program runs.
 *
 * GPUs are named to CUDA by their UUIDs, which mean the same GPU whatever order CUDA counts in. A trial that asked for
 * no GPU sees none: else every slot's trial would crowd the first one. Threads are not bound one by one
 * (OMP_PROC_BIND): libraries that start processes of their own would crowd them on one core. */
#ifndef GANNET_WORKER_HARDWARE_PIN_H
#define GANNET_WORKER_HARDWARE_PIN_H

#include "common/proc.h"
#include "worker/hardware/slots.h"

struct pin;

/* For one slot. `marks` ("NAME=value" up to NULL) are added to the environment. All is read during the call only. */
struct pin *pin_create(const struct topology *topology, const struct slot_place *place, const char *const *marks);
void pin_destroy(struct pin *pin); /* NULL is fine */

/* Sets what of a setup binds: cpus, prepare. The environment is the caller's, from pin_env. The pin must live until the
 * process was started. */
void pin_apply(const struct pin *pin, struct proc_setup *setup);

/* OMP_NUM_THREADS, CUDA_VISIBLE_DEVICES, ...: "NAME=value", NULL at the end. */
const char *const *pin_env(const struct pin *pin);

uint32_t pin_threads(const struct pin *pin); /* its own cores */

#endif
