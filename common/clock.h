/* The two clocks. Decisions use the monotonic one; the other is only shown to people and written down. */
#ifndef GANNET_COMMON_CLOCK_H
#define GANNET_COMMON_CLOCK_H

/* Seconds since some start that never jump (CLOCK_MONOTONIC). */
double clock_monotonic(void);

/* Seconds since 1970 (CLOCK_REALTIME). */
double clock_wall(void);

/* What clock_monotonic() says, and in `wall` what clock_wall() said at that moment. Between one look at a clock and
 * another a process may wait for a processor; then it looks again, a few times at most. */
double clock_both(double *wall);

/* Seconds of CPU that this process has used, all threads. */
double clock_cpu(void);

/* Seconds of CPU that this thread has used. */
double clock_thread(void);

#endif
