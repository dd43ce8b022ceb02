/* The lock file of a run directory as others see it: whether somebody has it, and who. It is taken in
 * scheduler/rundir/lock.c. */
#ifndef GANNET_COMMON_LOCK_H
#define GANNET_COMMON_LOCK_H

#include <stdbool.h>
#include <stddef.h>

enum { LOCK_TEXT = 320 }; /* bytes of "process 4711 on node n02" at most, its end included */

/* What the holder of a lock writes into its file. Returns `out`. */
const char *lock_text(int pid, const char *node, char out[LOCK_TEXT]);

/* What stands in a lock file that is ours, open for reading; "" when nothing does. Returns `out`. */
const char *lock_read_text(int fd, char out[LOCK_TEXT]);

/* Opens a lock file that is there, following no link, for reading; -1 with errno. */
int lock_open(const char *path);

/* Whether some process has the lock of this open file. */
bool lock_is_held(int fd);

/* A holder that can't go on yet lets go of one byte, far behind the text: others see that without a word on a disk that
 * may be full, on other nodes, too. Whether it has; to be asked of a lock that is held. */
enum { LOCK_WAITING_BYTE = 1 << 20 };
bool lock_is_waiting(int fd);

#endif
