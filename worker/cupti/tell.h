/* Writes what a process knows of its work on GPUs into a file, which the worker reads (worker/program/gpu_work.h):
 *
 *     {"gannet_gpu":1,"unknown":"a sentence, or empty","operations":[["name",calls,bytes,nanoseconds,min,max],...]}
 */
#ifndef GANNET_WORKER_CUPTI_TELL_H
#define GANNET_WORKER_CUPTI_TELL_H

#include "worker/cupti/sums.h"

/* A name and five numbers of 20 digits, with what is between them. */
enum { TELL_WHY = 200, TELL_BYTES = (SUMS_NAMES + 1) * (SHORT_NAME_LONGEST + 120) + TELL_WHY + 100 };

/* Writes the file beside itself and renames it, so that whoever reads it finds all of one state. `text` is memory for
 * it, of TELL_BYTES. What goes wrong is nobody's matter: the worker says that nothing was told. */
void tell(const char *path, const struct cupti_sums *sums, const char *unknown, char *text);

#endif
