/* What a kernel's trial takes of its GPU, beside what it has: known before anything starts, where nothing that the
 * search changes decides it. */
#ifndef GANNET_CLI_SESSION_KERNEL_MEMORY_H
#define GANNET_CLI_SESSION_KERNEL_MEMORY_H

#include "scheduler/spec/spec.h"

#include <stdbool.h>
#include <stdint.h>

/* Reports a trial of so many bytes (weights, activations, data; CUDA's own come to them) that can't fit: an error, or a
 * warning when trials run `elsewhere`. It has resources.gpu_memory, or its share of the largest GPU of this machine. */
void kernel_memory_check(const struct spec *spec, uint64_t bytes, bool elsewhere, struct problems *problems);

#endif
