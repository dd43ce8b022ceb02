/* Lists of nodes as Slurm writes them: "n[1-3,08-10],login1" is n1, n2, n3, n08, n09, n10 and login1. Pure. */
#ifndef GANNET_SCHEDULER_SLURM_NODES_H
#define GANNET_SCHEDULER_SLURM_NODES_H

#include "common/err.h"
#include "common/texts.h"

#include <stdbool.h>
#include <stddef.h>

enum { NODES_MOST = 1 << 16 }; /* no cluster has more; keeps a broken list from filling memory */

/* Adds the names of a list, in its order. -1 with a sentence when it is none; what was added before that stays. */
int nodes_read(const char *list, struct texts *out, struct err *err);

/* The same of a list that may have been cut to fit `room` bytes, its end included: as far as it goes. */
int nodes_read_cut(const char *list, size_t room, struct texts *out);

/* Whether such a list names the node; also when that can't be told. */
bool nodes_list_has(const char *list, size_t room, const char *node);

#endif
