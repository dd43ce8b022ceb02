/* What follows from changes that are on disk. */
#ifndef GANNET_SCHEDULER_CORE_ACT_H
#define GANNET_SCHEDULER_CORE_ACT_H

#include <stdbool.h>

struct core;
struct trial;

/* What follows from the state a trial has on disk. Idempotent: may be called any number of times. */
void act_on_trial(struct core *core, struct trial *trial);
/* Sends the acknowledgements, and acts on the trials, whose events have been committed. */
void act_on_committed(struct core *core);
bool act_is_done(struct core *core);               /* none of these are left for the next turn */
bool act_cancels_waiting(const struct core *core); /* trials that have not begun will not */
/* The sentence of the limit or target whose being reached ends every trial; NULL when none was. */
const char *act_why_all_end(const struct core *core);

#endif
