/* Whether threads can be started at all: libraries that start their own end the process in their own words when they
 * can't. */
#ifndef GANNET_COMMON_THREADS_H
#define GANNET_COMMON_THREADS_H

#include "common/err.h"

/* Starts so many threads at once and ends them: 0, or -1 with a sentence that names the limit. A moment later somebody
 * else may have taken what there was. */
int threads_check(unsigned count, struct err *err);

#endif
