/* Programs that are configured by Hydra: their help shows the whole configuration, and name=value on the command line
 * changes a value of it. */
#ifndef GANNET_CLI_START_HYDRA_H
#define GANNET_CLI_START_HYDRA_H

#include <jansson.h>

/* The configuration in the help as options (user_program.h), new; each has `plain`: true. NULL: the help is none of
 * Hydra's.
 */
json_t *hydra_options(const char *help);

#endif
