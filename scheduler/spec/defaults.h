/* The layers of spec_defaults.h on their way into the tree of an experiment file. */
#ifndef GANNET_SCHEDULER_SPEC_DEFAULTS_H
#define GANNET_SCHEDULER_SPEC_DEFAULTS_H

#include "scheduler/spec/spec_defaults.h"
#include "scheduler/spec/tree.h"

/* Puts what the layers say into `slurm:` of the tree, and into the spec's origins. Nodes of the layers go into the
 * tree, so they have to stay as long. `defaults` may be NULL. */
void defaults_apply(struct tree *tree, const struct spec_defaults *defaults, struct spec *spec);

void defaults_free_origins(struct spec *spec);

#endif
