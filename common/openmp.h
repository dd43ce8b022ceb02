/* The environment of a process that trains with OpenMP's threads, whose library reads it before main. */
#ifndef GANNET_COMMON_OPENMP_H
#define GANNET_COMMON_OPENMP_H

#include "common/texts.h"

/* Adds "NAME=VALUE" for so many threads ("2"). `own`: what a person wants set beside it, which wins where it is added
 * later; NULL at its end, and may be NULL. */
void openmp_env(const char *threads, const char *const *own, struct texts *env);

#endif
