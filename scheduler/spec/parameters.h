/* From the parameters of an experiment file to the space. */
#ifndef GANNET_SCHEDULER_SPEC_PARAMETERS_H
#define GANNET_SCHEDULER_SPEC_PARAMETERS_H

#include "scheduler/spec/draft.h"

/* Checks that a node is a list of texts (SCALAR) or of maps (MAP), and reports what is not. */
void parameters_check_list(struct reading *reading, const struct key *key, const struct node *node, enum node_kind kind,
                           const char *example);

/* Reads the whole of `parameters:` but for what needs the other sections. Frees with parameters_fini. */
void parameters_read(struct reading *reading, struct parameters *parameters);
void parameters_fini(struct parameters *parameters);

/* Makes the space of the drafts (which give away what they own) and of `constraints:`, if nothing was wrong with the
 * parameters; problems of the constraints are reported. */
void parameters_make_space(struct reading *reading, struct parameters *parameters);

/* Reads `start:` by the drafts. Before parameters_make_space. */
void parameters_read_start(struct reading *reading, const struct parameters *parameters);

/* Checks the start points against the constraints, once the space is made and nothing was wrong so far. */
void parameters_check_start(struct reading *reading);

/* Checks that a command finds each parameter in a variable of its own. */
void parameters_check_variables(struct reading *reading, const struct parameters *parameters);

/* Checks the placeholders of the command and the environment. */
void parameters_check_placeholders(struct reading *reading, const struct parameters *parameters);

#endif
