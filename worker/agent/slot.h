/* One place to run: cores, memory and GPUs, the queue of leases that wait there, and the process that runs the one in
 * front. Slots call what is below them, the reporter (reporter.h), and hear of their agent through struct slot_host
 * alone.
 */
#ifndef GANNET_WORKER_AGENT_SLOT_H
#define GANNET_WORKER_AGENT_SLOT_H

#include "worker/agent/slot_host.h"

struct agent_slot *slot_create(struct slot_host *host, uint32_t index, const struct slot_place *place);
/* Names where runs on several nodes meet that begin here; does nothing when the task's runs have one node. */
void slot_name_port(struct agent_slot *slot);
/* Ends it at once: its queue goes back, the run in front of it is lost. */
void slot_destroy(struct agent_slot *slot);

void slot_take(struct agent_slot *slot, struct run *run); /* to the end of the queue */
void slot_return_queue(struct agent_slot *slot);          /* all that has not begun goes back */
/* Ends a run of this slot; its process has `grace` seconds to do so by itself. One that has not begun goes back. */
void slot_stop(struct agent_slot *slot, struct run *run, enum ending ending, const char *detail, double grace);
/* The same with its front run, if there is one. */
void slot_stop_front(struct agent_slot *slot, enum ending ending, const char *detail, double grace);
/* The worker leaves: what has not begun goes back, the front run is stopped. The seconds that this has to end by
 * itself; runs that can save a checkpoint get longer. */
double slot_leave(struct agent_slot *slot, const char *why);
void slot_tick(struct agent_slot *slot, double now);
/* The task has changed: a trainer, which is told the task only once, is replaced as soon as it has no run. */
void slot_renew(struct agent_slot *slot);
/* Its persistent program is needed no more; true: there is none left. */
bool slot_part_server(struct agent_slot *slot);

bool slot_has_process(const struct agent_slot *slot, pid_t pid);
void slot_tell_wait(const struct agent_slot *slot); /* tells the coordinator that it waits, or does no more */

#endif
