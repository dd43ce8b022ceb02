/* The name of a kernel as a person knows it: of "_ZN2at6native29vectorized_elementwise_kernelILi4EfEEvi" that is
 * "vectorized_elementwise_kernel", without namespaces, template arguments and parameters. */
#ifndef GANNET_WORKER_CUPTI_SHORT_NAME_H
#define GANNET_WORKER_CUPTI_SHORT_NAME_H

#include <stddef.h>

enum { SHORT_NAME_LONGEST = 64 };

/* Writes it into `out`, of SHORT_NAME_LONGEST + 1: letters, digits and a few signs of ASCII, in the place of any other
 * byte a question mark, so that it needs no escapes in JSON and does nothing on a terminal. A longer one loses its
 * middle. NULL is "unnamed kernel". */
void short_name(const char *name, char *out);

#endif
