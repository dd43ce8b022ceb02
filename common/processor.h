/* The kind of processor this is, as far as the last digits of results depend on it: libraries choose by it, when a
 * program starts, which instructions they compute with. */
#ifndef GANNET_COMMON_PROCESSOR_H
#define GANNET_COMMON_PROCESSOR_H

#include <stdbool.h>

enum { PROCESSOR_TEXT = 96 };

struct processor {
    char model[PROCESSOR_TEXT];  /* "AMD EPYC 7543", for people */
    char vector[PROCESSOR_TEXT]; /* the widest vectors that it computes with: "avx512", "avx2", ...; or its architecture
                                  */
    char
        kernels[PROCESSOR_TEXT]; /* the core that the linear algebra was written for: "Haswell", "Zen"; "": not known */
    char gannet[PROCESSOR_TEXT]; /* the version of gannet */
};

/* This machine and this gannet; `kernels` comes from whoever has the library. */
void processor_here(struct processor *out, const char *kernels);

/* Whether the list of processors in that file, /proc/cpuinfo, has a flag, as "avx512_bf16". */
bool processor_has(const char *cpuinfo, const char *flag);

#endif
