/* Which processors multiply BF16: those with AVX512-BF16 or AMX. */
#ifndef GANNET_WORKER_BACKEND_NARROW_H
#define GANNET_WORKER_BACKEND_NARROW_H

#include "common/err.h"

/* What a person whose trial is refused can write instead. */
#define NARROW_ADVICE "write precision: fp32, or backend: ref, whose loops do bf16 anywhere, slowly"

/* -1 with a sentence when the processor that the file /proc/cpuinfo describes has neither. */
int narrow_check(const char *cpuinfo, struct err *err);

#endif
