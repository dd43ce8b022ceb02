/* How much longer a search takes: a guess for people. */
#ifndef GANNET_SCHEDULER_CORE_REMAINING_H
#define GANNET_SCHEDULER_CORE_REMAINING_H

struct core;

/* Seconds until limits.max_trials or limits.time is reached, whichever comes first; negative: not known. `rate`: trials
 * that ended a second in the last minute. */
double remaining_guess(const struct core *core, double now, double rate);

#endif
