/* Workers and their runs, looked after as time passes: who fell silent is lost, who may have lost its connection is
 * spoken to, a run that should have ended is given up, and one whose job ends goes on elsewhere. */
#ifndef GANNET_SCHEDULER_CORE_WATCH_H
#define GANNET_SCHEDULER_CORE_WATCH_H

struct core;

/* Looks after all workers, as far as the turn goes. */
void watch_tick(struct core *core);

/* Silence that long was ours: nobody listened. */
void watch_excuse(struct core *core, double seconds);

#endif
