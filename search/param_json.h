/* What every JSON description of a parameter has in common: the store's and the one that outside programs are told. */
#ifndef GANNET_SEARCH_PARAM_JSON_H
#define GANNET_SEARCH_PARAM_JSON_H

#include "search/space.h"

#include <jansson.h>

/* The word for a kind: "real", "int", "choice", "normal", "constant". */
const char *param_kind_name(enum param_kind kind);

/* [16, 32, 64]: a new reference. */
json_t *param_values_json(const struct value *values, uint32_t count);

/* The conditions as {"optimizer": ["sgd"], "arch": {"not": ["cnn"]}, "layers": {"min": 3}}: for each parameter named,
 * the values of which it must have one, or none, or the range that it must be in. A new reference; NULL: there are
 * none. */
json_t *param_when_json(const struct space *space, const struct param *param);

#endif
