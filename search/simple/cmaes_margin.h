/* The margin of CMA-ES: coordinates that have levels - integers, ordered choices - keep some chance to change their
 * level however small the steps become, so that none freezes. (Hamano, Saito, Nomura, Shirakawa: "CMA-ES with margin:
 * lower-bounding marginal probability for mixed-integer black-box optimization", GECCO 2022.) */
#ifndef GANNET_SEARCH_SIMPLE_CMAES_MARGIN_H
#define GANNET_SEARCH_SIMPLE_CMAES_MARGIN_H

#include "search/simple/cmaes_normal.h"

/* After a generation: moves the mean and the factor of coordinate i so that the mean's level, which reaches from
 * `below` to `above` (infinite for the first and the last level), is left downwards and upwards with probability alpha
 * / 2 or more each; from an end, with alpha. */
void margin_keep(struct normal *normal, uint32_t i, double below, double above, double alpha);

#endif
