/* Simulated seconds: sleeping in place of work. */
#ifndef GANNET_WORKER_KERNELS_PACE_H
#define GANNET_WORKER_KERNELS_PACE_H

/* Sleeps so many seconds, whatever signals come; 0 or less: not at all. */
void pace_sleep(double seconds);

#endif
